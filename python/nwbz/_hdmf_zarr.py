"""Choose the hooks of the generation of hdmf-zarr that is installed."""

from __future__ import annotations

from importlib import metadata

_version = metadata.version("hdmf-zarr")
if _version.startswith("0.14."):
    from ._hdmf_zarr_014 import NWBZarrIO, ZarrIO, h5_fill
else:
    raise ImportError(
        f"nwbz writes with hdmf-zarr 0.14; hdmf-zarr {_version} is installed (pip install 'hdmf-zarr==0.14.*')"
    )

__all__ = ["NWBZarrIO", "ZarrIO", "h5_fill"]
