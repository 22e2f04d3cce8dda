"""How long a write takes over the number of jobs: nwbz and hdmf-zarr side by side, mean and spread of some runs.

    python -m nwbz.bench                         # 1, 2, ... jobs up to the CPUs, 5 runs each, plot in nwbz-bench.svg
    python -m nwbz.bench --jobs 1,2,4 --seconds 60 --recording raw.dat --channels 384

Each run is a process of its own that writes a raw recording (made here, unless given) from a memmap iterator; what
it says is the time of io.write() with the opening and closing of the store, without imports.  Both write the same
codec, unless --defaults.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path

import numpy as np

from ._nwbz import jobs_resolve

RATE = 30000.0
NAMES = {"nwbz": "nwbz", "hdmf_zarr": "hdmf-zarr"}
COLORS = {"nwbz": "#0b6e99", "hdmf_zarr": "#c2571a"}


def make_recording(path: Path, seconds: float, n_channels: int) -> None:
    """A slow common signal, scaled along the probe, and white noise: it compresses about as a real recording does."""
    random, n_left, at = np.random.default_rng(0), int(seconds * RATE), 0
    with open(path, "wb") as file:
        while n_left > 0:
            n = min(n_left, 60000)
            times = (at + np.arange(n)) / RATE
            slow = (60 * np.sin(2 * np.pi * 6 * times) + 25 * np.sin(2 * np.pi * 40 * times + 1)).astype("f4")
            block = random.standard_normal((n, n_channels), dtype="f4") * 5
            block += slow[:, None] * np.linspace(0.5, 1.2, n_channels, dtype="f4")
            block.round().astype("<i2").tofile(file)
            n_left, at = n_left - n, at + n


# ---- one run, in a process of its own --------------------------------------------------------------------------


def run_once(io: str, recording: Path, destination: Path, n_channels: int, jobs: int, defaults: bool) -> float:
    """Write once and return the seconds."""
    import importlib
    from datetime import datetime

    from hdmf_zarr import ZarrDataIO
    from pynwb import NWBFile, TimeSeries
    from zarr.codecs import BloscCodec

    from ._bench_iterator import Mapped

    shape = (recording.stat().st_size // (2 * n_channels), n_channels)
    data = Mapped(str(recording), shape, buffer_gb=0.1 / jobs)
    if not defaults:
        data = ZarrDataIO(data, compressors=BloscCodec(cname="zstd", clevel=1, shuffle="bitshuffle", typesize=2))
    file = NWBFile("A recording", "bench", datetime(2024, 1, 1, tzinfo=UTC))
    file.add_acquisition(TimeSeries(name="raw", data=data, unit="volts", rate=RATE))
    writer = importlib.import_module(io).NWBZarrIO
    started = time.perf_counter()
    with writer(str(destination), mode="w") as opened:
        opened.write(file, number_of_jobs=jobs)
    return time.perf_counter() - started


def measure(io: str, jobs: int, arguments: argparse.Namespace, recording: Path, folder: Path) -> float:
    """One run in a new process."""
    destination = folder / "bench.nwb.zarr"
    shutil.rmtree(destination, ignore_errors=True)
    command = [sys.executable, "-m", "nwbz.bench", "--once", io, "--jobs", str(jobs), "--recording", str(recording)]
    command += ["--channels", str(arguments.channels), "--folder", str(folder)] + ["--defaults"] * arguments.defaults
    done = subprocess.run(command, capture_output=True, text=True)
    shutil.rmtree(destination, ignore_errors=True)
    if done.returncode != 0:
        raise SystemExit(f"{io} with {jobs} jobs failed:\n{done.stderr}")
    return float(done.stdout.split()[-1])


# ---- the plot --------------------------------------------------------------------------------------------------------


def _ticks(most: float) -> list[float]:
    step = 10 ** np.floor(np.log10(most))
    step = step / 5 if most / step < 2 else step / 2 if most / step < 5 else step
    return [i * step for i in range(int(most / step) + 1)]


def draw(results: dict[str, dict[int, list[float]]], title: str) -> str:
    """The plot as SVG text: seconds over number_of_jobs, a dot for each mean, a bar from the fastest to the slowest
    run."""
    width, height, left, bottom, top, right = 640, 420, 70, 60, 50, 20
    jobs = sorted({n for runs in results.values() for n in runs})
    most = max(max(runs) for one in results.values() for runs in one.values()) * 1.1
    span = max(jobs[-1] - jobs[0], 1)

    def x(n: float) -> float:
        return left + 30 + (n - jobs[0]) / span * (width - left - right - 60)

    def y(seconds: float) -> float:
        return height - bottom - seconds / most * (height - bottom - top)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{width / 2}" y="24" text-anchor="middle" font-size="15">{title}</text>',
        f'<text x="{width / 2}" y="{height - 16}" text-anchor="middle">number_of_jobs</text>',
        f'<text transform="translate(18 {height / 2}) rotate(-90)" text-anchor="middle">seconds</text>',
    ]
    for tick in _ticks(most):
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    parts += [f'<text x="{x(n):.1f}" y="{height - bottom + 20}" text-anchor="middle">{n}</text>' for n in jobs]
    for i, (io, one) in enumerate(results.items()):
        color = COLORS[io]
        points = " ".join(f"{x(n):.1f},{y(statistics.mean(one[n])):.1f}" for n in sorted(one))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        for n, runs in sorted(one.items()):
            parts.append(
                f'<line x1="{x(n):.1f}" x2="{x(n):.1f}" y1="{y(min(runs)):.1f}" y2="{y(max(runs)):.1f}" '
                f'stroke="{color}" stroke-width="3"/>'
            )
            parts.append(f'<circle cx="{x(n):.1f}" cy="{y(statistics.mean(runs)):.1f}" r="5" fill="{color}"/>')
        parts.append(
            f'<text x="{width - right - 10}" y="{top + 18 + 18 * i}" text-anchor="end" '
            f'fill="{color}">{NAMES[io]}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


# ---- the command
# -------------------------------------------------------------------------------------------------------


def _parse(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m nwbz.bench", description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", help="1,2,4; default: 1 to the number of usable CPUs, doubled each time")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=30.0, help="length of the recording that is made")
    parser.add_argument("--channels", type=int, default=384)
    parser.add_argument("--recording", type=Path, help="a raw file of little-endian int16")
    parser.add_argument("--folder", type=Path, help="where to write; default: a temporary folder")
    parser.add_argument("--defaults", action="store_true", help="each with its own default codec")
    parser.add_argument("--out", type=Path, default=Path("nwbz-bench.svg"))
    parser.add_argument("--once", choices=list(NAMES), help=argparse.SUPPRESS)
    return parser.parse_args(given)


def _jobs_of(text: str | None) -> list[int]:
    if text is not None:
        return sorted({int(part) for part in text.split(",")})
    most, jobs = jobs_resolve(-1.0), [1]
    while jobs[-1] * 2 <= most:
        jobs.append(jobs[-1] * 2)
    return jobs if jobs[-1] == most else [*jobs, most]


def main(given: Sequence[str] | None = None) -> None:
    arguments = _parse(given)
    if arguments.once:
        print(
            run_once(
                arguments.once,
                arguments.recording,
                arguments.folder / "bench.nwb.zarr",
                arguments.channels,
                int(arguments.jobs),
                arguments.defaults,
            )
        )
        return
    jobs = _jobs_of(arguments.jobs)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder, recording = Path(name), arguments.recording
        if recording is None:
            recording = folder / "recording.dat"
            make_recording(recording, arguments.seconds, arguments.channels)
        megabytes = recording.stat().st_size / 1e6
        results: dict[str, dict[int, list[float]]] = {io: {n: [] for n in jobs} for io in NAMES}
        for _ in range(arguments.runs):  # all in turn, so that what the machine does besides falls on all
            for n in jobs:
                for io in NAMES:
                    results[io][n].append(measure(io, n, arguments, recording, folder))
    codec = "the default codec of each" if arguments.defaults else "blosc-zstd"
    print(
        f"{megabytes:.0f} MB, {arguments.channels} channels, {codec}, {os.cpu_count()} CPUs; "
        f"seconds: mean (fastest to slowest of {arguments.runs})"
    )
    for n in jobs:
        ours, theirs = results["nwbz"][n], results["hdmf_zarr"][n]
        shown = [
            f"{NAMES[io]} {statistics.mean(r):6.2f} ({min(r):.2f} to {max(r):.2f})"
            for io, r in (("nwbz", ours), ("hdmf_zarr", theirs))
        ]
        print(f"number_of_jobs={n}: {'   '.join(shown)}   {statistics.mean(theirs) / statistics.mean(ours):.1f}x")
    arguments.out.write_text(draw(results, f"Writing {megabytes:.0f} MB, {codec}"), encoding="utf-8")
    arguments.out.with_suffix(".json").write_text(json.dumps(results), encoding="utf-8")
    print(f"plot: {arguments.out}")


if __name__ == "__main__":
    main()
