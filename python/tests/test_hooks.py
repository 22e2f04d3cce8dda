"""The names of hdmf-zarr that the hooks take: a release that renames one fails here, by the name."""

import inspect

import hdmf_zarr
import numpy as np
import nwbz
import pytest
from conftest import Slices, write
from hdmf_zarr import ZarrDataIO
from hdmf_zarr.utils import HDMFZarrArray, ZarrIODataChunkIteratorQueue

CALLED_BY = {
    "_ZarrIO__dci_queue": ["write", "export", "write_dataset", "write_builder"],
    "__list_fill__": ["write_dataset"],
    "__setup_chunked_dataset__": ["write_dataset"],
    "_copy_array": ["write_dataset"],
    "_open_file": ["open"],
    "_open_file_consolidated": ["open", "resolve_ref"],
    "_create_ref": ["write_dataset", "write_link", "write_attributes"],
    "get_builder_disk_path": ["get_builder_exists_on_disk"],
    "_ZarrIO__file": ["open", "close", "write_builder"],
    "_ZarrIO__cache_spec": ["write", "export"],
}


def names_in(function):
    """All names that a function of hdmf-zarr uses, docval's wrapper aside."""
    function = inspect.unwrap(function)
    code = function.__code__
    names = set(code.co_names) | set(code.co_consts if isinstance(code.co_consts, tuple) else ())
    for constant in code.co_consts:
        if inspect.iscode(constant):
            names |= set(constant.co_names)
    return names


def undecorated(name):
    """The function that docval wrapped."""
    function = inspect.unwrap(getattr(hdmf_zarr.ZarrIO, name))
    for cell in function.__closure__ or ():
        if inspect.isfunction(cell.cell_contents) and cell.cell_contents.__name__ == name:
            return cell.cell_contents
    return function


@pytest.mark.parametrize("hook", CALLED_BY)
def test_hdmf_zarr_still_uses_the_name(hook):
    for caller in CALLED_BY[hook]:
        assert hook in names_in(undecorated(caller)), f"hdmf-zarr's {caller} no longer uses {hook}"


def test_the_queue_of_iterators_still_has_what_ours_replaces():
    for name in ("append", "exhaust_queue", "__write_chunk__"):
        assert callable(getattr(ZarrIODataChunkIteratorQueue, name, None)), name
    queue = ZarrIODataChunkIteratorQueue(3, None, None)
    assert (queue.number_of_jobs, queue.max_threads_per_process, queue.multiprocessing_context) == (3, None, None)


def test_every_way_of_giving_samples_reaches_the_engine(tmp_path, counted):
    import zarr

    samples = np.arange(1000, dtype="i4").reshape(100, 10)
    write(tmp_path / "iterator.nwb.zarr", Slices(samples, buffer_shape=(50, 10), chunk_shape=(10, 10)))
    assert counted()["iterators"] == 1, "the queue of iterators is not ours"
    write(tmp_path / "array.nwb.zarr", samples)
    assert counted()["arrays"] >= 1, "__list_fill__ is not ours"
    source = zarr.create_array(str(tmp_path / "a.zarr"), data=samples)
    source.__class__ = HDMFZarrArray  # as hdmf-zarr gives it
    write(tmp_path / "zarr.nwb.zarr", ZarrDataIO(source, link_data=False))
    assert counted()["zarr"] == 1, "_copy_array is not ours"
    assert not any(p.name.startswith(".") for p in tmp_path.iterdir())


def test_no_worker_process_is_ever_started(tmp_path, monkeypatch):
    monkeypatch.setattr(hdmf_zarr.utils, "ProcessPoolExecutor", lambda *a, **k: pytest.fail("a pool was made"))
    samples = np.arange(1000, dtype="i4").reshape(100, 10)
    write(
        tmp_path / "x.nwb.zarr",
        Slices(samples, buffer_shape=(50, 10), chunk_shape=(10, 10)),
        number_of_jobs=4,
        max_threads_per_process=1,
        multiprocessing_context="spawn",
    )


def test_the_classes_are_hdmf_zarrs():
    assert issubclass(nwbz.ZarrIO, hdmf_zarr.ZarrIO) and issubclass(nwbz.NWBZarrIO, hdmf_zarr.NWBZarrIO)
    assert nwbz.ZarrIO.__name__ == "ZarrIO" and nwbz.NWBZarrIO.__name__ == "NWBZarrIO"
