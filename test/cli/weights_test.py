#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--weight, --class-weight and --weighted-measures: against scikit-learn's recorded values, on any ranks, after stops, refused."""

import csv
import io
import math
import unittest

import h5py
import numpy

from krossfold_cli import ROOT, USAGE, CommandTest, content, difference, write_csv

RECORDED = ROOT / "test" / "reference" / "weights_sklearn.csv"  # C = 2, gamma = 0.7
ONE_CELL = ("--grid", "1x1", "--log10-c", f"{math.log10(2)!r}:{math.log10(2)!r}",
            "--log10-gamma", f"{math.log10(0.7)!r}:{math.log10(0.7)!r}")
SEARCH = ("svm", "--data", "csv:iris.csv", "--weight", "w", "--group", "who", "--class-weight", "balanced",
          "--weighted-measures", "--grid", "2x2", "--folds", "2", "--outer", "2", "--probability", "--quiet")
CLASSES = {"none": "none", "balanced": "balanced", "given": "0:1,1:5,2:0.5"}


def recorded():
    """The recorded samples (x1, x2, class, weight), and the cases: {(multiclass, classes, weighted): decision values}."""
    lines = [line.split(",") for line in RECORDED.read_text().splitlines() if not line.startswith("#")]
    samples = numpy.array([[float(word) for word in line[1:]] for line in lines if line[0] == "sample"])
    cases = {tuple(line[1:4]): numpy.array(line[4:], float).reshape(-1, 3) for line in lines if line[0] == "case"}
    return samples, cases


class Weights(CommandTest):
    def setUp(self):
        super().setUp()
        self.samples, self.cases = recorded()
        write_csv(self.folder / "iris.csv",
                  [["x1", "x2", "w", "who", "y"],
                   *([x1, x2, w, f"p{i % 29}", int(y)] for i, (x1, x2, y, w) in enumerate(self.samples))])
        write_csv(self.folder / "plain.csv", [["x1", "x2"], *self.samples[:, :2]])

    def decisions(self, name):
        table = csv.DictReader(io.StringIO(self.succeed("predict", name, "plain.csv", "--format", "csv").out))
        return numpy.array([[value for column, value in row.items() if column.startswith("decision_")] for row in table], float)

    def test_models_have_the_decision_values_of_scikit_learn(self):
        # The recorded samples are all of the training part: any file can be the test part.
        for (multiclass, classes, weighted), expected in self.cases.items():
            with self.subTest(multiclass=multiclass, classes=classes, weighted=weighted):
                name = f"{multiclass}-{classes}-{weighted}.h5"
                words = ["--weight", "w", "--drop", "who"] if weighted == "1" else ["--drop", "w,who"]
                self.succeed("svm", "--data", "csv:iris.csv", "--test", "csv:iris.csv", *words, *ONE_CELL, "--scale", "none",
                             "--class-weight", CLASSES[classes], "--multiclass", multiclass, "--tolerance", "1e-8", "--quiet",
                             "-o", name)
                numpy.testing.assert_allclose(self.decisions(name), expected, atol=2e-5)

    def test_ranks_and_stops_change_nothing(self):
        self.succeed(*SEARCH, "-o", "one.h5")
        reference = content(self.folder / "one.h5")
        for ranks in (2, 4):
            self.succeed(*SEARCH, "-o", f"{ranks}.h5", ranks=ranks)
            self.assertEqual(difference(reference, content(self.folder / f"{ranks}.h5")), [])
        self.stop_until_done(*SEARCH, "-o", "cut.h5", "--grace", "0", ranks=(None, None, None, 2))
        self.assertEqual(difference(reference, content(self.folder / "cut.h5")), [])

    def test_balanced_classes_find_more_of_a_rare_class(self):
        rng = numpy.random.default_rng(2)
        rows = [[*rng.normal(1.2 * (k % 25 == 0), 1, 2).round(4), "rare" if k % 25 == 0 else "often"] for k in range(1000)]
        write_csv(self.folder / "rare.csv", [["x", "y", "kind"], *rows])
        recall = {}
        for weights in ("none", "balanced", "rare:24"):
            self.succeed("svm", "--data", "csv:rare.csv", "--grid", "3x3", "--log10-c=-1:1", "--class-weight", weights,
                         "--select-by", "balanced-error", "--quiet", "-o", "r.h5")
            with h5py.File(self.folder / "r.h5") as file:
                confusion = file["best/confusion"][()]
                self.assertEqual([name.decode() for name in file["class_name"]], ["often", "rare"])
            recall[weights] = confusion[1, 1] / confusion[1].sum()
            (self.folder / "r.h5").unlink()
        self.assertLess(recall["none"], 0.3)
        self.assertGreater(recall["balanced"], 0.6)
        self.assertGreater(recall["rare:24"], 0.6)

    def test_measures_weigh_the_held_out_samples_on_request(self):
        self.succeed("svm", "--data", "csv:iris.csv", "--weight", "w", "--drop", "who", "--weighted-measures", "--grid", "3x3", "--quiet",
                     "-o", "r.h5")
        weight = dict(zip(range(len(self.samples)), self.samples[:, 3]))
        with h5py.File(self.folder / "r.h5") as file:
            fold, sample = file["out_of_fold/fold_index"][()], file["out_of_fold/sample"][()]
            wrong = file["out_of_fold/prediction"][()] != file["out_of_fold/label"][()]
            g, c = file["best/gamma_index"][()], file["best/C_index"][()]
            found = file["fold_error"][g, c]
        w = numpy.array([weight[row] for row in sample])
        expected = [(w * wrong)[fold == f].sum() / w[fold == f].sum() for f in range(5)]
        numpy.testing.assert_allclose(found, expected, atol=1e-15)
        text = self.succeed("report", "r.h5").out
        self.assertRegex(text, r"cross-validation error .*, samples by their weight")
        self.assertIn("(means over the folds, samples by their weight)", text)
        self.assertRegex(text, r"test error .* wrong after the refit, each counted once\)")

    def test_weighted_measures_are_those_of_the_outer_folds_too(self):
        self.succeed(*SEARCH, "-o", "r.h5")
        weight = self.samples[:, 3]
        with h5py.File(self.folder / "r.h5") as file:
            wrong = file["outer/prediction"][()] != file["outer/label"][()]
            fold, sample, found = file["outer/fold_index"][()], file["outer/sample"][()], file["outer/error"][()]
        w = weight[sample]
        numpy.testing.assert_allclose(found, [(w * wrong)[fold == f].sum() / w[fold == f].sum() for f in range(2)], atol=1e-15)

    def test_folds_without_any_weight_are_refused_with_weighted_measures(self):
        rows = [[k, k % 7, int(k % 5 != 0 or k >= 50), f"g{k // 10}", k % 2] for k in range(100)]
        for row in rows[:10]:
            row[2] = 0
        write_csv(self.folder / "zero.csv", [["a", "b", "w", "g", "y"], *rows])
        words = ("svm", "--data", "csv:zero.csv", "--test", "csv:zero.csv", "--weight", "w", "--group", "g", "--folds", "10",
                 "--grid", "2x2", "-o", "z.h5")
        self.succeed(*words, "--dry-run")
        refused = self.run_command(*words, "--weighted-measures")
        self.assertEqual(refused.code, USAGE)
        self.assertRegex(refused.err, r"weighted-measures: fold \d has nothing to measure \(all the samples that it holds out have the weight 0\)")

    def test_a_class_whose_samples_all_have_weight_0_is_warned_of(self):
        rows = [[k, k * k % 7, int(k % 3 != 1), "abc"[k % 3]] for k in range(90)]
        write_csv(self.folder / "zero.csv", [["x", "y", "w", "kind"], *rows])
        words = ("svm", "--data", "csv:zero.csv", "--grid", "1x1", "--folds", "2")
        found = self.succeed(*words, "--weight", "w", "--dry-run")
        self.assertRegex(found.err, r"all \d+ samples of class b to train on have the weight 0: nothing learns this class")
        self.assertNotIn("nothing learns", self.succeed(*words, "--dry-run").err)

    def test_networks_do_not_learn_a_class_of_weight_0(self):
        for words in (("train", "mlp", "--epochs", "10", "--rate", "0.05"),
                      ("train", "cnn", "--epochs", "6", "--rate", "0.05", "--channels", "8", "--hidden", "40"),
                      ("bag", "--bootstraps", "2", "--trials", "1", "--epochs", "6", "--channels", "6:6", "--hidden", "40:40",
                       "--kernel", "3:3", "--log10-rate", "-1:-1", "--log10-momentum", "-1:-1")):
            with self.subTest(words):
                predicted = {}
                for weights in ("none", "3:0"):
                    self.succeed(*words, "--limit", "400", "--class-weight", weights, "--quiet", "-o", "n.h5")
                    predicted[weights] = self.succeed("predict", "n.h5", "digits").out.split()
                    (self.folder / "n.h5").unlink()
                self.assertIn("3", predicted["none"])
                self.assertNotIn("3", predicted["3:0"])
                self.assertIn("8", predicted["3:0"])

    def test_a_training_on_mostly_one_class_says_what_its_error_does_not_show(self):
        rows = [[k, k * k % 7, "ill" if k % 20 == 0 else "well"] for k in range(200)]
        write_csv(self.folder / "rare.csv", [["x", "y", "kind"], *rows])
        words = ("train", "mlp", "--data", "csv:rare.csv", "--drop", "x", "--epochs", "2", "--hidden", "4")
        found = self.succeed(*words, "-o", "plain.h5")
        self.assertIn("class well has 95.14 % of the training samples", found.err)
        self.assertIn("class well has 95.14 %", self.succeed("report", "plain.h5").out)
        weighted = self.succeed(*words, "--class-weight", "balanced", "-o", "weighted.h5")
        self.assertNotIn("class well has", weighted.err)

    def test_what_does_not_fit_is_refused(self):
        for words, problem in [
            (("--class-weight", "2:0.5,7:1"), "unknown class of --class-weight '7' (the data have the classes 0, 1, 2)"),
            (("--class-weight", "2"), "bad --class-weight '2'"),
            (("--class-weight", "2:-1"), "is negative"),
            (("--class-weight", "0:0,1:0,2:0"), "all samples have the weight 0"),
            (("--weighted-measures",), "weighted-measures without weights"),
            (("--weight", "weight"), "weight"),
            (("--weight", "y", "--label", "w"), "regression"),
        ]:
            with self.subTest(words):
                refused = self.run_command("svm", "--data", "csv:iris.csv", "--drop", "who", *words, "--grid", "1x1", "--dry-run")
                if problem == "regression":
                    self.assertIn(problem, refused.err)
                    continue
                self.assertEqual(refused.code, USAGE, refused)
                self.assertIn(problem, refused.err)
        write_csv(self.folder / "negative.csv", [["x", "w", "y"], [1, 1, 0], [2, -0.5, 1], [3, 1, 0]])
        refused = self.run_command("svm", "--data", "csv:negative.csv", "--weight", "w", "--dry-run")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("line 3", refused.err)
        refused = self.run_command("svm", "--data", "digits", "--weight", "3", "--dry-run")
        self.assertIn("weight is for tables", refused.err)


if __name__ == "__main__":
    unittest.main()
