#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A file that crashes the HDF5 library is an error of its name, in every command that reads one."""

import os
import unittest

import h5py
import numpy
from krossfold_cli import DONE, USAGE, CommandTest, models_of

PRETEND = os.environ["KROSSFOLD_PRETEND_LIBRARY"]
SEARCH = ("svm", "--limit", 150, "--grid", "2x2", "--folds", 2)


class Hdf5Crash(CommandTest):
    def refuse(self, file, *arguments, ranks=None):
        """Runs a command while the library crashes; it must name the file, say so, and touch nothing."""
        before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        result = self.run_command(*arguments, ranks=ranks, LD_PRELOAD=PRETEND, KROSSFOLD_PRETEND_CRASH=1)
        self.assertEqual(result.code, USAGE, result)
        self.assertIn(f"cannot read {file} (the HDF5 library crashed: Aborted) The file is damaged, or made to do this",
                      result.err)
        after = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(before, after)

    def test_data(self):
        with h5py.File(self.folder / "data.h5", "w") as file:
            file["x"] = numpy.random.default_rng(1).normal(size=(60, 3))
            file["y"] = numpy.arange(60) % 2
        for ranks in (None, 2):
            self.refuse("data.h5", "svm", "--data", "hdf5:data.h5", "-o", "r.h5", ranks=ranks)
        self.refuse("data.h5", "data", "hdf5:data.h5")

    def test_results_and_models(self):
        self.succeed(*SEARCH, "-o", "r.h5")
        (model,) = models_of(self.folder / "r.h5").glob("*.h5")
        model = model.relative_to(self.folder)
        self.refuse("r.h5", "report", "r.h5")
        self.refuse("r.h5", *SEARCH, "-o", "r.h5")
        self.refuse("r.h5", "plan", "r.h5", "--formation", "1x2")
        for file in ("r.h5", model):
            self.refuse(file, "predict", file, "digits")
        self.assertEqual(self.run_command("report", "r.h5", LD_PRELOAD=PRETEND).code, DONE)


if __name__ == "__main__":
    unittest.main()
