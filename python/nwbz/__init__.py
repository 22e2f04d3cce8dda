"""nwbz: neurophysiology data in NWB, written to Zarr in parallel with one number, number_of_jobs.

from nwbz import NWBZarrIO                       # in place of hdmf_zarr's
with NWBZarrIO("x.nwb.zarr", mode="w") as io:
    io.write(nwbfile, number_of_jobs=8)

nwbz.write("rec.dat", "x.nwb.zarr", shape=(-1, 384), dtype="int16", rate=30000)
nwbz.open("x.nwb.zarr")["acquisition/TimeSeries/data"][0:1000, :]
"""

from __future__ import annotations

from importlib import metadata as _metadata
from typing import TYPE_CHECKING, Any

from ._engine import STATS
from ._nwbz import Error
from ._open import Array, Group, open
from ._write import Report, write

if TYPE_CHECKING:
    from ._hdmf_zarr_014 import NWBZarrIO, ZarrIO, h5_fill

__all__ = [
    "Array",
    "Error",
    "Group",
    "NWBZarrIO",
    "Report",
    "STATS",
    "ZarrIO",
    "default_codec",
    "h5_fill",
    "open",
    "write",
]

#: The codec of NWBZarrIO and ZarrIO for numbers whose codec the user did not choose: "nwbz", as `nwbz write`, or
#: "hdmf-zarr".
default_codec: str = "nwbz"

try:
    __version__ = _metadata.version("nwbz")
except _metadata.PackageNotFoundError:  # used from a folder that was not installed
    __version__ = "0+unknown"


def __getattr__(name: str) -> Any:
    # hdmf-zarr takes seconds to import: only those who use it wait.
    if name in ("NWBZarrIO", "ZarrIO", "h5_fill"):
        from . import _hdmf_zarr

        return getattr(_hdmf_zarr, name)
    raise AttributeError(f"module 'nwbz' has no attribute '{name}'")
