"""The schema inside nwbz says the same as the schema of the installed pynwb.

Our texts are unresolved and HDMF's own cache is partly resolved, so texts are not compared but what HDMF makes of them:
every type of the namespace core, with what it inherits filled in.
"""

import json
import os
import pathlib
import subprocess

import pytest
from hdmf.spec import NamespaceCatalog
from hdmf.spec.namespace import SpecReader
from pynwb import get_type_map
from pynwb.spec import NWBDatasetSpec, NWBGroupSpec, NWBNamespace

import zarr

ROOT = pathlib.Path(__file__).resolve().parents[2]
NWBZ = os.environ.get("NWBZ", str(ROOT / "build/release/nwbz"))
VERSIONS = {"core": "2.11.0", "hdmf-common": "1.10.0", "hdmf-experimental": "0.6.0"}


class TextReader(SpecReader):
    """HDMF's reader over {name: JSON text} of one namespace."""

    def __init__(self, name, texts):
        super().__init__(source=f"nwbz:{name}")
        self.texts = texts

    def read_namespace(self, ns_path):
        return json.loads(self.texts[ns_path])["namespaces"]

    def read_spec(self, spec_path):
        return json.loads(self.texts[spec_path])


@pytest.fixture(scope="module")
def our_texts(tmp_path_factory):
    """{namespace: {name: text}}, as the program stores them in a file."""
    folder = tmp_path_factory.mktemp("schema")
    (folder / "x.dat").write_bytes(bytes(80))
    command = [
        NWBZ,
        "write",
        folder / "x.dat",
        folder / "x.nwb.zarr",
        "--shape",
        "10,4",
        "--dtype",
        "int16",
        "--rate",
        "30000",
        "--session-start-time",
        "2024-01-01T00:00:00Z",
    ]
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
    root = zarr.open_group(folder / "x.nwb.zarr", mode="r")
    specifications = root[root.attrs[".specloc"]]
    assert {n: sorted(specifications[n]) for n in specifications} == {n: [v] for n, v in VERSIONS.items()}
    return {
        n: {name: str(specifications[n][v][name][()]) for name in specifications[n][v]} for n, v in VERSIONS.items()
    }


@pytest.fixture(scope="module")
def our_catalog(our_texts):
    catalog = NamespaceCatalog(NWBGroupSpec, NWBDatasetSpec, NWBNamespace, core_namespaces=["core"])
    catalog.load_namespaces("namespace", reader={n: TextReader(n, texts) for n, texts in our_texts.items()})
    return catalog


def test_there_are_21_texts(our_texts):
    assert {n: len(t) for n, t in our_texts.items()} == {"core": 14, "hdmf-common": 5, "hdmf-experimental": 2}


def test_texts_are_compact_ascii_json(our_texts):
    for texts in our_texts.values():
        for text in texts.values():
            assert text.isascii()
            assert json.dumps(json.loads(text), separators=(",", ":")) == text


def test_every_core_type_resolves_as_in_pynwb(our_catalog):
    theirs = get_type_map().namespace_catalog
    types = theirs.get_namespace("core").get_registered_types()
    assert len(types) >= 95
    assert set(types) == set(our_catalog.get_namespace("core").get_registered_types())
    different = [t for t in types if our_catalog.get_spec("core", t) != theirs.get_spec("core", t)]
    assert different == []


def test_namespaces_are_what_hdmf_caches(our_texts):
    """The namespace text is what HDMF writes, key by key and in its order."""
    theirs = get_type_map().namespace_catalog
    for name, texts in our_texts.items():
        ours = json.loads(texts["namespace"])["namespaces"][0]
        for key, value in theirs.get_namespace(name).items():
            if key != "schema":
                assert ours[key] == value
        assert list(ours)[:2] == ["doc", "schema"]


def test_a_changed_type_is_noticed(our_texts):
    """The comparison above can fail: one changed dtype is found."""
    changed = {n: dict(texts) for n, texts in our_texts.items()}
    text = changed["core"]["nwb.base"]
    assert '"dtype":"float64"' in text
    changed["core"]["nwb.base"] = text.replace('"dtype":"float64"', '"dtype":"float32"', 1)
    catalog = NamespaceCatalog(NWBGroupSpec, NWBDatasetSpec, NWBNamespace, core_namespaces=["core"])
    catalog.load_namespaces("namespace", reader={n: TextReader(n, texts) for n, texts in changed.items()})
    theirs = get_type_map().namespace_catalog
    types = theirs.get_namespace("core").get_registered_types()
    assert any(catalog.get_spec("core", t) != theirs.get_spec("core", t) for t in types)
