"""Make a raw recording that looks like a probe's: int16, little-endian, {frames, channels}, with Python alone.

Two slow waves, scaled along the probe, plus white noise of 5 counts rms.  Such data compresses about as real data does.

How this is fast without numpy: 16-bit samples are packed into one long integer, and adding two such integers adds all
samples at once.  It is exact as long as no sum leaves its 16 bits, so samples are kept as value + bias while they are
added; turning the top bit of each then gives int16.  A wave is a few thousand rows (one per level of the wave) made
once; noise is a pool of normal numbers made once, from which two different places are added for each block of frames,
so that it does not repeat.
"""

import argparse
import array
import math
import pathlib
import random
import sys

RATE = 30000
BLOCK_FRAMES = 500
NOISE_RMS = 5.0
NOISE_POOL = 1 << 20
BIAS = 1 << 13  # four parts are added, and 4 * BIAS is the top bit of a sample
LEVELS = 2000
WAVES = [(6.0, 0.0, 60.0, (0.5, 1.2)), (40.0, 1.0, 25.0, (1.2, 0.5))]  # hertz, phase, counts, gains at the two ends


def packed(values):
    """Values + BIAS as little-endian 16-bit words."""
    words = array.array("H", (v + BIAS for v in values))
    if sys.byteorder == "big":
        words.byteswap()
    return words.tobytes()


def noise_pool(rng):
    """Packed normal noise; two of it added have NOISE_RMS."""
    rms = NOISE_RMS / math.sqrt(2)
    return packed(round(rng.gauss(0, rms)) for _ in range(NOISE_POOL))


def noise_block(rng, pool, n_bytes):
    """A random stretch of the pool, which is read as a ring."""
    at = 2 * rng.randrange(NOISE_POOL)
    stretch = pool[at : at + n_bytes]
    while len(stretch) < n_bytes:
        stretch += pool[: n_bytes - len(stretch)]
    return stretch


def wave_rows(counts, gains, channels):
    """One packed row of all channels for each level of a wave from -1 to 1."""
    scale = [gains[0] + (gains[1] - gains[0]) * c / max(1, channels - 1) for c in range(channels)]
    levels = [counts * (2 * i / LEVELS - 1) for i in range(LEVELS + 1)]
    return [packed(round(level * s) for s in scale) for level in levels]


def wave_block(rows, hertz, phase, first, frames):
    """The rows of a wave for some frames."""
    step = 2 * math.pi * hertz / RATE
    return b"".join([rows[round((math.sin(step * t + phase) + 1) * LEVELS / 2)] for t in range(first, first + frames)])


def blocks(frames, channels, seed):
    """Yield the recording's bytes, some frames at a time."""
    rng = random.Random(seed)
    pool = noise_pool(rng)
    waves = [(wave_rows(counts, gains, channels), hertz, phase) for hertz, phase, counts, gains in WAVES]
    for first in range(0, frames, BLOCK_FRAMES):
        n = min(BLOCK_FRAMES, frames - first)
        n_bytes = 2 * n * channels
        parts = [wave_block(rows, hertz, phase, first, n) for rows, hertz, phase in waves]
        parts += [noise_block(rng, pool, n_bytes) for _ in range(2)]
        total = sum(int.from_bytes(p, "little") for p in parts)
        top_bits = int.from_bytes(b"\x00\x80" * (n * channels), "little")
        yield (total ^ top_bits).to_bytes(n_bytes, "little")


def write(path, seconds, channels, seed=0):
    """Write a recording; return its number of frames.  A recording that is there already is kept."""
    frames = round(seconds * RATE)
    path = pathlib.Path(path)
    if not (path.is_file() and path.stat().st_size == 2 * frames * channels):
        unfinished = path.with_name(path.name + ".part")
        with open(unfinished, "wb") as file:
            file.writelines(blocks(frames, channels, seed))
        unfinished.replace(path)
    return frames


def main():
    """Make one recording."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--channels", type=int, default=384)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    frames = write(args.path, args.seconds, args.channels, args.seed)
    print(f"{args.path}: {frames} frames x {args.channels} channels, int16, {RATE} Hz")


if __name__ == "__main__":
    main()
