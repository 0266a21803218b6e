#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plot_cost on small result files made here."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from plot_svm_test import np, png_size, result_bytes

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "plot_cost"


class PlotCost(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def search(self, samples, seconds, status=1, grid=3):
        """A result file whose six units take `seconds` together."""
        content = {
            "/unit/seconds": np.full((3, 2), seconds / 6),
            "/unit/status": np.full((3, 2), status, dtype=np.int32),
            "/fold_error": np.zeros((3, grid, 2)),
        }

        def edit(file):
            file.attrs["n_train"] = samples

        path = self.path / f"{samples}.h5"
        path.write_bytes(result_bytes(content, edit))
        return str(path)

    def run_tool(self, *arguments):
        picture = self.path / "cost.png"
        found = subprocess.run(
            [sys.executable, TOOL, *arguments, "-o", picture], capture_output=True, text=True, check=False
        )
        return found, picture

    def test_finds_the_exponent_and_draws(self):
        files = [self.search(n, 1e-6 * n**2.25) for n in (4000, 1000, 2000)]
        found, picture = self.run_tool(*files)
        self.assertEqual(found.returncode, 0, found.stderr)
        lines = found.stdout.splitlines()
        self.assertIn("exponent 2.25", lines)
        self.assertEqual([line.split()[0] for line in lines[:3]], ["1000", "2000", "4000"])
        self.assertTrue(lines[2].endswith("exponent 2.25 from the size before"), lines[2])
        width, height = png_size(picture)
        self.assertGreater(width, 600)
        self.assertGreater(height, 400)

    def test_refuses_what_has_no_cost_over_n(self):
        whole, unfinished = self.search(1000, 1.0), self.search(2000, 1.0, status=0)
        other = self.search(3000, 1.0, grid=4)
        for files in ([whole], [whole, unfinished], [whole, whole], [whole, other], [str(self.path / "none.h5")]):
            found, picture = self.run_tool(*files)
            self.assertEqual(found.returncode, 2, files)
            self.assertTrue(found.stderr.startswith("plot_cost: "), found.stderr)
            self.assertNotIn("Traceback", found.stderr)
            self.assertFalse(picture.exists())


if __name__ == "__main__":
    unittest.main()
