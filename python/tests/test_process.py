"""Threads, forks, notebooks, scripts: the process around a write."""

import os
import pathlib
import subprocess
import sys
import threading

import numpy as np
import nwbz
import pytest
from conftest import Slices, leftovers, read, write

ROOT = pathlib.Path(__file__).parents[2]


def test_two_writers_in_two_threads(tmp_path, recording):
    samples, _ = recording
    errors = []

    def one(i):
        try:
            for turn in range(3):
                data = Slices(samples + i, buffer_shape=(300, 12), chunk_shape=(100, 4))
                write(tmp_path / f"{i}-{turn}.nwb.zarr", data)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    for i in range(2):
        for turn in range(3):
            np.testing.assert_array_equal(read(tmp_path / f"{i}-{turn}.nwb.zarr"), samples + i)


def test_two_writers_of_one_destination_the_second_is_told(tmp_path, recording):
    samples, _ = recording
    path = tmp_path / "x.nwb.zarr"
    errors = []

    def second():
        if not errors:
            with pytest.raises(nwbz.Error) as raised:
                write(path, samples + 1)
            errors.append(raised.value.code)

    write(path, Slices(samples, wait=second, buffer_shape=(500, 12), chunk_shape=(100, 4)))
    assert errors == ["NWBZ_ELOCKED"]
    np.testing.assert_array_equal(read(path), samples)


def test_reading_in_many_threads(tmp_path, recording):
    samples, _ = recording
    write(tmp_path / "x.nwb.zarr", samples)
    array = nwbz.open(tmp_path / "x.nwb.zarr", number_of_jobs=2)["acquisition/ts/data"]
    wrong = []

    def look(i):
        for k in range(20):
            a = (i * 131 + k * 17) % 3900
            if not (array[a : a + 100] == samples[a : a + 100]).all():
                wrong.append((i, k))

    threads = [threading.Thread(target=look, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_no_thread_of_ours_is_left_and_a_fork_after_a_write_can_write_and_read(tmp_path, recording):
    samples, _ = recording
    script = f"""
import sys, os
sys.path[:0] = {[str(p) for p in sys.path]!r}
import numpy as np
import nwbz
samples = np.arange(40000, dtype="i2").reshape(-1, 4)
options = dict(rate=1, session_start_time="2024-01-01T00:00:00Z", number_of_jobs=2)
nwbz.write(samples, {str(tmp_path / "a.nwb.zarr")!r}, **options)
n = len(os.listdir("/proc/self/task"))
nwbz.write(samples, {str(tmp_path / "b.nwb.zarr")!r}, **options)
assert len(os.listdir("/proc/self/task")) == n
child = os.fork()
if child == 0:
    try:
        nwbz.write(samples, {str(tmp_path / "c.nwb.zarr")!r}, **options)
        ok = (np.asarray(nwbz.open({str(tmp_path / "a.nwb.zarr")!r})["acquisition/TimeSeries/data"]) == samples).all()
        os._exit(0 if ok else 1)
    except BaseException as error:
        print(error, file=sys.stderr)
        os._exit(2)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "c.nwb.zarr").exists()


def test_a_fork_after_a_write_through_hdmf_zarr_can_write(tmp_path):
    # In a process of its own: a fork of this one would fork the threads of its other tests too.
    script = f"""
import os, sys
sys.path[:0] = {[str(p) for p in sys.path]!r}
import numpy as np
from conftest import Slices, write
import nwbz
samples = np.arange(40000, dtype="i2").reshape(-1, 4)
write({str(tmp_path / "a.nwb.zarr")!r}, Slices(samples, buffer_shape=(1000, 4), chunk_shape=(100, 4)))
options = dict(rate=1, session_start_time="2024-01-01T00:00:00Z", number_of_jobs=2)
child = os.fork()
if child == 0:
    try:
        nwbz.write(samples, {str(tmp_path / "b.nwb.zarr")!r}, **options)
        os._exit(0)
    except BaseException:
        os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert (np.asarray(nwbz.open({str(tmp_path / "a.nwb.zarr")!r})["acquisition/ts/data"]) == samples).all()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(read(tmp_path / "b.nwb.zarr", "TimeSeries").shape, (10000, 4))


def test_a_notebook_writes_with_a_bar(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    cells = [
        f"import sys; sys.path[:0] = {[str(p) for p in sys.path]!r}",
        "import numpy as np, nwbz\nfrom conftest import Slices, write, read",
        "samples = np.arange(4000000, dtype='i2').reshape(-1, 4)",
        "data = Slices(samples, buffer_shape=(100000, 4), chunk_shape=(1000, 4), display_progress=True)",
        f"write({str(tmp_path / 'x.nwb.zarr')!r}, data)",
        f"assert (read({str(tmp_path / 'x.nwb.zarr')!r}) == samples).all()",
        "print('all equal', nwbz.STATS['iterators'])",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    text = "".join(str(output) for cell in book.cells for output in cell.outputs)
    assert "all equal 1" in text and "Writing Zarr datasets with 2 jobs" in text


@pytest.mark.parametrize("iterator", ["neuroconv", "pickleable"])
def test_the_founding_script_with_one_import_changed(tmp_path, iterator):
    """The script of the project's beginning: it runs with hdmf-zarr's NWBZarrIO and with ours, and the samples are
    equal."""
    if iterator == "neuroconv" and not _neuroconv_is_there():
        pytest.skip("pip install --no-deps neuroconv==0.10.2")
    script = ROOT / "scripts" / "founding_script.py"
    np.random.default_rng(0).integers(-99, 99, (200_000, 16)).astype("<i2").tofile(tmp_path / "rec.dat")
    for io in ("nwbz", "hdmf_zarr"):
        subprocess.run(
            [sys.executable, script, tmp_path / "rec.dat", tmp_path / f"{io}.nwb.zarr", "--jobs", "2", "--io", io,
             "--channels", "16", "--iterator", iterator],
            check=True, timeout=300, env={**os.environ, "PYTHONPATH": os.pathsep.join(str(p) for p in sys.path)},
        )  # fmt: skip
    ours, theirs = read(tmp_path / "nwbz.nwb.zarr", "TimeSeries"), read(tmp_path / "hdmf_zarr.nwb.zarr", "TimeSeries")
    np.testing.assert_array_equal(ours, np.fromfile(tmp_path / "rec.dat", "<i2").reshape(-1, 16))
    np.testing.assert_array_equal(ours, theirs)
    assert leftovers(tmp_path / "nwbz.nwb.zarr") == ["nwbz.nwb.zarr"]


def _neuroconv_is_there():
    import importlib.util

    return importlib.util.find_spec("neuroconv") is not None


def test_the_gallery_runs(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "gallery" / "plot_parallel_write.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(p) for p in sys.path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "1 job" in done.stdout and "2 jobs" in done.stdout


def test_the_benchmark_draws_its_plot(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "nwbz.bench", "--seconds", "2", "--channels", "8", "--runs", "2", "--jobs", "1,2",
         "--out", tmp_path / "plot.svg"],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(p) for p in sys.path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    plot = (tmp_path / "plot.svg").read_text()
    assert plot.startswith("<svg") and "nwbz" in plot and "hdmf-zarr" in plot and "number_of_jobs" in plot
