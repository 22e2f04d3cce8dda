"""The bytes on disk depend neither on jobs, nor on memory, nor on how often the run was killed.

Run by ctest with NWBZ=<the program>; NZ_KILLS (default 50) says how many runs are killed.
"""
from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NWBZ = os.environ["NWBZ"]
KILLS = int(os.environ.get("NZ_KILLS", "50"))
FRAMES, CHANNELS = 100_000, 64  # int16: 12.8 MB, long enough with gzip to be killed in the middle
STAGING = ".out.nwb.zarr.nwbz"


def make_recording(path: Path) -> None:
    """Write noise with a seed, of 5 bits so that codecs have something to do."""
    low = bytes(i & 31 for i in range(256))
    path.write_bytes(random.Random(4).randbytes(FRAMES * CHANNELS * 2).translate(low))


def memory_folder() -> str | None:
    """Return a folder in memory with room enough, where runs do not wait for a disk that others use; None: the usual place."""
    shared = "/dev/shm"
    return shared if os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > 500_000_000 else None


def tree_digest(folder: Path) -> str:
    """Hash all names, modes and bytes below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(f"{path.relative_to(folder)} {path.stat().st_mode:o}\n".encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="nwbz-kill.", dir=memory_folder()))
        cls.source = cls.folder / "recording.dat"
        cls.destination = cls.folder / "out.nwb.zarr"
        make_recording(cls.source)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def tearDown(self):
        shutil.rmtree(self.destination, ignore_errors=True)
        shutil.rmtree(self.folder / STAGING, ignore_errors=True)

    def command(self, *options: str) -> list[str]:
        recording = ["--shape", f"{FRAMES},{CHANNELS}", "--dtype", "int16", "--rate", "30000"]
        session = ["--reproducible", "--session-start-time", "2024-05-01T10:00:00+02:00", "--no-sync", "-q"]
        return [NWBZ, "write", str(self.source), str(self.destination), *recording, *session, *options]

    def write(self, *options: str) -> str:
        """Run to the end; return the digest of the result, and remove it."""
        done = subprocess.run(self.command(*options), capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.folder / STAGING).exists())
        digest = tree_digest(self.destination)
        shutil.rmtree(self.destination)
        return digest

    def kill_after(self, seconds: float, *options: str) -> None:
        """Start a run and kill it; what it leaves at the final name is nothing, or whole."""
        with subprocess.Popen(self.command(*options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            try:
                run.wait(seconds)
            except subprocess.TimeoutExpired:
                run.kill()

    def test_jobs_and_memory_never_change_the_bytes(self):
        formats = [
            (),
            ("--chunks", "3000,7", "--codec", "gzip:1"),
            ("--chunks", "1000,64", "--shards", "8000,64", "--codec", "zstd:1"),
            ("--chunks", "40000,5", "--shards", "80000,20"),
            ("--channels", "60:64,0:30", "--chunks", "7000,10"),
        ]
        speeds = [("-j", jobs, "-m", memory) for jobs in ("1", "2", "8") for memory in ("64M", "1G")]
        for chosen in formats:
            digests = {speed: self.write(*chosen, *speed) for speed in speeds}
            with self.subTest(format=chosen):
                self.assertEqual(len(set(digests.values())), 1, digests)

    def test_a_run_that_was_killed_is_resumed_to_the_same_bytes(self):
        chosen = ("--codec", "gzip:6", "--chunks", "2000,16", "-m", "64M")
        begun = time.monotonic()
        whole = self.write(*chosen, "-j", "2")
        seconds = time.monotonic() - begun
        rng = random.Random()
        seed = rng.randrange(1 << 32)
        rng.seed(seed)
        cut = 0
        for i in range(KILLS):
            delay = rng.uniform(0, seconds)
            self.kill_after(delay, *chosen, "-j", rng.choice("128"))
            if self.destination.exists():
                self.assertEqual(tree_digest(self.destination), whole, f"kill {i} of seed {seed}: visible, but not whole")
            while rng.random() < 0.3:  # a resumed run may be killed too
                self.kill_after(rng.uniform(0, seconds), *chosen, "-j", rng.choice("128"), "--resume")
            cut += (self.folder / STAGING / "journal").exists()
            digest = self.write(*chosen, "-j", rng.choice("128"), "--resume")
            self.assertEqual(digest, whole, f"kill {i} of seed {seed} after {delay:.3f} s")
        self.assertGreater(cut, KILLS // 4, "too few runs were killed in the middle to show anything")

    def test_an_overwrite_that_is_killed_leaves_the_old_result_or_the_new_one(self):
        old, new = ("--codec", "none"), ("--codec", "gzip:6", "--chunks", "2000,16")
        digests = {self.write(*old): "old", (new_digest := self.write(*new)): "new"}
        begun = time.monotonic()
        self.write(*new)
        seconds = time.monotonic() - begun
        rng = random.Random()
        for _ in range(max(KILLS // 5, 1)):
            self.assertEqual(subprocess.run(self.command(*old)).returncode, 0)
            self.kill_after(rng.uniform(0, seconds * 1.2), *new, "--overwrite")
            self.assertIn(tree_digest(self.destination), digests)
            done = subprocess.run(self.command(*new, "--resume"), capture_output=True, text=True)
            # Killed before it had a plan: there is nothing to resume, and the old result stands.
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(tree_digest(self.destination), digests)
            if (self.folder / STAGING).exists():
                self.fail("the staging folder is left")
            self.assertEqual(self.write(*new, "--overwrite"), new_digest)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
