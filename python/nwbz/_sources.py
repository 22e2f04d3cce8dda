"""Find how the engine can read what the user gave.

    memmap opened to be read   its file                    any worker
    array in C order           its memory                  any worker
    h5py dataset               its file, with our HDF5     one worker at a time
    Zarr array in a folder     its chunks                  any worker
    anything else              slices, `_get_data`         the calling thread only

Nothing is guessed: a memmap's file is read only where the mapping is of that very file (device, number and bytes
agree), an iterator's `data` only where its `_get_data` is, instruction by instruction, `return self.data[selection]`.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ._engine import local_folder, logger, opened, type_name
from ._nwbz import Error, Source

BOX_BYTES = 16 << 20  # what is asked of a sliceable object at once


class Opened:
    """A source that is open, what it keeps open, and the size of its boxes."""

    def __init__(
        self, source: Source, box_bytes: int = 0, native: bool = True, keep: contextlib.ExitStack | None = None
    ):
        self.source, self.box_bytes, self.native = source, box_bytes, native
        self._keep = keep or contextlib.ExitStack()

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *exc: object) -> None:
        self.source.close()
        self._keep.close()


def unwrap(data: Any) -> Any:
    """What is inside of DataIO wrappers (ZarrDataIO, H5DataIO)."""
    from hdmf.data_utils import DataIO

    while isinstance(data, DataIO):
        data = data.data
    return data


def _same_type(data: Any, dtype: np.dtype) -> bool:
    return type_name(data.dtype) is not None and type_name(data.dtype) == type_name(dtype)


# ---- memmap ------------------------------------------------------------------------------------


def mapped_file(array: np.memmap) -> tuple[str, int] | None:
    """The file that a memmap maps, and where in it the array begins; None: file and memory need not agree, or it
    cannot be told."""
    name = getattr(array, "filename", None)
    if getattr(array, "mode", None) != "r" or name is None or array.nbytes == 0:
        return None
    address = array.__array_interface__["data"][0]
    try:
        with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
            for line in maps:
                region, _, offset, _, inode = line.split(maxsplit=5)[:5]
                first, end = (int(part, 16) for part in region.split("-"))
                if first <= address < end:
                    break
            else:
                return None
        at = int(offset, 16) + (address - first)
        if int(inode) != os.stat(name).st_ino or not _same_bytes(name, at, array):
            return None
    except (OSError, ValueError):
        return None
    return os.path.abspath(name), at


def _same_bytes(name: str | os.PathLike, at: int, array: np.ndarray) -> bool:
    """Compare the ends of an array with the file: a number of a file may be met again on another device."""
    flat = array.reshape(-1).view(np.uint8)
    n = min(4096, flat.size)
    with open(name, "rb") as file:
        file.seek(at)
        head = file.read(n)
        file.seek(at + flat.size - n)
        return head == flat[:n].tobytes() and file.read(n) == flat[-n:].tobytes()


# ---- kinds -----------------------------------------------------------------------------------


def _of_ndarray(array: np.ndarray) -> Opened | None:
    if not array.flags.c_contiguous or array.size == 0:
        return None
    if isinstance(array, np.memmap):
        place = mapped_file(array)
        if place is not None:
            return Opened(Source.raw(place[0], array.dtype.str, array.shape, offset_bytes=place[1], longer=True))
    if not array.dtype.isnative:
        return None
    return Opened(
        Source.memory(
            array.view(np.ndarray).view(np.uint8) if array.dtype.itemsize == 1 else array.view(np.ndarray),
            type_name(array.dtype),
            array.shape,
        )
    )


def is_h5py(data: Any) -> bool:
    """Whether it is an h5py dataset, without importing h5py."""
    return type(data).__module__.startswith("h5py.") and type(data).__name__ == "Dataset"


def _of_h5py(dataset: Any) -> Opened | None:
    file = dataset.file
    if file.mode != "r" or dataset.name is None or not isinstance(file.filename, str):
        return None
    try:
        return Opened(Source.hdf5(file.filename, dataset.name))
    except Error as error:
        logger.info("%s:%s is read through h5py: %s", file.filename, dataset.name, error.message)
        return None


def is_zarr(data: Any) -> bool:
    """Whether it is a zarr-python array, without importing zarr."""
    return any(c.__module__.startswith("zarr.") and c.__name__ == "Array" for c in type(data).__mro__)


def _of_zarr(array: Any) -> Opened | None:
    folder = local_folder(array)
    if folder is None:
        return None
    keep = contextlib.ExitStack()
    try:
        return Opened(Source.array(keep.enter_context(opened(folder, array.path, writable=False))), keep=keep)
    except Error as error:
        keep.close()
        logger.info("%s:/%s is read through zarr-python: %s", folder, array.path, error.message)
        return None


def native(data: Any, shape: tuple[int, ...], dtype: np.dtype) -> Opened | None:
    """A source that needs no Python, of exactly this shape and type; None: there is none."""
    data = unwrap(data)
    found = None
    if not hasattr(data, "dtype") or tuple(getattr(data, "shape", None) or ()) != tuple(shape) or not shape:
        return None
    if not _same_type(data, dtype):
        return None
    if isinstance(data, np.ndarray):
        found = _of_ndarray(data)
    elif is_h5py(data):
        found = _of_h5py(data)
    elif is_zarr(data):
        found = _of_zarr(data)
    if found is not None and (found.source.shape != tuple(shape) or found.source.type != type_name(dtype)):
        found.__exit__()
        return None
    return found


# ---- through Python ------------------------------------------------------------------------------


def _callback(
    get: Callable[[tuple[slice, ...]], Any], shape: tuple[int, ...], dtype: np.dtype, box: tuple[int, ...]
) -> Opened:
    """A source that calls `get` with a tuple of slices for each box of the grid, in order, on the calling thread."""
    name = type_name(dtype)
    plain = np.dtype(dtype).newbyteorder("=")

    def read(start: tuple[int, ...], size: tuple[int, ...], memory: memoryview) -> None:
        selection = tuple(slice(a, a + n) for a, n in zip(start, size, strict=False))
        given = np.asarray(get(selection))
        if given.shape != size and given.ndim > 0:
            raise ValueError(f"the data of {selection} have the shape {given.shape}, not {size}")
        np.frombuffer(memory, dtype=plain).reshape(size)[...] = given

    box = tuple(max(1, min(b, n)) for b, n in zip(box, shape, strict=False))
    return Opened(Source.callback(read, name, shape, natural_box=box), math.prod(box) * plain.itemsize, native=False)


def sliceable(data: Any, shape: tuple[int, ...], dtype: np.dtype) -> Opened:
    """Read what can be sliced, in whole rows of its chunks."""
    rows = (getattr(data, "shards", None) or getattr(data, "chunks", None) or (1,))[0]
    row_bytes = math.prod(shape[1:]) * np.dtype(dtype).itemsize
    step = max(1, BOX_BYTES // max(1, row_bytes * rows)) * rows
    return _callback(lambda selection: data[selection], shape, dtype, (step, *shape[1:]))


def _get_data(self, selection):  # what "an iterator that only slices" means
    return self.data[selection]


def sliced_data(iterator: Any) -> Any:
    """The `data` of an iterator whose `_get_data` does nothing but slice it; None: it does something else."""
    function = getattr(type(iterator), "_get_data", None)
    code = getattr(function, "__code__", None)
    mine = _get_data.__code__
    if code is None or "_get_data" in vars(iterator) or "data" not in vars(iterator) or hasattr(type(iterator), "data"):
        return None
    same = (code.co_code, code.co_names, code.co_argcount, code.co_freevars, code.co_cellvars) == (
        mine.co_code,
        mine.co_names,
        mine.co_argcount,
        mine.co_freevars,
        mine.co_cellvars,
    )
    return iterator.data if same and type(iterator).__getattribute__ is object.__getattribute__ else None


def of_iterator(iterator: Any, dtype: np.dtype) -> Opened:
    """Read a GenericDataChunkIterator: its data where they can be, else its buffers, each asked for once."""
    shape = tuple(iterator.maxshape)
    data = sliced_data(iterator)
    found = native(data, shape, dtype) if data is not None else None
    return found or _callback(iterator._get_data, shape, dtype, iterator.buffer_shape)
