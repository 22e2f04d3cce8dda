"""nwbz.open: the groups and arrays of a store; samples are read in parallel, when they are asked for."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from . import _nwbz
from ._engine import resolve_jobs


def _node_path(parent: str, name: str) -> str:
    return "/" + f"{parent}/{name}".strip("/").replace("//", "/")


class Array:
    """An array that reads what is asked of it: array[0:1000, :] is a NumPy array."""

    def __init__(self, store: _nwbz.Store, folder: str, path: str, jobs: int):
        self._array = store.open_array(path)
        self._jobs = jobs
        info = self._array.info()
        self.store, self.name = folder, path
        self.shape: tuple[int, ...] = info["shape"]
        self.chunks: tuple[int, ...] = info["chunks"]
        self.shards: tuple[int, ...] | None = info["shards"]
        self.codec: str | None = info["codec"]
        self.is_text = info["type"] == "string"
        self.dtype = np.dtype(object) if self.is_text else np.dtype(info["type"])
        self._attributes: str | None = info["attributes"]

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes; a copy."""
        return json.loads(self._attributes or "{}")

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=object)) if self.shape else 1

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        for i in range(len(self)):
            yield self[i]

    def __repr__(self) -> str:
        return f"<nwbz.Array {self.store}:{self.name} shape={self.shape} dtype={'str' if self.is_text else self.dtype}>"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the samples lie in a store: reading them makes a copy")
        whole = np.asarray(self[...])
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __getitem__(self, key: Any) -> Any:
        """Slices with any step, integers, `...`, None, and index arrays or masks, as NumPy has them.

        What NumPy cannot take apart into a box is read as the smallest box around it.
        """
        start, shape, inner = _box_of(key, self.shape)
        whole = self._read(start, shape)
        return whole[inner]

    def _read(self, start: list[int], shape: list[int]) -> np.ndarray:
        if self.is_text:
            values = self._array.read_strings(start, shape)
            out = np.empty(len(values), dtype=object)
            out[:] = values
            return out.reshape(shape)
        out = np.empty(shape, dtype=self.dtype)
        if out.size:
            self._array.read(start, shape, out.reshape(-1).view(np.uint8), jobs=self._jobs)
        return out


def _expand(key: Any, n_axes: int) -> list[Any]:
    """One item per axis (and those that make new axes), `...` written out."""
    items = list(key) if isinstance(key, tuple) else [key]
    items = [np.asarray(item) if isinstance(item, (list, np.ndarray)) else item for item in items]
    used = sum(
        item.ndim if isinstance(item, np.ndarray) and item.dtype == bool else 1
        for item in items
        if item is not None and item is not Ellipsis
    )
    if used > n_axes:
        raise IndexError(f"too many indices: {used} for an array of {n_axes} axes")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("an index can only have one '...'")
    rest = [slice(None)] * (n_axes - used)
    for i, item in enumerate(items):
        if item is Ellipsis:
            return items[:i] + rest + items[i + 1 :]
    return items + rest


def _box_of(key: Any, shape: tuple[int, ...]) -> tuple[list[int], list[int], Any]:
    """The smallest box that holds what `key` asks for, and the index that takes it out of the box."""
    start, size, inner = [], [], []
    axis = 0
    for item in _expand(key, len(shape)):
        if item is None:
            inner.append(None)
            continue
        if isinstance(item, np.ndarray) and item.dtype == bool:
            if item.shape != shape[axis : axis + item.ndim]:
                raise IndexError(f"a mask of shape {item.shape} does not fit the axes {shape[axis : axis + item.ndim]}")
            for n in item.shape:  # masks are taken out of whole axes
                start.append(0)
                size.append(n)
            inner.append(item)
            axis += item.ndim
            continue
        n = shape[axis]
        if isinstance(item, slice):
            indices = range(*item.indices(n))
            low, high = (min(indices[0], indices[-1]), max(indices[0], indices[-1]) + 1) if len(indices) else (0, 0)
            step = indices.step
            stop = indices[-1] - low + (1 if step > 0 else -1) if len(indices) else 0
            inner.append(slice(indices[0] - low, None if stop < 0 else stop, step) if len(indices) else slice(0, 0))
        elif isinstance(item, np.ndarray):
            where = item.astype(np.int64)
            where = np.where(where < 0, where + n, where)
            if item.dtype.kind not in "iu" and item.size:
                raise IndexError("index arrays hold integers or bool")
            if where.size and (where.min() < 0 or where.max() >= n):
                raise IndexError(f"an index is out of bounds for axis {axis} with size {n}")
            low, high = (int(where.min()), int(where.max()) + 1) if where.size else (0, 0)
            inner.append(where - low)
        else:
            index = int(item.__index__())
            at = index + n if index < 0 else index
            if not 0 <= at < n:
                raise IndexError(f"index {index} is out of bounds for axis {axis} with size {n}")
            low, high = at, at + 1
            inner.append(0)
        start.append(low)
        size.append(high - low)
        axis += 1
    return start, size, tuple(inner)


class Group(Mapping):
    """A group: group["acquisition/ts/data"] is what lies there."""

    def __init__(self, store: _nwbz.Store, folder: str, path: str, jobs: int):
        self._store, self._jobs = store, jobs
        self.store, self.name = folder, path

    def _entries(self) -> list[tuple]:
        return [entry for entry in self._store.list(self.name, 1) if entry[0] != self.name]

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes; a copy."""
        return json.loads(self._store.list(self.name, 0)[0][2] or "{}")

    def __getitem__(self, name: str) -> Group | Array:
        path = _node_path(self.name, name)
        try:
            entry = self._store.list(path, 0)[0]
        except _nwbz.Error as error:
            if error.code == "NWBZ_ENOTFOUND":
                raise KeyError(name) from error
            raise
        if entry[1]:
            return Array(self._store, self.store, path, self._jobs)
        return Group(self._store, self.store, path, self._jobs)

    def __iter__(self) -> Iterator[str]:
        return iter([entry[0].rsplit("/", 1)[1] for entry in self._entries()])

    def __len__(self) -> int:
        return len(self._entries())

    def __repr__(self) -> str:
        return f"<nwbz.Group {self.store}:{self.name}>"


def open(path: str | os.PathLike, *, number_of_jobs: float = -1) -> Group | Array:
    """Open a Zarr store to be read; what lies in it is read when it is asked for, by `number_of_jobs` threads."""
    folder = os.fspath(path)
    store = _nwbz.Store.open(folder)
    return Group(store, folder, "/", resolve_jobs(number_of_jobs))["/"]
