"""Zarr v3 arrays: what zarr-python, zarrs and tensorstore write is read equal, and what we write they read equal."""

import itertools
import json
import random
import warnings

import nwbz_ctypes as nwbz
import numpy as np
import pytest
import tensorstore
import zarr
import zarrs  # noqa: F401  (registers its pipeline)
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ZstdCodec

pytestmark = pytest.mark.skipif(
    not nwbz.LIBRARY.is_file(), reason=f"{nwbz.LIBRARY} is not built; NWBZ_LIBRARY names another"
)
warnings.filterwarnings("ignore", category=UserWarning, module="zarr")

NUMBERS = [
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
]
# (shape, chunks, shards): every number of axes from 0 to 4; one chunk, many, short last ones, chunks larger than the
# array, empty axes
LAYOUTS = [
    ((), (), None),
    ((1,), (1,), None),
    ((7,), (3,), None),
    ((7,), (20,), None),
    ((0,), (1,), None),
    ((20,), (3,), (6,)),
    ((5, 7), (2, 3), None),
    ((5, 7), (2, 7), (4, 14)),
    ((0, 3), (2, 2), (4, 4)),
    ((9, 8), (1, 4), (3, 8)),
    ((3, 4, 5), (2, 3, 2), None),
    ((3, 4, 5), (1, 2, 5), (2, 4, 5)),
    ((2, 3, 2, 4), (1, 2, 2, 3), None),
    ((2, 3, 2, 4), (1, 1, 1, 2), (2, 3, 1, 4)),
]
BLOSC_NAMES = ["blosclz", "lz4", "lz4hc", "zlib", "zstd"]
SHUFFLES = ["noshuffle", "shuffle", "bitshuffle"]
THEIR_CODECS = [
    [],
    [GzipCodec(level=1)],
    [GzipCodec(level=9)],
    [ZstdCodec(level=0)],
    [ZstdCodec(level=3, checksum=True)],
    [Crc32cCodec()],
    [ZstdCodec(level=1), Crc32cCodec()],
    [GzipCodec(level=5), ZstdCodec(level=1)],
    *([BloscCodec(cname=name, shuffle=shuffle, clevel=5)] for name in BLOSC_NAMES for shuffle in SHUFFLES),
]
OUR_CODECS = [
    "none",
    "gzip:1",
    "gzip:9",
    "zstd:0",
    "zstd:3",
    "none+crc32c",
    "zstd:1+crc32c",
    "gzip:5+crc32c",
    *(f"blosc:{name}:5:{shuffle}" for name in BLOSC_NAMES for shuffle in SHUFFLES),
    "blosc:zstd:1:bitshuffle+crc32c",
]
KEYS = [
    {"name": "default", "separator": "/"},
    {"name": "default", "separator": "."},
    {"name": "v2", "separator": "."},
    {"name": "v2", "separator": "/"},
]
TEXTS = ["", "a", "é", "線", "🧠🐁", "with\nbreak\tand \0 nul", "x" * 1000]


def fills_of(dtype):
    """Fill values that are worth trying: zero, the ends of the range, and what is no number."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return [False, True]
    if kind.kind in "iu":
        return [kind.type(v) for v in (0, 1, np.iinfo(kind).max, np.iinfo(kind).min)]
    parts = [0.0, -0.0, 1.5, np.nan, np.inf, -np.inf, np.finfo(kind).max, np.finfo(kind).tiny, 0.1]
    return (
        [kind.type(v) for v in parts]
        if kind.kind == "f"
        else [kind.type(complex(a, b)) for a, b in zip(parts, parts[::-1], strict=True)]
    )


def values_of(rng, dtype, shape, fill):
    """Any bits the type has, with a part that is nothing but fill value."""
    kind = np.dtype(dtype)
    n = int(np.prod(shape, dtype=int))
    values = (
        rng.integers(0, 2, n).astype(bool)
        if kind.kind == "b"
        else np.frombuffer(rng.bytes(n * kind.itemsize), dtype=kind).copy()
    )
    if n > 8:
        values[n // 2 :] = fill
    return values.reshape(shape)


def texts_of(rng, shape):
    out = np.empty(int(np.prod(shape, dtype=int)), dtype=object)
    out[:] = [TEXTS[i] for i in rng.integers(0, len(TEXTS), out.size)]
    return out.reshape(shape)


def equal(a, b):
    """Bit for bit, NaN and signs of zero too."""
    a, b = np.asarray(a), np.asarray(b)
    return (
        a.shape == b.shape
        and a.dtype == b.dtype
        and np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes()
    )


def read_with_nwbz(folder, path="/"):
    with nwbz.Store(folder) as store, store.open(path) as array:
        return array.read(jobs=2), array


def read_with_zarr(folder, pipeline="zarr.core.codec_pipeline.BatchedCodecPipeline"):
    with zarr.config.set({"codec_pipeline.path": pipeline}):
        return zarr.open_array(folder, mode="r")[...]


def read_with_tensorstore(folder):
    return (
        tensorstore.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{folder}/"}}, read=True)
        .result()
        .read()
        .result()
    )


READERS = {
    "zarr-python": read_with_zarr,
    "zarrs": lambda folder: read_with_zarr(folder, "zarrs.ZarrsCodecPipeline"),
    "tensorstore": read_with_tensorstore,
}


def shards_of(layout, location):
    return None if layout[2] is None else {"shape": layout[2], "index_location": location}


def write_with_zarr(folder, layout, dtype, values, compressors, fill, number):
    """Let zarr-python write; what is not asked for goes round with the number."""
    shape, chunks, _ = layout
    kind = np.dtype(dtype)
    order = "big" if number % 3 == 0 else "little"
    # zarr-python takes -0.0, every NaN and every complex number with a NaN in it for the fill value,
    # and leaves chunks of them out: not here.
    array = zarr.create_array(
        folder,
        shape=shape,
        chunks=chunks,
        dtype=kind,
        compressors=compressors or None,
        fill_value=fill,
        config={"write_empty_chunks": kind.kind in "fc"},
        serializer=BytesCodec(endian=order if kind.itemsize > 1 else None),
        shards=shards_of(layout, "start" if number % 2 else "end"),
        chunk_key_encoding=KEYS[number % 4],
        attributes={"number": number},
    )
    array[...] = values
    return array


def cases_of(dtype, codecs):
    """Every layout with every third codec; three types together meet all of them."""
    return enumerate(itertools.product(LAYOUTS, codecs[NUMBERS.index(dtype) % 3 :: 3]))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_that_zarr_python_writes_are_read_equal(tmp_path, dtype):
    rng = np.random.default_rng(NUMBERS.index(dtype))
    fills = fills_of(dtype)
    for number, (layout, compressors) in cases_of(dtype, THEIR_CODECS):
        fill = fills[number % len(fills)]
        values = values_of(rng, dtype, layout[0], fill)
        write_with_zarr(tmp_path / str(number), layout, dtype, values, compressors, fill, number)
        read, array = read_with_nwbz(tmp_path / str(number))
        assert equal(read, values), (layout, compressors)
        assert (array.type, array.shape, array.chunks, array.shards) == (dtype, *layout)
        assert equal(np.frombuffer(array.fill, dtype=dtype)[0], np.dtype(dtype).type(fill)), fill
        assert json.loads(array.attributes) == {"number": number}


@pytest.mark.parametrize("pipeline", ["zarr.core.codec_pipeline.BatchedCodecPipeline", "zarrs.ZarrsCodecPipeline"])
def test_text_that_zarr_python_and_zarrs_write_is_read_equal(tmp_path, pipeline):
    rng = np.random.default_rng(1)
    with zarr.config.set({"codec_pipeline.path": pipeline}):
        for number, (layout, compressors) in enumerate(itertools.product(LAYOUTS, THEIR_CODECS[:9])):
            folder = tmp_path / str(number)
            values = texts_of(rng, layout[0])
            fill = ["", "fill é"][number % 2]
            if values.size > 8:
                values.reshape(-1)[values.size // 2 :] = fill
            array = zarr.create_array(
                folder,
                shape=layout[0],
                chunks=layout[1],
                dtype="string",
                compressors=compressors or None,
                fill_value=fill,
                shards=shards_of(layout, "end"),
                chunk_key_encoding=KEYS[number % 4],
            )
            array[...] = values
            read, ours = read_with_nwbz(folder)
            assert read.tolist() == values.tolist(), (layout, compressors)
            assert ours.fill == fill


def tensorstore_codecs(number, kind, layout, order):
    """A codec chain for tensorstore, inside shards where the layout has them."""
    after = [
        [],
        [{"name": "gzip", "configuration": {"level": 3}}],
        [{"name": "zstd", "configuration": {"level": 2}}],
        [{"name": "blosc", "configuration": {"cname": "lz4", "clevel": 4, "shuffle": "shuffle"}}],
        [{"name": "crc32c"}],
    ][number % 5]
    chain = [{"name": "bytes", "configuration": {"endian": order}} if kind.itemsize > 1 else {"name": "bytes"}, *after]
    if layout[2] is None:
        return chain
    index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
    return [
        {
            "name": "sharding_indexed",
            "configuration": {
                "chunk_shape": layout[1],
                "codecs": chain,
                "index_codecs": index,
                "index_location": ["end", "start"][number % 2],
            },
        }
    ]


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_that_tensorstore_writes_are_read_equal(tmp_path, dtype):
    rng = np.random.default_rng(2)
    for number, layout in enumerate(LAYOUTS * 5):
        folder = tmp_path / str(number)
        fill = fills_of(dtype)[0]
        values = values_of(rng, dtype, layout[0], fill)
        metadata = {
            "shape": layout[0],
            "data_type": dtype,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": layout[2] or layout[1]}},
            "codecs": tensorstore_codecs(number, np.dtype(dtype), layout, ["little", "big"][number % 2]),
        }
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{folder}/"}, "metadata": metadata}
        tensorstore.open(spec, create=True).result().write(values).result()
        read, _ = read_with_nwbz(folder)
        assert equal(read, values), (layout, metadata["codecs"])


@pytest.mark.parametrize("dtype", NUMBERS)
def test_numbers_that_we_write_are_read_equal_by_the_others(tmp_path, dtype):
    rng = np.random.default_rng(3)
    fills = fills_of(dtype)
    for number, (layout, codec) in cases_of(dtype, OUR_CODECS):
        folder = tmp_path / str(number)
        shape, chunks, shards = layout
        fill = fills[number % len(fills)]
        values = values_of(rng, dtype, shape, fill)
        with nwbz.Store(folder, create=True) as store:
            with store.create("/", dtype, shape, chunks, shards, fill, codec, big_endian=number % 3 == 0) as array:
                array.write(values, jobs=1 + number % 2)
            store.commit()
        for name, read in READERS.items():
            if name == "zarrs" and dtype.startswith("complex") and number % 3 == 0:
                # zarrs 0.2.3 exchanges the parts of big-endian elements when it decodes a part of a chunk.
                continue
            assert equal(read(folder), values), (name, layout, codec, fill)
        theirs = zarr.open_array(folder, mode="r")
        assert (theirs.chunks, theirs.shards) == (chunks, shards)
        assert equal(np.dtype(dtype).type(theirs.fill_value), np.dtype(dtype).type(fill))
        assert equal(read_with_nwbz(folder)[0], values)


def test_text_that_we_write_is_read_equal_by_the_others(tmp_path):
    rng = np.random.default_rng(4)
    for number, (layout, codec) in enumerate(itertools.product(LAYOUTS, OUR_CODECS[:8])):
        folder = tmp_path / str(number)
        values = texts_of(rng, layout[0])
        fill = ["", "fill é"][number % 2]
        if values.size > 8:
            values.reshape(-1)[values.size // 2 :] = fill
        with nwbz.Store(folder, create=True) as store:
            with store.create("/", "string", *layout, fill, codec) as array:
                array.write(values)
            store.commit()
        for name in ("zarr-python", "zarrs"):
            assert np.asarray(READERS[name](folder), dtype=object).tolist() == values.tolist(), (name, layout, codec)
        assert read_with_nwbz(folder)[0].tolist() == values.tolist()


def test_objects_of_nothing_but_fill_value_are_not_stored(tmp_path):
    with nwbz.Store(tmp_path / "a", create=True) as store:
        with store.create("/", "float32", (10, 10), (4, 4), fill=np.nan) as array:
            values = np.full((10, 10), np.nan, dtype="float32")
            values[0, 0] = 1
            array.write(values)
            assert array.stored()[0] == 1
        store.commit()
    assert sorted(p.name for p in (tmp_path / "a").rglob("*") if p.is_file()) == ["0", "zarr.json"]
    assert equal(read_with_zarr(tmp_path / "a"), values)


@pytest.mark.parametrize("dtype,bits", [("float16", "7e01"), ("float32", "ffc00001"), ("float64", "7ff80000deadbeef")])
def test_a_nan_with_other_bits_goes_both_ways(tmp_path, dtype, bits):
    value = np.frombuffer(bytes.fromhex(bits)[::-1], dtype=dtype)[0]
    with nwbz.Store(tmp_path / "a", create=True) as store:
        store.create("/", dtype, (3,), fill=value).close()
        store.commit()
    assert json.loads((tmp_path / "a/zarr.json").read_text())["fill_value"] == f"0x{bits}"
    if dtype != "float16":  # Python's own struct loses the bits of a half's NaN before zarr-python sees them
        assert equal(read_with_zarr(tmp_path / "a"), np.full(3, value))
    assert equal(read_with_tensorstore(tmp_path / "a"), np.full(3, value))
    assert equal(read_with_nwbz(tmp_path / "a")[0], np.full(3, value))


def random_shapes(n):
    """Shapes of every size from nothing to petabytes."""
    random.seed(5)
    for _ in range(n):
        yield tuple(
            int(10 ** random.uniform(0, 14 / dims)) * (random.random() > 0.05)
            for dims in [random.randint(0, 5)]
            for _ in range(dims)
        )


def test_the_default_chunk_shape_is_zarr_pythons():
    with nwbz.Store() as store:
        for number, shape in enumerate(random_shapes(300)):
            dtype = [*NUMBERS, "string"][number % 15]
            # Text counts 16 bytes (docs/ON-DISK.md, "Chunks"); zarr-python 3.4 itself counts 1.
            same_size = "complex128" if dtype == "string" else dtype
            theirs = zarr.create_array(zarr.storage.MemoryStore(), shape=shape, dtype=same_size)
            with store.create(f"/{number}", dtype, shape) as ours:
                assert ours.chunks == theirs.chunks, (dtype, shape)


def test_a_tree_is_consolidated_as_zarr_python_does(tmp_path):
    with nwbz.Store(tmp_path / "t", create=True) as store:
        store.group("/", '{"r": 1}')
        store.group("/b/é/g", '{"x": [1, 2.5, "t"]}')
        for path in ("/b/a", "/a!/deep/er/array", "/a"):
            store.create(path, "int16", (4, 5), attributes='{"unit": "volts"}').close()
        store.consolidate()
        store.commit()
    root = json.loads((tmp_path / "t/zarr.json").read_text())
    ours = root["consolidated_metadata"]["metadata"]
    assert list(ours) == sorted(ours, key=lambda key: (key.count("/"), key.encode()))
    zarr.consolidate_metadata(tmp_path / "t")
    again = json.loads((tmp_path / "t/zarr.json").read_text())
    assert again["consolidated_metadata"]["metadata"] == ours
    assert again == root
    group = zarr.open_group(tmp_path / "t", mode="r", use_consolidated=True)
    assert group["b/é/g"].attrs["x"] == [1, 2.5, "t"]
    assert group["a!/deep/er/array"].shape == (4, 5)


def test_a_tree_of_zarr_python_is_listed(tmp_path):
    root = zarr.open_group(tmp_path / "t", mode="w")
    root.create_array("g/h/x", shape=(3,), dtype="int8")[...] = 1
    root.create_array("g/when", shape=(3,), dtype="datetime64[s]")
    root.create_group("b")
    expected = [("/", False), ("/b", False), ("/g", False), ("/g/h", False), ("/g/h/x", True), ("/g/when", True)]
    for _ in range(2):
        with nwbz.Store(tmp_path / "t") as store:
            found = store.list()
        assert [entry[:2] for entry in found] == expected
        assert "datetime64" in found[-1][2] and all(entry[2] is None for entry in found[:-1])
        zarr.consolidate_metadata(tmp_path / "t")


def test_an_array_of_others_keeps_its_members_when_it_grows_in_place(tmp_path):
    """nwbz_array_append() on what zarr-python made: names of axes stay, and zarr-python reads the rows."""
    array = zarr.create_array(
        tmp_path / "a", shape=(0, 3), chunks=(2, 3), shards=(4, 3), dtype="int16", dimension_names=["t", None]
    )
    before = json.loads((tmp_path / "a/zarr.json").read_text())
    rows = np.arange(18, dtype="int16").reshape(6, 3)
    with nwbz.Store(tmp_path / "a", writable=True) as store, store.open() as ours:
        nwbz.call("nwbz_array_append", ours, nwbz.ctypes.c_void_p(rows.ctypes.data), nwbz.ctypes.c_uint64(6), None)
        nwbz.call("nwbz_array_flush", ours, None)
    after = json.loads((tmp_path / "a/zarr.json").read_text())
    assert after == before | {"shape": [6, 3]}
    assert equal(zarr.open_array(tmp_path / "a", mode="r")[...], rows)
    assert array.shape == (0, 3)
