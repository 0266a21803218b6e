#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold plan on result files of real studies. What it predicts is checked against itself: no test asserts a time."""

import csv
import io
import unittest

import h5py

from krossfold_cli import STOPPED, USAGE, CommandTest

STUDY = ("svm", "--data", "digits", "--limit", "300", "--grid", "6x6", "--quiet")


class Plan(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.studies = cls.share("compute")

    def compute(self):
        for ranks in (1, 2):
            self.succeed(*STUDY, "--refine", "1", "--probability", "-o", f"r{ranks}.h5", ranks=ranks)

    def plan(self, name, *options):
        return self.succeed("plan", self.studies / name, "--format", "json", *options).report()

    def test_every_unit_of_a_finished_study_is_measured_on_any_number_of_ranks(self):
        for name in ("r1.h5", "r2.h5"):
            plan = self.plan(name)
            self.assertEqual(plan["units"], {"all": 30 + 7 * 5 + 5 + 1, "estimated": 0})
            with h5py.File(self.studies / name) as file:
                seconds = file["unit/seconds"][()].sum() + file["refine/1/seconds"][()].sum()
                seconds += file["out_of_fold/seconds"][()].sum() + file.attrs["refit_seconds"]
                self.assertEqual(plan["setup_seconds"], file.attrs["setup_seconds"])
                self.assertEqual(plan["own"]["measured"], file.attrs["seconds"])
            self.assertAlmostEqual(plan["computing_seconds"]["all"], seconds)
            self.assertGreater(plan["setup_seconds"], 0)

    def test_formations_are_those_asked_for_and_never_beat_their_bound(self):
        plan = self.plan("r2.h5", "--formation", "1x1,1x2,2x2,1x2+1x4@0.5", "--schedule", "all")
        rows = plan["formations"]
        self.assertEqual([row["formation"] for row in rows[::4]], ["1x1", "1x2", "2x2", "1x2+1x4@0.5"])
        self.assertEqual([row["schedule"] for row in rows[:4]], ["dynamic", "static", "shuffled", "node-static"])
        self.assertEqual([row["ranks"] for row in rows[::4]], [1, 2, 4, 6])
        self.assertEqual(rows[0]["speed_up"], 1)
        self.assertIsNone(rows[0]["in_time"])
        for row in rows:
            self.assertGreaterEqual(row["makespan"], row["bound"] * (1 - 1e-9))
            self.assertAlmostEqual(row["rank_hours"], row["ranks"] * row["seconds"] / 3600)
            self.assertAlmostEqual(row["seconds"], row["makespan"] + plan["setup_seconds"])
            self.assertTrue(0 < row["utilisation"] <= 1)

    def test_without_formations_it_stops_where_more_ranks_do_not_pay(self):
        plan = self.plan("r1.h5")
        names = [row["formation"] for row in plan["formations"]]
        self.assertEqual(names, ["1x1", "1x2", "1x4", "2x4", "4x4", "8x4", "16x4", "32x4"][:len(names)])
        self.assertEqual(plan["does_not_pay"]["from"], names[-1])
        self.assertLess(plan["does_not_pay"]["marginal_efficiency"], plan["does_not_pay"]["least"])

    def test_deadlines(self):
        plan = self.plan("r1.h5", "--deadline", "10h", "--formation", "1x4,1x1,1x2")
        self.assertEqual(plan["deadline"]["cheapest"]["rank_hours"],
                         min(row["rank_hours"] for row in plan["formations"]))
        self.assertTrue(all(row["in_time"] for row in plan["formations"]))
        plan = self.plan("r1.h5", "--deadline", "0.001", "--formation", "1x4,1x1,1x2")
        self.assertFalse(any(row["in_time"] for row in plan["formations"]))
        self.assertIsNone(plan["deadline"]["cheapest"])
        self.assertAlmostEqual(plan["deadline"]["shortest"], plan["critical_path"] + plan["setup_seconds"])
        self.assertIn("within 1 ms: none of these",
                      self.succeed("plan", self.studies / "r1.h5", "--deadline", "0.001").out)

    def test_prices_decide_which_formation_is_the_cheapest(self):
        # A node of four ranks costs what a node of one rank does; twice the price where there are two groups.
        words = ("--deadline", "10h", "--formation", "1x1,1x4,4x1,1x2+1x2")
        plan = self.plan("r1.h5", *words, "--price", "7.5")
        for row, nodes in zip(plan["formations"], (1, 1, 4, 2)):
            self.assertEqual(row["nodes"], nodes)
            self.assertAlmostEqual(row["price"], 7.5 * nodes * row["seconds"] / 3600)
        cheapest = min(plan["formations"], key=lambda row: row["price"])
        self.assertEqual(plan["deadline"]["cheapest"]["formation"], cheapest["formation"])
        self.assertEqual(plan["deadline"]["cheapest"]["price"], cheapest["price"])
        self.assertEqual(cheapest["formation"], "1x4")
        self.assertIsNone(self.plan("r1.h5", *words)["formations"][0]["price"])
        self.assertIn("price", self.succeed("plan", self.studies / "r1.h5", *words, "--price", "7.5").out)
        pair = self.plan("r1.h5", "--formation", "1x2+2x2", "--price", "3+0.5")["formations"][0]
        self.assertAlmostEqual(pair["price"], (3 + 2 * 0.5) * pair["seconds"] / 3600)
        refused = self.run_command("plan", self.studies / "r1.h5", "--price", "3+0.5")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("formation 1x1 has 1 group", refused.err)

    def test_bags_and_trainings_have_prices_too(self):
        self.succeed("bag", "--limit", "200", "--bootstraps", "2", "--trials", "2", "--folds", "2", "--channels", "1:3", "--hidden", "4:9",
                     "--epochs", "2", "-o", "b.h5")
        self.succeed("train", "mlp", "--limit", "200", "--epochs", "2", "--hidden", "16", "-o", "t.h5")
        for name in ("b.h5", "t.h5"):
            rows = self.succeed("plan", name, "--formation", "1x1,2x2", "--price", "4", "--format", "json").report()["formations"]
            for row, nodes in zip(rows, (1, 2)):
                self.assertAlmostEqual(row["price"], 4 * nodes * row["seconds"] / 3600)

    def test_a_stopped_study_is_planned_to_its_end(self):
        study = ("svm", "--grid", "24x24", "--tolerance", "1e-5", "--schedule", "shuffled", "-o", "pilot.h5")
        self.assertEqual(self.run_command(*study, "--max-time", "0.5", "--quiet").code, STOPPED)
        with h5py.File(self.folder / "pilot.h5") as file:
            missing = int((file["unit/status"][()] == 0).sum())
        plan = self.succeed("plan", "pilot.h5", "--format", "json").report()
        self.assertEqual(plan["status"], "stopped")
        self.assertEqual(plan["units"], {"all": 126, "estimated": missing + 5 + 1})
        self.assertIsNone(plan["own"])
        self.assertIn(f"{missing + 6} units", self.succeed("plan", "pilot.h5").out)

    def test_text_and_csv_say_the_same_as_json(self):
        plan = self.plan("r2.h5", "--formation", "1x1,2x2")
        shown = self.succeed("plan", self.studies / "r2.h5", "--formation", "1x1,2x2").out
        for words in ("71 units", "all measured", "rank-hours", "speed-up", "2x2", "more ranks", "check"):
            self.assertIn(words, shown)
        rows = list(csv.DictReader(io.StringIO(
            self.succeed("plan", self.studies / "r2.h5", "--formation", "1x1,2x2", "--format", "csv").out)))
        self.assertEqual([float(row["makespan"]) for row in rows], [row["makespan"] for row in plan["formations"]])
        self.assertEqual(rows[1]["file"], str(self.studies / "r2.h5"))

    def test_several_files_are_planned_one_after_the_other(self):
        files = [self.studies / "r1.h5", self.studies / "r2.h5"]
        plans = self.succeed("plan", *files, "--format", "json").json()
        self.assertEqual([plan["file"] for plan in plans], [str(file) for file in files])


if __name__ == "__main__":
    unittest.main()
