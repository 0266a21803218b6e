#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold svm: measures of every cell, what selects the best, and its out-of-fold predictions."""

import csv
import io
import json
import unittest

import h5py
import numpy

from krossfold_cli import CommandTest, content, difference, write_csv

STUDY = ("svm", "--data", "csv:rare.csv", "--grid", "5x4", "--log10-c", "-2:3", "--log10-gamma", "-3:1", "--folds", "4",
         "--test-part", "last", "--quiet")
THREE = ("svm", "--data", "csv:three.csv", "--grid", "4x3", "--folds", "3", "--quiet")


def write_table(path, classes, rng):
    """Overlapping normal classes in two dimensions, whose numbers are given."""
    rows = []
    for number, (name, count) in enumerate(classes):
        for x, y in rng.normal(0, 1, (count, 2)) + 1.4 * number:
            rows.append((f"{x:.6f}", f"{y:.6f}", name))
    rng.shuffle(rows)
    with open(path, "w", encoding="utf8") as file:
        file.write("x,y,label\n" + "".join(",".join(row) + "\n" for row in rows))


def auc(positive, score):
    """The share of pairs of a positive and a negative that the score orders rightly; equal scores count half."""
    above = score[positive][:, None] - score[~positive][None, :]
    return ((above > 0) + 0.5 * (above == 0)).mean()


def datasets(path):
    """Every dataset of a file by its path."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
    return found


def balanced_error(label, prediction):
    return numpy.mean([(prediction[label == c] != c).mean() for c in numpy.unique(label)])


class Measures(CommandTest):
    def setUp(self):
        super().setUp()
        rng = numpy.random.default_rng(5)
        write_table(self.folder / "rare.csv", (("often", 370), ("rare", 30)), rng)
        write_table(self.folder / "three.csv", (("a", 60), ("b", 60), ("c", 60)), rng)

    def study(self, *options, name="r.h5", words=STUDY, **more):
        self.succeed(*words, *options, "-o", name, **more)
        return datasets(self.folder / name)

    def test_measures_of_the_best_cell_follow_from_its_out_of_fold_predictions(self):
        for words in (STUDY, THREE, (*THREE, "--multiclass", "ovo")):
            found = self.study(words=words, name=f"{words[2][4:]}{'-ovo' * ('ovo' in words)}.h5")
            label, prediction, fold = (found[f"out_of_fold/{part}"] for part in ("label", "prediction", "fold_index"))
            decision, classes = found["out_of_fold/decision"], len(found["class_name"])
            g, c = found["best/gamma_index"], found["best/C_index"]
            confusion = numpy.zeros((classes, classes), int)
            numpy.add.at(confusion, (label, prediction), 1)
            numpy.testing.assert_array_equal(found["best/confusion"], confusion)
            for f in numpy.unique(fold):
                held = fold == f
                self.assertAlmostEqual(found["fold_error"][g, c, f], (label != prediction)[held].mean(), delta=1e-15)
                self.assertAlmostEqual(found["measure/balanced_error"][g, c, f],
                                       balanced_error(label[held], prediction[held]), delta=1e-14)
                if "ovo" in words:
                    continue
                if classes == 2:  # the pair a/b, above 0 for a
                    expected = auc(label[held] == 1, -decision[held, 0])
                else:
                    expected = numpy.mean([auc(label[held] == k, decision[held, k]) for k in range(classes)])
                self.assertAlmostEqual(found["measure/roc_auc"][g, c, f], expected, delta=1e-14)
            self.assertAlmostEqual(found["best/balanced_error"], found["measure/balanced_error"][g, c].mean(), delta=1e-15)
            if classes == 2:
                numpy.testing.assert_array_equal((decision[:, 0] <= 0).astype(int), prediction)
            elif "ovo" not in words:
                numpy.testing.assert_array_equal(decision.argmax(axis=1), prediction)

    def test_measures_of_the_test_part_follow_from_its_decision_values_and_probabilities(self):
        parts = ("--test-part", "last")
        studies = (STUDY, (*THREE, *parts), (*THREE, *parts, "--multiclass", "ovo"), (*THREE, *parts, "--partition", "random:60"))
        for number, words in enumerate(studies):
            options = () if "--partition" in words else ("--probability",)
            found = self.study(*options, words=words, name=f"test-{number}.h5")
            label, prediction, decision = (found[f"test/{part}"] for part in ("label", "prediction", "decision"))
            classes = len(found["class_name"])
            self.assertEqual(decision.shape, (len(label), 1 if classes == 2 else 3))
            self.assertAlmostEqual(found["test_error"], (label != prediction).mean(), delta=1e-15)
            if classes == 2:  # the pair a/b, above 0 for a
                numpy.testing.assert_array_equal((decision[:, 0] <= 0).astype(int), prediction)
                self.assertAlmostEqual(found["test/roc_auc"], auc(label == 1, -decision[:, 0]), delta=1e-14)
            elif "ovo" not in words:
                numpy.testing.assert_array_equal(decision.argmax(axis=1), prediction)
                self.assertAlmostEqual(found["test/roc_auc"], numpy.mean([auc(label == k, decision[:, k]) for k in range(3)]), delta=1e-14)
            else:
                self.assertGreater(found["test/roc_auc"], 0.8)
            if not options:
                self.assertNotIn("test/probability", found)
                continue
            probability = found["test/probability"]
            numpy.testing.assert_allclose(probability.sum(axis=1), 1, atol=1e-12)
            of_truth = probability[numpy.arange(len(label)), label]
            self.assertAlmostEqual(found["test/log_loss"], -numpy.log(of_truth).mean(), delta=1e-12)
            square = ((probability - numpy.eye(classes)[label]) ** 2).sum(axis=1).mean()
            self.assertAlmostEqual(found["test/brier"], square, delta=1e-12)
            if classes == 2:
                (report,) = json.loads(self.succeed("report", "test-0.h5", "--format", "json").out)
                for name in ("roc_auc", "log_loss", "brier"):
                    self.assertEqual(report["test"][name], found[f"test/{name}"])
                self.assertRegex(self.succeed("report", "test-0.h5").out, r"mcc [0-9.]+, roc auc 0[.0-9]+, log loss [.0-9]+, brier [.0-9]+")

    def test_the_measure_that_selects_finds_another_cell_where_a_class_is_rare(self):
        by_error, by_balance = self.study(), self.study("--select-by", "balanced-error", name="b.h5")
        by_auc = self.study("--select-by", "roc-auc", "--no-refit", name="a.h5")
        for found, cells in ((by_error, by_error["fold_error"].mean(axis=2)),
                             (by_balance, by_error["measure/balanced_error"].mean(axis=2)),
                             (by_auc, -by_error["measure/roc_auc"].mean(axis=2))):
            best = cells[found["best/gamma_index"], found["best/C_index"]]
            self.assertAlmostEqual(best, cells.min(), delta=1e-15)
            self.assertEqual(found["best/tied"], (cells <= cells.min() + 1e-12).sum())
        numpy.testing.assert_array_equal(by_error["measure/roc_auc"], by_balance["measure/roc_auc"])
        self.assertLess(by_balance["best/balanced_error"], by_error["best/balanced_error"])
        self.assertGreaterEqual(by_balance["best/error"], by_error["best/error"])

    def test_folds_of_one_class_do_not_count_for_measures_that_compare_classes(self):
        random = numpy.random.default_rng(8)
        y = (numpy.arange(160) < 5).astype(int)
        x = random.normal(size=(160, 3)) + 1.5 * y[:, None]
        write_csv(self.folder / "rare.csv", [[*row, label] for row, label in zip(x.round(3), y)])
        words = ("svm", "--data", "csv:rare.csv", "--test", "csv:rare.csv", "--grid", "3x3", "--folds", "8")
        done = self.succeed(*words, "--select-by", "roc-auc", "-o", "rare.h5")
        self.assertRegex(done.err, "3 of 8 folds hold out no sample of class 1 and so cannot measure it")
        with h5py.File(self.folder / "rare.h5") as file:
            auc = file["measure/roc_auc"][()]
            self.assertEqual(numpy.isnan(auc).all(axis=(0, 1)).sum(), 3)
            mean = numpy.nanmean(auc, axis=2)
            g, c = file["best/gamma_index"][()], file["best/C_index"][()]
            self.assertAlmostEqual(mean[g, c], mean.max(), delta=1e-12)
            self.assertAlmostEqual(file["best/roc_auc"][()], mean.max(), delta=1e-12)
            self.assertTrue(numpy.isnan(file["measure/balanced_error"][()]).all(axis=(0, 1)).sum() == 3)
        refused = self.run_command(*words, "--select-by", "mcc", "--fold-kind", "leave-one-out", "-o", "loo.h5")
        self.assertEqual(refused.code, 2)
        self.assertIn("no fold has a mcc (the samples that each fold holds out are of one class)", refused.err)

    def test_one_standard_error_takes_the_most_regular_cell_within_it(self):
        best, simple = self.study(), self.study("--select-by", "error,1se", name="s.h5")
        error = best["fold_error"].mean(axis=2)
        g, c = best["best/gamma_index"], best["best/C_index"]
        bound = error[g, c] + best["fold_error"][g, c].std(ddof=1) / 2  # 4 folds
        within = error <= bound + 1e-12
        self.assertEqual(best["best/within_standard_error"], within.sum())
        c = within.any(axis=0).argmax()
        self.assertEqual((simple["best/gamma_index"], simple["best/C_index"]), (within[:, c].argmax(), c))

    def test_the_report_says_that_a_rare_class_is_lost_and_shows_each_class(self):
        self.study()
        text = self.succeed("report", "r.h5").out
        report = self.succeed("report", "r.h5", "--format", "json").report()
        with h5py.File(self.folder / "r.h5") as file:
            confusion = file["best/confusion"][()]
        recall = confusion[1, 1] / confusion[1].sum()
        self.assertLess(recall, 0.5)
        of_them = f"of the {confusion[1].sum()} held-out samples of class rare"
        warning = f"{of_them}, only {100 * recall:.2f} % are recognised" if recall > 0 else f"none {of_them} is recognised"
        self.assertIn(warning, report["warnings"])
        self.assertIn("warning: " + warning, text)
        self.assertRegex(text, rf"rare +{confusion[1].sum()} +{100 * recall:.2f} %")
        rows = {row["class"]: row for row in report["classes"]}
        self.assertEqual([rows["rare"]["as often"], rows["rare"]["as rare"]], confusion[1].tolist())
        self.assertAlmostEqual(rows["rare"]["precision"], confusion[1, 1] / confusion[:, 1].sum())
        self.assertIn("balanced error", text)

    def test_the_same_bits_on_any_number_of_ranks_and_after_stops(self):
        words = (*THREE, "--probability")
        self.succeed(*words, "-o", "one.h5")
        self.succeed(*words, "-o", "three.h5", ranks=3)
        self.stop_until_done(*words, "-o", "often.h5", runs=40)
        for name in ("three.h5", "often.h5"):
            changed = difference(content(self.folder / "one.h5"), content(self.folder / name))
            self.assertEqual({name for name in changed if "@" not in name}, set())
        with h5py.File(self.folder / "one.h5") as file:
            label, probability = file["out_of_fold/label"][()], file["out_of_fold/probability"][()]
            numpy.testing.assert_allclose(probability.sum(axis=1), 1, atol=1e-12)
            log_loss = -numpy.log(probability[numpy.arange(len(label)), label]).mean()
            self.assertAlmostEqual(file["probability/log_loss"][()], log_loss, delta=1e-13)

    def test_nested_and_repeated_cross_validation_have_the_same_bits_on_any_number_of_ranks_and_after_stops(self):
        words = (*THREE, "--outer", "3", "--repeats", "2")
        self.succeed(*words, "-o", "one.h5")
        for ranks in (2, 4):
            self.succeed(*words, "-o", f"{ranks}.h5", ranks=ranks)
        self.stop_until_done(*words, "-o", "often.h5", runs=80)
        for name in ("2.h5", "4.h5", "often.h5"):
            changed = difference(content(self.folder / "one.h5"), content(self.folder / name))
            self.assertEqual({name for name in changed if "@" not in name}, set())
        found = datasets(self.folder / "one.h5")
        n = len(found["outer/label"])
        self.assertEqual(found["fold_error"].shape, (3, 4, 6))
        self.assertEqual(len(found["out_of_fold/label"]), 2 * n)
        numpy.testing.assert_array_equal(found["out_of_fold/sample"][:n], found["out_of_fold/sample"][n:])
        for r in range(2):
            self.assertEqual(set(found["out_of_fold/fold_index"][n * r:n * (r + 1)]), set(range(3 * r, 3 * r + 3)))
        wrong = found["outer/label"] != found["outer/prediction"]
        error = [wrong[found["outer/fold_index"] == o].mean() for o in range(3)]
        numpy.testing.assert_allclose(found["outer/error"], error, atol=1e-15)
        self.assertAlmostEqual(found["outer/mean_error"], numpy.mean(error), delta=1e-15)
        cells = found["outer/fold_error"].mean(axis=3)
        for o in range(3):
            self.assertAlmostEqual(found["outer/search_error"][o], cells[o].min(), delta=1e-15)
        report = self.succeed("report", "one.h5", "--format", "json").report()
        self.assertEqual(report["nested"]["error"], found["outer/mean_error"])
        text = self.succeed("report", "one.h5").out
        self.assertIn(f"nested      error {100 * numpy.mean(error):.2f} %", text)
        self.assertIn("3 stratified-shuffled folds x 2 repeats", text)
        found = self.study("--outer", "2", "--select-by", "balanced-error", words=THREE, name="b.h5")
        balanced = [balanced_error(*(found[f"outer/{name}"][found["outer/fold_index"] == o] for name in ("label", "prediction")))
                    for o in range(2)]
        self.assertIn(f", balanced-error {100 * numpy.mean(balanced):.2f} %: the choice", self.succeed("report", "b.h5").out)
        report = self.succeed("report", "b.h5", "--format", "json").report()
        self.assertAlmostEqual(report["nested"]["balanced_error"], numpy.mean(balanced), delta=1e-15)
        plan = self.succeed("plan", "one.h5", "--format", "json").report()
        self.assertEqual(plan["units"], {"all": 3 * 6 + 3 * 3 * 3 + 6 + 3 + 1, "estimated": 0})

    def test_nested_cross_validation_is_not_misled_by_labels_of_chance(self):
        rng = numpy.random.default_rng(8)
        rows = [f"{x:.5f},{y:.5f},{label}" for (x, y), label in zip(rng.normal(size=(80, 2)), rng.integers(0, 2, 80))]
        (self.folder / "chance.csv").write_text("x,y,label\n" + "\n".join(rows) + "\n")
        found = self.study("--outer", "5", "--grid", "12x12", words=("svm", "--data", "csv:chance.csv", "--quiet"))
        self.assertLess(found["best/error"], found["outer/mean_error"])

    def test_what_does_not_go_together_is_refused(self):
        for options, message in ((("--outer", "3", "--refine", "1"), "outer does not go with --refine"),
                                 (("--outer", "3", "--fold-kind", "leave-one-out"), "outer does not go with leave-one-out"),
                                 (("--outer", "1"), "too few"),
                                 (("--repeats", "2", "--fold-kind", "contiguous"), "would be equal")):
            result = self.run_command(*STUDY, *options, "-o", "x.h5")
            self.assertEqual(result.code, 2, result)
            self.assertIn(message, result.err)

    def test_what_cannot_select_is_refused(self):
        for word, message in (("log-loss", "no such measure"), ("accuracy", "Did you mean error?"), ("balanced_accuracy", "Did you mean balanced-error?"), ("sharpness", "Select by error, balanced-error, f1-macro"),
                              ("error,2se", "1se")):
            result = self.run_command(*STUDY, "--select-by", word, "-o", "x.h5")
            self.assertEqual(result.code, 2, result)
            self.assertIn(message, result.err)

    def test_csv_has_a_row_for_each_cell_and_fold(self):
        self.study()
        rows = list(csv.DictReader(io.StringIO(self.succeed("report", "r.h5", "--format", "csv").out)))
        self.assertEqual(len(rows), 4 * 5 * 4)


if __name__ == "__main__":
    unittest.main()
