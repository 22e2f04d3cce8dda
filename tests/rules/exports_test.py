"""The shared library exports exactly the functions that include/nwbz declares, and every global name has our prefix.

NZ_LIBRARY names the shared library, NZ_ARCHIVE the static one.
"""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from tree import ROOT, c_files, without_comments

DECLARATION = re.compile(r"\bNWBZ_API\b([^;{]*)")
NAME_BEFORE_ARGUMENTS = re.compile(r"(\w+)\s*\(")
NOT_OURS = re.compile(r"__(asan|ubsan|tsan|gcov|odr_asan|llvm)|_(init|fini|edata|end|bss_start)$|__bss_start$")


def declared(root):
    """The functions that public headers mark with NWBZ_API."""
    names = set()
    for path in c_files(root, "include"):
        text = re.sub(
            r"^[ \t]*#(?:.*\\\n)*.*$", "", without_comments(path.read_text(encoding="utf-8")), flags=re.MULTILINE
        )
        for declaration in DECLARATION.findall(text):
            names.add(NAME_BEFORE_ARGUMENTS.search(declaration).group(1))
    return names


def defined(library, *options):
    """The global names that a library defines."""
    lines = subprocess.run(
        ["nm", "--defined-only", "--extern-only", *options, str(library)], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()
    names = {fields[2].split("@")[0] for fields in (line.split() for line in lines) if len(fields) == 3}
    return {n for n in names if not NOT_OURS.match(n)}


class TheLibrary(unittest.TestCase):
    shared = pathlib.Path(os.environ.get("NZ_LIBRARY", ROOT / "build/release/libnwbz.so"))
    archive = pathlib.Path(os.environ.get("NZ_ARCHIVE", ROOT / "build/release/libnwbz.a"))

    def test_exports_are_the_declarations(self):
        self.assertGreater(len(declared(ROOT)), 0)
        self.assertEqual(sorted(defined(self.shared, "--dynamic")), sorted(declared(ROOT)))

    def test_every_global_name_has_our_prefix(self):
        names = defined(self.archive)
        self.assertGreater(len(names), 0)
        self.assertEqual([n for n in sorted(names) if not n.startswith(("nwbz_", "nz_"))], [])

    def test_public_names_are_only_those_declared(self):
        public = {n for n in defined(self.archive) if n.startswith("nwbz_")}
        self.assertEqual(sorted(public - declared(ROOT)), [])


class TheRule(unittest.TestCase):
    """On a library of three functions: one declared, one exported beside the headers, one hidden without prefix."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "include/nwbz").mkdir(parents=True)
        (self.root / "include/nwbz/a.h").write_text(
            '#define NWBZ_API \\\n    __attribute__((visibility("default")))\n/* NWBZ_API int nwbz_comment(void); */\n'
            "NWBZ_API const char *nwbz_a(int (*f)(void *),\n    int n);\n"
        )
        (self.root / "a.c").write_text(
            '__attribute__((visibility("default"))) int nwbz_a(void) { return 1; }\n'
            '__attribute__((visibility("default"))) int nwbz_b(void) { return 1; }\nint other(void) { return 1; }\n'
        )
        compiler = os.environ.get("CC", "cc")
        subprocess.run(
            [compiler, "-shared", "-fPIC", "-fvisibility=hidden", "-o", self.root / "liba.so", self.root / "a.c"],
            check=True,
        )
        subprocess.run([compiler, "-c", "-o", self.root / "a.o", self.root / "a.c"], check=True)

    def tearDown(self):
        self.folder.cleanup()

    def test_declarations_are_found_in_headers(self):
        self.assertEqual(declared(self.root), {"nwbz_a"})

    def test_an_export_that_is_not_declared_is_found(self):
        self.assertEqual(defined(self.root / "liba.so", "--dynamic"), {"nwbz_a", "nwbz_b"})

    def test_a_name_without_prefix_is_found(self):
        self.assertIn("other", defined(self.root / "a.o"))


if __name__ == "__main__":
    unittest.main()
