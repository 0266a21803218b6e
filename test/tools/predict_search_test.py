#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/predict_search on records made here, whose figures can be reckoned by hand."""

import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "predict_search"


def load_tool():
    loader = importlib.machinery.SourceFileLoader("predict_search", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("predict_search", loader))
    sys.modules["predict_search"] = module  # for its dataclasses
    loader.exec_module(module)
    return module


model = load_tool()
# Nothing takes time but what a test sets.
NOTHING = model.Gpu(clock=1e9, memory=1e30, fetch=1e30, latency=0, fp32=1e30, fp64=1e30, launch=0, wait=0, iteration=0, member=0, factor=0, column=0, serial=0)


class PredictSearch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "rounds.txt"

    def record(self, *lines, search="search 1000 10 2 2 3"):
        self.file.write_text("\n".join((search, *lines)) + "\n")
        return model.read(self.file)

    def predict(self, record, folds=1, **assumed):
        return model.predict(record, model.replace(NOTHING, **assumed), folds)[0].seconds

    def test_a_launch_takes_as_long_as_its_longest_problem(self):
        # 3,000 iterations fit a launch: problem 0 takes two, problem 1 one.
        record = self.record("round 0 0 100 0 0 0 5000:0:0", "round 0 1 900 0 0 0 2500:0:0", "gamma 0 0 1 0")
        self.assertAlmostEqual(self.predict(record, iteration=1)["SMO"], (3000 + 2000) / 1e9)
        self.assertAlmostEqual(self.predict(record, member=1)["SMO"], (2500 * 900 + 2000 * 100) / 1e9)
        self.assertAlmostEqual(self.predict(record, launch=1)["launches and fences"], 1 + 2 * 6 + 1 + (4 + 2) + 2 + 1)

    def test_problems_wait_for_the_longest_in_every_round(self):
        record = self.record("round 0 0 100 0 0 0 70:0:0", "round 0 0 100 0 0 0 10:0:0", "round 0 1 100 0 0 0 20:0:0",
                             "round 0 1 100 0 0 0 50:0:0", "gamma 0 0 1 0")  # fmt: skip
        self.assertAlmostEqual(self.predict(record, iteration=1)["SMO"], (70 + 50) / 1e9)

    def test_folds_that_were_not_recorded_are_like_those_that_were(self):
        record = self.record("round 0 0 100 0 0 40 70:0:0", "gamma 0 0 1 0", "round 0 0 100 0 0 20 90:0:0", "gamma 0 1 1 0")
        for folds, longest, rows in ((1, 70, 40), (2, 90, 60), (3, 90, 100)):
            seconds = self.predict(record, folds, iteration=1, memory=4000)
            self.assertAlmostEqual(seconds["SMO"], longest / 1e9)
            self.assertAlmostEqual(seconds["gradients"], rows)

    def test_a_newton_step_takes_as_many_factorisations_as_its_cost_says(self):
        cost = 3 * model.factor_cost(64)
        record = self.record(f"round 0 0 100 0 0 0 70:64:{cost}", f"round 0 1 100 0 0 0 70:64:{cost}", "gamma 0 0 1 0")
        self.assertAlmostEqual(self.predict(record, fp64=1)["Newton: Cholesky"], 2 * 3 * 64**3 / 3 * 2)
        self.assertAlmostEqual(self.predict(record, factor=1)["Newton: Cholesky"], 3 * 64 / 1e9)

    def test_a_gathered_element_costs_a_sector_of_memory_but_no_more_than_its_row(self):
        record = self.record("round 0 0 100 0 10 0 1:0:0", "round 0 1 900 0 10 0 1:0:0", "gamma 0 0 1 0")
        self.assertAlmostEqual(self.predict(record, memory=1)["kernel rows of working sets"], 10 * 3200 + 10 * 4000)

    def test_the_distances_are_computed_once_and_the_kernel_for_each_gamma(self):
        record = self.record("gamma 0 0 1 0", "gamma 1 0 1 0")
        seconds = self.predict(record, fp32=1, memory=1)
        self.assertAlmostEqual(seconds["distances, once"], 2 * 10 * 1000**2)
        self.assertAlmostEqual(seconds["kernel matrix"], 2 * 8 * 1000**2)

    def run_tool(self, *words):
        return subprocess.run([sys.executable, TOOL, self.file, *words], capture_output=True, text=True, check=False)

    def test_says_what_was_recorded_and_what_is_assumed(self):
        self.record("round 0 0 100 0 0 0 500000:0:0", "gamma 0 0 7 0.25")
        found = self.run_tool("--assumptions", "--set", "iteration=3400", "--set", "member=0")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn("1 of 3 gammas; 1 of 5 folds were recorded", found.stdout)
        self.assertRegex(found.stdout, r"iteration +3400 +cycles of an SMO iteration")
        self.assertIn("recorded in 7 s on one core", found.stdout)
        self.assertIn("not modelled: 25.0 % of the operations", found.stdout)
        # 500,000 iterations of 2 us.
        self.assertRegex(found.stdout, r"SMO +1\.\d\d s")

    def test_refuses_what_is_no_record(self):
        for lines, says in (("search 1 2 3 4 5", "holds no path"), ("search 1 2", "line 1"), ("round 0 0 1 0 0 0 5", "line 1")):
            self.file.write_text(lines + "\n")
            found = self.run_tool()
            self.assertEqual(found.returncode, 2)
            self.assertIn(says, found.stderr)
        self.record("gamma 0 0 7 0.25")
        found = self.run_tool("--set", "size=3")
        self.assertEqual(found.returncode, 2)
        self.assertIn("name one of clock", found.stderr)


if __name__ == "__main__":
    unittest.main()
