"""nwbz.open, nwbz.write, nwbz.Error."""

import datetime
import json

import numpy as np
import nwbz
import pytest
from conftest import leftovers, read
from hypothesis import HealthCheck, given, settings
from hypothesis.extra import numpy as hnp

import zarr

START = "2024-01-01T00:00:00Z"


# ---- write ---------------------------------------------------------------------------------------------


def test_a_raw_file_an_array_and_a_npy_file_give_the_same_samples(tmp_path, recording):
    samples, path = recording
    np.save(tmp_path / "a.npy", samples)
    reports = [
        nwbz.write(
            path,
            tmp_path / "0.nwb.zarr",
            shape=(-1, 12),
            dtype="int16",
            rate=30000,
            session_start_time=START,
            number_of_jobs=2,
        ),
        nwbz.write(
            str(path),
            tmp_path / "1.nwb.zarr",
            shape=(4000, 12),
            dtype=np.int16,
            rate=30000,
            session_start_time=START,
            number_of_jobs=2,
        ),
        nwbz.write(samples, tmp_path / "2.nwb.zarr", rate=30000, session_start_time=START, number_of_jobs=2),
        nwbz.write(tmp_path / "a.npy", tmp_path / "3.nwb.zarr", rate=30000, session_start_time=START, number_of_jobs=2),
        nwbz.write(
            np.asfortranarray(samples).astype(">i2"), tmp_path / "4.nwb.zarr", rate=30000, session_start_time=START
        ),
    ]
    for i, report in enumerate(reports):
        np.testing.assert_array_equal(read(tmp_path / f"{i}.nwb.zarr", "TimeSeries"), samples)
        assert report.bytes_in == samples.nbytes and report.seconds > 0
        assert report.datasets[0]["path"] == "/acquisition/TimeSeries/data"
        assert report.json["destination"].endswith(f"{i}.nwb.zarr")


def test_options_reach_the_library(tmp_path, recording):
    samples, path = recording
    report = nwbz.write(
        path, tmp_path / "x.nwb.zarr", shape=(-1, 12), dtype="int16", timestamps=np.arange(4000) / 7, electrical=True,
        chunks=(100, 4),
        shards=(1000, 12), codec="zstd:3", number_of_jobs=0.5, metadata={
            "NWBFile": {
                "session_description": "s", "session_start_time": datetime.datetime(2024, 5, 6, tzinfo=datetime.UTC)},
            "ElectricalSeries": {"name": "e", "conversion": np.float64(1e-6)}},
    )  # fmt: skip
    store = nwbz.open(tmp_path / "x.nwb.zarr")
    data = store["acquisition/e/data"]
    assert (data.chunks, data.shards, data.codec) == ((100, 4), (1000, 12), "zstd:3")
    np.testing.assert_array_equal(data, samples)
    np.testing.assert_array_equal(store["acquisition/e/timestamps"], np.arange(4000) / 7)
    assert store["session_description"][()] == "s" and report.datasets[0]["codec"] == "zstd:3"


def test_errors_name_the_file_and_leave_nothing(tmp_path, recording):
    samples, path = recording
    with pytest.raises(nwbz.Error, match="rec.dat.*96000 bytes") as raised:
        nwbz.write(path, tmp_path / "x.nwb.zarr", shape=(5000, 12), dtype="int16", rate=1)
    assert raised.value.code == "NWBZ_ESOURCE" and "rec.dat" in raised.value.where and raised.value.message
    with pytest.raises(nwbz.Error) as raised:
        nwbz.write(samples, tmp_path / "no such folder" / "x.nwb.zarr", rate=1, session_start_time=START)
    assert raised.value.code == "NWBZ_ENOTFOUND"
    with pytest.raises(nwbz.Error, match="blurb"):
        nwbz.write(samples, tmp_path / "x.nwb.zarr", rate=1, metadata={"NWBFile": {"blurb": 1}})
    with pytest.raises(ValueError, match="shape"):
        nwbz.write(path, tmp_path / "x.nwb.zarr", rate=1)
    with pytest.raises(TypeError, match="not <U1"):
        nwbz.write(np.array(["a"]), tmp_path / "x.nwb.zarr", rate=1)
    with pytest.raises(TypeError, match="metadata cannot hold object"):
        nwbz.write(samples, tmp_path / "x.nwb.zarr", rate=1, metadata={"NWBFile": object()})
    assert leftovers(tmp_path / "x.nwb.zarr") == []


def test_existing_says_what_to_do(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    options = {"rate": 1, "session_start_time": START, "number_of_jobs": 2}
    nwbz.write(samples, path, **options)
    with pytest.raises(nwbz.Error) as raised:
        nwbz.write(samples + 1, path, **options)
    assert raised.value.code == "NWBZ_EEXIST"
    nwbz.write(samples + 1, path, existing="skip", **options)
    np.testing.assert_array_equal(nwbz.open(path)["acquisition/TimeSeries/data"], samples)
    nwbz.write(samples + 1, path, existing="overwrite", **options)
    np.testing.assert_array_equal(nwbz.open(path)["acquisition/TimeSeries/data"], samples + 1)
    with pytest.raises(ValueError, match="not 'replace'"):
        nwbz.write(samples, path, existing="replace", **options)


def test_a_dry_run_writes_nothing(tmp_path, recording):
    samples, _ = recording
    report = nwbz.write(samples, tmp_path / "x.nwb.zarr", rate=1, session_start_time=START, dry_run=True)
    assert report.datasets and leftovers(tmp_path / "x.nwb.zarr") == []


# ---- open ------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path):
    samples = np.arange(50 * 7 * 3, dtype="f4").reshape(50, 7, 3)
    group = zarr.open_group(str(tmp_path / "s.zarr"), mode="w", attributes={"a": [1, 2]})
    group.create_array("g/x", data=samples, chunks=(8, 3, 2))
    group.create_array("g/scalar", data=np.array(5.0))
    group.create_array("g/words", data=np.array(["a", "β", "", "long word"], dtype=np.dtypes.StringDType()))
    group.create_array("g/empty", shape=(0, 4), dtype="i2")
    group.create_array("g/odd", data=np.arange(5), compressors=zarr.codecs.numcodecs.LZMA())
    return nwbz.open(tmp_path / "s.zarr", number_of_jobs=2), samples


def test_groups_are_mappings(store):
    group, _ = store
    assert (
        list(group) == ["g"] and sorted(group["g"]) == ["empty", "odd", "scalar", "words", "x"] and len(group["g"]) == 5
    )
    assert group.attrs == {"a": [1, 2]} and "nothing" not in group["g"] and "g/x" in group
    with pytest.raises(KeyError):
        group["g/nothing"]
    with pytest.raises(nwbz.Error, match="lzma"):
        group["g/odd"]
    with pytest.raises(nwbz.Error) as raised:
        nwbz.open("/no/such/store")
    assert raised.value.code == "NWBZ_ENOTFOUND"


def test_arrays_without_axes_empty_ones_and_text(store):
    group, _ = store
    assert group["g/scalar"][()] == 5.0 and np.asarray(group["g/scalar"]).shape == ()
    assert group["g/words"][:].tolist() == ["a", "β", "", "long word"] and group["g/words"][3] == "long word"
    assert group["g/empty"][:].shape == (0, 4) and group["g/empty"][:, 1].shape == (0,)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(key=hnp.basic_indices((50, 7, 3), allow_newaxis=True) | hnp.integer_array_indices((50, 7, 3)))
def test_what_is_asked_of_an_array_is_what_numpy_gives(store, key):
    group, samples = store
    expected = samples[key]
    np.testing.assert_array_equal(group["g/x"][key], expected)
    assert np.shape(group["g/x"][key]) == np.shape(expected)


def test_masks_lists_and_conversions(store):
    group, samples = store
    array = group["g/x"]
    mask = samples[:, 0, 0] % 2 == 0
    np.testing.assert_array_equal(array[mask], samples[mask])
    np.testing.assert_array_equal(array[[3, 1, -1], :, 0], samples[[3, 1, -1], :, 0])
    np.testing.assert_array_equal(array[samples > 100], samples[samples > 100])
    np.testing.assert_array_equal(np.asarray(array, dtype="i4"), samples.astype("i4"))
    np.testing.assert_array_equal(list(array)[4], samples[4])
    assert (array.shape, array.chunks, array.ndim, array.size, array.nbytes, len(array)) == (
        (50, 7, 3),
        (8, 3, 2),
        3,
        1050,
        4200,
        50,
    )
    for wrong in [50, (0, 0, 0, 0), -51, [50], mask[:4]]:
        with pytest.raises(IndexError):
            array[wrong]
    with pytest.raises(ValueError, match="copy"):
        np.asarray(array, copy=False)


def test_a_damaged_chunk_is_an_error_that_names_file_dataset_and_chunk(tmp_path, store):
    group, _ = store
    (tmp_path / "s.zarr/g/x/c/1/0/0").write_bytes(b"rubbish")
    with pytest.raises(nwbz.Error, match="s.zarr.*/g/x.*1") as raised:
        group["g/x"][:]
    assert raised.value.code == "NWBZ_EFORMAT" and json.dumps(raised.value.where)
    assert group["g/x"][0:8].shape == (8, 7, 3)


def test_an_error_can_be_pickled_and_has_its_parts(tmp_path):
    import pickle

    with pytest.raises(nwbz.Error) as raised:
        nwbz.open(tmp_path / "none")
    again = pickle.loads(pickle.dumps(raised.value))
    assert str(again) == str(raised.value) and again.code == "NWBZ_ENOTFOUND"
