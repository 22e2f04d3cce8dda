"""One door per outside library, and what src/ never calls."""

import re
import unittest

from tree import ROOT, SampleTree, c_files, includes, place, without_comments

# What an include looks like, and where it may stand (a name that ends with / is a folder).
DOORS = [
    (r"zstd.*\.h|zdict\.h", ["src/codec/zstd.c"]),
    (r"blosc.*\.h", ["src/codec/blosc.c"]),
    (r"isa-l.*|igzip_lib\.h|crc\.h", ["src/base/crc32c.c"]),
    (r"libdeflate\.h", ["src/codec/gzip.c"]),
    (r"zlib\.h|zconf\.h", []),
    (r"lz4.*\.h", ["src/codec/lz4.c"]),
    (r"json-c/.*|json\.h|json_\w+\.h", ["src/base/json.c"]),
    (r"uuid/.*|uuid\.h", ["src/base/uuid.c"]),
    (r"pthread\.h|threads\.h|semaphore\.h", ["src/base/thread.h", "src/base/thread.c"]),
    (r"hdf5.*\.h|H5\w*\.h", ["src/hdf5/"]),
    (r"curl/.*", ["src/store/s3.c"]),
    (r"Python\.h", ["python/"]),
]
GUARDED = ["include", "src", "cli", "python", "examples"]

# A library neither prints, ends the process nor reads its environment; memory has one door of its own.
NEVER = [
    "printf",
    "fprintf",
    "dprintf",
    "vprintf",
    "vfprintf",
    "vdprintf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "perror",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "abort",
    "getenv",
    "secure_getenv",
    "setenv",
    "unsetenv",
    "putenv",
]
MEMORY = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "free",
    "strdup",
    "strndup",
    "asprintf",
    "vasprintf",
]
MEMORY_DOOR = "src/base/memory.c"


def is_behind(name, doors):
    """Say whether the file `name` is one of the doors or below one."""
    return any(name == door or (door.endswith("/") and name.startswith(door)) for door in doors)


def calls(text, functions):
    """[(line, function)] of calls in C text; a member of that name (table->free(...)) is no call of it."""
    pattern = r"(?<![\w.>])(" + "|".join(map(re.escape, functions)) + r")\s*\("
    clean = without_comments(text)
    return [(clean.count("\n", 0, m.start()) + 1, m.group(1)) for m in re.finditer(pattern, clean)]


def wrong_doors(root):
    """Includes of outside libraries in other files than their doors."""
    found = []
    for path in (p for folder in GUARDED for p in c_files(root, folder)):
        name = place(root, path)
        for line, include, is_quoted in includes(path):
            for pattern, doors in DOORS:
                if not is_quoted and re.fullmatch(pattern, include) and not is_behind(name, doors):
                    found.append(f"{name}:{line}: {include} belongs to {' and '.join(doors) or 'no file'}")
    return found


def wrong_calls(root):
    """Calls in src/ that a library never makes, and memory from elsewhere."""
    found = []
    for path in c_files(root, "src"):
        name, text = place(root, path), path.read_text(encoding="utf-8")
        found += [f"{name}:{line}: {function}() in a library" for line, function in calls(text, NEVER)]
        if name != MEMORY_DOOR:
            found += [f"{name}:{line}: {function}() beside base/memory.h" for line, function in calls(text, MEMORY)]
    return found


def violations(root):
    """Check the whole tree."""
    return wrong_doors(root) + wrong_calls(root)


class TheTree(unittest.TestCase):
    def test_every_library_is_behind_its_door(self):
        self.assertEqual(wrong_doors(ROOT), [])

    def test_the_library_neither_prints_nor_exits_nor_allocates_beside_its_door(self):
        self.assertEqual(wrong_calls(ROOT), [])


class TheRule(unittest.TestCase):
    def found(self, name, text):
        with SampleTree({name: f"/* sample */\n{text}\n"}) as root:
            return violations(root)

    def test_what_is_allowed_passes(self):
        for name, text in [
            ("src/codec/zstd.c", "#include <zstd.h>"),
            ("src/codec/blosc.c", "#include <blosc.h>"),
            ("src/codec/lz4.c", "#include <lz4.h>"),
            ("src/base/json.c", "#include <json-c/json.h>"),
            ("src/base/thread.h", "#include <pthread.h>"),
            ("src/hdf5/file.c", "#include <hdf5.h>"),
            ("python/src/_nwbz.c", "#include <Python.h>"),
            ("src/zarr/a.c", '#include "base/json.h"'),
            ("src/base/memory.c", "void *p = malloc(1); free(p);"),
            ("src/zarr/a.c", "nz_free(p); table->free(p); table.free(p); snprintf(a, 1, b);"),
            ("src/zarr/a.c", '/* printf("x") */ const char *t = "exit(1)"; // abort()'),
            ("cli/main.c", 'int main(void) { printf("x"); exit(1); }'),
            ("bench/floor.c", "#include <blosc.h>"),
        ]:
            with self.subTest(name=name, text=text):
                self.assertEqual(self.found(name, text), [])

    def test_what_is_forbidden_is_found_with_its_line(self):
        for name, text in [
            ("src/zarr/a.c", "#include <zstd.h>"),
            ("src/codec/gzip.c", "#include <blosc.h>"),
            ("src/codec/zstd.c", "#include <lz4.h>"),
            ("src/zarr/a.c", "#include <json-c/json.h>"),
            ("src/engine/a.c", "#include <pthread.h>"),
            ("src/zarr/a.c", "#include <hdf5.h>"),
            ("src/base/a.c", "#include <Python.h>"),
            ("cli/main.c", "#include <zlib.h>"),
            ("src/base/a.c", "#  include  <libdeflate.h>"),
            ("src/engine/a.c", "#include <isa-l/crc.h>"),
            ("src/base/a.c", 'printf("x");'),
            ("src/base/a.c", 'if (fprintf (f, "x"))'),
            ("src/base/a.c", "exit(1);"),
            ("src/base/a.c", "abort();"),
            ("src/base/a.c", 'getenv("HOME");'),
            ("src/base/a.c", "p = malloc(1);"),
            ("src/base/a.c", "(free)(p); free(p);"),
            ("src/base/memory.h", "p = strdup(q);"),
            ("src/base/a.c", "x = -calloc(1, 1);"),
        ]:
            with self.subTest(name=name, text=text):
                found = self.found(name, text)
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{name}:2: "), found)


if __name__ == "__main__":
    unittest.main()
