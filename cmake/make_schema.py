"""Turn the NWB schema (YAML) into a C table of the compact JSON texts that a file caches.

    nwb-schema/core/*.yaml, hdmf-common-schema/common/*.yaml  -->  schema_texts.c

HDMF caches one text per namespace and one per source file, both as JSON.  The texts here say the same, unresolved:
what a type inherits is left to the reader, as in the YAML.  They are made, never typed, so that they cannot drift
from the schema that pynwb ships.  The schema comes from a folder, or from the pinned wheel: looked for in a cache
first, so that only the first build on a machine needs a network.
"""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import yaml

WHEEL = "pynwb-4.2.0-py3-none-any.whl"
REQUIREMENT = "pynwb==4.2.0"
SHA256 = "9710364ecac03b6e6b8693d9eeaeb9f3dc6e61195baa88adb251def901655445"
FOLDER_IN_WHEEL = "pynwb/nwb-schema/"
NAMESPACE_FILES = ["core/nwb.namespace.yaml", "hdmf-common-schema/common/namespace.yaml"]
NAMESPACE_KEYS = ["doc", "schema", "name", "full_name", "version", "author", "contact"]


class SchemaError(Exception):
    """What is wrong with the schema or its source, in one sentence."""


def default_cache():
    """Return the folder that keeps the wheel for every build of this user."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(home) / "nwbz"


def is_pinned(wheel):
    """Say whether the file is the wheel that was pinned, bit for bit."""
    return wheel.is_file() and hashlib.sha256(wheel.read_bytes()).hexdigest() == SHA256


def download(folder):
    """Fetch the pinned wheel into `folder` with pip, which checks the hash too."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{REQUIREMENT} --hash=sha256:{SHA256}\n")
    # The wheel is for any Python; saying so keeps the version of the Python at hand out of it.
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--only-binary=:all:",
        "--python-version",
        "3.12",
        "--dest",
        str(folder),
        "--requirement",
        str(requirements),
    ]
    done = subprocess.run(
        command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0 or not is_pinned(folder / WHEEL):
        raise SchemaError(
            f"pip could not fetch {REQUIREMENT}; give the schema with -DNWBZ_SCHEMA_DIR=<nwb-schema folder>\n"
            f"{done.stdout}"
        )


def wheel_files(cache):
    """Return {name: text} of the YAML files in the pinned wheel, from the cache or fetched into it."""
    wheel = cache / WHEEL
    if not is_pinned(wheel):
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            download(pathlib.Path(folder))
            os.replace(pathlib.Path(folder) / WHEEL, wheel)
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if n.startswith(FOLDER_IN_WHEEL) and n.endswith(".yaml")]
        return {n[len(FOLDER_IN_WHEEL) :]: archive.read(n).decode() for n in names}


def folder_files(folder):
    """Return {name: text} of the YAML files below a folder nwb-schema."""
    files = {str(p.relative_to(folder)): p.read_text(encoding="utf-8") for p in folder.rglob("*.yaml")}
    missing = [n for n in NAMESPACE_FILES if n not in files]
    if missing:
        raise SchemaError(f"{folder} is not an nwb-schema folder: {missing[0]} is missing")
    return files


def compact(value):
    """One line of JSON, ASCII only."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def cached_source(entry):
    """An entry of a namespace's `schema` list as HDMF caches it: no doc, no title, no suffix."""
    kept = {k: v for k, v in entry.items() if k not in ("doc", "title")}
    if "source" in kept:
        kept["source"] = kept["source"].removesuffix(".yaml")
    return kept


def namespace_texts(namespace, folder, files):
    """Yield (namespace, version, name, text) of one namespace: its own text and those of its sources."""
    name, version = namespace["name"], namespace["version"]
    if not isinstance(version, str):
        raise SchemaError(f"namespace {name}: version {version!r} is not text")
    entries = [cached_source(e) for e in namespace["schema"]]
    known = {**namespace, "schema": entries}
    ordered = {k: known[k] for k in NAMESPACE_KEYS if k in known}
    ordered.update({k: v for k, v in known.items() if k not in ordered})
    yield name, version, "namespace", compact({"namespaces": [ordered]})
    for entry in entries:
        if "source" in entry:
            specs = yaml.safe_load(files[f"{folder}/{entry['source']}.yaml"])
            yield name, version, entry["source"], compact({k: v for k, v in specs.items() if v})


def schema_texts(files):
    """Return every text of the schema as a list of (namespace, version, name, text), ordered by these."""
    texts = []
    for path in NAMESPACE_FILES:
        for namespace in yaml.safe_load(files[path])["namespaces"]:
            texts.extend(namespace_texts(namespace, path.rsplit("/", 1)[0], files))
    return sorted(texts)


def c_array(name, text):
    """A text as a char array: string literals of this length are beyond what C11 promises."""
    codes = [str(b) for b in text.encode("ascii")] + ["0"]
    lines = [",".join(codes[i : i + 40]) for i in range(0, len(codes), 40)]
    return f"static const char {name}[] = {{\n" + ",\n".join(lines) + "};\n"


def c_source(texts):
    """The C file: one array per text and the table over them."""
    arrays = "".join(c_array(f"text_{i}", text) for i, (_, _, _, text) in enumerate(texts))
    rows = "".join(
        f'    {{.namespace_name = "{ns}", .version = "{version}", .name = "{name}", .text = text_{i}, '
        f".n_bytes = sizeof text_{i} - 1}},\n"
        for i, (ns, version, name, _) in enumerate(texts)
    )
    return (
        "/* Made by cmake/make_schema.py from the NWB schema.  Do not edit. */\n"
        '#include "hdmf/schema.h"\n\n' + arrays + "\nstatic const nz_schema_text texts[] = {\n" + rows + "};\n\n"
        "const nz_schema_text *nz_schema_texts(size_t *n)\n{\n    *n = sizeof texts / sizeof texts[0];\n"
        "    return texts;\n}\n"
    )


def main():
    """Write the C file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schema-dir", type=pathlib.Path, help="folder nwb-schema (default: the pinned wheel)")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache(), help="folder that keeps the wheel")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the C file to write")
    args = parser.parse_args()
    try:
        files = folder_files(args.schema_dir) if args.schema_dir else wheel_files(args.cache)
        args.out.write_text(c_source(schema_texts(files)))
    except (SchemaError, OSError, KeyError) as error:
        sys.exit(f"make_schema: {error}")


if __name__ == "__main__":
    main()
