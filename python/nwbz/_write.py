"""nwbz.write: a raw recording becomes an NWB Zarr store, without hdmf-zarr."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _nwbz
from ._engine import logger, resolve_jobs, type_name

UNKNOWN_LENGTH = 2**64 - 1


@dataclass(frozen=True)
class Report:
    """What a run did: the keys of `nwbz write --json`."""

    source: str | None = None
    destination: str | None = None
    seconds: float = 0.0
    bytes_in: int = 0
    bytes_stored: int = 0
    datasets: list[dict[str, Any]] = field(default_factory=list)
    conversions: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)
    verified: str = "none"
    #: Everything, as it came.
    json: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_json(cls, text: str) -> Report:
        values = json.loads(text)
        return cls(**{name: values[name] for name in cls.__dataclass_fields__ if name in values}, json=values)


def _array_source(array: Any) -> _nwbz.Source:
    """Memory, or the file of a memmap that agrees with it."""
    from ._sources import _of_ndarray

    array = np.asanyarray(array)
    if type_name(array.dtype) is None:
        raise TypeError(f"samples are numbers or bool, not {array.dtype}")
    if not array.flags.c_contiguous or not array.dtype.isnative and not isinstance(array, np.memmap):
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    found = _of_ndarray(array)
    if found is None:
        found_array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
        return _nwbz.Source.memory(found_array.view(np.ndarray), type_name(array.dtype), array.shape)
    return found.source


def open_source(source: Any, shape: Sequence[int] | None, dtype: Any, offset: int = 0) -> _nwbz.Source:
    """Open a path (raw with shape and dtype, else .npy) or an array."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        if shape is None and dtype is None and path.endswith(".npy"):
            return _nwbz.Source.npy(path)
        if shape is None or dtype is None:
            raise ValueError("a raw file needs shape and dtype: shape=(-1, 384), dtype='int16'")
        sizes = [UNKNOWN_LENGTH if i == 0 and n in (-1, None) else n for i, n in enumerate(shape)]
        return _nwbz.Source.raw(path, np.dtype(dtype).str, sizes, offset_bytes=offset)
    if dtype is not None or shape is not None:
        source = np.asanyarray(source)
        if dtype is not None and source.dtype != np.dtype(dtype):
            raise ValueError(f"the array holds {source.dtype}, not {np.dtype(dtype)}")
        if shape is not None and source.shape != tuple(shape):
            raise ValueError(f"the array has the shape {source.shape}, not {tuple(shape)}")
    return _array_source(source)


def _plain(value: Any) -> Any:
    """What JSON does not know, as the metadata's text has it."""
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"metadata cannot hold {type(value).__name__}")


def write(
    source: Any,
    path: str | os.PathLike,
    *,
    shape: Sequence[int] | None = None,
    dtype: Any = None,
    rate: float | None = None,
    timestamps: Any = None,
    metadata: Mapping[str, Any] | None = None,
    electrical: bool = False,
    chunks: Sequence[int] | None = None,
    shards: Sequence[int] | None = None,
    codec: str | None = None,
    number_of_jobs: float = -1,
    starting_time: float = 0.0,
    offset: int = 0,
    session_start_time: str | datetime.datetime | None = None,
    reproducible: bool = False,
    existing: str = "error",
    memory_bytes: int = 0,
    sync: bool = True,
    dry_run: bool = False,
    progress: bool = False,
) -> Report:
    """Write a recording as an NWB Zarr store, in parallel.

    source: a raw binary file (with `shape`, whose first value may be -1, and `dtype`), a .npy file, or an array
    {frames, channels}.
    rate: of the frames, in Hz; or timestamps: seconds, one for each frame (array or .npy file).
    metadata: the session, as the JSON of `nwbz write --metadata`: {"NWBFile": {...}, "Subject": {...}, "TimeSeries":
    {...}}.
    codec: "blosc:zstd:1:bitshuffle", "zstd:3", "gzip:5", "none"; None: the default of `nwbz write`.
    existing: what to do where `path` exists: "error", "skip", "overwrite", "resume".

    The result is whole or absent.  Raises nwbz.Error, which names file, dataset and chunk; Ctrl-C is KeyboardInterrupt.
    """
    jobs = resolve_jobs(number_of_jobs)
    fields: list[tuple[str, str, str]] = []
    if session_start_time is not None:
        fields.append(
            (
                "NWBFile",
                "session_start_time",
                session_start_time if isinstance(session_start_time, str) else session_start_time.isoformat(),
            )
        )
    with contextlib.ExitStack() as stack:
        opened = open_source(source, shape, dtype, offset)
        stack.callback(opened.close)
        times = None
        if timestamps is not None:
            if not isinstance(timestamps, (str, os.PathLike)):
                timestamps = np.ascontiguousarray(timestamps, dtype=np.float64)
            times = open_source(timestamps, None, None)
            stack.callback(times.close)
        bar = None
        if progress:
            from ._progress import Bar

            item = np.dtype(opened.type).itemsize
            total = 0 if opened.shape[0] == UNKNOWN_LENGTH else int(np.prod([float(n) for n in opened.shape])) * item
            bar = Bar(jobs, total)
            stack.callback(bar.close)
        text = _nwbz.write(
            opened,
            os.fspath(path),
            metadata_json=None if metadata is None else json.dumps(metadata, default=_plain),
            metadata_name="metadata",
            fields=tuple(fields),
            electrical=electrical,
            rate=0.0 if rate is None else float(rate),
            starting_time=float(starting_time),
            timestamps=times,
            source_name=os.fspath(source) if isinstance(source, (str, os.PathLike)) else "array",
            chunks=chunks,
            shards=shards,
            codec=codec,
            reproducible=reproducible,
            jobs=jobs,
            memory_bytes=memory_bytes,
            existing=existing,
            sync=sync,
            dry_run=dry_run,
            progress=bar,
        )
    report = Report.from_json(text)
    for warning in report.warnings:
        logger.warning("%s: %s", warning.get("path"), warning.get("text"))
    return report
