"""Arrays that other Zarr implementations wrote: each is read equal, or refused with what it needs named.

The arrays and the SHA-256 of their right values are not part of the project: they are looked for beside it, in
../shared/conformance, and the tests are skipped where that is absent.
"""

import csv
import hashlib
import json
import os
import pathlib
import subprocess
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NWBZ = os.environ.get("NWBZ", str(ROOT / "build/release/nwbz"))
FOLDER = ROOT.parent / "shared/conformance"
TYPES = {
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "string",
    "fixed_length_utf32",
    "raw_bytes",
    "struct",
}
CODECS = {"bytes", "gzip", "zstd", "blosc", "crc32c", "sharding_indexed", "vlen-utf8"} | {
    f"numcodecs.{name}" for name in ("shuffle", "zlib", "zstd", "lz4", "blosc")
}
FAILED_INPUT = 3


def expected_rows():
    """The rows of format 3 that have a sum."""
    if not (FOLDER / "EXPECTED.tsv").is_file():
        return []
    with open(FOLDER / "EXPECTED.tsv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [(row["path"], row["sha256_32"]) for row in rows if row["fmt"] == "3" and row["sha256_32"]]


ROWS = expected_rows()
pytestmark = pytest.mark.skipif(not ROWS, reason="../shared/conformance is not here")


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    """The folder with all arrays."""
    folder = tmp_path_factory.mktemp("conformance")
    with tarfile.open(FOLDER / "data.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def codec_names(codecs):
    """All codecs of a list, those inside shards too."""
    for codec in codecs:
        name = codec if isinstance(codec, str) else codec["name"]
        yield name
        if name == "sharding_indexed":
            yield from codec_names(codec["configuration"]["codecs"])
            yield from codec_names(codec["configuration"]["index_codecs"])


def missing_parts(document):
    """The names of what this array needs and nwbz does not have."""
    kind = document["data_type"] if isinstance(document["data_type"], str) else document["data_type"]["name"]
    return ([kind] if kind not in TYPES else []) + [
        name for name in codec_names(document["codecs"]) if name not in CODECS
    ]


def cat(path, how):
    return subprocess.run(
        [NWBZ, "cat", str(path), how], check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )


def values_as_bytes(path, kind):
    """All values in the form that the sums were made of."""
    done = cat(path, "--json" if kind == "string" else "--raw")
    assert done.returncode == 0, done.stderr.decode()
    if kind != "string":
        return done.stdout
    return b"\0".join(json.loads(line).encode() for line in done.stdout.decode().split("\n") if line)


@pytest.mark.parametrize("name,sha256_32", ROWS, ids=[name for name, _ in ROWS])
def test_an_array_is_read_equal_or_refused_by_name(arrays, name, sha256_32):
    document = json.loads((arrays / name / "zarr.json").read_text())
    missing = missing_parts(document)
    if missing:
        done = cat(arrays / name, "--raw")
        assert done.returncode == FAILED_INPUT
        assert any(part in done.stderr.decode() for part in missing), done.stderr.decode()
        assert len(done.stderr.decode().splitlines()) == 1
    else:
        values = values_as_bytes(arrays / name, document["data_type"])
        assert hashlib.sha256(values).hexdigest()[:32] == sha256_32


def test_most_arrays_can_be_read(arrays):
    """Refusing everything would pass above; this says how many are read."""
    readable = [name for name, _ in ROWS if not missing_parts(json.loads((arrays / name / "zarr.json").read_text()))]
    assert len(readable) > 50
