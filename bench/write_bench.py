"""The figures of `nwbz write` that docs/benchmarks.md publishes: ratios within one run, interleaved, median of five rounds.

    write_bench.py SECTION... --floor floor.c --peers FOLDER [--python PYTHON] [--data FOLDER]

SECTION: floor, hdmf, peers, memory, jobs, small.  --floor: a C program that does only what cannot be left out (gather, compress, one file each); --peers: a
folder with make_recording.py, peer_array.py and seed_script.py; --python: one that has the peers' packages.  Data lies in --data, which should be a tmpfs.

A round counts only if the floor got its two cores in it (CPU/wall at least 1.8): the machine may be shared.  Standard library only.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

FRAMES, CHANNELS = 3600000, 384
CODECS = {"blosc-zstd": ("3", "1", "blosc:zstd:1:bitshuffle"), "zstd": ("1", "3", "zstd:3")}
FULL, BLOCK, NARROW = (13653, 384), (78125, 64), (215625, 23)


def run(command, env=None):
    """Run a command; return wall seconds, CPU seconds, peak memory in MB and its output."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=env)
    output = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    if process.returncode:
        sys.exit(f"failed ({process.returncode}): {' '.join(map(str, command))}\n{output}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss / 1024, "output": output}


class Bench:
    def __init__(self, a):
        self.a = a
        self.data = pathlib.Path(a.data)
        self.recording = self.data / "bench-recording.dat"
        self.out = self.data / "bench-out.nwb.zarr"
        self.rounds = a.rounds
        if not self.recording.exists() or self.recording.stat().st_size != FRAMES * CHANNELS * 2:
            run([a.python, f"{a.peers}/make_recording.py", self.recording])
        self.floor_program = self.data / "bench-floor"
        run(["cc", "-O3", a.floor, "-o", self.floor_program, "-lzstd", "-lblosc", "-lpthread"])

    def clean(self):
        for path in (self.out, self.data / "bench-floor-out", self.data / f".{self.out.name}.nwbz"):
            shutil.rmtree(path, ignore_errors=True)

    def floor(self, codec, chunks, jobs=2, frames=FRAMES):
        self.clean()
        number, level, _ = CODECS[codec]
        done = run([self.floor_program, self.recording, str(frames), str(chunks[0]), str(chunks[1]), number, level, str(jobs),
                    self.data / "bench-floor-out"])
        self.clean()
        return done

    def nwbz(self, codec, chunks, jobs=2, extra=(), keep=False):
        self.clean()
        command = [self.a.nwbz, "write", self.recording, self.out, "--shape", f"{FRAMES},{CHANNELS}", "--dtype", "int16", "--rate", "30000",
                   "--session-start-time", "2024-01-01T00:00:00Z", "--no-sync", "--quiet", "-j", str(jobs), *extra]
        if chunks:
            command += ["--chunks", f"{chunks[0]},{chunks[1]}"]
        if codec:
            command += ["--codec", CODECS[codec][2]]
        done = run(command)
        done["stored"] = stored_bytes(self.out)
        if not keep:
            self.clean()
        return done

    def script(self, io, iterator, codec, jobs=2):
        """The founding script: io is hdmf_zarr or nwbz, the one import that changes."""
        self.clean()
        done = run([self.a.python, "-W", "ignore", f"{self.a.peers}/seed_script.py", self.recording, self.out, "--jobs", str(jobs), "--iterator", iterator,
                    "--codec", codec, "--io", io])
        done["wall"] = float(re.search(r": ([0-9.]+) s\s*$", done["output"]).group(1))  # the write alone, without the imports
        document = json.loads(next(self.out.glob("acquisition/*/data/zarr.json")).read_text())
        done["chunks"] = document["chunk_grid"]["configuration"]["chunk_shape"]
        done["stored"] = stored_bytes(self.out)
        self.clean()
        return done

    def peer(self, library, chunks, frames=FRAMES):
        self.clean()
        command = [self.a.python, "-W", "ignore", f"{self.a.peers}/peer_array.py", library, self.recording, self.out, "--chunks", f"{chunks[0]},{chunks[1]}",
                   "--frames", str(frames)]
        done = run((["taskset", "-c", "0,1"] if shutil.which("taskset") else []) + command)
        done["wall"] = float(re.search(r": ([0-9.]+) s\s*$", done["output"]).group(1))
        self.clean()
        return done

    def interleave(self, contestants, check="floor"):
        """Run every contestant once a round; keep rounds in which the floor had its cores.  Returns lists of results."""
        kept = {name: [] for name in contestants}
        tried = 0
        while len(kept[check]) < self.rounds and tried < 4 * self.rounds:
            tried += 1
            one = {name: contestant() for name, contestant in contestants.items()}
            busy = one[check]["cpu"] / one[check]["wall"]
            if busy < 1.8:
                print(f"  (a round does not count: the floor had {busy:.2f} cores)", file=sys.stderr)
                continue
            for name, done in one.items():
                kept[name].append(done)
        if len(kept[check]) < self.rounds:
            print(f"  only {len(kept[check])} of {self.rounds} rounds count; the machine is busy", file=sys.stderr)
        return kept


def stored_bytes(folder):
    return sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())


def median(results, key):
    return statistics.median(r[key] for r in results) if results else float("nan")


def ratio(results, other, key):
    """Median of the ratios round by round: drift of the machine falls on both."""
    return statistics.median(a[key] / b[key] for a, b in zip(results, other)) if results else float("nan")


def say(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def header(*cells):
    say(*cells)
    say(*["---"] * len(cells))


def section_floor(b):
    header("codec", "chunks", "floor s", "nwbz s", "wall ratio", "CPU ratio", "wanted")
    for codec in CODECS:
        for chunks in (FULL, BLOCK, NARROW):
            kept = b.interleave({"floor": lambda: b.floor(codec, chunks), "nwbz": lambda: b.nwbz(codec, chunks)})
            wanted = "1.10, CPU 1.08" if chunks == FULL else "below 1 (0.95)" if chunks == BLOCK else "below 1 (0.88)"
            say(codec, chunks, f"{median(kept['floor'], 'wall'):.2f}", f"{median(kept['nwbz'], 'wall'):.2f}",
                f"{ratio(kept['nwbz'], kept['floor'], 'wall'):.3f}", f"{ratio(kept['nwbz'], kept['floor'], 'cpu'):.3f}", wanted)


def section_hdmf(b):
    header("iterator", "codec", "chunks", "hdmf-zarr s", "nwbz write s", "Python s", "nwbz write: times faster", "Python: times faster", "Python - nwbz write s",
           "bytes, nwbz write / hdmf-zarr", "peak MB, hdmf-zarr / Python", "wanted")
    for iterator in ("neuroconv", "pickleable"):
        for codec in ("blosc-zstd", "zstd", "default"):
            if b.a.scripts and f"{iterator}:{codec}" not in b.a.scripts.split(","):
                continue
            first = b.script("hdmf_zarr", iterator, codec)
            chunks = None if codec == "default" else first["chunks"]
            kept = b.interleave({"floor": lambda: b.floor("blosc-zstd", FULL), "hdmf": lambda: b.script("hdmf_zarr", iterator, codec),
                                 "nwbz": lambda: b.nwbz(None if codec == "default" else codec, chunks),
                                 "python": lambda: b.script("nwbz", iterator, codec)})
            wanted = {"blosc-zstd": "4", "zstd": "2.5", "default": "8, fewer bytes"}[codec]
            extra = statistics.median(p["wall"] - n["wall"] for p, n in zip(kept["python"], kept["nwbz"])) if kept["nwbz"] else float("nan")
            say(iterator, codec, tuple(first["chunks"]), f"{median(kept['hdmf'], 'wall'):.2f}", f"{median(kept['nwbz'], 'wall'):.2f}",
                f"{median(kept['python'], 'wall'):.2f}", f"{ratio(kept['hdmf'], kept['nwbz'], 'wall'):.1f}", f"{ratio(kept['hdmf'], kept['python'], 'wall'):.1f}",
                f"{extra:.2f}", f"{ratio(kept['nwbz'], kept['hdmf'], 'stored'):.2f}",
                f"{median(kept['hdmf'], 'peak'):.0f} / {median(kept['python'], 'peak'):.0f}", wanted)


def section_peers(b):
    header("peer", "chunks", "peer s", "nwbz s", "wall ratio", "CPU ratio", "wanted")
    for library in ("tensorstore", "zarrs"):
        for chunks in (FULL, NARROW):
            idle = statistics.median(b.peer(library, chunks, frames=1)["cpu"] for _ in range(3))  # imports
            kept = b.interleave({"floor": lambda: b.floor("blosc-zstd", FULL), "peer": lambda: b.peer(library, chunks),
                                 "nwbz": lambda: b.nwbz("blosc-zstd", chunks)})
            for done in kept["peer"]:
                done["cpu"] -= idle
            say(library, chunks, f"{median(kept['peer'], 'wall'):.2f}", f"{median(kept['nwbz'], 'wall'):.2f}",
                f"{ratio(kept['nwbz'], kept['peer'], 'wall'):.3f}", f"{ratio(kept['nwbz'], kept['peer'], 'cpu'):.3f}", "1.05" if chunks == FULL else "0.8 (wall)")


def section_memory(b):
    header("--memory", "chunks", "peak MB", "limit + 32 MB", "s")
    for limit in (128, 256, 1024):
        for chunks in (FULL, BLOCK, NARROW):
            done = [b.nwbz("blosc-zstd", chunks, extra=("--memory", f"{limit}M")) for _ in range(3)]
            say(f"{limit}M", chunks, f"{max(d['peak'] for d in done):.0f}", limit + 32, f"{median(done, 'wall'):.2f}")


def section_jobs(b):
    header("chunks", "floor, 1 to 2 jobs", "nwbz, 1 to 2 jobs", "nwbz / floor", "wanted")
    for chunks in (FULL, BLOCK, NARROW):
        kept = b.interleave({"floor1": lambda: b.floor("blosc-zstd", chunks, 1), "floor": lambda: b.floor("blosc-zstd", chunks),
                             "nwbz1": lambda: b.nwbz("blosc-zstd", chunks, 1), "nwbz2": lambda: b.nwbz("blosc-zstd", chunks)})
        floor_gain, own_gain = ratio(kept["floor1"], kept["floor"], "wall"), ratio(kept["nwbz1"], kept["nwbz2"], "wall")
        say(chunks, f"{floor_gain:.2f}", f"{own_gain:.2f}", f"{own_gain / floor_gain:.3f}", "0.95")


def section_small(b):
    header("frames", "whole process ms, median of 20", "CPU ms", "wanted ms")
    small = b.data / "bench-small.dat"
    with open(b.recording, "rb") as f:
        small.write_bytes(f.read(1000 * CHANNELS * 2))
    done = []
    for _ in range(20):
        b.clean()
        done.append(run([b.a.nwbz, "write", small, b.out, "--shape", f"1000,{CHANNELS}", "--dtype", "int16", "--rate", "30000", "--session-start-time",
                         "2024-01-01T00:00:00Z", "--no-sync", "--quiet"]))
    b.clean()
    say(1000, f"{1000 * median(done, 'wall'):.1f}", f"{1000 * median(done, 'cpu'):.1f}", "under 50")


SECTIONS = {"floor": section_floor, "hdmf": section_hdmf, "peers": section_peers, "memory": section_memory, "jobs": section_jobs, "small": section_small}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("sections", nargs="+", choices=list(SECTIONS))
    p.add_argument("--floor", required=True)
    p.add_argument("--peers", required=True)
    p.add_argument("--python", default=sys.executable)
    p.add_argument("--data", default="/dev/shm")
    p.add_argument("--nwbz", default=str(pathlib.Path(__file__).parent.parent / "build/release/nwbz"))
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--scripts", help="of section hdmf only these: neuroconv:zstd,pickleable:default,...")
    b = Bench(p.parse_args())
    print(f"{platform.machine()}, {len(os.sched_getaffinity(0))} CPUs; {b.rounds} rounds; jobs 2; recording {FRAMES} x {CHANNELS} int16 in {b.data}")
    for name in b.a.sections:
        print(f"\n## {name}\n")
        SECTIONS[name](b)


if __name__ == "__main__":
    main()
