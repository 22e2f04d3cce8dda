"""One ordered list of folders: a file includes its own folder and those to its left, never a forbidden neighbour."""

import unittest

from tree import ROOT, SampleTree, c_files, includes, place

ORDER = ["base", "model", "codec", "store", "zarr", "hdf5", "source", "target", "engine", "hdmf", "nwb", "convert"]
APART = [{"codec", "store"}, {"zarr", "hdf5"}, {"source", "target"}, {"nwb", "convert"}]
OUTSIDE = ["cli", "python", "bench", "examples"]


def wrong_include(mine, name, is_quoted):
    """Say what is wrong with a file of folder `mine` in src/ including `name`; None: nothing."""
    other = name.split("/")[0]
    if name.startswith("."):
        return "includes are named from src/, never by ./ or ../"
    if other in ORDER and "/" in name:
        if {mine, other} in APART:
            return f"{mine}/ and {other}/ must not see each other"
        return (
            f"{mine}/ must not include {other}/, which is to its right"
            if ORDER.index(other) > ORDER.index(mine)
            else None
        )
    if is_quoted and other != "nwbz":
        return f'"{name}" must be named with its folder, or in angle brackets if it is not ours'
    return None


def violations_in_src(root):
    """Check every file of src/."""
    found = []
    for path in c_files(root, "src"):
        mine = path.relative_to(root / "src").parts[0]
        if mine not in ORDER:
            found.append(f"{place(root, path)}: {mine} is not in the list of folders")
            continue
        for line, name, is_quoted in includes(path):
            wrong = wrong_include(mine, name, is_quoted)
            if wrong:
                found.append(f"{place(root, path, line)}: {wrong}")
    return found


def violations_outside(root):
    """Check that programs and bindings include nothing of src/."""
    found = []
    for folder in OUTSIDE:
        for path in c_files(root, folder):
            for line, name, _ in includes(path):
                if name.split("/")[0] in ORDER + ["src", "..", "."]:
                    found.append(f"{place(root, path, line)}: {folder}/ may include only nwbz/*.h of ours, not {name}")
    return found


def violations_in_public_headers(root):
    """Check that public headers include only public headers and the C library."""
    return [
        f"{place(root, path, line)}: a public header must not include {name}"
        for path in c_files(root, "include")
        for line, name, is_quoted in includes(path)
        if is_quoted or ("/" in name and not name.startswith("nwbz/"))
    ]


def violations(root):
    """Check the whole tree."""
    return violations_in_src(root) + violations_outside(root) + violations_in_public_headers(root)


class TheTree(unittest.TestCase):
    def test_every_include_follows_the_list(self):
        self.assertEqual(violations(ROOT), [])


class TheRule(unittest.TestCase):
    def found(self, name, include):
        with SampleTree({name: f"/* sample */\n#include {include}\n"}) as root:
            return violations(root)

    def test_what_is_allowed_passes(self):
        for name, include in [
            ("src/base/a.c", '"base/a.h"'),
            ("src/zarr/a.c", '"store/a.h"'),
            ("src/engine/a.c", '"target/a.h"'),
            ("src/nwb/a.c", '"hdmf/a.h"'),
            ("src/base/a.c", "<nwbz/error.h>"),
            ("src/base/a.c", "<sys/stat.h>"),
            ("cli/main.c", "<nwbz/nwbz.h>"),
            ("cli/main.c", '"opt.h"'),
            ("include/nwbz/a.h", "<nwbz/b.h>"),
            ("tests/unit/base/a_test.c", '"engine/a.h"'),
            ("src/base/a.c", '<stdio.h> /* "engine/a.h" */'),
        ]:
            with self.subTest(name=name, include=include):
                self.assertEqual(self.found(name, include), [])

    def test_what_is_forbidden_is_found_with_its_line(self):
        for name, include in [
            ("src/base/a.c", '"model/a.h"'),
            ("src/zarr/a.h", '"engine/a.h"'),
            ("src/codec/a.c", '"store/a.h"'),
            ("src/store/a.c", '"codec/a.h"'),
            ("src/hdf5/a.c", '"zarr/a.h"'),
            ("src/target/a.c", '"source/a.h"'),
            ("src/convert/a.c", '"nwb/a.h"'),
            ("src/base/a.c", '"../model/a.h"'),
            ("src/base/a.c", '"a.h"'),
            ("src/base/a.c", "<model/a.h>"),
            ("cli/main.c", '"base/a.h"'),
            ("cli/main.c", '"../src/base/a.h"'),
            ("bench/b.c", '"zarr/a.h"'),
            ("examples/e.c", '"nwb/a.h"'),
            ("python/src/_nwbz.c", '"base/a.h"'),
            ("include/nwbz/a.h", '"base/a.h"'),
            ("include/nwbz/a.h", "<json-c/json.h>"),
        ]:
            with self.subTest(name=name, include=include):
                found = self.found(name, include)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{name}:2: "), found)

    def test_a_folder_that_is_not_in_the_list_is_found(self):
        with SampleTree({"src/util/a.c": "int nz_a;\n"}) as root:
            self.assertEqual(violations(root), ["src/util/a.c: util is not in the list of folders"])


if __name__ == "__main__":
    unittest.main()
