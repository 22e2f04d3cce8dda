"""Modes r+ and a: a series is added to a store of ours and to one of hdmf-zarr's; nothing else is touched."""

import hashlib
import json

import hdmf_zarr
import numpy as np
import nwbz
import pytest
from conftest import Slices, array_of, make_file, read, write
from pynwb import TimeSeries


def files_of(path):
    return {
        str(p.relative_to(path)): hashlib.sha256(p.read_bytes()).hexdigest() for p in path.rglob("*") if p.is_file()
    }


def add(path, data, mode="r+", io=nwbz.NWBZarrIO):
    with io(str(path), mode=mode) as io:
        file = io.read()
        file.add_acquisition(TimeSeries(name="second", data=data, unit="V", rate=1.0))
        io.write(file, number_of_jobs=2)


@pytest.mark.parametrize("mode", ["r+", "a"])
@pytest.mark.parametrize("made_by", [nwbz.NWBZarrIO, hdmf_zarr.NWBZarrIO], ids=["ours", "hdmf-zarr's"])
def test_a_series_is_added_and_nothing_else_is_touched(tmp_path, recording, mode, made_by, counted):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    write(path, samples, io=made_by)
    before = files_of(path)
    add(path, Slices(samples[::-1], buffer_shape=(500, 12), chunk_shape=(100, 4)), mode)
    assert counted()["iterators"] == 1
    after = files_of(path)
    changed = {name for name in before if after.get(name) != before[name]}
    assert changed <= {"zarr.json"} | {name for name in before if name.startswith("specifications/")}, changed
    new = {name for name in after if name not in before}
    assert new and all(name.startswith("acquisition/second/") for name in new)
    consolidated = json.loads((path / "zarr.json").read_text())["consolidated_metadata"]["metadata"]
    assert consolidated["acquisition/second/data"] == json.loads(
        (path / "acquisition/second/data/zarr.json").read_text()
    )
    np.testing.assert_array_equal(read(path), samples)
    np.testing.assert_array_equal(read(path, "second"), samples[::-1])


@pytest.mark.parametrize("mode", ["r+", "a"])
def test_a_failed_addition_leaves_the_store_as_it_was(tmp_path, recording, mode):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    write(path, samples)
    before = files_of(path)
    with pytest.raises(OSError, match="no data"):
        add(path, Slices(samples, fail_at=3, buffer_shape=(500, 12), chunk_shape=(100, 4)), mode)
    assert files_of(path) == before
    add(path, samples[::-1].copy(), mode)
    np.testing.assert_array_equal(read(path, "second"), samples[::-1])


def test_mode_a_makes_a_store_where_there_is_none_whole_or_absent(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    with nwbz.NWBZarrIO(str(path), mode="a", load_namespaces=False) as io, pytest.raises(OSError, match="no data"):
        io.write(make_file(Slices(samples, fail_at=3, buffer_shape=(500, 12), chunk_shape=(100, 4))), number_of_jobs=2)
    assert not path.exists()
    with nwbz.NWBZarrIO(str(path), mode="a", load_namespaces=False) as io:
        io.write(make_file(samples), number_of_jobs=2)
    np.testing.assert_array_equal(read(path), samples)


def test_mode_r_plus_needs_a_store(tmp_path):
    with pytest.raises(Exception):  # noqa: B017, PT011 - zarr-python's own
        nwbz.NWBZarrIO(str(tmp_path / "x.nwb.zarr"), mode="r+")
    assert not (tmp_path / "x.nwb.zarr").exists()


def test_a_second_write_of_the_same_io_goes_in_place(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    file = make_file(samples)
    with nwbz.NWBZarrIO(str(path), mode="w") as io:
        io.write(file, number_of_jobs=2)
        file.add_acquisition(TimeSeries(name="second", data=samples[:100], unit="V", rate=1.0))
        io.write(file, number_of_jobs=2)
    assert array_of(path, "second").shape == (100, 12)
    np.testing.assert_array_equal(read(path), samples)
