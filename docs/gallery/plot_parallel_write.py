"""
Write a recording in parallel
=============================

``nwbz`` takes the place of ``hdmf_zarr`` in one import; ``number_of_jobs`` then says how many threads compress and
write.
"""

# %%
# A small recording
# -----------------
# Ten seconds of 64 channels at 30 kHz, in a raw binary file as acquisition systems write them: 16-bit integers,
# frame after frame.

import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

folder = Path(tempfile.mkdtemp())
n_channels, rate = 64, 30000.0
times = np.arange(int(10 * rate)) / rate
common = 60 * np.sin(2 * np.pi * 6 * times)
noise = np.random.default_rng(0).standard_normal((len(times), n_channels), dtype="f4") * 5
samples = (common[:, None] * np.linspace(0.5, 1.2, n_channels) + noise).round().astype("int16")
samples.tofile(folder / "recording.dat")

# %%
# An NWB file that holds it
# -------------------------
# The samples stay in their file: ``numpy.memmap`` maps it.  Mapped read-only, the file is read by the threads
# themselves, without Python.

from pynwb import NWBFile, TimeSeries  # noqa: E402


def make_file():
    mapped = np.memmap(folder / "recording.dat", dtype="int16", mode="r", shape=samples.shape)
    file = NWBFile("A recording", "gallery", datetime(2024, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name="raw", data=mapped, unit="volts", rate=rate))
    return file


# %%
# Write it, with 1 job and with 2
# -------------------------------
# ``-1`` would be all CPUs, ``0.5`` half of them.  The file appears at its path when it is whole, and the bytes are
# the same for every number.

from nwbz import NWBZarrIO  # noqa: E402

for number_of_jobs in (1, 2):
    path = folder / f"jobs-{number_of_jobs}.nwb.zarr"
    started = time.perf_counter()
    with NWBZarrIO(str(path), mode="w") as io:
        io.write(make_file(), number_of_jobs=number_of_jobs)
    print(f"{number_of_jobs} job{'s' * (number_of_jobs > 1)}: {time.perf_counter() - started:.2f} s")

# %%
# Iterators
# ---------
# An iterator of any kind is written in parallel too; it need not be picklable.  Its ``_get_data`` is called on this
# thread, one call at a time, while the others compress and write.

from hdmf.data_utils import GenericDataChunkIterator  # noqa: E402


class Volts(GenericDataChunkIterator):
    """Counts become volts while they are written."""

    def _get_data(self, selection):
        return samples[selection] * np.float32(1e-6)

    def _get_maxshape(self):
        return samples.shape

    def _get_dtype(self):
        return np.dtype("float32")


file = NWBFile("A recording", "gallery", datetime(2024, 1, 1, tzinfo=UTC))
file.add_acquisition(TimeSeries(name="volts", data=Volts(buffer_gb=0.01), unit="volts", rate=rate))
with NWBZarrIO(str(folder / "volts.nwb.zarr"), mode="w") as io:
    io.write(file, number_of_jobs=2)

# %%
# Read it back
# ------------
# With pynwb as any NWB file, or with ``nwbz.open``, which reads the chunks in parallel.

import nwbz  # noqa: E402

with NWBZarrIO(str(folder / "jobs-2.nwb.zarr"), mode="r") as io:
    assert (io.read().acquisition["raw"].data[:] == samples).all()

raw = nwbz.open(folder / "jobs-1.nwb.zarr")["acquisition/raw/data"]
print(raw)
assert (raw[1000:2000, ::-1] == samples[1000:2000, ::-1]).all()
assert (np.asarray(nwbz.open(folder / "volts.nwb.zarr")["acquisition/volts/data"]) == samples * np.float32(1e-6)).all()
