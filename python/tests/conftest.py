"""What the tests share: recordings, iterators, NWB files, and reading back with hdmf-zarr itself."""

from __future__ import annotations

import datetime
import threading

import numpy as np
import pytest

pytest.importorskip("hdmf_zarr", minversion="0.14")

import hdmf_zarr  # noqa: E402
import nwbz  # noqa: E402
from hdmf.data_utils import GenericDataChunkIterator  # noqa: E402
from pynwb import NWBFile, TimeSeries  # noqa: E402


class Slices(GenericDataChunkIterator):
    """An iterator that does more than slicing, so that it is asked through Python; it cannot be pickled."""

    def __init__(self, data, fail_at=None, error=OSError, wait=None, **kwargs):
        self.samples, self.fail_at, self.error, self.wait = data, fail_at, error, wait
        self.asked: list[tuple] = []
        self.threads: set[int] = set()
        self.lock = threading.Lock()
        super().__init__(**kwargs)

    def _get_dtype(self):
        return self.samples.dtype

    def _get_maxshape(self):
        return self.samples.shape

    def _get_data(self, selection):
        assert self.lock.acquire(blocking=False), "two calls at a time"
        try:
            if self.fail_at is not None and len(self.asked) == self.fail_at:
                raise self.error(f"no data at {selection}")
            self.asked.append(tuple((s.start, s.stop) for s in selection))
            self.threads.add(threading.get_ident())
            if self.wait:
                self.wait()
            return self.samples[selection]
        finally:
            self.lock.release()


def make_file(data=None, name="ts", **kwargs):
    """An NWBFile with one series."""
    file = NWBFile("d", "id", datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC))
    if data is not None:
        file.add_acquisition(TimeSeries(name=name, data=data, unit="V", rate=1000.0, **kwargs))
    return file


def write(path, data, io=nwbz.NWBZarrIO, number_of_jobs=2, options=None, **kwargs):
    """Write one series with 2 jobs."""
    with io(str(path), mode="w", **(options or {})) as writer:
        writer.write(make_file(data), number_of_jobs=number_of_jobs, **kwargs)


def read(path, name="ts"):
    """The samples, by hdmf-zarr itself."""
    with hdmf_zarr.NWBZarrIO(str(path), mode="r") as io:
        return np.asarray(io.read().acquisition[name].data[:])


def array_of(path, name="ts"):
    """The zarr-python array of a series."""
    import zarr

    return zarr.open_group(str(path), mode="r")[f"acquisition/{name}/data"]


def leftovers(path):
    """What stands at and beside a destination."""
    return sorted(p.name for p in path.parent.iterdir() if path.name in p.name)


@pytest.fixture
def recording(tmp_path):
    """Samples that repeat nowhere, and their raw file."""
    samples = np.random.default_rng(0).integers(-3000, 3000, (4000, 12)).astype("<i2")
    path = tmp_path / "rec.dat"
    samples.tofile(path)
    return samples, path


@pytest.fixture
def counted():
    """What the engine did since: counted() -> {"iterators": 1}."""
    before = dict(nwbz.STATS)
    return lambda: {key: n - before[key] for key, n in nwbz.STATS.items() if n != before[key]}
