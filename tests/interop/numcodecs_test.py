"""The codecs of numcodecs in Zarr v3: what zarr-python and hdmf-zarr write with them is read equal, and the reverse."""

import json
import warnings

import h5py
import hdmf_zarr
import numcodecs
import nwbz_ctypes as nwbz
import numpy as np
import pytest
import zarr
import zarr_arrays_test as arrays
from zarr.codecs import Crc32cCodec
from zarr.codecs import numcodecs as theirs

pytestmark = [
    pytest.mark.skipif(not nwbz.LIBRARY.is_file(), reason=f"{nwbz.LIBRARY} is not built; NWBZ_LIBRARY names another"),
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::zarr.errors.ZarrUserWarning"),
]
DTYPES = ["bool", "int16", "uint32", "float64", "complex128"]
SHUFFLE_NUMBERS = {"autoshuffle": -1, "noshuffle": 0, "shuffle": 1, "bitshuffle": 2}

# (codecs of zarr-python, the text that the library gives and takes); {} is the size of an element
CODECS = [
    ([theirs.Shuffle()], "numcodecs.shuffle:{}"),
    ([theirs.Shuffle(elementsize=1)], "numcodecs.shuffle:1"),
    ([theirs.Zlib()], "numcodecs.zlib:1"),
    *(([theirs.Zlib(level=level)], f"numcodecs.zlib:{level}") for level in (-1, 0, 4, 9)),
    ([theirs.Shuffle(), theirs.Zlib(level=4)], "numcodecs.shuffle:{}+numcodecs.zlib:4"),
    ([theirs.Shuffle(), theirs.Zlib(level=4), Crc32cCodec()], "numcodecs.shuffle:{}+numcodecs.zlib:4+crc32c"),
    *(([theirs.Zstd(level=level)], f"numcodecs.zstd:{level}") for level in (-5, 0, 3, 30)),
    ([theirs.LZ4()], "numcodecs.lz4:1"),
    ([theirs.Shuffle(), theirs.LZ4(acceleration=9)], "numcodecs.shuffle:{}+numcodecs.lz4:9"),
    ([theirs.Blosc()], "numcodecs.blosc:lz4:5:shuffle"),
    *(
        (
            [theirs.Blosc(cname=cname, clevel=3, shuffle=number, blocksize=512)],
            f"numcodecs.blosc:{cname}:3:{word}:512",
        )
        for cname in ("lz4", "lz4hc", "blosclz", "zlib", "zstd")
        for word, number in SHUFFLE_NUMBERS.items()
    ),
]
IDS = [text for _, text in CODECS]


def text_for(text, dtype):
    return text.format(np.dtype(dtype).itemsize)


@pytest.mark.parametrize("codecs,text", CODECS, ids=IDS)
def test_what_zarr_python_writes_is_read_equal(tmp_path, codecs, text):
    rng = np.random.default_rng(1)
    for number, layout in enumerate(arrays.LAYOUTS):
        dtype = DTYPES[number % len(DTYPES)]
        values = arrays.values_of(rng, dtype, layout[0], 0)
        arrays.write_with_zarr(tmp_path / str(number), layout, dtype, values, codecs, np.dtype(dtype).type(0), number)
        read, array = arrays.read_with_nwbz(tmp_path / str(number))
        assert arrays.equal(read, values), (layout, dtype)
        assert array.codec == text_for(text, dtype)


@pytest.mark.parametrize("codecs,text", CODECS, ids=IDS)
def test_what_we_write_is_read_equal_by_zarr_python(tmp_path, codecs, text):
    rng = np.random.default_rng(2)
    for number, layout in enumerate(arrays.LAYOUTS):
        dtype = DTYPES[number % len(DTYPES)]
        folder = tmp_path / str(number)
        values = arrays.values_of(rng, dtype, layout[0], 0)
        with nwbz.Store(folder, create=True) as store:
            with store.create("/", dtype, *layout, codec=text_for(text, dtype)) as array:
                array.write(values, jobs=2)
            store.commit()
        assert arrays.equal(arrays.read_with_zarr(folder), values), (layout, dtype)
        read, array = arrays.read_with_nwbz(folder)
        assert arrays.equal(read, values) and array.codec == text_for(text, dtype)
        compressors = zarr.open_array(folder, mode="r").compressors
        assert [type(c) for c in compressors] == [type(c) for c in codecs]


def test_a_zstd_checksum_is_read_and_checked(tmp_path):
    values = np.arange(1000, dtype="int16")
    array = zarr.create_array(
        tmp_path / "a", shape=(1000,), chunks=(1000,), dtype="int16", compressors=theirs.Zstd(level=3, checksum=True)
    )
    array[...] = values
    read, ours = arrays.read_with_nwbz(tmp_path / "a")
    assert arrays.equal(read, values) and ours.codec == "numcodecs.zstd"
    chunk = tmp_path / "a/c/0"
    data = bytearray(chunk.read_bytes())
    data[-1] ^= 1
    chunk.write_bytes(data)
    with pytest.raises(nwbz.Error, match="checksum") as refused:
        arrays.read_with_nwbz(tmp_path / "a")
    assert refused.value.code == "NWBZ_EFORMAT"


def test_text_goes_both_ways(tmp_path):
    rng = np.random.default_rng(3)
    for number, (codecs, text) in enumerate(CODECS[2:]):
        if "shuffle:{}" in text:
            continue  # text has no size of an element
        values = arrays.texts_of(rng, (20, 3))
        array = zarr.create_array(
            tmp_path / f"{number}", shape=(20, 3), chunks=(7, 2), dtype="string", compressors=codecs
        )
        array[...] = values
        read, ours = arrays.read_with_nwbz(tmp_path / f"{number}")
        assert read.tolist() == values.tolist() and ours.codec == text
        with nwbz.Store(tmp_path / f"{number}-ours", create=True) as store:
            with store.create("/", "string", (20, 3), (7, 2), codec=text) as array:
                array.write(values)
            store.commit()
        assert np.asarray(arrays.read_with_zarr(tmp_path / f"{number}-ours"), dtype=object).tolist() == values.tolist()


@pytest.mark.parametrize(
    "text,codec",
    [
        ("numcodecs.shuffle:2", numcodecs.Shuffle(2)),
        ("numcodecs.shuffle:4", numcodecs.Shuffle(4)),
        ("numcodecs.zlib:4", numcodecs.Zlib(4)),
        ("numcodecs.zstd:3", numcodecs.Zstd(3)),
        ("numcodecs.lz4", numcodecs.LZ4()),
        ("numcodecs.blosc", numcodecs.Blosc()),
        ("numcodecs.blosc:zstd:3:autoshuffle", numcodecs.Blosc("zstd", 3, -1)),
    ],
    ids=str,
)
def test_what_we_store_is_what_numcodecs_takes_of_the_array(tmp_path, text, codec):
    values = (np.arange(6000) % 700 // 3).astype("int16")
    with nwbz.Store(tmp_path / "a", create=True) as store:
        with store.create("/", "int16", (6000,), (6000,), codec=text) as array:
            array.write(values)
        store.commit()
    stored, made = (tmp_path / "a/c/0").read_bytes(), bytes(codec.encode(values))
    assert bytes(codec.decode(stored)) == values.tobytes()
    if isinstance(codec, numcodecs.Shuffle):
        assert stored == made
    if isinstance(codec, numcodecs.Blosc):
        assert stored[1:12] == made[1:12]  # compressor's version, shuffle, size of an element, bytes, block
    assert abs(len(stored) - len(made)) <= len(made) // 5 + 8


def test_a_chunk_of_hdf5_with_shuffle_and_gzip_is_a_chunk_of_ours(tmp_path):
    values = (np.arange(128 * 6).reshape(128, 6) % 97).astype("int16")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("x", data=values, chunks=(64, 3), shuffle=True, compression="gzip")
        chunks = {(i, k): dataset.id.read_direct_chunk((i * 64, k * 3))[1] for i in range(2) for k in range(2)}
    with nwbz.Store(tmp_path / "a", create=True) as store:
        store.create("/", "int16", (128, 6), (64, 3), codec="numcodecs.shuffle:2+numcodecs.zlib:4").close()
        store.commit()
    for (i, k), data in chunks.items():
        (tmp_path / f"a/c/{i}").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"a/c/{i}/{k}").write_bytes(data)
    assert arrays.equal(arrays.read_with_nwbz(tmp_path / "a")[0], values)
    assert arrays.equal(arrays.read_with_zarr(tmp_path / "a"), values)
    assert json.loads((tmp_path / "a/zarr.json").read_text())["codecs"] == [
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "numcodecs.shuffle", "configuration": {"elementsize": 2}},
        {"name": "numcodecs.zlib", "configuration": {"level": 4}},
    ]


def test_zarrs_reads_shuffle_and_zlib_too(tmp_path):
    values = (np.arange(700) % 97).astype("float32").reshape(70, 10)
    with nwbz.Store(tmp_path / "a", create=True) as store:
        with store.create("/", "float32", (70, 10), (32, 4), codec="numcodecs.shuffle:4+numcodecs.zlib:4") as array:
            array.write(values)
        store.commit()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Array is unsupported by ZarrsCodecPipeline")
        assert arrays.equal(arrays.READERS["zarrs"](tmp_path / "a"), values)


def test_what_hdmf_zarr_writes_with_them_is_read_equal(tmp_path):
    from hdmf.common import DynamicTable, VectorData, get_manager

    columns = []
    rng = np.random.default_rng(4)
    for number, (codecs, _) in enumerate(CODECS):
        data = hdmf_zarr.ZarrDataIO(rng.integers(-100, 100, (300, 4)).astype("int16"), compressors=codecs)
        columns.append(VectorData(name=f"x{number}", description="d", data=data))
    table = DynamicTable(name="table", description="d", columns=columns)
    with hdmf_zarr.ZarrIO(str(tmp_path / "a.zarr"), manager=get_manager(), mode="w") as io:
        io.write(table)
    for (_, text), column in zip(CODECS, columns, strict=True):
        read, array = arrays.read_with_nwbz(tmp_path / "a.zarr", f"/{column.name}")
        assert arrays.equal(read, column.data.data), text
        assert array.codec == text_for(text, "int16")
