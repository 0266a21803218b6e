#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_training on trainings made here."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from plot_svm_test import png_size

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "plot_training"
KROSSFOLD = os.environ.get("KROSSFOLD_EXECUTABLE")
NAMES = ("names", "--limit", "100", "--workers", "1,2", "--batch-per-worker", "10,20", "--rate", ".01,.02", "--epochs", "2",
         "--layers", "1", "--hidden", "8", "-o", "n.h5")
TRAIN = ("train", "cnn", "--limit", "100", "--channels", "2", "--hidden", "8", "--epochs", "2", "-o", "t.h5")


class PlotTraining(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.path = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        for words in (NAMES, TRAIN):
            subprocess.run([KROSSFOLD, *words], cwd=cls.path, capture_output=True, check=True)

    def run_tool(self, *words):
        return subprocess.run([sys.executable, TOOL, *words], cwd=self.path, capture_output=True, text=True, check=False)

    def test_draws_what_there_is_of_each_study(self):
        for file, plots in (("n.h5", ("epochs", "seconds", "target")), ("t.h5", ("epochs", "seconds"))):
            found = self.run_tool(file)
            self.assertEqual(found.returncode, 0, found.stderr)
            paths = found.stdout.split()
            self.assertEqual(paths, [f"{file[0]}_{plot}.png" for plot in plots])
            for path in paths:
                width, height = png_size(self.path / path)
                self.assertGreater(width, 500)
                self.assertGreater(height, 400)

    def test_other_files_are_refused(self):
        (self.path / "x.h5").write_bytes(b"nothing")
        for file, problem in (("x.h5", "x.h5"), ("missing.h5", "missing.h5")):
            found = self.run_tool(file)
            self.assertEqual(found.returncode, 2)
            self.assertIn(problem, found.stderr)
            self.assertNotIn("Traceback", found.stderr)
        found = self.run_tool("n.h5", "-o", "nowhere/n")
        self.assertEqual(found.returncode, 2)
        self.assertIn("cannot write", found.stderr)


if __name__ == "__main__":
    unittest.main()
