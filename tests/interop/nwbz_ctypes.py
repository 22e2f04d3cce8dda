"""The public C API of libnwbz as a few Python objects, for the tests only: no logic, no comfort beyond NumPy arrays.

The library is the one that NWBZ_LIBRARY names, else build/release/libnwbz.so.
"""

import ctypes
import os
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("NWBZ_LIBRARY", ROOT / "build/release/libnwbz.so"))
MAX_DIMS = 32

NAMES = [
    "none",
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "string",
    "struct",
    "fixed_length_utf32",
    "raw_bytes",
]
STRING = NAMES.index("string")
CODES = [
    "NWBZ_OK",
    "NWBZ_EINVAL",
    "NWBZ_ESOURCE",
    "NWBZ_EFORMAT",
    "NWBZ_ENOTFOUND",
    "NWBZ_EUNSUPPORTED",
    "NWBZ_EEXIST",
    "NWBZ_ELOCKED",
    "NWBZ_ENOSPACE",
    "NWBZ_ELIMIT",
    "NWBZ_EIO",
    "NWBZ_ENOMEM",
    "NWBZ_ECANCELED",
    "NWBZ_ECALLBACK",
]

c_shape = ctypes.POINTER(ctypes.c_uint64)


class CError(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_int),
        ("os_errno", ctypes.c_int),
        ("where", ctypes.c_char * 256),
        ("message", ctypes.c_char * 512),
    ]


class CString(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("n_bytes", ctypes.c_uint64)]


class CArrayOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("n_dims", ctypes.c_uint),
        ("shape", c_shape),
        ("chunk_shape", c_shape),
        ("shard_shape", c_shape),
        ("fill_value", ctypes.c_void_p),
        ("codec", ctypes.c_char_p),
        ("big_endian", ctypes.c_bool),
        ("attributes_json", ctypes.c_char_p),
    ]


class CArrayInfo(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("n_dims", ctypes.c_uint),
        ("shape", c_shape),
        ("chunk_shape", c_shape),
        ("shard_shape", c_shape),
        ("fill_value", ctypes.c_void_p),
        ("codec", ctypes.c_char_p),
        ("attributes_json", ctypes.c_char_p),
        ("zarr_format", ctypes.c_int),
        ("element_bytes", ctypes.c_size_t),
        ("data_type_json", ctypes.c_char_p),
        ("fill_value_json", ctypes.c_char_p),
    ]


class CEntry(ctypes.Structure):
    _fields_ = [
        ("path", ctypes.c_char_p),
        ("is_array", ctypes.c_bool),
        ("attributes_json", ctypes.c_char_p),
        ("array", CArrayInfo),
        ("unsupported", ctypes.c_char_p),
    ]


class CFillOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("number_of_jobs", ctypes.c_uint),
        ("memory_limit_bytes", ctypes.c_uint64),
        ("on_progress", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
    ]


ENTRY_FN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CEntry), ctypes.c_void_p)
_lib = ctypes.CDLL(str(LIBRARY)) if LIBRARY.is_file() else None
if _lib:
    _lib.nwbz_free.argtypes = [ctypes.c_void_p]
    _lib.nwbz_free.restype = _lib.nwbz_store_close.restype = _lib.nwbz_array_close.restype = (
        _lib.nwbz_source_close.restype
    ) = None


class Error(Exception):
    """What a call refused: code ("NWBZ_EINVAL"), where, message."""

    def __init__(self, error):
        self.code = CODES[error.code]
        self.where = error.where.decode()
        self.message = error.message.decode()
        super().__init__(f"{self.code}: {self.where}: {self.message}")


def call(name, *arguments):
    """Call a function that returns a code; raise Error unless that is NWBZ_OK."""
    error = CError()
    code = getattr(_lib, name)(*arguments, ctypes.byref(error))
    if code:
        assert error.code == code and error.message, f"{name} returned {code} and said {error.code}"
        raise Error(error)


def _shape(values):
    return (ctypes.c_uint64 * max(1, len(values)))(*values) if values is not None else None


def _strings(values):
    """A C array of texts, and what keeps them alive."""
    encoded = [value.encode() for value in values]
    buffers = [ctypes.create_string_buffer(text, len(text) + 1) for text in encoded]
    items = (CString * max(1, len(values)))(
        *[CString(ctypes.addressof(b), len(t)) for b, t in zip(buffers, encoded, strict=True)]
    )
    return items, buffers


def type_of(dtype):
    return STRING if dtype == "string" else NAMES.index(np.dtype(dtype).name)


class Store:
    """A store; close it, or use it in a with statement."""

    def __init__(self, path=None, create=False, writable=False):
        self._as_parameter_ = ctypes.c_void_p()
        if path is None:
            call("nwbz_store_new_memory", ctypes.byref(self._as_parameter_))
        elif create:
            call("nwbz_store_create", str(path).encode(), None, ctypes.byref(self._as_parameter_))
        else:
            call("nwbz_store_open", str(path).encode(), ctypes.c_bool(writable), ctypes.byref(self._as_parameter_))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        _lib.nwbz_store_close(self)
        self._as_parameter_ = ctypes.c_void_p()

    def commit(self):
        call("nwbz_store_commit", self)

    def consolidate(self):
        call("nwbz_consolidate", self)

    def group(self, path, attributes=None):
        call("nwbz_group_create", self, path.encode(), attributes.encode() if attributes else None)

    def create(
        self, path, dtype, shape, chunks=None, shards=None, fill=None, codec=None, big_endian=False, attributes=None
    ):
        """Create an array; `fill` is a NumPy scalar, or text."""
        options = CArrayOptions(
            ctypes.sizeof(CArrayOptions), type_of(dtype), len(shape), _shape(shape), _shape(chunks), _shape(shards)
        )
        if fill is not None:
            keep = _strings([fill]) if dtype == "string" else np.array(fill, dtype=dtype).tobytes()
            options.fill_value = ctypes.cast(keep[0] if dtype == "string" else ctypes.c_char_p(keep), ctypes.c_void_p)
        options.codec = codec.encode() if codec else None
        options.big_endian = big_endian
        options.attributes_json = attributes.encode() if attributes else None
        handle = ctypes.c_void_p()
        call("nwbz_array_create", self, path.encode(), ctypes.byref(options), ctypes.byref(handle))
        return Array(handle)

    def open(self, path="/"):
        handle = ctypes.c_void_p()
        call("nwbz_array_open", self, path.encode(), ctypes.byref(handle))
        return Array(handle)

    def list(self, path="/", depth=2**32 - 1):
        """(path, is_array, reason why it cannot be read or None) of every node."""
        found = []

        def on_entry(entry, _):
            e = entry.contents
            found.append((e.path.decode(), e.is_array, e.unsupported.decode() if e.unsupported else None))
            return 0

        call("nwbz_list", self, path.encode(), ctypes.c_uint32(depth), ENTRY_FN(on_entry), None)
        return found


class Array:
    """An array; close it before its store, or use it in a with statement."""

    def __init__(self, handle):
        self._as_parameter_ = handle
        info = CArrayInfo()
        _lib.nwbz_array_get_info(self, ctypes.byref(info))
        n = info.n_dims
        self.type = NAMES[info.type]
        self.shape = tuple(info.shape[:n])
        self.chunks = tuple(info.chunk_shape[:n])
        self.shards = tuple(info.shard_shape[:n]) if info.shard_shape else None
        self.codec = info.codec.decode()
        self.attributes = info.attributes_json.decode()
        self.data_type = info.data_type_json.decode()
        opaque = self.type in ("struct", "fixed_length_utf32", "raw_bytes")  # their bytes, as they lie in memory
        self.dtype = None if self.type == "string" else np.dtype(f"V{info.element_bytes}" if opaque else self.type)
        if self.type == "string":
            text = CString.from_address(info.fill_value)
            self.fill = ctypes.string_at(text.bytes, text.n_bytes).decode()
        else:
            self.fill = ctypes.string_at(info.fill_value, info.element_bytes)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        _lib.nwbz_array_close(self)
        self._as_parameter_ = ctypes.c_void_p()

    def stored(self):
        """(objects, bytes) in the store."""
        objects, n_bytes = ctypes.c_uint64(), ctypes.c_uint64()
        call("nwbz_array_stored", self, ctypes.byref(objects), ctypes.byref(n_bytes))
        return objects.value, n_bytes.value

    def write(self, values, jobs=1):
        """Write the whole array: a NumPy array, or a nested list of text."""
        if self.type == "string":
            items, _buffers = _strings(list(np.ravel(np.array(values, dtype=object))))
            call("nwbz_array_write_strings", self, items)
            return
        values = np.array(values, dtype=self.type, order="C", ndmin=len(self.shape))
        source = ctypes.c_void_p()
        options = CFillOptions(ctypes.sizeof(CFillOptions), jobs)
        call(
            "nwbz_source_new_memory",
            ctypes.c_void_p(values.ctypes.data),
            type_of(self.type),
            ctypes.c_uint(values.ndim),
            _shape(values.shape),
            ctypes.byref(source),
        )
        try:
            call("nwbz_array_fill", self, source, ctypes.byref(options))
        finally:
            _lib.nwbz_source_close(source)

    def read(self, start=None, shape=None, jobs=1):
        """Read a box, the whole array by default."""
        start = (0,) * len(self.shape) if start is None else start
        shape = self.shape if shape is None else shape
        if self.type == "string":
            return self._read_strings(start, shape)
        out = np.empty(shape, dtype=self.dtype)
        options = CFillOptions(ctypes.sizeof(CFillOptions), jobs)
        call(
            "nwbz_array_read",
            self,
            _shape(start),
            _shape(shape),
            ctypes.c_void_p(out.ctypes.data),
            ctypes.c_size_t(out.nbytes),
            ctypes.byref(options),
        )
        return out

    def _read_strings(self, start, shape):
        elements = ctypes.POINTER(CString)()
        call("nwbz_array_read_strings", self, _shape(start), _shape(shape), ctypes.byref(elements))
        n = int(np.prod(shape, dtype=np.uint64))
        texts = [ctypes.string_at(elements[i].bytes, elements[i].n_bytes).decode() for i in range(n)]
        _lib.nwbz_free(elements)
        out = np.empty(n, dtype=object)
        out[:] = texts
        return out.reshape(shape)
