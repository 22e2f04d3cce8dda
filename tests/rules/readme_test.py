"""What README.md shows is there: its C code stands in the example it names, links lead to files, make has its targets."""

import re
import unittest

from tree import ROOT, SampleTree

C_BLOCK = re.compile(r"<!-- from (\S+) -->\n```c\n(.*?)```", re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def violations(root):
    """Check README.md."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    found = [
        f"the code block is not in {name}"
        for name, code in C_BLOCK.findall(readme)
        if not (root / name).is_file() or code not in (root / name).read_text(encoding="utf-8")
    ]
    found += [f"link to {link}: no such file" for link in LINK.findall(readme) if not (root / link).exists()]
    targets = set(re.findall(r"^([a-z]+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    found += [
        f"make {target}: no such target"
        for target in re.findall(r"^ {4}make (\w+)", readme, re.MULTILINE)
        if target not in targets
    ]
    return found


class TheReadme(unittest.TestCase):
    def test_what_it_shows_is_there(self):
        self.assertEqual(violations(ROOT), [])

    def test_it_shows_code(self):
        self.assertEqual(len(C_BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))), 1)


class TheRule(unittest.TestCase):
    def test_code_and_links_and_targets_that_are_not_there_are_found(self):
        readme = "    make all\n<!-- from e.c -->\n```c\nint b;\n```\n[x](y.md) [z](https://example.org)\n"
        with SampleTree({"README.md": readme, "e.c": "int a;\n", "Makefile": "test:\n"}) as root:
            self.assertEqual(
                violations(root),
                ["the code block is not in e.c", "link to y.md: no such file", "make all: no such target"],
            )


if __name__ == "__main__":
    unittest.main()
