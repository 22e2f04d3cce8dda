"""What `nwbz write` makes is what the field's own tools read: hdmf-zarr, pynwb, NWB Inspector, SpikeInterface, zarr-python, zarrs, tensorstore.

Every value is compared with the recording and the metadata that went in, and the documents with those that hdmf-zarr
writes for the same content.  NWBZ names the program.
"""
import json
import os
import pathlib
import subprocess
from datetime import datetime, timedelta, timezone

import numpy as np
import pynwb
import pytest
import zarr
from hdmf_zarr import NWBZarrIO
from nwbinspector import Importance, inspect_nwbfile_object
from pynwb.ecephys import ElectricalSeries
from pynwb.file import Subject

ROOT = pathlib.Path(__file__).resolve().parents[2]
NWBZ = os.environ.get("NWBZ", str(ROOT / "build/release/nwbz"))
FRAMES, CHANNELS, RATE = 3000, 16, 30000.0
ZONE = timezone(timedelta(hours=2))

METADATA = {
    "NWBFile": {
        "session_description": "a session with \u00fcmlauts", "identifier": "id-1", "session_start_time": "2024-05-01T10:00:00+02:00",
        "timestamps_reference_time": "2024-05-01T09:00:00+02:00", "experimenter": ["Doe, Jane", "Roe, Rick"], "lab": "a lab",
        "institution": "an institution", "keywords": ["a", "b", "c"], "related_publications": ["https://doi.org/10.1000/1"],
        "experiment_description": "e", "session_id": "7", "notes": "n", "pharmacology": "ph", "protocol": "pr", "slices": "sl",
        "data_collection": "dc", "surgery": "su", "virus": "vi", "stimulus_notes": "st", "source_script": "https://example.org/a/b.py",
        "source_script_file_name": "b.py", "was_generated_by": [["other", "3.1"]],
    },
    "Subject": {
        "subject_id": "s1", "species": "Mus musculus", "sex": "M", "age": "P90D", "age__reference": "birth",
        "date_of_birth": "2024-02-01T00:00:00+02:00", "strain": "C57BL/6J", "genotype": "wt", "description": "a mouse", "weight": 0.02,
    },
    "Device": {"name": "probe", "description": "a probe", "manufacturer": "a maker", "serial_number": "12"},
    "ElectrodeGroup": {"name": "shank0", "description": "a shank", "location": "CA1"},
    "ElectricalSeries": {
        "name": "raw", "description": "the raw band", "comments": "none", "conversion": 1e-6, "offset": 1e-3, "filtering": "none",
        "channel_conversion": [1.0 + 0.1 * i for i in range(CHANNELS)], "channel_names": [f"AP{i}" for i in range(CHANNELS)],
    },
}


def nwbz(*arguments, **keywords):
    """Run the program; a failure shows what it said."""
    done = subprocess.run([NWBZ, *map(str, arguments)], capture_output=True, **keywords)
    assert done.returncode == 0, done.stderr.decode()
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the recording, its metadata and its timestamps."""
    folder = tmp_path_factory.mktemp("nwb")
    samples().tofile(folder / "rec.dat")
    np.save(folder / "times.npy", times())
    (folder / "metadata.json").write_text(json.dumps(METADATA), encoding="utf-8")
    return folder


def samples():
    return np.random.default_rng(1).integers(-3000, 3000, (FRAMES, CHANNELS)).astype("<i2")


def times():
    return np.cumsum(np.random.default_rng(2).random(FRAMES))


RAW = ["--shape", f"{FRAMES},{CHANNELS}", "--dtype", "int16", "--no-sync", "-q"]


@pytest.fixture(scope="module")
def electrical(folder):
    path = folder / "electrical.nwb.zarr"
    nwbz("write", folder / "rec.dat", path, *RAW, "--rate", RATE, "--electrical", "--metadata", folder / "metadata.json", "--chunks", "700,5")
    return path


@pytest.fixture(scope="module")
def plain(folder):
    """A TimeSeries with timestamps and shards, and nothing said of the session."""
    path = folder / "plain.nwb.zarr"
    nwbz("write", folder / "rec.dat", path, *RAW, "--timestamps", folder / "times.npy", "--chunks", "100,4", "--shards", "800,8")
    return path


@pytest.fixture(scope="module")
def streamed(folder):
    path = folder / "streamed.nwb.zarr"
    with open(folder / "rec.dat", "rb") as stream:
        nwbz("write", "-", path, "--shape", f"-,{CHANNELS}", "--dtype", "int16", "--rate", RATE, "--chunks", "512,16", "-q", stdin=stream)
    return path


@pytest.fixture(params=["electrical", "plain", "streamed"])
def any_store(request):
    return request.getfixturevalue(request.param)


# ---- hdmf-zarr and pynwb -------------------------------------------------------------------------------------


def test_hdmf_zarr_reads_every_field_of_the_session(electrical):
    with NWBZarrIO(electrical, mode="r") as io:
        file = io.read()
        given = METADATA["NWBFile"]
        for name in given.keys() - {"session_start_time", "timestamps_reference_time", "experimenter", "keywords", "related_publications",
                                    "was_generated_by"}:
            assert getattr(file, name) == given[name], name
        assert file.session_start_time == datetime(2024, 5, 1, 10, tzinfo=ZONE)
        assert file.timestamps_reference_time == datetime(2024, 5, 1, 9, tzinfo=ZONE)
        for name in ("experimenter", "keywords", "related_publications"):
            assert list(getattr(file, name)[:]) == given[name]
        generated = [list(row) for row in file.was_generated_by[:]]
        assert generated[0] == ["other", "3.1"] and generated[1][0] == "nwbz"
        age = datetime.now(timezone.utc) - file.file_create_date[0]
        assert timedelta(0) <= age < timedelta(hours=1)


def test_hdmf_zarr_reads_every_field_of_the_subject(electrical):
    with NWBZarrIO(electrical, mode="r") as io:
        subject, given = io.read().subject, METADATA["Subject"]
        for name in given.keys() - {"date_of_birth", "weight"}:
            assert getattr(subject, name) == given[name], name
        assert subject.weight == "0.02 kg"
        assert subject.date_of_birth == datetime(2024, 2, 1, tzinfo=ZONE)


def test_hdmf_zarr_reads_the_electrical_series_and_its_electrodes(electrical):
    with NWBZarrIO(electrical, mode="r") as io:
        file = io.read()
        series, given = file.acquisition["raw"], METADATA["ElectricalSeries"]
        assert isinstance(series, ElectricalSeries)
        assert np.array_equal(series.data[:], samples()) and series.data.dtype == np.int16
        for name in ("description", "comments", "conversion", "offset", "filtering"):
            assert getattr(series, name) == given[name], name
        assert series.unit == "volts" and series.resolution == -1.0
        assert series.rate == RATE and series.starting_time == 0.0
        assert series.channel_conversion[:].tolist() == given["channel_conversion"]
        assert series.electrodes.data[:].tolist() == list(range(CHANNELS))
        table = file.electrodes
        assert series.electrodes.table is table
        assert table.colnames == ("location", "group", "group_name", "channel_name")
        assert table["channel_name"][:].tolist() == given["channel_names"]
        assert set(table["location"][:]) == {"CA1"} and set(table["group_name"][:]) == {"shank0"}
        assert table.id[:].tolist() == list(range(CHANNELS))
        group = file.electrode_groups["shank0"]
        assert table[3, "group"] is group and group.device is file.devices["probe"]
        for name, value in METADATA["Device"].items():
            assert getattr(group.device, name) == value
        for name, value in METADATA["ElectrodeGroup"].items():
            assert getattr(group, name) == value


def test_hdmf_zarr_reads_timestamps_and_shards(plain):
    with NWBZarrIO(plain, mode="r") as io:
        series = io.read().acquisition["TimeSeries"]
        assert series.data.shards == (800, 8) and series.data.chunks == (100, 4)
        assert np.array_equal(series.data[:], samples())
        assert np.array_equal(series.timestamps[:], times())
        assert series.unit == "unknown" and series.conversion == 1.0 and series.timestamps_unit == "seconds" and series.interval == 1


def test_hdmf_zarr_reads_what_came_from_standard_input(streamed):
    with NWBZarrIO(streamed, mode="r") as io:
        series = io.read().acquisition["TimeSeries"]
        assert series.data.shape == (FRAMES, CHANNELS) and np.array_equal(series.data[:], samples())


def test_an_object_id_is_a_uuid_and_no_two_are_alike(electrical):
    with NWBZarrIO(electrical, mode="r") as io:
        objects = io.read().objects
        ids = {str(o.object_id) for o in objects.values()}
        assert len(ids) == len(objects) >= 12 and all(len(i) == 36 for i in ids)


def test_pynwb_validates_without_an_error(any_store):
    with NWBZarrIO(any_store, mode="r") as io:
        assert pynwb.validate(io=io) == []


def test_the_cached_specifications_are_loaded_by_hdmf_zarr(electrical):
    with NWBZarrIO(electrical, mode="r", load_namespaces=True) as io:
        assert io.read().acquisition["raw"].rate == RATE
        catalog = io.manager.type_map.namespace_catalog
        assert catalog.get_namespace("core")["version"] == "2.11.0"
        assert catalog.get_spec("core", "ElectricalSeries") is not None


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
                                   "float64", "complex64", "complex128", ">i2", ">f8"])
def test_hdmf_zarr_reads_every_type_of_samples(folder, dtype):
    values = np.arange(1, 61).reshape(20, 3).astype(dtype)
    name = dtype.replace(">", "big_")
    np.save(folder / f"{name}.npy", values)
    nwbz("write", folder / f"{name}.npy", folder / f"{name}.nwb.zarr", "--rate", 10, "--no-sync", "-q")
    with NWBZarrIO(folder / f"{name}.nwb.zarr", mode="r") as io:
        data = io.read().acquisition["TimeSeries"].data[:]
    assert data.dtype == values.dtype.newbyteorder("=") and np.array_equal(data, values)


@pytest.mark.parametrize("shape", [(50,), (50, 3, 4), (20, 3, 2, 2), (0, 4)])
def test_hdmf_zarr_reads_series_of_other_shapes(folder, shape):
    values = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    name = "shape_" + "_".join(map(str, shape))
    np.save(folder / f"{name}.npy", values)
    nwbz("write", folder / f"{name}.npy", folder / f"{name}.nwb.zarr", "--rate", 10, "--no-sync", "-q")
    with NWBZarrIO(folder / f"{name}.nwb.zarr", mode="r") as io:
        data = io.read().acquisition["TimeSeries"].data
        assert data.shape == shape and np.array_equal(data[:], values)
        assert pynwb.validate(io=io) == []


# ---- The documents, beside those of hdmf-zarr -------------------------------------------------------------------


def write_with_hdmf_zarr(path):
    """The same content as `electrical`, by pynwb and hdmf-zarr."""
    given = dict(METADATA["NWBFile"])
    given["session_start_time"] = datetime(2024, 5, 1, 10, tzinfo=ZONE)
    given["timestamps_reference_time"] = datetime(2024, 5, 1, 9, tzinfo=ZONE)
    given["was_generated_by"] = [["other", "3.1"], ["nwbz", "0.1.0"]]
    file = pynwb.NWBFile(**given)
    file.subject = Subject(**{**METADATA["Subject"], "date_of_birth": datetime(2024, 2, 1, tzinfo=ZONE)})
    device = file.create_device(**METADATA["Device"])
    group = file.create_electrode_group(**METADATA["ElectrodeGroup"], device=device)
    file.add_electrode_column("channel_name", "name of the channel")
    series = dict(METADATA["ElectricalSeries"])
    for name in series.pop("channel_names"):
        file.add_electrode(group=group, location="CA1", channel_name=name)
    region = file.create_electrode_table_region(list(range(CHANNELS)), "all electrodes")
    file.add_acquisition(ElectricalSeries(data=samples(), electrodes=region, rate=RATE, **series))
    with NWBZarrIO(path, mode="w") as io:
        io.write(file)


@pytest.fixture(scope="module")
def theirs(folder):
    path = folder / "theirs.nwb.zarr"
    write_with_hdmf_zarr(path)
    return path


def documents(path):
    """{path: document} of a store, without what must differ: ids, our own descriptions, dates, the samples' chunks and codec."""
    found = {}
    for file in path.rglob("zarr.json"):
        name = str(file.parent.relative_to(path))
        document = json.loads(file.read_text(encoding="utf-8"))
        document.pop("consolidated_metadata", None)
        document["attributes"].pop("object_id", None)
        if name.startswith("general/extracellular_ephys/electrodes"):
            document["attributes"].pop("description", None)
            if "colnames" in document["attributes"]:
                document["attributes"]["colnames"].sort()
        if name == "acquisition/raw/data":
            del document["chunk_grid"], document["codecs"]
        if name.startswith("specifications/") and "shape" in document:
            assert document["attributes"] in ({}, {"_DTYPE": "str"})
            document["attributes"] = {}
        found[name] = document
    return found


def test_the_documents_are_those_of_hdmf_zarr(electrical, theirs):
    ours, reference = documents(electrical), documents(theirs)
    assert sorted(ours) == sorted(reference)
    different = {name: (ours[name], reference[name]) for name in ours if ours[name] != reference[name]}
    assert different == {}


def test_the_chunks_of_small_values_have_the_keys_of_hdmf_zarr(electrical, theirs):
    def keys(path):
        return sorted(str(f.relative_to(path)) for f in path.rglob("*") if f.is_file() and "acquisition/raw/data" not in str(f))
    assert keys(electrical) == keys(theirs)


def test_consolidated_metadata_is_a_copy_of_every_document_in_order(any_store):
    root = json.loads((any_store / "zarr.json").read_text(encoding="utf-8"))
    copies = root["consolidated_metadata"]["metadata"]
    expected = sorted((str(f.parent.relative_to(any_store)) for f in any_store.rglob("zarr.json") if f.parent != any_store),
                      key=lambda name: (name.count("/"), name.encode()))
    assert list(copies) == expected
    for name, copy in copies.items():
        document = json.loads((any_store / name / "zarr.json").read_text(encoding="utf-8"))
        if copy["node_type"] == "group":
            assert copy.pop("consolidated_metadata") == {"kind": "inline", "must_understand": False, "metadata": {}}
        assert copy == document, name


# ---- Other readers --------------------------------------------------------------------------------------------------


# NWB Inspector 0.7 asks Zarr v3 arrays for what only v2 arrays have; the same on a file that hdmf-zarr wrote.
NOT_OURS = "`compressor` is not available for Zarr format 3 arrays"


def findings(path):
    with NWBZarrIO(path, mode="r") as io:
        return list(inspect_nwbfile_object(io.read()))


def test_nwb_inspector_finds_nothing_critical(electrical, theirs):
    serious = {Importance.CRITICAL, Importance.PYNWB_VALIDATION, Importance.ERROR}
    ours = [m for m in findings(electrical) if m.importance in serious]
    assert [m.message for m in ours if NOT_OURS not in m.message] == []
    reference = [m for m in findings(theirs) if m.importance in serious]
    assert len(ours) <= len(reference)


@pytest.mark.parametrize("keywords", [{}, {"use_pynwb": True}, {"stream_mode": "zarr"}], ids=["default", "pynwb", "zarr"])
def test_spikeinterface_gets_equal_traces_gains_and_offsets(electrical, keywords):
    """Version 0.105.3, installed without its bound zarr < 3, reads Zarr v3 in all of its three ways."""
    from spikeinterface.extractors.nwbextractors import NwbRecordingExtractor
    given = METADATA["ElectricalSeries"]
    recording = NwbRecordingExtractor(str(electrical), **keywords)
    assert recording.get_num_frames() == FRAMES and recording.sampling_frequency == RATE
    assert recording.get_channel_ids().tolist() == given["channel_names"]
    assert np.array_equal(recording.get_traces(), samples())
    gains = np.array(given["channel_conversion"]) * given["conversion"] * 1e6
    assert np.allclose(recording.get_channel_gains(), gains, rtol=1e-6)
    assert np.allclose(recording.get_channel_offsets(), given["offset"] * 1e6)
    volts = samples() * given["conversion"] * np.array(given["channel_conversion"]) + given["offset"]
    assert np.allclose(recording.get_traces(return_in_uV=True), volts * 1e6, rtol=1e-5, atol=1e-3)
    assert set(recording.get_channel_groups()) == {"shank0"} and set(recording.get_property("brain_area")) == {"CA1"}


def test_spikeinterface_reads_a_time_series(streamed):
    from spikeinterface.extractors.nwbextractors import NwbTimeSeriesExtractor
    recording = NwbTimeSeriesExtractor(str(streamed))
    assert np.array_equal(recording.get_traces(), samples())


@pytest.mark.parametrize("consolidated", [True, False])
def test_zarr_python_reads_every_array(any_store, consolidated):
    root = zarr.open_group(any_store, mode="r", use_consolidated=consolidated)
    arrays = [member for _, member in root.members(max_depth=None) if isinstance(member, zarr.Array)]
    assert len(arrays) == len([f for f in any_store.rglob("zarr.json") if json.loads(f.read_text(encoding="utf-8"))["node_type"] == "array"])
    for array in arrays:
        assert np.asarray(array[...]).shape == array.shape
    series = "raw" if "raw" in root["acquisition"] else "TimeSeries"
    assert np.array_equal(root[f"acquisition/{series}/data"][:], samples())


def test_zarrs_reads_the_samples(any_store):
    import zarrs  # noqa: F401  registers its pipeline
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"}):
        root = zarr.open_group(any_store, mode="r")
        series = "raw" if "raw" in root["acquisition"] else "TimeSeries"
        assert np.array_equal(root[f"acquisition/{series}/data"][:], samples())


def test_tensorstore_reads_the_samples(any_store):
    import tensorstore
    series = "raw" if (any_store / "acquisition/raw").exists() else "TimeSeries"
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": str(any_store / f"acquisition/{series}/data")}}
    assert np.array_equal(tensorstore.open(spec).result().read().result(), samples())


# ---- Reproducible -----------------------------------------------------------------------------------------------------


def tree(path):
    return {str(f.relative_to(path)): f.read_bytes() for f in path.rglob("*") if f.is_file()}


def test_the_bytes_are_the_same_for_any_jobs_and_memory(folder):
    trees = []
    for jobs, memory in [(1, "1G"), (2, "64M"), (8, "1G")]:
        path = folder / f"again_{jobs}.nwb.zarr"
        nwbz("write", folder / "rec.dat", path, *RAW, "--rate", RATE, "--electrical", "--metadata", folder / "metadata.json", "--reproducible",
             "-j", jobs, "-m", memory, "--chunks", "100,3", "--shards", "700,6")
        trees.append(tree(path))
    assert len(trees[0]) > 100
    assert trees[0] == trees[1] == trees[2]
