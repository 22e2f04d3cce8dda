"""The library on every array that other implementations wrote: read equal, or refused with the name of what is missing.

conformance_test.py asks the command line for the arrays that can be read; this asks the library for all of them: Zarr
v2, drafts, and arrays whose codecs nobody here has.  The arrays are looked for in NWBZ_SHARED/conformance, else beside
the project.
"""

import csv
import hashlib
import json
import os
import pathlib
import tarfile

import nwbz_ctypes as nwbz
import pytest

FOLDER = pathlib.Path(os.environ.get("NWBZ_SHARED", nwbz.ROOT.parent / "shared")) / "conformance"
TYPES = set(nwbz.NAMES) - {"none"}
CODECS = {"bytes", "gzip", "zstd", "blosc", "crc32c", "sharding_indexed", "vlen-utf8"} | {
    f"numcodecs.{name}" for name in ("shuffle", "zlib", "zstd", "lz4", "blosc")
}


def rows_of(zarr_format):
    if not (FOLDER / "EXPECTED.tsv").is_file():
        return []
    with open(FOLDER / "EXPECTED.tsv", newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["fmt"] == zarr_format]


pytestmark = [
    pytest.mark.skipif(not nwbz.LIBRARY.is_file(), reason=f"{nwbz.LIBRARY} is not built; NWBZ_LIBRARY names another"),
    pytest.mark.skipif(not rows_of("3"), reason=f"{FOLDER} is not here"),
]


@pytest.fixture(scope="module")
def arrays(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conformance")
    with tarfile.open(FOLDER / "data.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def name_of(part):
    return part if isinstance(part, str) else part["name"]


def missing_parts(document):
    """What an array needs that nwbz does not have: its type and codecs, those inside shards too."""
    codecs = list(document["codecs"])
    for codec in codecs:
        if name_of(codec) == "sharding_indexed":
            codecs += codec["configuration"]["codecs"] + codec["configuration"]["index_codecs"]
    return {name_of(document["data_type"])} - TYPES | {name_of(codec) for codec in codecs} - CODECS


def read(folder):
    with nwbz.Store(folder) as store, store.open() as array:
        return array.read(jobs=2)


def sum_of(values):
    """The sum of EXPECTED.tsv: little-endian bytes, or text joined by NUL."""
    data = b"\0".join(text.encode() for text in values.reshape(-1)) if values.dtype == object else values.tobytes()
    return hashlib.sha256(data).hexdigest()[:32]


@pytest.mark.parametrize("row", rows_of("3"), ids=lambda row: row["path"])
def test_a_v3_array_is_read_equal_or_refused_by_name(arrays, row):
    missing = missing_parts(json.loads((arrays / row["path"] / "zarr.json").read_text()))
    if not missing:
        assert sum_of(read(arrays / row["path"])) == row["sha256_32"]
        return
    with pytest.raises(nwbz.Error) as refused:
        read(arrays / row["path"])
    assert refused.value.code == "NWBZ_EUNSUPPORTED"
    assert any(name in refused.value.message for name in missing), refused.value.message
    with nwbz.Store(arrays / row["path"]) as store:
        [(path, is_array, why)] = store.list()
    assert (path, is_array) == ("/", True)
    assert why == refused.value.message


@pytest.mark.parametrize("row", rows_of("2"), ids=lambda row: row["path"])
def test_a_v2_array_is_refused(arrays, row):
    with pytest.raises(nwbz.Error, match="Zarr v2|Zarr format 2") as refused:
        read(arrays / row["path"])
    assert refused.value.code == "NWBZ_EUNSUPPORTED"


def test_a_draft_of_v3_is_refused(arrays):
    drafts = [path for path in arrays.rglob("zarr.json") if "zarr_implementations" in str(path)]
    assert drafts
    for path in drafts:
        with pytest.raises(nwbz.Error, match="zarr_format|Zarr") as refused, nwbz.Store(path.parent) as store:
            store.list()
        assert refused.value.code in ("NWBZ_EUNSUPPORTED", "NWBZ_EFORMAT")


def test_whole_trees_are_listed(arrays):
    roots = [path.parent for path in arrays.rglob("zarr.json") if '"group"' in path.read_text()]
    listed = 0
    for root in roots:
        with nwbz.Store(root) as store:
            listed += len(store.list())
    assert len(roots) > 3 and listed > len(roots)
