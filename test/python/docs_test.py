#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lines of docs/python.md and python/README.md and the examples of python/examples run as they stand."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import unittest
import warnings

from python_case import ROOT, CommandTest, optional, use_program

sklearn, pandas, xarray = optional("sklearn", "pandas", "xarray")


def blocks(page):
    """The indented blocks of a page of Markdown."""
    text = (ROOT / page).read_text(encoding="utf8")
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, re.MULTILINE):
        yield re.sub(r"^    ", "", block, flags=re.MULTILINE).strip()


@unittest.skipUnless(sklearn and pandas and xarray, "python3 lacks scikit-learn, pandas or xarray (on Debian: python3-sklearn, -pandas, -xarray)")
class Docs(CommandTest):
    def setUp(self):
        super().setUp()
        use_program()
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def run_page(self, page):
        """Runs its commands and its lines of Python in order; returns what they print."""
        names, ran, printed = {}, 0, io.StringIO()
        for block in blocks(page):
            if block.startswith(("pip ", "KrossfoldSearchCV  ")):  # and what an example prints
                continue
            if block.startswith("krossfold "):
                for line in block.splitlines():
                    self.succeed(*shlex.split(line)[1:], "--quiet")
                continue
            with contextlib.redirect_stdout(printed), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(compile(block, page, "exec"), names)  # noqa: S102
            ran += len(block.splitlines())
        self.assertGreater(ran, 10)
        return printed.getvalue()

    def test_the_page(self):
        self.assertIn("('gamma', 'C', 'fold', 'class_name')", self.run_page("docs/python.md"))

    def test_the_readme(self):
        self.succeed("svm", "--data", "digits", "--grid", "3x3", "--quiet", "-o", "results.h5")
        self.assertIn("finished {'C': ", self.run_page("python/README.md"))

    def run_example(self, name, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        command = [sys.executable, "-W", "ignore", ROOT / "python/examples" / name, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_examples(self):
        accuracy = re.search(r"test accuracy (\S+)", self.run_example("digits_search.py"))
        self.assertGreater(float(accuracy[1]), 0.97)
        self.assertTrue((self.folder / "digits.h5").exists())
        difference = re.search(r"difference of a mean score: (\S+)", self.run_example("compare_with_grid_search.py", "3"))
        self.assertLess(float(difference[1]), 1e-12)
        self.assertEqual(len(list((ROOT / "python/examples").glob("*.py"))), 2)


if __name__ == "__main__":
    unittest.main()
