"""Shell scripts pass shellcheck; Python scripts compile; nothing in the tree needs what a fresh machine lacks."""

import re
import shutil
import subprocess
import unittest

from tree import ROOT, SampleTree


def shell_scripts(root):
    """All shell scripts of the tree."""
    found = [p for folder in ("scripts", "tests", "bench", "fuzz") for p in (root / folder).rglob("*.sh")]
    return sorted(found + [p for p in [root / ".ci/run"] if p.is_file()])


def shellcheck(paths):
    """What shellcheck says; empty if nothing.  Fine here: $name[ in a pattern, a comma at the end of a shape."""
    command = ["shellcheck", "--shell=bash", "--severity=warning", "--exclude=SC1087,SC2258,SC2034", *map(str, paths)]
    return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def packages(root):
    """{package: (needed for, check)} of scripts/packages.txt."""
    rows = [
        line.split()
        for line in (root / "scripts/packages.txt").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    return {package: (needed, check) for package, needed, check in rows}


class TheTree(unittest.TestCase):
    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck")
    def test_shell_scripts_pass_shellcheck(self):
        self.assertEqual(shellcheck(shell_scripts(ROOT)), "")

    def test_every_library_that_cmake_asks_for_is_installed(self):
        asked = set(
            re.findall(
                r"pkg_check_modules\(\w+ (?:REQUIRED )?IMPORTED_TARGET ([\w.+-]+)\)",
                "".join(p.read_text() for p in (ROOT / "cmake").glob("*.cmake")),
            )
        )
        self.assertGreater(len(asked), 0)
        self.assertEqual(asked, {check[3:] for _, check in packages(ROOT).values() if check.startswith("pc:")})

    def test_ci_runs_the_command_of_the_readme(self):
        self.assertIn("make test", (ROOT / ".ci/run").read_text())
        self.assertIn("make test", (ROOT / "README.md").read_text())


class TheRule(unittest.TestCase):
    @unittest.skipUnless(shutil.which("shellcheck"), "no shellcheck")
    def test_a_wrong_script_is_found(self):
        with SampleTree({"scripts/a.sh": "#!/bin/bash\ncd somewhere\nrm -rf $1/*\n"}) as root:
            self.assertIn("SC2164", shellcheck(shell_scripts(root)))


if __name__ == "__main__":
    unittest.main()
