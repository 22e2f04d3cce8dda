"""Write a recording with 1, 2 and all jobs, five times each; print and draw the times; read a slice back and check it.

The runs are interleaved, so that whatever else the machine does falls on all job counts alike.
"""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import make_recording
from plot_jobs import draw

CHANNELS = 384
DATA = "/acquisition/TimeSeries/data"


def usable_cpus():
    """Count the CPUs that this process may use: its affinity, and the quota of its cgroup if there is one."""
    cpus = len(os.sched_getaffinity(0))
    try:
        quota, period = pathlib.Path("/sys/fs/cgroup/cpu.max").read_text().split()
        if quota != "max":
            cpus = min(cpus, -(-int(quota) // int(period)))  # rounded up, as nwbz does
    except (OSError, ValueError):
        pass  # no cgroup v2 here
    return cpus


def run(command):
    """Run a command; return its standard output, or stop with what it said."""
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(map(str, command))}\n{done.stderr.decode()}")
    return done.stdout


def write_command(program, recording, store, frames, jobs):
    """The command that the demo is about."""
    return [
        program,
        "write",
        recording,
        store,
        "--shape",
        f"{frames},{CHANNELS}",
        "--dtype",
        "int16",
        "--rate",
        str(make_recording.RATE),
        "--session-start-time",
        "2024-01-01T00:00:00Z",
        "--no-sync",
        "--quiet",
        "-j",
        str(jobs),
    ]


def time_jobs(args, recording, frames, job_counts):
    """Return {jobs: [seconds, ...]}; the last store stays."""
    seconds = {jobs: [] for jobs in job_counts}
    store = args.folder / "recording.nwb.zarr"
    for _ in range(args.rounds):
        for jobs in job_counts:
            shutil.rmtree(store, ignore_errors=True)
            start = time.perf_counter()
            run(write_command(args.program, recording, store, frames, jobs))
            seconds[jobs].append(time.perf_counter() - start)
    return store, seconds


def print_table(seconds, n_bytes):
    """Print mean and spread of each job count."""
    base = statistics.mean(seconds[min(seconds)])
    print(f"\n  {'jobs':>4}  {'seconds':>16}  {'MB/s':>6}  {'speed-up':>8}")
    for jobs, values in sorted(seconds.items()):
        mean = statistics.mean(values)
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        print(f"  {jobs:>4}  {mean:>7.3f} +- {spread:.3f}  {n_bytes / 1e6 / mean:>6.0f}  {base / mean:>7.2f}x")
    print()


def check_slice(program, recording, store, frames):
    """Compare one second from the middle of the store with the recording, byte by byte."""
    first = frames // 2
    last = min(frames, first + make_recording.RATE)
    stored = run([program, "cat", f"{store}::{DATA}", "--slice", f"{first}:{last},0:{CHANNELS}", "--raw"])
    with open(recording, "rb") as file:
        file.seek(2 * CHANNELS * first)
        expected = file.read(2 * CHANNELS * (last - first))
    if stored != expected:
        sys.exit(f"{store}: frames {first} to {last} differ from {recording}")
    return first, last


def main():
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="nwbz")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where recording, store and plot go")
    parser.add_argument("--seconds", type=float, default=20, help="length of the recording")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each job count")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    if not args.program.is_file():
        sys.exit(f"{args.program} is not there; build it first")

    recording = args.folder / "recording.dat"
    frames = make_recording.write(recording, args.seconds, CHANNELS)
    n_bytes = 2 * frames * CHANNELS
    job_counts = sorted({1, 2, usable_cpus()})
    print(f"Recording: {recording}, {frames} frames x {CHANNELS} channels, int16, {n_bytes / 1e6:.0f} MB")
    print("Command:   " + " ".join(map(str, write_command(args.program, recording, "OUT", frames, "JOBS"))))
    store, seconds = time_jobs(args, recording, frames, job_counts)
    print_table(seconds, n_bytes)

    stored = sum(p.stat().st_size for p in store.rglob("*") if p.is_file())
    first, last = check_slice(args.program, recording, store, frames)
    plot = args.folder / "jobs.svg"
    plot.write_text(
        draw(seconds, f"{n_bytes / 1e6:.0f} MB of int16, mean and standard deviation of {args.rounds} runs")
    )
    print(f"Read back: frames {first} to {last}, all {CHANNELS} channels, equal to the recording")
    print(f"Store:     {store}, {stored / 1e6:.0f} MB, {n_bytes / stored:.2f} : 1")
    print(f"Plot:      {plot}")


if __name__ == "__main__":
    main()
