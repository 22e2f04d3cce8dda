"""Read a source tree for the rule tests: which files there are, what they include, their text without comments."""

import pathlib
import re
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def c_files(root, folder):
    """All .c and .h files below a folder of the tree, sorted; none if there is no such folder."""
    return sorted(p for p in (root / folder).rglob("*") if p.suffix in (".c", ".h"))


def without_comments(text, keep_strings=False):
    """The text of a C file with comments (and the insides of literals) blanked; lines keep their numbers."""

    def blank(match):
        token = match.group(0)
        if token[0] == "/":
            return re.sub(r"[^\n]", " ", token)
        return token if keep_strings else token[0] + " " * (len(token) - 2) + token[-1]

    return TOKEN.sub(blank, text)


def includes(path):
    """[(line, name, is_quoted)] of a C file."""
    text = without_comments(path.read_text(encoding="utf-8"), keep_strings=True)
    return [(text.count("\n", 0, m.start()) + 1, m.group(2), m.group(1) == '"') for m in INCLUDE.finditer(text)]


def place(root, path, line=None):
    """How a file (and line) is named in a message."""
    name = path.relative_to(root).as_posix()
    return name if line is None else f"{name}:{line}"


class SampleTree:
    """A small tree for showing that a rule can fail:  with SampleTree({"src/base/x.c": "..."}) as root: ..."""

    def __init__(self, files):
        self.files = files

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.folder.name)
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return root

    def __exit__(self, *_):
        self.folder.cleanup()
