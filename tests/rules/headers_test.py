"""Every header compiles alone: public ones as C11 and as C++, internal ones as C11; names have their prefix."""

import os
import re
import shutil
import subprocess
import unittest

from tree import ROOT, SampleTree, c_files, place, without_comments

C = [os.environ.get("CC", "cc"), "-x", "c", "-std=c11"]
CXX = [os.environ.get("CXX", "c++"), "-x", "c++", "-std=c++11"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror"]
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
TYPE_END = re.compile(r"^\}\s*(\w+)\s*;|^typedef\s[^{;]*?\(\*(\w+)\)\s*\(|^typedef\s[^{;()]*?(\w+)\s*;", re.MULTILINE)


def library_flags():
    """Where the outside libraries that CMake asks for have their headers; public headers must do without."""
    asked = re.findall(r"IMPORTED_TARGET ([\w.+-]+)\)", (ROOT / "cmake/Dependencies.cmake").read_text(encoding="utf-8"))
    command = ["pkg-config", "--cflags-only-I", *asked]
    flags = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return [f.replace("-I", "-isystem", 1) for f in flags]


def compile_alone(compiler, root, path):
    """Compile a file that includes one header twice; return what the compiler says, empty if it is content."""
    base = root / ("include" if "include" in path.relative_to(root).parts[:1] else "src")
    name = path.relative_to(base).as_posix()
    command = [
        *compiler,
        *WARNINGS,
        "-fsyntax-only",
        "-D_XOPEN_SOURCE=700",
        f"-I{root / 'include'}",
        f"-I{root / 'src'}",
        "-",
    ]
    done = subprocess.run(
        command,
        check=False,
        input=f"#include <{name}>\n#include <{name}>\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return "" if done.returncode == 0 else f"{place(root, path)} alone: {done.stdout}"


def wrong_names(root, folder, small, large):
    """Macros and types of headers without their prefix."""
    found = []
    for path in (p for p in c_files(root, folder) if p.suffix == ".h"):
        text = without_comments(path.read_text(encoding="utf-8"))
        names = MACRO.findall(text)
        found += [
            f"{place(root, path)}: macro {n} must start with {' or '.join(large)}"
            for n in names
            if not n.startswith(large)
        ]
        types = [next(filter(None, groups)) for groups in TYPE_END.findall(text)]
        found += [
            f"{place(root, path)}: type {n} must start with {' or '.join(small)}"
            for n in types
            if not n.startswith(small)
        ]
    return found


def headers(root, folder):
    """All headers of a folder."""
    return [p for p in c_files(root, folder) if p.suffix == ".h"]


class TheTree(unittest.TestCase):
    def test_every_public_header_compiles_alone_as_c11(self):
        self.assertGreater(len(headers(ROOT, "include")), 0)
        self.assertEqual([e for p in headers(ROOT, "include") if (e := compile_alone(C, ROOT, p))], [])

    @unittest.skipUnless(shutil.which(CXX[0]), "no C++ compiler")
    def test_every_public_header_compiles_alone_as_cpp(self):
        self.assertEqual([e for p in headers(ROOT, "include") if (e := compile_alone(CXX, ROOT, p))], [])

    def test_every_internal_header_compiles_alone_as_c11(self):
        libraries = library_flags()
        self.assertEqual([e for p in headers(ROOT, "src") if (e := compile_alone(C + libraries, ROOT, p))], [])

    def test_public_names_start_with_nwbz(self):
        self.assertEqual(wrong_names(ROOT, "include", ("nwbz_",), ("NWBZ_",)), [])

    def test_internal_names_start_with_nz(self):
        self.assertEqual(wrong_names(ROOT, "src", ("nz_", "nwbz_"), ("NZ_", "_GNU_SOURCE")), [])


class TheRule(unittest.TestCase):
    def test_a_header_that_leans_on_another_is_found(self):
        with SampleTree({"include/nwbz/a.h": "size_t nwbz_a(void);\n"}) as root:
            self.assertIn("size_t", compile_alone(C, root, root / "include/nwbz/a.h"))

    def test_a_header_without_guard_is_found(self):
        with SampleTree({"src/base/a.h": "struct nz_a { int b; };\n"}) as root:
            self.assertIn("redefinition", compile_alone(C, root, root / "src/base/a.h"))

    @unittest.skipUnless(shutil.which(CXX[0]), "no C++ compiler")
    def test_a_header_that_is_not_cpp_is_found(self):
        with SampleTree(
            {"include/nwbz/a.h": "#ifndef NWBZ_A\n#define NWBZ_A\nint nwbz_a(int class);\n#endif\n"}
        ) as root:
            self.assertEqual(compile_alone(C, root, root / "include/nwbz/a.h"), "")
            self.assertNotEqual(compile_alone(CXX, root, root / "include/nwbz/a.h"), "")

    def test_names_without_prefix_are_found(self):
        text = (
            "#define NWBZ_GOOD 1\n#define BAD 1\ntypedef struct nwbz_a {\n    int b;\n} nwbz_a;\n"
            "typedef struct c {\n    int d;\n} c;\ntypedef struct nwbz_e nwbz_e;\ntypedef struct f f;\n"
            "typedef int (*nwbz_g)(void *);\ntypedef int (*h)(void *);\n"
        )
        with SampleTree({"include/nwbz/a.h": text}) as root:
            found = wrong_names(root, "include", ("nwbz_",), ("NWBZ_",))
        self.assertEqual([f.split(": ")[1].split()[1] for f in found], ["BAD", "c", "f", "h"])


if __name__ == "__main__":
    unittest.main()
