"""What the engine reads without Python, and what it must not."""

import contextlib
import logging

import h5py
import numpy as np
import pytest
from conftest import Slices, array_of, read, write
from hdmf.backends.hdf5.h5_utils import H5DataIO
from hdmf.data_utils import GenericDataChunkIterator
from hdmf_zarr import ZarrDataIO
from hdmf_zarr.utils import HDMFZarrArray
from nwbz import _sources

import zarr


class SliceableDataChunkIterator(GenericDataChunkIterator):
    """As that of neuroconv, which cannot be imported beside zarr 3."""

    def __init__(self, data, **kwargs):
        self.data = data
        super().__init__(**kwargs)

    def _get_dtype(self):
        return self.data.dtype

    def _get_maxshape(self):
        return self.data.shape

    def _get_data(self, selection):
        return self.data[selection]


class Scaled(SliceableDataChunkIterator):
    def _get_data(self, selection):
        return self.data[selection] * 2


def native(data):
    """Whether the engine reads the data without Python; closes what it opened."""
    with contextlib.ExitStack() as stack:
        found = _sources.native(data, data.shape, data.dtype)
        if found is not None:
            stack.enter_context(found)
            return "file" if isinstance(data, np.memmap) and _sources.mapped_file(data) else "yes"
    return None


def test_a_memmap_is_read_from_its_file_only_where_both_agree(recording):
    samples, path = recording
    for mode, expected in [("r", "file"), ("r+", "yes"), ("c", "yes")]:
        mapped = np.memmap(path, dtype="<i2", mode=mode, shape=samples.shape)
        assert native(mapped) == expected, mode
    changed = np.memmap(path, dtype="<i2", mode="c", shape=samples.shape)
    changed[5] = 77  # in memory alone
    assert _sources.mapped_file(changed) is None


@pytest.mark.parametrize("cut", [np.s_[:], np.s_[100:900], np.s_[7:8], np.s_[:, 3:5], np.s_[::2], np.s_[::-1]])
@pytest.mark.parametrize("offset", [0, 24, 5000])
def test_parts_of_a_memmap_are_right(tmp_path, cut, offset):
    samples = np.random.default_rng(1).integers(-99, 99, (4000, 12)).astype("<i2")
    path = tmp_path / "with header.dat"
    path.write_bytes(b"h" * offset + samples.tobytes() + b"behind")
    mapped = np.memmap(path, dtype="<i2", mode="r", shape=samples.shape, offset=offset)[cut]
    write(tmp_path / "x.nwb.zarr", mapped)
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples[cut])


def test_a_memmap_whose_file_was_replaced_is_read_from_memory(tmp_path, recording):
    samples, path = recording
    mapped = np.memmap(path, dtype="<i2", mode="r", shape=samples.shape)
    other = tmp_path / "other.dat"
    (samples + 1).tofile(other)
    other.rename(path)
    assert _sources.mapped_file(mapped) is None
    write(tmp_path / "x.nwb.zarr", mapped)
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_a_computed_memmap_is_memory(tmp_path, recording):
    samples, path = recording
    computed = np.memmap(path, dtype="<i2", mode="r", shape=samples.shape) + 1
    assert _sources.mapped_file(computed) is None
    write(tmp_path / "x.nwb.zarr", computed)
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples + 1)


@pytest.mark.parametrize("dtype", [">i2", "<f4", ">f8", "?", "<c8", "u1", "<f2"])
def test_npy_files_of_every_byte_order(tmp_path, dtype):
    samples = (np.arange(600) % 100).reshape(100, 6).astype(dtype)
    np.save(tmp_path / "a.npy", samples)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    assert native(mapped) == "file"
    write(tmp_path / "x.nwb.zarr", SliceableDataChunkIterator(mapped, buffer_shape=(10, 6), chunk_shape=(5, 3)))
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


@pytest.mark.parametrize("wrap", [lambda d: d, ZarrDataIO, H5DataIO, lambda d: ZarrDataIO(d, chunks=(50, 5))])
def test_iterators_that_only_slice_are_read_without_python_in_every_wrapper(
    tmp_path, recording, wrap, counted, monkeypatch
):
    samples, path = recording
    mapped = np.memmap(path, dtype="<i2", mode="r", shape=samples.shape)
    iterator = SliceableDataChunkIterator(mapped, buffer_shape=(500, 12), chunk_shape=(100, 12))
    assert _sources.sliced_data(iterator) is mapped
    monkeypatch.setattr(_sources, "_callback", lambda *a: pytest.fail("Python was asked"))
    write(tmp_path / "x.nwb.zarr", wrap(iterator))
    assert counted()["iterators"] == 1
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_iterators_that_do_more_than_slicing_are_asked(tmp_path, recording):
    samples, path = recording
    iterator = Scaled(samples, buffer_shape=(500, 12), chunk_shape=(100, 12))
    assert _sources.sliced_data(iterator) is None
    write(tmp_path / "x.nwb.zarr", iterator)
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples * 2)
    plain = SliceableDataChunkIterator(samples, buffer_shape=(500, 12), chunk_shape=(100, 12))
    plain._get_data = lambda selection: samples[selection] + 1
    assert _sources.sliced_data(plain) is None


def test_an_iterator_over_data_of_another_type_is_asked(tmp_path, recording):
    samples, _ = recording

    class Float(SliceableDataChunkIterator):
        def _get_dtype(self):
            return np.dtype("f8")

    write(tmp_path / "x.nwb.zarr", Float(samples, buffer_shape=(500, 12), chunk_shape=(100, 12)))
    assert array_of(tmp_path / "x.nwb.zarr").dtype == np.dtype("f8")
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


@pytest.mark.parametrize("kind", ["plain", "gzip", "big", "bool"])
def test_h5py_datasets_open_to_be_read_are_read_by_the_engine(tmp_path, recording, kind, monkeypatch, counted):
    samples, _ = recording
    samples = {"big": samples.astype(">i4"), "bool": samples > 0}.get(kind, samples)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("g/x", data=samples, chunks=(300, 5), compression="gzip" if kind == "gzip" else None)
    with h5py.File(tmp_path / "a.h5", "r") as file:
        assert native(file["g/x"]) == "yes"
        monkeypatch.setattr(_sources, "_callback", lambda *a: pytest.fail("h5py was asked"))
        iterator = SliceableDataChunkIterator(file["g/x"], buffer_shape=(500, 12), chunk_shape=(100, 12))
        write(tmp_path / "x.nwb.zarr", iterator)
        if kind == "plain":
            write(tmp_path / "y.nwb.zarr", file["g/x"])
            assert counted()["h5"] == 1
            np.testing.assert_array_equal(read(tmp_path / "y.nwb.zarr"), samples)
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_h5py_datasets_open_to_be_written_are_read_through_h5py(tmp_path, recording):
    samples, _ = recording
    with h5py.File(tmp_path / "a.h5", "w") as file:
        dataset = file.create_dataset("x", data=samples, chunks=(300, 5))
        assert native(dataset) is None
        write(
            tmp_path / "x.nwb.zarr", SliceableDataChunkIterator(dataset, buffer_shape=(500, 12), chunk_shape=(100, 12))
        )
        write(tmp_path / "y.nwb.zarr", dataset)
    for name in "xy":
        np.testing.assert_array_equal(read(tmp_path / f"{name}.nwb.zarr"), samples)


def test_a_file_that_our_hdf5_cannot_open_goes_through_h5py_and_the_log_says_so(tmp_path, recording, caplog):
    hdf5plugin = pytest.importorskip("hdf5plugin")
    samples, _ = recording
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=samples, chunks=(300, 5), **hdf5plugin.Blosc2())
    with h5py.File(tmp_path / "a.h5", "r") as file, caplog.at_level(logging.INFO, logger="nwbz"):
        if native(file["x"]) is not None:
            pytest.skip("the filter is installed")
        write(
            tmp_path / "x.nwb.zarr",
            SliceableDataChunkIterator(file["x"], buffer_shape=(500, 12), chunk_shape=(100, 12)),
        )
    assert "is read through h5py" in caplog.text
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


@pytest.mark.parametrize("shards", [None, (600, 12)])
def test_zarr_arrays_are_read_and_copied_by_the_engine(tmp_path, recording, shards, counted, monkeypatch):
    samples, _ = recording
    array = zarr.create_array(str(tmp_path / "a.zarr"), shape=samples.shape, chunks=(300, 4), shards=shards, dtype="i2")
    array[:] = samples
    assert native(array) == "yes"
    monkeypatch.setattr(_sources, "_callback", lambda *a: pytest.fail("zarr-python was asked"))
    write(tmp_path / "x.nwb.zarr", SliceableDataChunkIterator(array, buffer_shape=(500, 12), chunk_shape=(100, 12)))
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)
    array.__class__ = HDMFZarrArray  # as hdmf-zarr gives it
    write(tmp_path / "y.nwb.zarr", ZarrDataIO(array, link_data=False))
    assert counted()["zarr"] == 1
    copy = array_of(tmp_path / "y.nwb.zarr")
    assert (copy.chunks, copy.shards) == (array.chunks, array.shards)
    np.testing.assert_array_equal(copy[:], samples)


def test_zarr_arrays_in_memory_go_through_zarr_python(tmp_path, recording):
    samples, _ = recording
    array = zarr.create_array(zarr.storage.MemoryStore(), shape=samples.shape, chunks=(300, 4), dtype="i2")
    array[:] = samples
    assert native(array) is None
    write(tmp_path / "x.nwb.zarr", SliceableDataChunkIterator(array, buffer_shape=(500, 12), chunk_shape=(100, 12)))
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_buffers_larger_than_the_default_memory_are_fine(tmp_path, monkeypatch):
    from nwbz import _engine

    samples = np.random.default_rng(0).integers(0, 9, (200_000, 16)).astype("i2")
    limits = []
    usual = _engine.memory_for
    monkeypatch.setattr(_engine, "DEFAULT_MEMORY_BYTES", 1 << 20)
    monkeypatch.setattr(_engine, "memory_for", lambda n: limits.append(n) or usual(n))
    iterator = Slices(samples, buffer_shape=samples.shape, chunk_shape=(1000, 16))
    write(tmp_path / "x.nwb.zarr", iterator)
    assert iterator.asked == [((0, 200_000), (0, 16))] and limits == [samples.nbytes]
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)
