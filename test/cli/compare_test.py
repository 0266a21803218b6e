#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold report --compare and krossfold plan of trainings: measured and modelled times told apart."""

import csv
import io
import unittest

from krossfold_cli import USAGE, CommandTest

TRAIN = ("train", "mlp", "--limit", 400, "--epochs", 3, "--batch", 40, "--hidden", "64,32")


class Compare(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.done = cls.share("run_studies")

    def run_studies(self):
        for ranks in (1, 2, 4):
            self.succeed(*TRAIN, "-o", f"t{ranks}.h5", ranks=ranks)
        self.succeed(*TRAIN, "--seed", 1, "-o", "other.h5")
        for ranks in (1, 2):
            self.succeed("svm", "--limit", 200, "--grid", "3x3", "--folds", 2, "-o", f"s{ranks}.h5", ranks=ranks)
            self.succeed("bag", "--limit", 200, "--bootstraps", 2, "--trials", 2, "--folds", 2, "--channels", "1:3",
                         "--hidden", "4:9", "--epochs", 2, "-o", f"b{ranks}.h5", ranks=ranks)

    def ask(self, *words):
        return self.succeed(*(self.done / word if str(word).endswith(".h5") else word for word in words))

    def test_trainings_are_compared_with_what_each_would_take_on_the_others_ranks(self):
        found = self.ask("report", "--compare", "t2.h5", "t1.h5", "t4.h5", "--format", "json").json()
        self.assertEqual((found["kind"], [run["ranks"] for run in found["files"]]), ("train", [2, 1, 4]))
        for run in found["files"]:
            self.assertEqual([one["ranks"] for one in run["on_ranks"]], [1, 2, 4])
            for one in run["on_ranks"]:
                self.assertEqual(one["measured"], one["ranks"] == run["ranks"])
                self.assertGreater(one["seconds"], 0)
            own = next(one for one in run["on_ranks"] if one["measured"])
            self.assertEqual(own["seconds"], run["seconds"])
        # One rank would compute alone what the measured one did, and does not exchange anything.
        two = found["files"][0]
        alone = next(one for one in two["on_ranks"] if one["ranks"] == 1)
        self.assertAlmostEqual(alone["seconds"], two["computing_seconds"], delta=1e-9)
        text = self.ask("report", "--compare", "t1.h5", "t2.h5").out
        self.assertIn("comparison of 2 results: train on digits", text)
        self.assertIn(" m\n", text)
        table = list(csv.DictReader(io.StringIO(self.ask("report", "--compare", "t1.h5", "t2.h5", "--format", "csv").out)))
        self.assertEqual([row["measured"] for row in table], ["yes", "no", "no", "yes"])

    def test_searches_are_compared_too(self):
        for name, kind in (("s", "svm"), ("b", "bag")):
            found = self.ask("report", "--compare", f"{name}1.h5", f"{name}2.h5", "--format", "json").json()
            self.assertEqual(found["kind"], kind)
            one, two = found["files"]
            self.assertEqual(one["quality"], two["quality"])
            self.assertAlmostEqual(one["on_ranks"][1]["seconds"], one["computing_seconds"] / (2 * one["utilisation"]))

    def test_different_studies_are_not_compared(self):
        for words, problem in [(("t1.h5",), "at least two result files"), (("t1.h5", "s1.h5"), "different kinds"),
                               (("t1.h5", "other.h5"), "different options")]:
            refused = self.run_command("report", "--compare", *(self.done / word for word in words))
            self.assertEqual(refused.code, USAGE, refused)
            self.assertIn(problem, refused.err)

    def test_plan_models_other_formations_and_names_the_cheapest(self):
        found = self.ask("plan", "t2.h5", "--formation", "1x1,1x2,2x4,1x2@2", "--latency", "1e-6", "--bandwidth", "1e10",
                         "--format", "json").json()
        rows = {row["formation"]: row for row in found["formations"]}
        self.assertEqual([row["measured"] for row in found["formations"]], [False, True, False, False])
        self.assertEqual(found["link"], {"latency": 1e-6, "bandwidth": 1e10, "source": "given"})
        self.assertAlmostEqual(rows["1x1"]["speed_up"], 1)
        self.assertLess(rows["2x4"]["seconds"], rows["1x1"]["seconds"])
        self.assertGreater(rows["1x2@2"]["speed_up"], 1)
        self.assertAlmostEqual(rows["1x1"]["seconds"], 3 * rows["1x1"]["epoch_seconds"])
        self.assertIn("modelled", self.ask("plan", "t2.h5").out)
        self.assertIn("is the cheapest of these", self.ask("plan", "t2.h5", "--deadline", "1h").out)
        refused = self.run_command("plan", self.done / "t2.h5", "--bandwidth", "0")
        self.assertEqual(refused.code, USAGE, refused)


if __name__ == "__main__":
    unittest.main()
