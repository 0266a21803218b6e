#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/scaling_study on 1 and 2 ranks, and its statistics and rules."""

import os
import random
import subprocess
import sys
import unittest

from plot_case import TOOLS, PlotCase, load_tool

sys.path.insert(0, str(TOOLS.parent / "test" / "cli"))
import krossfold_cli  # noqa: E402
from scaling import rules, runs, study_file, table  # noqa: E402
from scaling.intervals import coverage, median_interval  # noqa: E402

plot_scaling = load_tool("plot_scaling")


class Statistics(unittest.TestCase):
    def test_coverages_are_those_of_the_tables(self):
        """The well-known confidence of [smallest, largest] for 5 and 6 values, and of the 2nd to 8th of 9 and 2nd to 9th of 10."""
        for n, k, known in ((5, 1, 0.9375), (6, 1, 0.96875), (9, 2, 0.9609375), (10, 2, 0.978515625)):
            self.assertAlmostEqual(coverage(n, k), known, places=12)
        self.assertEqual(median_interval([3, 1, 2, 9, 8, 7, 4, 6, 5])[:3], (5, 2, 8))

    def test_intervals_hold_the_median_as_often_as_they_say(self):
        draw, count = random.Random(4), 4000
        hits = sum(low <= 1 <= high for _, low, high, _ in (median_interval([2 ** draw.gauss(0, 1) for _ in range(6)]) for _ in range(count)))
        self.assertAlmostEqual(hits / count, 0.96875, delta=4 * (0.97 * 0.03 / count) ** 0.5)

    def test_drift_common_to_a_round_leaves_the_speed_up(self):
        rows = [{"formation": p, "round": r, "exit_code": 0, "wall_seconds": (1 + r) * 6 / p, "study_seconds": 1} for r in range(6) for p in (1, 3)]
        found = table.summary({"ranks": [1, 3], "kind": "strong"}, rows)[1]
        self.assertEqual((found["speed_up"][:3], found["efficiency"][0]), ((3, 3, 3), 1))


class Rules(unittest.TestCase):
    def test_work_is_multiplied(self):
        self.assertEqual(rules.grown("svm", ["--limit", "9"], 3), ["--limit", "9", "--repeats", "3"])
        self.assertEqual(rules.grown("bag", ["--bootstraps=4"], 2), ["--bootstraps", "8"])
        self.assertEqual(rules.grown("train", ["mlp", "--batch", "5", "--epochs", "2"], 4), ["mlp", "--batch", "20", "--epochs", "8"])
        for options in (["mlp"], ["mlp", "--batch", "5", "--epochs", "2", "--strategy", "single"]):
            self.assertRaises(rules.RuleError, rules.grown, "train", options, 2)

    def test_what_may_differ_is_what_the_tests_of_the_program_say(self):
        self.assertEqual(runs.TIMES_AND_PLACES.pattern, krossfold_cli.TIMES_AND_PLACES.pattern)
        self.assertEqual(runs.RUN_ATTRIBUTES, krossfold_cli.RUN_ATTRIBUTES)


class Study(PlotCase):
    tool = "scaling_study"

    def study(self, *options, repeats=1, more=()):
        command = [sys.executable, str(TOOLS / "scaling_study"), "svm", "--ranks", "1,2", "--repeats", str(repeats), "-o", "s.h5", *more,
                   "--launcher", krossfold_cli.MPIRUN, "--krossfold", krossfold_cli.EXECUTABLE, "--", "--limit", "120", "--grid", "2x2", *options]  # fmt: skip
        return subprocess.run(command, cwd=self.folder, env={**os.environ, **krossfold_cli.ENVIRONMENT}, capture_output=True, text=True, timeout=100)

    def test_goes_on_refuses_others_and_finds_equal_bits(self):
        first = self.study()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("results of all formations: bitwise identical", first.stdout)
        _, before = study_file.read(self.folder / "s.h5")
        self.assertEqual(self.study(repeats=2).returncode, 0)
        settings, rows = study_file.read(self.folder / "s.h5")
        self.assertEqual(str(rows[:2]), str(before))
        self.assertEqual([(row["round"], row["formation"]) for row in rows], [(0, 1), (0, 2), (1, 2), (1, 1)])
        other = self.study("--seed", "3")
        self.assertEqual(other.returncode, 2)
        self.assertIn("is of another study (its options", other.stderr)
        self.assert_readable(plot_scaling.draw(settings, rows, "wall_seconds"))

    def test_failures_are_kept_and_named(self):
        done = self.study("--folds", "100000")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("round 1 on 2 ranks failed (exit code 2", done.stdout)
        self.assertEqual([row["exit_code"] for row in study_file.read(self.folder / "s.h5")[1]], [2, 2])


if __name__ == "__main__":
    unittest.main()
