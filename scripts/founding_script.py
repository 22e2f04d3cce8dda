"""What the project began with: a memory-mapped recording becomes an NWB file in Zarr, with `number_of_jobs`.

    founding_script.py RECORDING DESTINATION --jobs N [--io nwbz|hdmf_zarr] [--channels 384] [--iterator
    neuroconv|pickleable]

The two are the same script with one import changed.  `neuroconv` is neuroconv's SliceableDataChunkIterator, which
hdmf-zarr cannot send to its worker processes, so that it writes with one; `pickleable` is one that it can.
"""

import argparse
import importlib
import importlib.util
import shutil
import sysconfig
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from hdmf.data_utils import GenericDataChunkIterator
from pynwb import NWBFile, TimeSeries


class PickleableIterator(GenericDataChunkIterator):
    """Slices of a memory-mapped file, made anew from its path in every process."""

    def __init__(self, path, shape, dtype, **options):
        self.made_from = (path, tuple(shape), dtype, options)
        self.data = np.memmap(path, dtype=dtype, mode="r", shape=tuple(shape))
        super().__init__(**options)

    def _get_data(self, selection):
        return self.data[selection]

    def _get_maxshape(self):
        return self.data.shape

    def _get_dtype(self):
        return self.data.dtype

    def _to_dict(self):
        return {"made_from": self.made_from}

    @staticmethod
    def _from_dict(values):
        path, shape, dtype, options = values["made_from"]
        return PickleableIterator(path, shape, dtype, **options)


def neuroconv_iterator():
    """neuroconv's iterator, by the path of its file: `import neuroconv` asks for an older zarr."""
    path = Path(sysconfig.get_paths()["purelib"], "neuroconv", "tools", "hdmf.py")
    if not path.exists():
        raise SystemExit("pip install --no-deps neuroconv==0.10.2")
    specification = importlib.util.spec_from_file_location("neuroconv_hdmf", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.SliceableDataChunkIterator


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("destination", type=Path)
    parser.add_argument("--jobs", type=float, default=1)
    parser.add_argument("--io", default="nwbz", choices=["nwbz", "hdmf_zarr"])
    parser.add_argument("--channels", type=int, default=384)
    parser.add_argument("--iterator", default="pickleable", choices=["neuroconv", "pickleable"])
    parser.add_argument("--progress", action="store_true")
    arguments = parser.parse_args()

    NWBZarrIO = importlib.import_module(arguments.io).NWBZarrIO  # the one import
    jobs = int(arguments.jobs) if arguments.jobs == int(arguments.jobs) else arguments.jobs
    shape = (arguments.recording.stat().st_size // (2 * arguments.channels), arguments.channels)
    options = {"buffer_gb": 0.1 / max(jobs, 1), "display_progress": arguments.progress}
    if arguments.iterator == "neuroconv":
        data = neuroconv_iterator()(
            data=np.memmap(arguments.recording, dtype="int16", mode="r", shape=shape), **options
        )
    else:
        data = PickleableIterator(arguments.recording, shape, "int16", **options)
    file = NWBFile("A recording", "founding-script", datetime.now(UTC))
    file.add_acquisition(TimeSeries(name="TimeSeries", data=data, unit="volts", rate=30000.0))
    shutil.rmtree(arguments.destination, ignore_errors=True)
    started = time.perf_counter()
    with NWBZarrIO(path=str(arguments.destination), mode="w") as io:
        io.write(file, number_of_jobs=jobs)
    seconds = time.perf_counter() - started
    print(f"{arguments.io}, {arguments.iterator} iterator, number_of_jobs={jobs}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
