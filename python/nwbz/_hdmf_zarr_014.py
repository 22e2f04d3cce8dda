"""ZarrIO and NWBZarrIO of hdmf-zarr 0.14 (Zarr v3), with the engine in the place of its worker processes.

Everything that is not samples stays with hdmf-zarr: references, links, text, compound types, attributes.  What is taken
from it are some names, each of which a test watches:

    _ZarrIO__dci_queue         a descriptor: the queue of iterators becomes one that the engine exhausts
    _ZarrIO__file              a descriptor: a new store is opened only when it is known who writes it
    __list_fill__              arrays and lists of numbers: hdmf-zarr creates the array, the engine fills it
    __setup_chunked_dataset__  arrays of iterators: the default codec _copy_array                Zarr arrays that are
    copied: shards are kept, the engine copies _ZarrIO__cache_spec        the specifications of a new store
    write_attributes           those that are there already are left alone
    _open_file, _open_file_consolidated, _create_ref, get_builder_disk_path
                               where the tree lies while it is being written

Whole or absent: write() and export() to a new store build its tree in the staging folder beside the destination (the
same, with the same lock, as that of `nwbz write`), which is moved when they have ended, or removed after an exception.
Writing into a store that is there adds objects in place; after an exception the new ones are removed.  Who writes
object by object (write_group, write_dataset) writes in place, as with hdmf-zarr.
"""

from __future__ import annotations

import contextlib
import contextvars
import copy
import itertools
import json
import math
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hdmf_zarr
import numpy as np
from hdmf.backends.utils import NamespaceToBuilderHelper
from hdmf.build import Builder, ReferenceBuilder
from hdmf.data_utils import AbstractDataChunkIterator, DataIO, GenericDataChunkIterator
from hdmf.spec import SpecWriter
from hdmf_zarr import ZarrDataIO
from hdmf_zarr.utils import ZarrIODataChunkIteratorQueue, ZarrSpecWriter
from zarr.storage import LocalStore

import zarr

from . import _sources
from ._engine import STATS, copy_rows, fill, logger, memory_for, opened, resolve_jobs, target, type_name
from ._nwbz import Array, Error, Store
from ._nwbz import default_codec as library_default_codec
from ._progress import Bar

# ---- codec ------------------------------------------------------------------------------------------


def zarr_codec(text: str, itemsize: int) -> Any:
    """The zarr-python codec of the library's text, "blosc:zstd:1:bitshuffle:1048576"."""
    from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec

    name, *settings = text.split(":")
    if name == "blosc":
        cname, level, shuffle, blocksize = [*settings, "0"][:4]
        return BloscCodec(cname=cname, clevel=int(level), shuffle=shuffle, typesize=itemsize, blocksize=int(blocksize))
    if name == "zstd":
        return ZstdCodec(level=int(settings[0]))
    if name == "gzip":
        return GzipCodec(level=int(settings[0]))
    if name == "none":
        return None
    raise ValueError(f"no codec of zarr-python is known for '{text}'")


def with_default_codec(settings: dict, dtype: Any) -> dict:
    """Add the default codec where the user chose none."""
    if type_name(dtype) is None or any(key in settings for key in ("compressors", "filters", "serializer")):
        return settings
    return {**settings, "compressors": zarr_codec(library_default_codec(), np.dtype(dtype).itemsize)}


# ---- what a write carries ------------------------------------------------------------------------------

#: The number of jobs of the write() or export() that runs in this thread: a static hook has no other way to learn it.
_jobs: contextvars.ContextVar[int] = contextvars.ContextVar("nwbz_jobs", default=1)


# ---- iterators -----------------------------------------------------------------------------------------------


def _n_bytes(dset: Any) -> int:
    return math.prod(dset.shape) * dset.dtype.itemsize


class Queue(ZarrIODataChunkIteratorQueue):
    """The queue of hdmf-zarr, exhausted by the engine; what the engine cannot write goes through hdmf-zarr's own,
    serial way."""

    def __init__(self, upstream: ZarrIODataChunkIteratorQueue):
        super().__init__(upstream.number_of_jobs, upstream.max_threads_per_process, upstream.multiprocessing_context)
        self.extend(upstream)

    def exhaust_queue(self) -> None:
        if not self:
            return
        jobs = resolve_jobs(self.number_of_jobs)
        entries = list(self)
        self.clear()
        with contextlib.ExitStack() as stack:
            bar = _bar(entries, jobs)
            if bar is not None:
                stack.callback(bar.close)
            for dset, iterator in entries:
                with target(dset) as array:
                    done = array is not None and _write_iterator(array, dset, iterator, jobs, bar)
                if not done:
                    self.append(dset, iterator)
                if bar is not None:
                    bar.next(_n_bytes(dset))
        self.number_of_jobs = 1  # worker processes lose rows where chunks and buffers do not line up
        super().exhaust_queue()


def _bar(entries: list, jobs: int) -> Bar | None:
    """One bar for all iterators that want one; their own are put away."""
    options: dict = {}
    total, wanted, bar_class = 0, False, None
    for dset, iterator in entries:
        if not isinstance(iterator, GenericDataChunkIterator):
            continue
        total += _n_bytes(dset)
        if iterator.display_progress:
            wanted = True
            options.update(iterator.progress_bar_options)
            bar_class = _put_away(iterator)
    return Bar(jobs, total, options, bar_class) if wanted else None


def _put_away(iterator: Any) -> Any:
    """End the bar that the iterator itself made, which would stand at 0 %; return its class where the user chose
    one."""
    iterator.display_progress = False
    bar = getattr(iterator, "progress_bar", None)
    with contextlib.suppress(Exception):
        bar.leave = False
        bar.close()
    is_usual = bar is None or type(bar).__module__.startswith("tqdm.")
    return None if is_usual else type(bar)


def _write_iterator(array: Array, dset: Any, iterator: Any, jobs: int, bar: Bar | None) -> bool:
    """Write all of an iterator; False: the engine cannot, and nothing was taken from it."""
    if isinstance(iterator, GenericDataChunkIterator):
        if tuple(iterator.maxshape) != dset.shape or 0 in dset.shape:
            return False
        with _sources.of_iterator(iterator, dset.dtype) as source:
            fill(array, source.source, jobs, source.box_bytes, bar)
    elif isinstance(iterator, AbstractDataChunkIterator) and dset.ndim > 0 and getattr(iterator, "iter_axis", 0) == 0:
        _append_iterator(array, dset, iterator, jobs)
    else:
        return False
    STATS["iterators"] += 1
    return True


def _next_rows(dset: Any, chunk: Any, at: int) -> np.ndarray | None:
    """The rows of a chunk that goes on at row `at` or later and is whole in the other axes; None: it does not."""
    selection = chunk.selection if isinstance(chunk.selection, tuple) else (chunk.selection,)
    first, *others = selection
    if isinstance(first, (int, np.integer)):
        first = slice(int(first), int(first) + 1)
    data = np.asarray(chunk.data)
    if not isinstance(first, slice) or first.step not in (None, 1) or first.start is None or first.start < at:
        return None
    shape = (first.stop - first.start, *dset.shape[1:])
    for other, length in zip(others, dset.shape[1:], strict=False):
        if not isinstance(other, slice) or other.indices(length) != (0, length, 1):
            return None
    if data.size != math.prod(shape):
        return None
    rows = np.ascontiguousarray(data.reshape(shape), dtype=dset.dtype.newbyteorder("="))
    if first.start == at:
        return rows
    gap = np.full(
        (first.start - at, *dset.shape[1:]), dset.fill_value, dtype=rows.dtype
    )  # rows that the iterator left out
    return np.concatenate([gap, rows])


def _append_iterator(array: Array, dset: Any, iterator: Any, jobs: int) -> None:
    """Add what comes at the end: the length need not be known before.  Chunks that are no rows go through
    hdmf-zarr's own way."""
    planned, at, odd = dset.shape[0], 0, None
    dset.resize((0, *dset.shape[1:]))
    array.close()
    with opened(str(dset.store.root), dset.path, writable=True) as empty:
        memory = memory_for(0)
        for chunk in iterator:
            rows = _next_rows(dset, chunk, at)
            if rows is None:
                odd = chunk
                break
            empty.append(rows.reshape(-1).view(np.uint8), len(rows), jobs=jobs, memory_bytes=memory)
            at += len(rows)
        empty.flush(jobs=jobs, memory_bytes=memory)
    grown = zarr.open_group(dset.store, mode="r+")[dset.path]
    if odd is not None:
        rest = itertools.chain([odd], iterator)
        while ZarrIODataChunkIteratorQueue.__write_chunk__(grown, rest):
            pass
    if grown.shape[0] < planned:
        grown.resize((planned, *grown.shape[1:]))


class _QueueHook:
    """In the place of ZarrIO's private `__dci_queue`: what is assigned becomes a queue of ours."""

    def __get__(self, io: Any, owner: Any = None) -> Any:
        return self if io is None else io.__dict__.get("_nwbz_queue")

    def __set__(self, io: Any, queue: Any) -> None:
        if isinstance(queue, ZarrIODataChunkIteratorQueue) and not isinstance(queue, Queue):
            queue = Queue(queue)
        io.__dict__["_nwbz_queue"] = queue


# ---- arrays -------------------------------------------------------------------------------------------------------


class _Samples:
    """Stands for data that the engine reads later: it has the shape and type, and samples only where they decide on
    the type."""

    def __init__(self, data: Any):
        self._data = data
        self.shape, self.ndim, self.dtype = data.shape, data.ndim, data.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Any:
        return self._data[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.empty((0,), dtype=dtype)


class _Created:
    """An array that hdmf-zarr has created: the assignment of all of it is kept for the engine."""

    def __init__(self, dset: Any):
        self.__dict__.update(dset=dset, value=None, is_all=False)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dset, name)

    def __setitem__(self, key: Any, value: Any) -> None:
        is_all = key is Ellipsis or (isinstance(key, slice) and key == slice(None))
        if is_all and type_name(self.dset.dtype) is not None and self.dset.ndim > 0:
            self.__dict__.update(value=value, is_all=True)
        else:
            self.dset[key] = value


class _Parent:
    """A group whose new arrays are `_Created`, with the default codec."""

    def __init__(self, group: Any, use_default: bool):
        self._group, self._use_default, self.created = group, use_default, None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._group, name)

    def require_array(self, name: str, **settings: Any) -> _Created:
        if self._use_default and settings["shape"] != ():
            settings = with_default_codec(settings, settings["dtype"])
        self.created = _Created(self._group.require_array(name, **settings))
        return self.created


def _is_samples(data: Any) -> bool:
    """Whether the data have a shape and a type of numbers, so that they need not come into memory."""
    return (
        (isinstance(data, np.ndarray) or _sources.is_h5py(data)) and data.ndim > 0 and type_name(data.dtype) is not None
    )


def fill_from(dset: Any, data: Any, kind: str, jobs: int) -> None:
    """Fill a zarr-python array from data of its shape."""
    if 0 in dset.shape:
        return
    with target(dset) as array:
        if array is None:
            copy_rows(dset, data)
            return
        if not hasattr(data, "shape") or tuple(data.shape) != dset.shape:
            data = np.broadcast_to(np.asarray(data), dset.shape)
        with _sources.native(data, dset.shape, dset.dtype) or _sources.sliceable(
            data, dset.shape, dset.dtype
        ) as source:
            fill(array, source.source, jobs, source.box_bytes)
    STATS[kind] += 1


def h5_fill(dataset: Any, zarr_array: Any, jobs: float = -1) -> None:
    """Fill a zarr-python array from an h5py dataset of numbers."""
    fill_from(zarr_array, dataset, "h5", resolve_jobs(jobs))


# ---- copies of Zarr arrays ---------------------------------------------------------------------------------------


class _Source:
    """A Zarr array whose samples are not read when hdmf-zarr asks for them."""

    def __init__(self, array: Any):
        self._array = array

    def __getattr__(self, name: str) -> Any:
        return getattr(self._array, name)

    def __getitem__(self, key: Any) -> None:
        return None


class _Copy:
    """A new array that ignores what hdmf-zarr assigns, all at once."""

    def __init__(self, dset: Any):
        self._dset = dset
        self.chunks = tuple(max(n, 1) for n in dset.shape)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dset, name)

    def __setitem__(self, key: Any, value: Any) -> None:
        pass


class _Destination:
    """A group that creates copies with the shards of their source."""

    def __init__(self, group: Any, shards: tuple[int, ...] | None):
        self._group, self._shards = group, shards

    def create_array(self, **settings: Any) -> _Copy:
        return _Copy(self._group.create_array(**settings, shards=self._shards))


# ---- where the tree lies ---------------------------------------------------------------------------------------


def _folder_of(path: Any) -> str | None:
    """The local folder that a path or store means; None: it is none."""
    if isinstance(path, LocalStore):
        return str(path.root)
    return path if isinstance(path, str) and "://" not in path else None


def _is_unfinished(folder: str) -> bool:
    """Whether a staging folder stands beside the destination."""
    head, name = os.path.split(os.path.abspath(folder))
    return os.path.isdir(os.path.join(head, f".{name}.nwbz"))


def consolidate(folder: str, path: Any) -> None:
    """Renew the copy of all metadata in the root's document."""
    try:
        store = Store.open(folder, writable=True)
    except Error:
        zarr.consolidate_metadata(store=path)
        return
    try:
        store.consolidate()
    finally:
        store.close()


_NEW = object()  # a store that is to be made, by whoever uses it first


class _FileHook:
    """In the place of ZarrIO's private `__file`: a new store is opened when its file is used first."""

    def __get__(self, io: Any, owner: Any = None) -> Any:
        if io is None:
            return self
        if io.__dict__.get("_nwbz_file") is _NEW:
            io._nwbz_open_in_place()
        return io.__dict__.get("_nwbz_file")

    def __set__(self, io: Any, file: Any) -> None:
        io.__dict__["_nwbz_file"] = file


class _Hooks:
    """The mixin.  Not named ZarrIO: Python would then take its private names for those of hdmf-zarr's class."""

    _ZarrIO__dci_queue = _QueueHook()
    _ZarrIO__file = _FileHook()

    def __init__(self, *args: Any, default_codec: str | None = None, sync: bool = True, **kwargs: Any):
        import nwbz

        chosen = nwbz.default_codec if default_codec is None else default_codec
        if chosen not in ("nwbz", "hdmf-zarr"):
            raise ValueError(f"default_codec is 'nwbz' or 'hdmf-zarr', not '{chosen}'")
        self._nwbz_use_default = chosen == "nwbz"
        self._nwbz_sync = sync
        self._nwbz_staged: Store | None = None
        args, kwargs = self._nwbz_take_overwrite(args, kwargs)
        super().__init__(*args, **kwargs)

    def _nwbz_take_overwrite(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """Keep force_overwrite: hdmf-zarr deletes at once, and its NWBZarrIO forgets it."""
        self._nwbz_overwrite = bool(kwargs.pop("force_overwrite", False))
        if len(args) > 4:
            self._nwbz_overwrite = bool(args[4])
            args = (*args[:4], False, *args[5:])
        return args, kwargs

    # -- opening and closing

    def _nwbz_destination(self) -> str | None:
        return _folder_of(self.path)

    def open(self) -> None:
        if self.__dict__.get("_nwbz_file") is not None:
            return
        folder = self._nwbz_destination()
        if folder is not None and (self.mode == "w" or (self.mode == "a" and not os.path.lexists(folder))):
            if self._nwbz_overwrite and os.path.lexists(folder) and not _is_zarr(folder):
                _remove(folder)
            if not os.path.lexists(folder) or os.path.isdir(folder):
                self._ZarrIO__file = _NEW
                return
        super().open()  # what it is, or why it cannot be opened

    def _nwbz_open_in_place(self) -> None:
        """Make the store at its final name, as hdmf-zarr does: somebody writes object by object."""
        folder = self._nwbz_destination()
        self._ZarrIO__file = None
        if self._nwbz_overwrite and folder is not None and os.path.lexists(folder):
            _remove(folder)
        super().open()

    def _nwbz_begin(self) -> None:
        """Take the lock and make the staging folder.  What stands at the destination stays until the new tree is
        whole."""
        folder = self._nwbz_destination()
        os.makedirs(os.path.dirname(os.path.abspath(folder)), exist_ok=True)
        if _is_unfinished(folder):
            logger.warning("%s: an unfinished tree of an earlier run is removed", folder)
        staged = Store.create(folder, existing="overwrite", sync=self._nwbz_sync)
        try:
            self._ZarrIO__file = zarr.open_group(staged.path, mode="a")
        except BaseException:
            staged.close()
            raise
        self._nwbz_staged = staged

    def _open_file(self, store: Any, mode: str, storage_options: Any = None) -> Any:
        if mode in ("r+", "a") and storage_options is None and _folder_of(store) is not None:
            # With it, zarr-python would put a copy of the metadata, soon stale, into each group whose attributes
            # change.
            return zarr.open(store=store, mode=mode, use_consolidated=False)
        return super()._open_file(store, mode, storage_options)

    def _open_file_consolidated(self, store: Any, mode: str, storage_options: Any = None) -> Any:
        if self._nwbz_staged is not None and _folder_of(store) == self._nwbz_destination():
            return self._ZarrIO__file
        return super()._open_file_consolidated(store, mode, storage_options)

    def _create_ref(self, ref_object: Any, ref_link_source: Any = None) -> Any:
        if self._nwbz_staged is not None and ref_link_source == self._nwbz_staged.path:
            ref_link_source = self._nwbz_destination()
        return super()._create_ref(ref_object, ref_link_source)

    def get_builder_disk_path(self, *args: Any, **kwargs: Any) -> str:
        if self._nwbz_staged is not None and len(args) < 2 and kwargs.get("filepath") is None:
            kwargs["filepath"] = self._nwbz_staged.path
        return super().get_builder_disk_path(*args, **kwargs)

    def _nwbz_commit(self, with_metadata: bool) -> None:
        """Move the tree to its final name."""
        store, self._nwbz_staged = self._nwbz_staged, None
        self._ZarrIO__file = _NEW
        try:
            if with_metadata:
                store.consolidate()
            store.commit()
        finally:
            store.close()
        self._consolidated_cache.clear()
        self._ZarrIO__file = self._open_file(self.path, "r+")

    def _nwbz_abort(self) -> None:
        """Remove the tree; nothing appears at the final name."""
        store, self._nwbz_staged = self._nwbz_staged, None
        if store is not None:
            self._ZarrIO__file = _NEW
            store.close()

    # -- writing

    @contextlib.contextmanager
    def _nwbz_call(self, kwargs: dict) -> Iterator[None]:
        """Around write() and export(): jobs for the hooks, then the move, or the removal after an exception."""
        kwargs["number_of_jobs"] = resolve_jobs(kwargs.get("number_of_jobs", 1))
        with_metadata = kwargs.get("consolidate_metadata", True)
        folder = self._nwbz_destination()
        if self.__dict__.get("_nwbz_file") is _NEW:
            self._nwbz_begin()
        if folder is not None:
            kwargs["consolidate_metadata"] = False  # done once, at the end
        token = _jobs.set(kwargs["number_of_jobs"])
        written = copy.copy(self._written_builders)
        before = None if self._nwbz_staged is not None or folder is None else _Before(folder)
        try:
            yield
            if self._nwbz_staged is not None:
                self._nwbz_commit(with_metadata)
            elif folder is not None and with_metadata:
                consolidate(folder, self.path)
        except BaseException:
            self._nwbz_abort()
            self._written_builders = written
            if before is not None:
                before.restore()
            raise
        finally:
            _jobs.reset(token)

    def write(self, *args: Any, **kwargs: Any) -> None:
        """Write a container.  number_of_jobs: threads; -1 is all CPUs, 0.5 half of them.  Takes what hdmf-zarr's
        write takes."""
        with self._nwbz_call(kwargs):
            super().write(*args, **kwargs)

    def export(self, *args: Any, **kwargs: Any) -> None:
        """Export what another IO read.  Takes what hdmf-zarr's ZarrIO.export takes, number_of_jobs as write()."""
        if self.mode != "w":
            super().export(*args, **kwargs)  # says that it cannot
            return
        with self._nwbz_call(kwargs):
            super().export(*args, **kwargs)

    def _ZarrIO__cache_spec(self) -> None:
        """Cache the specifications.  In a new tree the library writes them: some twenty texts, which take hdmf-zarr
        longer than all the rest."""
        store = self._nwbz_staged
        if store is None or ".specloc" in self._ZarrIO__file.attrs:
            super()._ZarrIO__cache_spec()
            return
        self._ZarrIO__file.attrs[".specloc"] = "specifications"
        self._ZarrIO__file.require_group("specifications")  # also where there is nothing to cache
        catalog = self.manager.namespace_catalog
        for name in catalog.namespaces:
            version = catalog.get_namespace(name).version
            folder = f"/specifications/{name}/{'unversioned' if version is None else version}"
            NamespaceToBuilderHelper.convert_namespace(catalog, name).export(
                "namespace", writer=_SpecWriter(store, folder)
            )

    def write_dataset(self, *args: Any, **kwargs: Any) -> Any:
        builder = kwargs.get("builder")
        data = kwargs.get("force_data") if kwargs.get("force_data") is not None else getattr(builder, "data", None)
        if isinstance(data, DataIO) and not isinstance(data, ZarrDataIO):
            kwargs["force_data"] = _settings_of(data)
        return super().write_dataset(*args, **kwargs)

    def write_attributes(self, obj: Any, attributes: dict) -> None:
        """Leave attributes alone that are there already: hdmf-zarr writes those of every group anew, also of what
        was read."""
        there = obj.attrs.asdict()
        new = {
            key: value for key, value in attributes.items() if key not in there or not self._nwbz_is(value, there[key])
        }
        super().write_attributes(obj, new)

    def _nwbz_is(self, value: Any, stored: Any) -> bool:
        """Whether an attribute of this value is stored as it would be."""
        if isinstance(value, (Builder, ReferenceBuilder)):
            value = {"_REFERENCE": dict(self._create_ref(value, ref_link_source=self.path))}
        elif isinstance(value, np.ndarray):
            value = value.tolist()
        elif isinstance(value, (tuple, list)):
            value = [item.item() if isinstance(item, np.generic) else item for item in value]
        elif isinstance(value, np.generic):
            value = value.item()
        return type(value) is type(stored) and value == stored

    def __setup_chunked_dataset__(self, parent: Any, name: str, data: Any, options: dict | None = None) -> Any:
        options = dict(options or {})
        settings = dict(options.get("io_settings") or {})
        dtype = (
            settings.get("dtype")
            or (options.get("dtype") if not isinstance(options.get("dtype"), str) else None)
            or data.dtype
        )
        options["io_settings"] = with_default_codec(settings, dtype) if self._nwbz_use_default else settings
        return super().__setup_chunked_dataset__(parent, name, data, options)

    def __list_fill__(self, parent: Any, name: str, data: Any, options: dict | None = None) -> Any:
        options = dict(options or {})
        options["io_settings"] = dict(options.get("io_settings") or {})
        proxy = _Parent(parent, self._nwbz_use_default)
        is_samples = _is_samples(data)
        super().__list_fill__(proxy, name, _Samples(data) if is_samples else data, options)
        created = proxy.created
        if created.is_all:
            kind = "h5" if _sources.is_h5py(data) else "arrays"
            fill_from(created.dset, data if is_samples else created.value, kind, _jobs.get())
        return created.dset

    @staticmethod
    def _copy_array(source: Any, dest_group: Any, name: str) -> Any:
        shards = getattr(source, "shards", None)
        if type_name(source.dtype) is None or source.ndim == 0 or 0 in source.shape:
            return hdmf_zarr.ZarrIO._copy_array(source, dest_group, name)
        copy = hdmf_zarr.ZarrIO._copy_array(_Source(source), _Destination(dest_group, shards), name)
        fill_from(copy._dset, source, "zarr", _jobs.get())
        return copy._dset


class _SpecWriter(SpecWriter):
    """Write specifications with the library, in the form of hdmf-zarr's own writer."""

    def __init__(self, store: Store, folder: str):
        self._store, self._folder = store, folder

    def write_spec(self, spec: Any, path: str) -> None:
        self._store.write_text(f"{self._folder}/{path}", ZarrSpecWriter.stringify(spec))

    def write_namespace(self, namespace: Any, path: str) -> None:
        self.write_spec({"namespaces": [namespace]}, path)


def _settings_of(data: DataIO) -> Any:
    """What is inside of another backend's DataIO (H5DataIO), with its chunks: they are numbers, its filters are
    HDF5's."""
    inner = _sources.unwrap(data)
    settings = getattr(data, "io_settings", None) or {}
    chunks = settings.get("chunks")
    if settings.get("compression"):
        logger.info("the compression of %s is HDF5's: the default codec is used", type(data).__name__)
    if isinstance(inner, zarr.Array) or not isinstance(chunks, (tuple, list)):
        return inner
    return ZarrDataIO(inner, chunks=tuple(chunks))


def _is_zarr(folder: str) -> bool:
    return (
        os.path.isdir(folder)
        and not os.path.islink(folder)
        and any(
            os.path.exists(os.path.join(folder, name)) for name in ("zarr.json", ".zgroup", ".zarray", ".zmetadata")
        )
    )


def _remove(path: str) -> None:
    """What force_overwrite says: whatever it is."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.remove(path)


class _Before:
    """What an existing store held before a write in place, so that a failed write leaves nothing new."""

    def __init__(self, folder: str):
        self._folder = folder
        self._nodes = {path: document.read_bytes() for path, document in self._documents()}

    def _documents(self) -> Iterator[tuple[str, Path]]:
        for path, folders, files in os.walk(self._folder):
            if "zarr.json" not in files:
                folders.clear()
                continue
            document = Path(path, "zarr.json")
            yield path, document
            if json.loads(document.read_text()).get("node_type") == "array":
                folders.clear()  # only chunks below

    def restore(self) -> None:
        for path, document in list(self._documents()):
            if path not in self._nodes:
                shutil.rmtree(path, ignore_errors=True)
            elif document.read_bytes() != self._nodes[path]:
                beside = document.with_name(".zarr.json.nwbz")
                beside.write_bytes(self._nodes[path])
                beside.replace(document)


class ZarrIO(_Hooks, hdmf_zarr.ZarrIO):
    """hdmf-zarr's ZarrIO, writing with nwbz.

    default_codec: "nwbz" (that of `nwbz write`) or "hdmf-zarr", for numbers whose codec is not chosen; None:
    nwbz.default_codec.
    sync: make the result safe against a power cut before it becomes visible.
    """


class NWBZarrIO(_Hooks, hdmf_zarr.NWBZarrIO):
    """hdmf-zarr's NWBZarrIO, writing with nwbz.

    default_codec: "nwbz" (that of `nwbz write`) or "hdmf-zarr", for numbers whose codec is not chosen; None:
    nwbz.default_codec.
    sync: make the result safe against a power cut before it becomes visible.
    """

    def export(self, src_io: Any, nwbfile: Any = None, write_args: dict | None = None, **kwargs: Any) -> None:
        """Export what another IO read; takes what ZarrIO.export takes, which hdmf-zarr's NWBZarrIO does not."""
        if self.mode == "w":
            with self._nwbz_call(kwargs):
                hdmf_zarr.ZarrIO.export(
                    self, src_io=src_io, container=nwbfile, write_args=dict(write_args or {}), **kwargs
                )
        else:
            hdmf_zarr.ZarrIO.export(self, src_io=src_io, container=nwbfile, write_args=dict(write_args or {}), **kwargs)
