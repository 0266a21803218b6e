#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold report --compare and krossfold plan of trainings: measured and modelled times told apart."""

import csv
import io
import shutil
import unittest

import h5py
import numpy

from krossfold_cli import USAGE, CommandTest, wait_until

TRAIN = ("train", "mlp", "--limit", 400, "--epochs", 3, "--batch", 40, "--hidden", "64,32")


class Compare(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.done = cls.share("run_studies")

    def run_studies(self):
        for ranks in (1, 2, 4):
            self.succeed(*TRAIN, "-o", f"t{ranks}.h5", ranks=ranks)
        self.succeed(*TRAIN, "--rate", 0.02, "-o", "other.h5")
        for ranks in (1, 2):
            self.succeed("svm", "--limit", 200, "--grid", "3x3", "--folds", 2, "-o", f"s{ranks}.h5", ranks=ranks)
            self.succeed("bag", "--limit", 200, "--bootstraps", 2, "--trials", 2, "--folds", 2, "--channels", "1:3",
                         "--hidden", "4:9", "--epochs", 2, "-o", f"b{ranks}.h5", ranks=ranks)

    def ask(self, *words):
        return self.succeed(*(self.done / word if str(word).endswith(".h5") else word for word in words))

    def test_trainings_are_compared_with_what_each_would_take_on_the_others_ranks(self):
        found = self.ask("report", "--compare", "t2.h5", "t1.h5", "t4.h5", "--format", "json").json()[0]
        self.assertEqual((found["kind"], [run["ranks"] for run in found["files"]]), ("train", [2, 1, 4]))
        for run in found["files"]:
            on_ranks = [one for one in found["on_ranks"] if one["file"] == run["file"]]
            self.assertEqual([one["ranks"] for one in on_ranks], [1, 2, 4])
            for one in on_ranks:
                self.assertEqual(one["measured"], one["ranks"] == run["ranks"])
                self.assertGreater(one["seconds"], 0)
            own = next(one for one in on_ranks if one["measured"])
            self.assertEqual(own["seconds"], run["seconds"])
        # One rank would compute alone what the measured one did, and does not exchange anything.
        two = found["files"][0]
        alone = next(one for one in found["on_ranks"] if one["file"] == two["file"] and one["ranks"] == 1)
        self.assertAlmostEqual(alone["seconds"], two["computing_seconds"], delta=1e-9)
        text = self.ask("report", "--compare", "t1.h5", "t2.h5").out
        self.assertIn("comparison of 2 results: train on digits", text)
        self.assertIn(" m\n", text)
        table = list(csv.DictReader(io.StringIO(self.ask("report", "--compare", "t1.h5", "t2.h5", "--format", "csv").out)))
        self.assertEqual([row["measured"] for row in table], ["yes", "no", "no", "yes"])
        self.assertEqual([row["quality"] != "" for row in table], [True, False, False, True])
        own = [row for row in table if row["measured"] == "yes"]
        self.assertAlmostEqual(float(own[1]["speed_up"]), float(own[0]["seconds"]) / float(own[1]["seconds"]), delta=1e-9)
        for run in found["files"]:
            self.assertAlmostEqual(run["speed_up"], two["seconds"] / run["seconds"], delta=1e-9 * run["speed_up"])
            self.assertAlmostEqual(run["rank_hours"], run["seconds"] * run["ranks"] / 3600, delta=1e-12)
        self.assertEqual(found["quality_is"], "held out")

    def test_a_training_names_the_errors_of_its_model(self):
        found = self.ask("report", "t1.h5", "--format", "json").json()[0]
        with h5py.File(self.done / "t1.h5") as file:
            kept = file["run/kept_epoch"][0] - 1
            self.assertEqual(found["test_error"], file["training/held_out_error"][0, kept])
            self.assertEqual(found["best"]["validation_error"], file["training/validation_error"][0, kept])

    def test_searches_are_compared_too(self):
        for name, kind in (("s", "svm"), ("b", "bag")):
            found = self.ask("report", "--compare", f"{name}1.h5", f"{name}2.h5", "--format", "json").json()[0]
            self.assertEqual(found["kind"], kind)
            one, two = found["files"]
            self.assertEqual(one["quality"], two["quality"])
            self.assertAlmostEqual(found["on_ranks"][1]["seconds"], one["computing_seconds"] / (2 * one["utilisation"]))

    def test_different_studies_are_not_compared(self):
        refused = self.run_command("report", "--compare", self.done / "t1.h5")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("at least two result files", refused.err)
        for words, why in [(("t1.h5", "s1.h5"), "different kinds"), (("t1.h5", "other.h5"), "different options")]:
            shown = self.ask("report", "--compare", *words).out
            self.assertIn("leaderboard of 2 studies", shown)
            self.assertIn(why, shown)

    def test_a_leaderboard_has_the_errors_that_the_files_store(self):
        names = ("t1.h5", "s1.h5", "b1.h5", "other.h5", "none.h5", "half.h5")
        self.succeed("svm", "--limit", 200, "--grid", "3x3", "--folds", 2, "--test-part", "none", "-o", self.done / "none.h5")
        self.succeed("svm", "--limit", 200, "--grid", "3x3", "--folds", 2, "--test-part", "last", "-o", self.done / "half.h5")
        found = self.ask("report", "--compare", *names, "--format", "json").json()[0]
        rows = {row["file"].rpartition("/")[2]: row for row in found["files"]}
        self.assertEqual(set(rows), set(names))
        part = {}
        for name, row in rows.items():
            with h5py.File(self.done / name) as file:
                group = "ensemble" if "ensemble" in file else "test"
                if name == "none.h5":
                    self.assertIsNone(row["place"])
                    self.assertIsNone(row["test_part"])
                    continue
                label, said = file[group]["label"][()], file[group]["vote" if group == "ensemble" else "prediction"][()].reshape(-1)
                part.setdefault(row["test_part"], set()).add((label.tobytes(), file[group]["sample"][()].tobytes()))
                error = (label != said).mean()
            self.assertAlmostEqual(row["test_error"], error)
            self.assertTrue(row["interval_low"] <= error <= row["interval_high"])
            better = [one for one in rows.values() if one["test_part"] == row["test_part"] and one["test_error"] < row["test_error"]]
            self.assertEqual(row["place"], 1 + len(better))
        self.assertEqual([len(parts) for parts in part.values()], [1, 1])
        self.assertIn("2 different test parts", " ".join(found["warnings"]))
        self.assertIn("without a stored test part", " ".join(found["warnings"]))
        for number, held_out in enumerate(("none", "0.2")):  # neither training has a test part
            self.succeed("train", "mlp", "--data", "digits", "--test-part", "none", "--validation", held_out, "--epochs", 1, "-o", f"{number}.h5")
        without = self.succeed("report", "--compare", "0.h5", "1.h5", "--format", "json").json()[0]
        self.assertEqual([row["test_part"] for row in without["files"]], [None, None])
        table = list(csv.DictReader(io.StringIO(self.ask("report", "--compare", *names, "--format", "csv").out)))
        self.assertEqual([row["file"] for row in table], [row["file"] for row in found["files"]])

    def test_a_test_part_is_known_by_its_values(self):
        for name, shift in (("train", 3), ("easy", 6), ("hard", 1)):
            values = numpy.random.default_rng(shift).normal(size=(40, 2)) + shift * numpy.repeat([[0, 0], [1, 0]], 20, axis=0)
            rows = [f"{a:.4f},{b:.4f},{'xy'[k // 20]}" for k, (a, b) in enumerate(values)]
            (self.folder / f"{name}.csv").write_text("\n".join(["a,b,k", *rows]) + "\n")
        shutil.copy(self.folder / "train.csv", self.folder / "copy.csv")
        words = ("svm", "--folds", 2, "--quiet")
        self.succeed(*words, "--data", "csv:train.csv", "--test", "csv:easy.csv", "--grid", "2x2", "-o", "easy.h5")
        self.succeed(*words, "--data", "csv:copy.csv", "--test", f"csv:{self.folder}/easy.csv", "--grid", "2x3", "-o", "copy.h5")
        self.succeed(*words, "--data", "csv:train.csv", "--test", "csv:hard.csv", "--grid", "2x2", "-o", "hard.h5")
        self.succeed(*words, "--data", "csv:train.csv", "--test", "csv:easy.csv", "--drop", "b", "--grid", "2x2", "-o", "drop.h5")
        found = self.succeed("report", "--compare", "easy.h5", "copy.h5", "hard.h5", "drop.h5", "--format", "json").json()[0]
        self.assertEqual({row["file"]: row["test_part"] for row in found["files"]}, {"easy.h5": 1, "copy.h5": 1, "hard.h5": 2, "drop.h5": 1})
        self.assertIn("easy.h5 and drop.h5 have the same test labels but other features, groups or weights", " ".join(found["warnings"]))
        self.assertNotIn("easy.h5 and copy.h5", " ".join(found["warnings"]))

    def test_plan_models_other_formations_and_names_the_cheapest(self):
        found = self.ask("plan", "t2.h5", "--formation", "1x1,1x2,2x4,1x2@2", "--latency", "1e-6", "--bandwidth", "1e10",
                         "--format", "json").json()[0]
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

    def test_plan_of_one_worker_knows_what_several_would_exchange(self):
        found = self.ask("plan", "t1.h5", "--format", "json").json()[0]
        rows = {row["ranks"]: row for row in found["formations"]}
        self.assertEqual(found["link"]["source"], "assumed")
        self.assertEqual((rows[1]["measured"], rows[1]["exchange"]), (True, 0))
        self.assertGreater(rows[2]["exchange"], 0)
        self.assertLessEqual(max(rows), 40)  # samples of a batch
        slow = self.ask("plan", "t1.h5", "--formation", "1x2", "--latency", "0.01", "--format", "json").json()[0]
        steps = 9  # of 40 of the 360 samples that do not validate
        self.assertGreater(slow["formations"][0]["epoch_seconds"], steps * 2 * 0.01)
        refused = self.run_command("plan", self.done / "t1.h5", "--formation", "1x64")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("1x64 has 64 ranks (a batch has samples for 40)", refused.err)

    def test_plan_says_what_every_rank_computes_whole(self):
        self.succeed("train", "mlp", "--limit", 100, "--epochs", 2, "--batch", 10, "--hidden", 200, "-o", "f.h5", ranks=2)
        found = self.succeed("plan", "f.h5", "--format", "json").json()[0]
        # Of 6 x (64 x 200 + 200 x 10) operations without those of the input's gradient, 2 x 64 x 200: that layer's factors are gathered.
        self.assertAlmostEqual(found["replicated"], 2 * 64 * 200 / (6 * 64 * 200 + 6 * 200 * 10 - 2 * 64 * 200))
        self.assertIn("are products of gathered factors", self.succeed("plan", "f.h5").out)

    def test_times_of_several_numbers_of_ranks_are_not_measured_ones(self):
        words = ("train", "mlp", "--limit", 400, "--epochs", 60, "--batch", 40, "--hidden", "64,32", "--workers", 2,
                 "--checkpoint-every", "0s", "-o", "m.h5")
        running = self.start(*words)
        self.assertTrue(wait_until(lambda: "epoch 20 of 60" in running.said()), running.said())
        running.kill_all()
        running.wait()
        self.succeed(*words, ranks=2)
        with h5py.File(self.folder / "m.h5") as file:
            ranks = list(file["training/ranks"][0])
        self.assertEqual((ranks[0], ranks[-1], sorted(set(ranks) - {0})), (1, 2, [1, 2]))
        self.assertIn("2 workers on 2 ranks in the end", self.succeed("report", "m.h5").out)
        self.assertNotIn(" measured ", self.succeed("plan", "m.h5").out.replace("(measured", ""))
        self.succeed(*words[:-1], "w.h5")
        refused = self.run_command("report", "--compare", "m.h5", "w.h5")
        self.assertIn("continued on another number of ranks", refused.err)


if __name__ == "__main__":
    unittest.main()
