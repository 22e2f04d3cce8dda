"""Print how long functions and files are.  The numbers are for looking again, not for failing."""

import json
import shutil
import statistics
import subprocess
import unittest

from tree import ROOT, SampleTree, c_files, place

FOLDERS = ["include", "src", "cli"]
LONG_FUNCTION, LONG_FILE, LONG_LINE = 60, 500, 120


def functions(root):
    """[(lines, place, name)] of every function, longest first, by universal-ctags."""
    paths = [str(p) for folder in FOLDERS for p in c_files(root, folder) if p.suffix == ".c"]
    if not paths:
        return []
    command = ["ctags", "--output-format=json", "--fields=+ne", "--languages=C", "--kinds-C=f", "-L", "-", "-f", "-"]
    done = subprocess.run(command, input="\n".join(paths), stdout=subprocess.PIPE, check=True, text=True)
    tags = [json.loads(line) for line in done.stdout.splitlines()]
    found = [
        (t["end"] - t["line"] + 1, f"{t['path'].removeprefix(str(root) + '/')}:{t['line']}", t["name"])
        for t in tags
        if "end" in t
    ]
    return sorted(found, reverse=True)


def files(root):
    """[(lines, place, lines that are too long)] of every file, longest first."""
    found = []
    for path in (p for folder in FOLDERS for p in c_files(root, folder)):
        lines = path.read_text(encoding="utf-8").splitlines()
        found.append((len(lines), place(root, path), sum(len(line) > LONG_LINE for line in lines)))
    return sorted(found, reverse=True)


def has_universal_ctags():
    """Say whether ctags is there and knows JSON."""
    if not shutil.which("ctags"):
        return False
    features = subprocess.run(
        ["ctags", "--list-features"], check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ).stdout
    return "json" in features


class TheTree(unittest.TestCase):
    def test_files(self):
        lengths = files(ROOT)
        self.assertGreater(len(lengths), 0)
        print(
            f"\nfiles: {len(lengths)}, lines: {sum(n for n, _, _ in lengths)}, "
            f"median {statistics.median(n for n, _, _ in lengths):g}; "
            f"public headers: {sum(n for n, name, _ in lengths if name.startswith('include/'))} lines; "
            f"lines over {LONG_LINE}: {sum(n for _, _, n in lengths)}"
        )
        for n, name, _ in lengths:
            if n > LONG_FILE:
                print(f"  {n:5d} {name}")

    @unittest.skipUnless(has_universal_ctags(), "no universal-ctags")
    def test_functions(self):
        lengths = functions(ROOT)
        self.assertGreater(len(lengths), 0)
        long = [f for f in lengths if f[0] > LONG_FUNCTION]
        print(
            f"\nfunctions: {len(lengths)}, median {statistics.median(n for n, _, _ in lengths):g} lines, "
            f"over {LONG_FUNCTION}: {len(long)} ({100 * len(long) / len(lengths):.1f} %)"
        )
        for n, name, function in long:
            print(f"  {n:5d} {name} {function}")


class TheMeasure(unittest.TestCase):
    @unittest.skipUnless(has_universal_ctags(), "no universal-ctags")
    def test_a_function_is_as_long_as_it_is(self):
        text = (
            "static int nz_short(void)\n{\n    return 1;\n}\n\nint nz_long(void)\n{\n"
            + "    nz_short();\n" * 97
            + "}\n"
        )
        with SampleTree({"src/base/a.c": text}) as root:
            self.assertEqual([(n, name) for n, _, name in functions(root)], [(100, "nz_long"), (4, "nz_short")])

    def test_a_file_is_as_long_as_it_is(self):
        with SampleTree({"src/base/a.c": "int nz_a;\n" * 7 + "/" * 121 + "\n"}) as root:
            self.assertEqual(files(root), [(8, "src/base/a.c", 1)])


if __name__ == "__main__":
    unittest.main()
