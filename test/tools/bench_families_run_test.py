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
import numpy as np  # noqa: E402
import peer_families  # noqa: E402
import stand_ins  # noqa: E402
from peers import family_figures, family_tools, svm_families  # noqa: E402

# Answers tasks as if no sample were wrong, and as if the second fit of the first cell had been ended at the cap.
PEERS = stand_ins.peer_python("""
    folds = len(task["bounds"]) - 1
    wrong = [[0] * folds for _ in task["cells"]]
    wrong[0][1] = None
    seconds = [[2.0] for _ in task["gamma"]] if task["tool"] == "torchkm" else [[0.5] * folds for _ in task["cells"]]
    print(json.dumps({"seconds": seconds, "wrong": wrong, "capped": 1, "open": 3 if task["tool"] == "torchkm" else None}))
""")


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
            (["--only", "libsvm"], "libsvm runs on families of data only"),
            (["--data-set", "moons", "--sample", "some"], "'some' is no number of cells (a whole number from 1 or all is needed)"),
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
        stored["families"]["moons"]["tools"]["krossfold"]["note"] = "as stored"
        del stored["families"]["rare"]
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

    def test_all_cells_of_the_grid_can_be_asked_for(self):
        counted = []
        for sample in ("all", "6", "1000"):
            figures = self.folder / f"{sample}.json"
            result = self.run_peers("clusters", "libsvm", "--sample", sample, "--json", figures)
            self.assertIn("6 of 6 cells measured", result.stdout)
            counted.append(json.loads(figures.read_text())["settings"])
        self.assertEqual(counted[0], counted[1])
        self.assertEqual(counted[0], counted[2])
        self.assertEqual(svm_families.sampled_cells(2, 3, 6), [(g, c) for g in range(2) for c in range(3)])

    def run_peers(self, data, names, *arguments):
        stand_ins.write_program(self.folder / "venv" / "bin" / "python", PEERS)
        result = self.run_tool("--data-set", data, "--only", names, "--limit", 90, "--grid", "3x2", "--venv", self.folder / "venv", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_names_the_folds_that_are_apart_from_those_of_krossfold(self):
        figures = self.folder / "figures.json"
        result = self.run_peers("noisy-5", "libsvm", "--sample", "all", "--json", figures)
        self.assertIn("libsvm-official 1.0", result.stdout)
        self.assertRegex(result.stdout, r"libsvm +>= 15.0 +>= [\d.]+ \([\d.]+-[\d.]+\) +6 of 6 cells measured, 1 fits ended at the cap; 5 of 5 cells apart")
        self.assertRegex(result.stdout, "noisy-5 +krossfold-ovo")
        tools = json.loads(figures.read_text())["families"]["noisy-5"]["tools"]
        libsvm = tools["libsvm"]
        self.assertEqual((libsvm["seconds"], libsvm["bound"], libsvm["compared"], libsvm["different"]), ([15.0], True, 5, 5))
        np.testing.assert_allclose(libsvm["ratios"], [15 / own for own in tools["krossfold-ovo"]["seconds"]])
        self.assertEqual({fold["wrong"] for fold in libsvm["apart"]}, {0})
        self.assertTrue(all(fold["krossfold"] > 1 and 0 <= fold["fold"] < 5 for fold in libsvm["apart"]))
        cells = {(fold["C"], fold["gamma"]) for fold in libsvm["apart"]}
        self.assertEqual(len(cells), 5)
        self.assertNotIn((0.01, min(gamma for _, gamma in cells)), cells)  # a fold of it did not end

    def test_a_peer_of_two_classes_takes_whole_paths_and_refuses_more_classes(self):
        figures = self.folder / "figures.json"
        result = self.run_peers("noisy-5,clusters", "torchkm", "--json", figures)
        self.assertIn("torchkm 1.0; torch 1.0", result.stdout)
        self.assertNotIn("scikit-learn", result.stdout)
        said = "its own stopping rule, 3 of 6 cells not converged, 1 of 2 paths ended at the cap; 5 of 5 cells apart"
        self.assertRegex(result.stdout, r"noisy-5 +torchkm +>= 4.00 .* C = 0.01, gamma = [\d.e-]+: 0.00 %; " + said)
        self.assertRegex(result.stdout, r"clusters +torchkm +- +- +binary only")
        self.assertNotRegex(result.stdout, "clusters +krossfold")
        clusters = json.loads(figures.read_text())["families"]["clusters"]
        self.assertEqual((clusters["classes"], clusters["tools"]["torchkm"]["refused"]), (3, "binary only"))

    def test_figures_of_an_earlier_form_are_refused(self):
        figures = self.folder / "figures.json"
        figures.write_text(json.dumps({"settings": {}, "rows": {"moons": [["moons", "krossfold", "1", "1", ""]]}}))
        result = self.run_tool("--data-set", "moons", "--only", "krossfold", "--json", figures)
        self.assertEqual(result.returncode, 2)
        self.assertIn("(an earlier bench_peers wrote it, as texts) measure again", result.stderr)

    def test_only_the_packages_of_the_peers_asked_for_are_needed(self):
        self.assertEqual(family_tools.packages_of(["libsvm", "sklearn-ovr", "sklearn-ovo", "gap"]), ("libsvm-official", "scikit-learn"))
        self.assertEqual(family_tools.packages_of(["liquidsvm", "before"]), ())

    def test_a_fit_beyond_the_cap_is_ended(self):
        start = time.monotonic()
        self.assertIsNone(peer_families.in_child(lambda: time.sleep(60), 0.2))
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(peer_families.in_child(lambda: [1.5, 3], 60), [1.5, 3])
        long = list(range(50000))  # more than a pipe holds
        self.assertEqual(peer_families.in_child(lambda: long, 60), long)
        with self.assertRaisesRegex(SystemExit, "a fit failed"):
            peer_families.in_child(lambda: os._exit(3), 60)

    def test_each_cell_and_fold_is_fitted_once_and_a_capped_one_counts_as_the_cap(self):
        task = {"C": [1, 10], "gamma": [0.1, 0.2], "cells": [(0, 1), (1, 0)], "bounds": [0, 3, 7], "cap": 0.5}

        def fit(c, gamma, fold):
            time.sleep(60 if (c, fold) == (1, 1) else 0)
            return gamma, int(c + fold)

        found = peer_families.cell_by_cell(task, fit)
        self.assertEqual(found, {"seconds": [[0.1, 0.1], [0.2, 0.5]], "capped": 1, "wrong": [[10, 11], [1, None]], "open": None})
        train, held = peer_families.splits(task["bounds"])[1]
        self.assertEqual((train.tolist(), held.tolist()), ([0, 1, 2], [3, 4, 5, 6]))

    def test_a_path_counts_wrong_samples_by_fold_and_what_did_not_converge(self):
        y, bounds = [0, 1, 1, 0], [0, 2, 4]
        score = np.array([[-1, 1, 0], [2, -1, 0], [1, 1, 0], [-3, 1, 0]])
        wrong = [[0, 0], [2, 1], [1, 1]]
        self.assertEqual(peer_families.path_counts(score, y, bounds, 0, [True, True, False], ""), (wrong, [2]))
        said = "Exceeded maximum delta iterations for lambda 1\n"
        self.assertEqual(peer_families.path_counts(score, y, bounds, -3, [True] * 3, said), ([*wrong[:2], [None, None]], [1, 2]))

    def test_a_path_that_is_ended_has_no_counts(self):
        task = {"C": [1, 10], "gamma": [0.1, 0.2], "bounds": [0, 3, 7], "cap": 0.5}

        def path(gamma):
            time.sleep(60 if gamma == 0.2 else 0)
            return 0.25, [[1, 2], [3, 4]], [1]

        found = peer_families.path_by_path(task, path)
        self.assertEqual(found["wrong"], [[1, 2], [3, 4], [None, None], [None, None]])
        self.assertEqual((found["seconds"], found["capped"], found["open"]), ([[0.25], [0.5]], 1, 1))

    def test_cells_with_a_fold_that_was_ended_do_not_compare(self):
        class Two:
            c, gamma, bounds = [1, 10, 100], [0.1], [0, 10, 20]

        own = {"wrong": [[[1, 2], [5, 5], [7, 7]]]}
        found = {"cells": [(0, 0), (0, 1), (0, 2)], "wrong": [[1, 4], [None, 9], [7, 8]]}
        fold = {"C": 1, "gamma": 0.1, "fold": 1, "wrong": 4, "krossfold": 2}
        self.assertEqual(family_figures.compare(Two, own, found), {"apart": [fold], "compared": 2, "different": 2})


if __name__ == "__main__":
    unittest.main()
