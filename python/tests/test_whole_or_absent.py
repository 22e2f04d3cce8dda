"""The destination is whole or absent, whatever happens; stores that are there stay until the new one is whole."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import nwbz
import pytest
from conftest import Slices, leftovers, make_file, read, write


def test_a_failed_write_leaves_an_older_store_as_it_was(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    write(path, samples)
    with pytest.raises(OSError, match="no data"):
        write(path, Slices(samples[::-1], fail_at=2, buffer_shape=(500, 12), chunk_shape=(100, 12)))
    assert leftovers(path) == ["x.nwb.zarr"]
    np.testing.assert_array_equal(read(path), samples)
    write(path, samples[::-1].copy())
    np.testing.assert_array_equal(read(path), samples[::-1])


def test_nothing_is_at_the_final_path_while_it_is_written(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    seen = []
    write(path, Slices(samples, wait=lambda: seen.append(path.exists()), buffer_shape=(500, 12), chunk_shape=(100, 12)))
    assert seen and not any(seen) and path.exists() and leftovers(path) == ["x.nwb.zarr"]


def test_a_killed_write_leaves_nothing_at_the_final_path_and_the_next_one_works(tmp_path, recording, caplog):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    script = f"""
        import sys, time
        sys.path[:0] = {sys.path!r}
        import numpy as np
        from conftest import Slices, write
        samples = np.zeros((4000, 12), "i2")
        def wait():
            print("writing", flush=True)
            time.sleep(0.2)
        write({str(path)!r}, Slices(samples, wait=wait, buffer_shape=(100, 12), chunk_shape=(100, 12)))
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "writing\n"
    with pytest.raises(nwbz.Error) as locked:
        write(path, samples)
    assert locked.value.code == "NWBZ_ELOCKED"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert not path.exists() and leftovers(path) == [".x.nwb.zarr.nwbz"]
    with caplog.at_level("WARNING", logger="nwbz"):
        write(path, samples)
    assert "unfinished tree" in caplog.text
    assert leftovers(path) == ["x.nwb.zarr"]
    np.testing.assert_array_equal(read(path), samples)


def test_an_io_that_wrote_nothing_changes_nothing(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    write(path, samples)
    nwbz.NWBZarrIO(str(path), mode="w").close()
    with pytest.raises(ZeroDivisionError), nwbz.NWBZarrIO(str(path), mode="w"):
        raise ZeroDivisionError
    np.testing.assert_array_equal(read(path), samples)
    assert leftovers(path) == ["x.nwb.zarr"]


def test_the_io_can_write_again_after_a_failure_and_read_what_it_wrote(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    io = nwbz.NWBZarrIO(str(path), mode="w")
    with pytest.raises(OSError, match="no data"):
        io.write(make_file(Slices(samples, fail_at=0, buffer_shape=(500, 12), chunk_shape=(100, 12))))
    io.write(make_file(samples))
    np.testing.assert_array_equal(io._file["acquisition/ts/data"][:], samples)
    io.close()
    np.testing.assert_array_equal(read(path), samples)


def test_foreign_folders_and_files_are_replaced_only_when_forced(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    path.write_text("not Zarr")
    with pytest.raises(Exception):  # noqa: B017, PT011 - zarr-python's own
        write(path, samples)
    assert path.read_text() == "not Zarr"
    write(path, samples, options={"force_overwrite": True})
    np.testing.assert_array_equal(read(path), samples)
    (path / "notes.txt").write_text("mine")
    with pytest.raises(nwbz.Error, match="notes.txt") as error:
        write(path, samples)
    assert error.value.code == "NWBZ_EEXIST" and (path / "notes.txt").exists()


def test_the_parent_of_the_destination_may_be_absent(tmp_path, recording):
    samples, _ = recording
    write(tmp_path / "a" / "b" / "x.nwb.zarr", samples)
    np.testing.assert_array_equal(read(tmp_path / "a" / "b" / "x.nwb.zarr"), samples)


def test_modes_of_new_files_follow_the_umask(tmp_path, recording):
    samples, _ = recording
    old = os.umask(0o027)
    try:
        write(tmp_path / "x.nwb.zarr", samples)
    finally:
        os.umask(old)
    modes = {
        oct(p.stat().st_mode & 0o777) for p in (tmp_path / "x.nwb.zarr/acquisition/ts/data").rglob("*") if p.is_file()
    }
    assert modes == {"0o640"}


def test_an_exception_between_two_writes_of_a_with_block_keeps_the_first(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    with pytest.raises(ZeroDivisionError), nwbz.NWBZarrIO(str(path), mode="w") as io:
        io.write(make_file(samples))
        time.sleep(0)
        raise ZeroDivisionError
    np.testing.assert_array_equal(read(path), samples)
