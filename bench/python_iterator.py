"""An iterator in pure Python: how long a write takes over its own `_get_data` calls (wanted: at most 1.1, where those are the slower part).

python_iterator.py [--jobs 2] [--runs 3] [--out FOLDER]     needs nwbz, pynwb and hdmf-zarr 0.14; FOLDER should be a tmpfs
"""

import argparse
import pathlib
import shutil
import time
import warnings

import numpy as np
from hdmf.data_utils import GenericDataChunkIterator
from nwbz import NWBZarrIO
from pynwb.testing.mock.base import mock_TimeSeries
from pynwb.testing.mock.file import mock_NWBFile

FRAMES, CHANNELS = 900000, 384


class Computed(GenericDataChunkIterator):
    """Samples that are computed when asked for; counts the seconds that takes."""

    def __init__(self, **kwargs):
        self.seconds = 0.0
        super().__init__(**kwargs)

    def _get_data(self, selection):
        begin = time.perf_counter()
        rows = selection[0].stop - selection[0].start
        wave = np.sqrt(np.arange(rows * 64, dtype="f8").reshape(rows, 64) * 1.0001 + selection[0].start)
        samples = np.tile(wave, (1, CHANNELS // 64)).astype("i2")[:, selection[1]]
        self.seconds += time.perf_counter() - begin
        return samples

    def _get_maxshape(self):
        return FRAMES, CHANNELS

    def _get_dtype(self):
        return np.dtype("i2")


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--runs", type=int, default=3)
    p.add_argument("--out", default="/dev/shm")
    a = p.parse_args()
    warnings.simplefilter("ignore")
    store = pathlib.Path(a.out) / "bench-iterator.nwb.zarr"
    for _ in range(a.runs):
        shutil.rmtree(store, ignore_errors=True)
        iterator, nwbfile = Computed(buffer_gb=0.05), mock_NWBFile()
        nwbfile.add_acquisition(mock_TimeSeries(data=iterator))
        begin = time.perf_counter()
        with NWBZarrIO(str(store), mode="w") as io:
            io.write(nwbfile, number_of_jobs=a.jobs)
        seconds = time.perf_counter() - begin
        print(f"write {seconds:.2f} s, _get_data {iterator.seconds:.2f} s: {seconds / iterator.seconds:.3f} times")
    shutil.rmtree(store, ignore_errors=True)


if __name__ == "__main__":
    main()
