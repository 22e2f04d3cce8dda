"""Codecs: those that the user chose, the default, and those that the engine does not have."""

import logging

import numpy as np
import nwbz
import pytest
from conftest import Slices, array_of, read, write
from hdmf_zarr import ZarrDataIO
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec
from zarr.codecs import numcodecs as zarr_numcodecs

ENGINE = {
    "zstd": ZstdCodec(level=3),
    "zstd with checksum": ZstdCodec(level=1, checksum=True),
    "gzip": GzipCodec(level=1),
    "none": False,
    "crc32c behind": [ZstdCodec(level=1), Crc32cCodec()],
    **{
        f"blosc {cname} {shuffle}": BloscCodec(cname=cname, clevel=3, shuffle=shuffle, typesize=2)
        for cname in ("lz4", "zstd", "zlib", "lz4hc", "blosclz")
        for shuffle in ("shuffle", "bitshuffle", "noshuffle")
    },
    "numcodecs shuffle": zarr_numcodecs.Shuffle(elementsize=2),
    "numcodecs shuffle and zlib": [zarr_numcodecs.Shuffle(elementsize=2), zarr_numcodecs.Zlib(level=4)],
    "numcodecs zstd": zarr_numcodecs.Zstd(level=3),
    "numcodecs zstd with checksum": zarr_numcodecs.Zstd(level=3, checksum=True),
    "numcodecs lz4": zarr_numcodecs.LZ4(acceleration=2),
    "numcodecs blosc": zarr_numcodecs.Blosc(cname="zstd", clevel=3, shuffle=-1),
}


@pytest.mark.parametrize("name", ENGINE)
@pytest.mark.parametrize("shards", [None, (600, 12)])
def test_codecs_that_were_chosen_are_written_by_the_engine(tmp_path, recording, name, shards, counted):
    samples, _ = recording
    data = ZarrDataIO(
        Slices(samples, buffer_shape=(500, 12), chunk_shape=(100, 4)),
        chunks=(200, 4),
        shards=shards,
        compressors=ENGINE[name],
    )
    write(tmp_path / "x.nwb.zarr", data)
    did = counted()
    assert did["iterators"] == 1 and did.get("upstream", 0) == 0
    array = array_of(tmp_path / "x.nwb.zarr")
    wanted = ENGINE[name]
    wanted = () if wanted is False else tuple(wanted) if isinstance(wanted, list) else (wanted,)
    assert [type(c) for c in array.compressors] == [type(c) for c in wanted]
    assert array.shards == shards
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


@pytest.mark.parametrize("data", ["array", "iterator", "list"])
def test_the_default_is_that_of_nwbz_write(tmp_path, recording, data):
    samples, path = recording
    given = {
        "array": samples,
        "iterator": Slices(samples, buffer_shape=(500, 12), chunk_shape=(100, 12)),
        "list": samples.tolist(),
    }[data]
    write(tmp_path / "x.nwb.zarr", given)
    nwbz.write(
        path, tmp_path / "y.nwb.zarr", shape=(-1, 12), dtype="<i2", rate=1000, session_start_time="2024-01-01T00:00:00Z"
    )
    mine, theirs = (
        array_of(tmp_path / "x.nwb.zarr").compressors[0],
        array_of(tmp_path / "y.nwb.zarr", "TimeSeries").compressors[0],
    )
    if data == "list":  # Python's integers are int64
        assert (mine.cname, mine.clevel, mine.shuffle) == (theirs.cname, theirs.clevel, theirs.shuffle)
    else:
        assert mine == theirs


def test_the_default_of_hdmf_zarr_can_be_kept(tmp_path, recording, monkeypatch):
    samples, _ = recording
    write(tmp_path / "x.nwb.zarr", samples, options={"default_codec": "hdmf-zarr"})
    assert array_of(tmp_path / "x.nwb.zarr").compressors == (ZstdCodec(level=0, checksum=False),)
    monkeypatch.setattr(nwbz, "default_codec", "hdmf-zarr")
    write(tmp_path / "y.nwb.zarr", Slices(samples, buffer_shape=(500, 12), chunk_shape=(100, 12)))
    assert array_of(tmp_path / "y.nwb.zarr").compressors == (ZstdCodec(level=0, checksum=False),)
    with pytest.raises(ValueError, match="'nwbz' or 'hdmf-zarr', not 'mine'"):
        nwbz.NWBZarrIO(str(tmp_path / "z.nwb.zarr"), mode="w", default_codec="mine")


def test_the_settings_of_the_users_wrapper_are_not_changed(tmp_path, recording):
    samples, _ = recording
    data = ZarrDataIO(samples, chunks=(100, 12))
    write(tmp_path / "x.nwb.zarr", data)
    assert data.io_settings == {"chunks": (100, 12)}


@pytest.mark.parametrize("given", ["iterator", "array"])
def test_codecs_that_the_engine_lacks_go_through_hdmf_zarr_and_the_log_says_so(
    tmp_path, recording, caplog, counted, given
):
    samples, _ = recording
    data = Slices(samples, buffer_shape=(100, 12), chunk_shape=(100, 12)) if given == "iterator" else samples
    with caplog.at_level(logging.INFO, logger="nwbz"):
        write(tmp_path / "x.nwb.zarr", ZarrDataIO(data, chunks=(730, 4), compressors=zarr_numcodecs.LZMA()))
    assert counted()["upstream"] == 1
    assert "'acquisition/ts/data' is written by hdmf-zarr itself" in caplog.text and "lzma" in caplog.text
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_types_that_the_engine_lacks_go_through_hdmf_zarr(tmp_path):
    words = ["a", "β", ""]
    import hdmf_zarr
    from conftest import make_file

    file = make_file()
    file.add_lab_meta_data  # noqa: B018
    file.keywords = words
    with nwbz.NWBZarrIO(str(tmp_path / "x.nwb.zarr"), mode="w") as io:
        io.write(file, number_of_jobs=2)
    with hdmf_zarr.NWBZarrIO(str(tmp_path / "x.nwb.zarr"), mode="r") as io:
        assert list(io.read().keywords[:]) == words
