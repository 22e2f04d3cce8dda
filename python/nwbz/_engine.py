"""What the hooks share: counts, jobs, memory, types, and filling one Zarr array with the engine.

source (sources.py)  -->  Array.fill(), without Python's lock  -->  chunks of a Zarr array in a local folder
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ._nwbz import Array, Error, Source, Store, jobs_resolve

logger = logging.getLogger("nwbz")

#: What was written by which way, for tests and the curious: by the engine from iterators, arrays and lists, HDF5
#: datasets and Zarr arrays; and what went the way of hdmf-zarr itself.
STATS: dict[str, int] = {"iterators": 0, "arrays": 0, "h5": 0, "zarr": 0, "upstream": 0}

TYPES = frozenset(
    [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    ]
)

DEFAULT_MEMORY_BYTES = 1 << 30

Progress = Callable[[str, int, int, int], Any]


def resolve_jobs(number_of_jobs: float | None) -> int:
    """Turn what a person gives into a number of jobs: 3; -1, all CPUs; -2, all but one; 0.5, half of them."""
    if number_of_jobs is None:
        number_of_jobs = -1
    jobs = jobs_resolve(float(number_of_jobs))
    return max(jobs, int(os.environ.get("NWBZ_MIN_JOBS", "1")))


def type_name(dtype: Any) -> str | None:
    """The engine's name of a dtype, in the machine's byte order; None: it has none."""
    try:
        name = np.dtype(dtype).newbyteorder("=").name
    except TypeError:
        return None
    return name if name in TYPES else None


def memory_for(box_bytes: int) -> int:
    """The memory limit of a run whose iterator gives boxes of that size: the box, the rows of chunks that it meets,
    and 512 MiB."""
    return max(DEFAULT_MEMORY_BYTES, 3 * box_bytes + (512 << 20))


def local_folder(zarr_array: Any) -> str | None:
    """The folder of the store that a zarr-python array lies in; None: it lies elsewhere."""
    from zarr.storage import LocalStore

    store = zarr_array.store
    return str(store.root) if isinstance(store, LocalStore) else None


@contextlib.contextmanager
def opened(folder: str, path: str, writable: bool) -> Iterator[Array]:
    """Open the array at `path` of the store in `folder`; both are closed at the end."""
    store = Store.open(folder, writable=writable)
    try:
        array = store.open_array("/" + path.strip("/"))
        try:
            yield array
        finally:
            array.close()
    finally:
        store.close()


@contextlib.contextmanager
def target(zarr_array: Any) -> Iterator[Array | None]:
    """Open a zarr-python array for the engine; None, with a log line, where the engine cannot write it."""
    why = None
    with contextlib.ExitStack() as stack:
        array = None
        folder = local_folder(zarr_array)
        if folder is None:
            why = f"its store is {type(zarr_array.store).__name__}, not a local folder"
        elif type_name(zarr_array.dtype) is None:
            why = f"its type is {zarr_array.dtype}"
        else:
            try:
                array = stack.enter_context(opened(folder, zarr_array.path, writable=True))
            except Error as error:
                if error.code != "NWBZ_EUNSUPPORTED":
                    raise
                why = error.message
        if array is None:
            STATS["upstream"] += 1
            logger.info("'%s' is written by hdmf-zarr itself: %s", zarr_array.path, why)
        yield array


def fill(array: Array, source: Source, jobs: int, box_bytes: int = 0, progress: Progress | None = None) -> None:
    """Fill the array from the source."""
    array.fill(source, jobs=jobs, memory_bytes=memory_for(box_bytes), progress=progress)


def copy_rows(zarr_array: Any, data: Any) -> None:
    """Copy with zarr-python, some rows of objects at a time."""
    shape = zarr_array.shape
    rows = (zarr_array.shards or zarr_array.chunks)[0]
    row_bytes = math.prod(shape[1:]) * zarr_array.dtype.itemsize
    step = max(1, (64 << 20) // max(1, row_bytes * rows)) * rows
    for first in range(0, shape[0], step):
        part = slice(first, min(first + step, shape[0]))
        zarr_array[part] = np.asarray(data[part], dtype=zarr_array.dtype)
