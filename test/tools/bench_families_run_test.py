#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/bench_peers svm --data-set without the peers: arguments, the sample of cells, the cap, and krossfold alone."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "bench_peers"
KROSSFOLD = os.environ.get("KROSSFOLD_EXECUTABLE") or ROOT / "build" / "release" / "bin" / "krossfold"
sys.path.insert(0, str(TOOL.parent))
sys.path.insert(0, str(TOOL.parent / "peers"))
import sklearn_families  # noqa: E402
from peers import svm_families  # noqa: E402


class BenchFamilies(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-families-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_tool(self, *arguments):
        command = [sys.executable, TOOL, "svm", "--krossfold", KROSSFOLD, *arguments]
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100, check=False)

    def test_names_what_is_wrong_with_an_argument(self):
        for arguments, said in (
            (["--data-set", "swirls"], "'swirls' is no family (known: moons, clusters"),
            (["--data-set", "moons", "--log10-c", "3"], "'3' is no range (two ascending numbers are needed) write -2:3"),
            (["--data-set", "moons", "--only", "liquidsvm"], "give --liquidsvm FOLDER"),
            (["--data-set", "moons", "--only", "before"], "give --before FILE"),
            (["--data-set", "covtype", "--only", "krossfold"], "the data of covtype are liquidSVM's"),
            (["--only", "before"], "before runs on families of data only"),
        ):
            with self.subTest(arguments):
                result = self.run_tool(*arguments)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(said, result.stderr)

    def test_measures_krossfold_alone_and_goes_on_from_its_figures(self):
        figures = self.folder / "figures.json"
        arguments = ("--data-set", "moons,rare", "--only", "krossfold", "--limit", 120, "--grid", "3x2", "--json", figures)
        result = self.run_tool(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in ("moons", "rare"):
            self.assertRegex(result.stdout, rf"{name} +krossfold +[\d.]+ +1 +C = ")
        stored = json.loads(figures.read_text())
        stored["rows"]["moons"][0][2] = "as stored"
        del stored["rows"]["rare"]
        figures.write_text(json.dumps(stored))
        again = self.run_tool(*arguments)
        self.assertIn("as stored", again.stdout)
        self.assertRegex(again.stdout, r"rare +krossfold")
        other = self.run_tool(*arguments, "--folds", 3)
        self.assertEqual(other.returncode, 2)
        self.assertIn("has figures of other settings", other.stderr)

    def test_an_earlier_program_is_a_peer_with_the_same_best_cell(self):
        result = self.run_tool("--data-set", "clusters", "--only", "before", "--before", KROSSFOLD, "--limit", 90, "--grid", "2x2")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line.split() for line in result.stdout.splitlines() if line.startswith("clusters")]
        self.assertEqual([row[1] for row in rows], ["krossfold", "before"])
        self.assertEqual(*(line.split(" C = ")[1] for line in result.stdout.splitlines() if line.startswith("clusters")))

    def test_a_duality_gap_is_a_peer_and_says_how_far_its_cells_are(self):
        result = self.run_tool("--data-set", "clusters", "--only", "gap", "--limit", 90, "--grid", "2x2")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = [line for line in result.stdout.splitlines() if line.startswith("clusters")]
        self.assertEqual([row.split()[1] for row in rows], ["krossfold", "gap"])
        self.assertRegex(rows[1], r"cells differ by \d+\.\d\d % at most")

    def test_the_sample_of_cells_covers_the_grid(self):
        for gammas, cs, count in ((6, 6, 12), (6, 6, 100), (24, 24, 12), (1, 5, 3)):
            cells = svm_families.sampled_cells(gammas, cs, count)
            self.assertEqual(len(cells), min(count, gammas * cs))
            self.assertEqual(len(set(cells)), len(cells))
            self.assertTrue(all(g < gammas and c < cs for g, c in cells))
        cells = svm_families.sampled_cells(6, 6, 12)
        self.assertEqual({g for g, _ in cells}, set(range(6)))
        self.assertEqual({c for _, c in cells}, set(range(6)))

    def test_a_fit_beyond_the_cap_is_ended(self):
        start = time.monotonic()
        self.assertIsNone(sklearn_families.in_child(lambda: time.sleep(60), 0.2))
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(sklearn_families.in_child(lambda: [1.5, 3], 60), [1.5, 3])

    def test_a_capped_time_is_a_lower_bound_and_its_counts_do_not_compare(self):
        class Two:
            c, gamma, bounds = [1, 10], [0.1], [0, 10, 20]

        own = {"wrong": [[[1, 2], [5, 5]]]}
        found = {"cells": [(0, 0), (0, 1)], "wrong": [[1, 4], [None, 9]], "capped": 1, "search": 7.0}
        self.assertEqual(svm_families.cells_apart(Two, own, found), (1, 1))


if __name__ == "__main__":
    unittest.main()
