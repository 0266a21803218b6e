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
            if block.startswith("pip "):
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

    def test_the_examples(self):
        examples = sorted((ROOT / "python/examples").glob("*.py"))
        self.assertTrue(examples)
        for example in examples:
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "MPLBACKEND": "Agg"}
            done = subprocess.run([sys.executable, "-W", "ignore", example], capture_output=True, text=True, check=False, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            accuracy = float(re.search(r"test accuracy (\S+)", done.stdout)[1])
            self.assertGreater(accuracy, 0.97)
        self.assertTrue((self.folder / "digits.h5").exists())


if __name__ == "__main__":
    unittest.main()
