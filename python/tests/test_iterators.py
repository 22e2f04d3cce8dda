"""Iterators: every one in parallel, every row, and the exception itself."""

import _thread
import itertools
import threading
import time

import numpy as np
import nwbz
import pytest
from conftest import Slices, array_of, leftovers, make_file, read, write
from hdmf.data_utils import AbstractDataChunkIterator, DataChunk, DataChunkIterator
from hdmf_zarr import ZarrDataIO
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


def test_an_iterator_that_cannot_be_pickled_is_written_by_the_engine_on_the_calling_thread(
    tmp_path, recording, counted
):
    samples, _ = recording
    iterator = Slices(samples, buffer_shape=(500, 12), chunk_shape=(100, 4))
    write(tmp_path / "x.nwb.zarr", iterator)
    assert counted() == {"iterators": 1} or counted()["iterators"] == 1
    assert iterator.threads == {threading.get_ident()}
    assert iterator.asked == [((i, i + 500), (0, 12)) for i in range(0, 4000, 500)]
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_chunks_that_do_not_line_up_with_buffers_lose_no_row(tmp_path):
    samples = np.arange(40000 * 4, dtype="i4").reshape(-1, 4)
    for turn in range(3):
        iterator = Slices(samples, buffer_shape=(100, 4), chunk_shape=(100, 4))
        write(tmp_path / f"{turn}.nwb.zarr", ZarrDataIO(iterator, chunks=(730, 4)))
        array = array_of(tmp_path / f"{turn}.nwb.zarr")
        assert array.chunks == (730, 4)
        np.testing.assert_array_equal(array[:], samples)
        assert iterator.asked == [((i, i + 100), (0, 4)) for i in range(0, 40000, 100)]


@st.composite
def layouts(draw):
    n_axes = draw(st.integers(1, 3))
    shape = tuple(draw(st.integers(1, 40)) for _ in range(n_axes))
    chunks = tuple(draw(st.integers(1, n + 3)) for n in shape)
    shards = tuple(c * draw(st.integers(1, 3)) for c in chunks) if draw(st.booleans()) else None
    iterator_chunks = tuple(draw(st.integers(1, n)) for n in shape)
    buffers = tuple(min(c * draw(st.integers(1, 4)), n) for c, n in zip(iterator_chunks, shape, strict=False))
    buffers = tuple(b if b == n or b % c == 0 else c for b, c, n in zip(buffers, iterator_chunks, shape, strict=False))
    dtype = draw(st.sampled_from(["i1", "<i2", ">i2", "u4", "f4", "f8", "c8", "?"]))
    return shape, chunks, shards, iterator_chunks, buffers, dtype


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(layout=layouts(), jobs=st.sampled_from([1, 2, 3]))
def test_random_shapes_chunks_shards_and_buffers_are_right(tmp_path, layout, jobs):
    import hdmf_zarr

    import zarr

    shape, chunks, shards, iterator_chunks, buffers, dtype = layout
    from nwbz import _hdmf_zarr_014 as hooks

    samples = (np.arange(np.prod(shape)) % 251).reshape(shape).astype(dtype)
    group = zarr.open_group(str(tmp_path / "random.zarr"), mode="w")
    array = group.create_array("x", shape=shape, chunks=chunks, shards=shards, dtype=np.dtype(dtype).newbyteorder("="))
    queue = hooks.Queue(hdmf_zarr.utils.ZarrIODataChunkIteratorQueue(number_of_jobs=jobs))
    iterator = Slices(samples, buffer_shape=buffers, chunk_shape=iterator_chunks)
    queue.append(array, iterator)
    queue.exhaust_queue()
    np.testing.assert_array_equal(array[...], samples)
    assert len(iterator.asked) == len(set(iterator.asked)), "each buffer is asked for once"


@pytest.mark.parametrize("progress", [False, True])
@pytest.mark.parametrize("block", [0, 3, 7])
def test_the_iterators_own_exception_reaches_the_caller(tmp_path, recording, progress, block):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    iterator = Slices(samples, fail_at=block, buffer_shape=(500, 12), chunk_shape=(100, 12), display_progress=progress)
    with pytest.raises(OSError, match=r"no data at \(slice") as raised:
        write(path, iterator)
    assert raised.traceback[-1].name == "_get_data"
    assert leftovers(path) == []


def test_an_iterator_that_gives_another_shape_is_an_error_that_names_both(tmp_path, recording):
    samples, _ = recording

    class Short(Slices):
        def _get_data(self, selection):
            return super()._get_data(selection)[1:]

    with pytest.raises(ValueError, match=r"\(499, 12\), not \(500, 12\)"):
        write(tmp_path / "x.nwb.zarr", Short(samples, buffer_shape=(500, 12), chunk_shape=(100, 12)))
    assert leftovers(tmp_path / "x.nwb.zarr") == []


def test_the_bar_has_the_text_of_hdmf_zarr(tmp_path, recording, capfd):
    samples, _ = recording
    write(
        tmp_path / "x.nwb.zarr",
        Slices(np.tile(samples, (30, 1)), buffer_shape=(500, 12), chunk_shape=(100, 12), display_progress=True),
    )
    shown = capfd.readouterr().err
    assert "Writing Zarr datasets with 2 jobs: 100%" in shown and "2/2 MB [Elapsed: " in shown


def test_a_bar_that_fails_is_a_warning_and_every_row_is_there(tmp_path, recording):
    samples, _ = recording

    class Broken:
        n = 0

        def __init__(self, **kwargs):
            pass

        def update(self, n):
            raise RuntimeError("no terminal")

    iterator = Slices(
        np.tile(samples, (30, 1)),
        buffer_shape=(500, 12),
        chunk_shape=(100, 12),
        display_progress=True,
        progress_bar_class=Broken,
    )
    with pytest.warns(UserWarning, match="no terminal"):
        write(tmp_path / "x.nwb.zarr", iterator)
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), np.tile(samples, (30, 1)))


def test_ctrl_c_stops_and_leaves_nothing(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    calls = itertools.count()

    def interrupt():
        if next(calls) == 3:
            _thread.interrupt_main()
        time.sleep(0.05)

    started = time.monotonic()
    iterator = Slices(samples, wait=interrupt, buffer_shape=(20, 12), chunk_shape=(20, 12))
    with pytest.raises(KeyboardInterrupt):
        write(path, iterator)
    assert len(iterator.asked) < 20 and time.monotonic() - started < 8
    assert leftovers(path) == []


def test_ctrl_c_stops_the_engine_where_no_python_runs(tmp_path):
    path = tmp_path / "x.nwb.zarr"
    samples = np.random.default_rng(0).integers(0, 255, (400_000, 100), dtype="u1")
    from zarr.codecs import ZstdCodec

    timer = threading.Timer(0.7, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt), nwbz.NWBZarrIO(str(path), mode="w") as io:
        timer.start()
        io.write(
            make_file(ZarrDataIO(samples, chunks=(10_000, 100), compressors=ZstdCodec(level=22))), number_of_jobs=2
        )
    assert leftovers(path) == []


# ---- DataChunkIterator ----------------------------------------------------------------------------


@pytest.mark.parametrize("buffer_size", [1, 7, 64])
def test_an_iterator_of_unknown_length_is_written_by_the_engine(tmp_path, counted, buffer_size):
    samples = np.arange(1000 * 3, dtype="f4").reshape(-1, 3)
    write(tmp_path / "x.nwb.zarr", DataChunkIterator(data=(row for row in samples), buffer_size=buffer_size))
    assert counted()["iterators"] == 1
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_rows_that_an_iterator_leaves_out_are_the_fill_value(tmp_path, counted):
    rows = [np.full(3, i, dtype="i4") if i % 5 else None for i in range(1, 101)]
    write(tmp_path / "x.nwb.zarr", ZarrDataIO(DataChunkIterator(data=iter(rows), buffer_size=3), fillvalue=-7))
    expected = np.array([np.full(3, -7) if row is None else row for row in rows])
    while (expected[-1] == -7).all():
        expected = expected[:-1]  # nothing came after
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), expected)
    assert counted()["iterators"] == 1


def test_an_iterator_along_another_axis_is_right(tmp_path):
    samples = np.arange(40 * 30, dtype="i2").reshape(40, 30)
    write(tmp_path / "x.nwb.zarr", DataChunkIterator(data=samples, iter_axis=1, buffer_size=4))
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_an_iterator_that_gives_columns_after_rows_is_right(tmp_path):
    samples = np.arange(60, dtype="i4").reshape(10, 6)

    class Odd(AbstractDataChunkIterator):
        def __init__(self):
            parts = [np.s_[0:4, 0:6], np.s_[4:10, 0:2], np.s_[4:10, 2:6]]
            self.parts = iter(DataChunk(samples[p], p) for p in parts)

        def __iter__(self):
            return self

        def __next__(self):
            return next(self.parts)

        def recommended_chunk_shape(self):
            return (3, 3)

        def recommended_data_shape(self):
            return samples.shape

        @property
        def dtype(self):
            return samples.dtype

        @property
        def maxshape(self):
            return samples.shape

    write(tmp_path / "x.nwb.zarr", Odd())
    np.testing.assert_array_equal(read(tmp_path / "x.nwb.zarr"), samples)


def test_an_exception_of_a_generator_reaches_the_caller(tmp_path):
    def rows():
        yield from np.zeros((10, 3))
        raise LookupError("disk gone")

    with pytest.raises(LookupError, match="disk gone"):
        write(tmp_path / "x.nwb.zarr", DataChunkIterator(data=rows(), buffer_size=2))
    assert leftovers(tmp_path / "x.nwb.zarr") == []


def test_plain_arrays_and_lists_are_as_given(tmp_path, counted):
    for turn, data in enumerate(
        [
            [1, 2, 3],
            [[1.5, 2], [3, 4]],
            np.arange(6, dtype=">i4").reshape(2, 3),
            np.arange(12.0).reshape(3, 4)[:, ::2],
            (True, False),
        ]
    ):
        write(tmp_path / f"{turn}.nwb.zarr", data)
        np.testing.assert_array_equal(read(tmp_path / f"{turn}.nwb.zarr"), data)
    assert counted()["arrays"] >= 5


def test_jobs_do_not_change_the_bytes(tmp_path, recording):
    samples, _ = recording
    stores = []
    for jobs in (1, 2, -1, 0.5):
        path = tmp_path / f"{jobs}.nwb.zarr"
        write(path, Slices(samples, buffer_shape=(300, 12), chunk_shape=(100, 3)), number_of_jobs=jobs)
        data = path / "acquisition/ts/data/c"
        stores.append({p.relative_to(data): p.read_bytes() for p in data.rglob("*") if p.is_file()})
    assert stores[0] and all(store == stores[0] for store in stores)


def test_a_number_of_jobs_that_means_nothing_is_an_error(tmp_path):
    with pytest.raises(nwbz.Error, match="0"):
        write(tmp_path / "x.nwb.zarr", [1, 2], number_of_jobs=0)
    assert leftovers(tmp_path / "x.nwb.zarr") == []
