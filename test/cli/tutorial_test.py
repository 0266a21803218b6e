#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of docs/tutorial.md print what it shows; `...` there stands for anything."""

import doctest
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from krossfold_cli import EXECUTABLE, ROOT, CommandTest, environment

TUTORIAL = ROOT / "docs" / "tutorial.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples():
    """(command, output) of each indented line that begins with "$ "."""
    found = []
    for line in TUTORIAL.read_text(encoding="utf8").splitlines():
        if line.startswith("    $ "):
            found.append((line[6:], []))
        elif line.startswith("    ") and found:
            found[-1][1].append(line[4:])
        elif line and found:
            found.append(("", []))  # the block has ended
    return [(command, "\n".join(output)) for command, output in found if command]


class Tutorial(CommandTest):
    def test_commands_print_what_is_shown(self):
        for table in ("clinic.csv", "new_visits.csv"):
            shutil.copy(ROOT / "docs" / "tutorial" / table, self.folder)
        for tool in ("plot_svm", "plot_predictions"):
            (self.folder / "tools").mkdir(exist_ok=True)
            (self.folder / "tools" / tool).symlink_to(ROOT / "tools" / tool)
        places = [pathlib.Path(EXECUTABLE).resolve().parent, pathlib.Path(sys.executable).parent, os.environ["PATH"]]
        checker, shown = doctest.OutputChecker(), examples()
        self.assertGreater(len(shown), 10)
        for command, expected in shown:
            with self.subTest(command):
                done = subprocess.run(["bash", "-c", f"{{ {command}; }} 2>&1"], cwd=self.folder, capture_output=True, text=True,
                                      env={**environment(), "PATH": ":".join(map(str, places))}, check=False)
                self.assertEqual(done.returncode != 0, "error:" in expected, done.stdout)
                if not checker.check_output(expected + "\n", done.stdout, FLAGS):
                    self.fail(f"expected\n{expected}\nfound\n{done.stdout}")
        pictures = sorted((self.folder / "plots").glob("*.png"))
        self.assertGreater(len(pictures), 4)

    def test_its_tables_are_those_of_the_script(self):
        subprocess.run([sys.executable, ROOT / "docs" / "tutorial" / "make_clinic.py"], cwd=self.folder, check=True)
        for table in ("clinic.csv", "new_visits.csv"):
            self.assertEqual((self.folder / table).read_bytes(), (ROOT / "docs" / "tutorial" / table).read_bytes(), table)


if __name__ == "__main__":
    unittest.main()
