#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How a user's file is split: sorted files, rare classes, limits, leave-one-out, and what is warned of."""

import unittest

import h5py
import numpy

from krossfold_cli import CommandTest, write_csv

GRID = ("--grid", "3x3", "--log10-c", "-1:3", "--log10-gamma", "-2:1")


class Splits(CommandTest):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(7)

    def table(self, counts, name="t.csv", missing=()):
        """Classes that lie apart, sorted by class; the first column of some samples is missing."""
        lines = ["x,y,label"]
        for number, (label, count) in enumerate(counts.items()):
            for x, y in self.random.normal(0, 0.3, (count, 2)) + [number % 3, number // 3]:
                lines.append(f"{'' if len(lines) - 1 in missing else format(x, '.5f')},{y:.5f},{label}")
        (self.folder / name).write_text("\n".join(lines) + "\n")
        return [line.rsplit(",", 1)[1] for line in lines[1:]]

    def study(self, *options, data="csv:t.csv", code=0):
        result = self.run_command("svm", "--data", data, *GRID, *options, "-o", "r.h5")
        self.assertEqual(result.code, code, result)
        return result

    def warnings(self):
        return self.succeed("report", "r.h5", "--format", "json").report()["warnings"]

    def test_a_file_sorted_by_class_is_split_rightly_by_default_and_warned_of_otherwise(self):
        self.table({"a": 50, "b": 50, "c": 50})
        self.study()
        with h5py.File(self.folder / "r.h5") as file:
            self.assertLess(file["best/error"][()], 0.12)
            numpy.testing.assert_array_equal(numpy.bincount(file["test/label"][()]), [10, 10, 10])
            self.assertEqual([w for w in self.warnings() if "fold" in w], [])
        (self.folder / "r.h5").unlink()
        self.table({"a": 40, "b": 40, "c": 5})
        self.assertIn("class 'c' occurs only in the last fifth", self.study("--test-part", "last", code=2).err)
        self.table({"a": 50, "b": 50, "c": 50})
        said = self.study("--fold-kind", "contiguous", "--folds", "3")
        warning = ("3 of 3 folds train without some of the classes a, b, c and so cannot predict them; fold-kind stratified-shuffled "
                   "shares every class")
        self.assertIn("warning: " + warning, said.err)
        self.assertIn(warning, self.warnings())

    def test_rows_of_the_test_part_and_out_of_fold_are_those_of_the_file(self):
        labels = self.table({"a": 40, "b": 40}, missing=(3, 40, 41))
        self.study("--missing", "drop", "--limit", "50")
        with h5py.File(self.folder / "r.h5") as file:
            test, out = file["test/sample"][()], file["out_of_fold/sample"][()]
            self.assertEqual(set(test) & set(out), set())
            self.assertEqual(set(test) & {3, 40, 41} | set(out) & {3, 40, 41}, set())
            self.assertEqual((len(test), len(out)), (15, 50))
            names = file["class_name"].asstr()[:]
            for group, sample in (("test", test), ("out_of_fold", out)):
                self.assertEqual([names[c] for c in file[f"{group}/label"][()]], [labels[row] for row in sample])

    def test_no_test_part_on_request(self):
        write_csv(self.folder / "few.csv", [["a", "b", "y"], *([k % 5, (k * 3) % 7, "ab"[k % 2]] for k in range(30))])
        for words in (("svm", "--grid", "2x2"), ("bag", "--bootstraps", "2", "--trials", "2", "--epochs", "2", "--image", "2x1"),
                      ("train", "mlp", "--epochs", "3", "--hidden", "4")):
            with self.subTest(words[0]):
                found = self.succeed(*words, "--data", "csv:few.csv", "--test-part", "none", "-o", f"{words[0]}.h5")
                with h5py.File(self.folder / f"{words[0]}.h5") as file:
                    self.assertEqual((file.attrs["n_train"] + file.attrs.get("n_validation", 0), file.attrs["n_test"]), (30, 0))
                    self.assertNotIn("test_error", file)
                self.assertNotIn("there is no test part", found.err)
                self.succeed("report", f"{words[0]}.h5")
                self.assertEqual(len(self.succeed("predict", f"{words[0]}.h5", "few.csv").out.split()), 30)

    def test_groups_or_weights_in_the_last_column_are_no_label_and_said_to_be(self):
        write_csv(self.folder / "t.csv", [["a", "b", "y", "who"], *([k % 5, k % 7, "ab"[k % 2], f"p{k // 3}"] for k in range(30))])
        found = self.succeed("svm", "--data", "csv:t.csv", "--group", "who", "--dry-run")
        self.assertIn("the last column is that of the groups, so that the label is column 3 (y); name it with --label", found.err)
        self.assertNotIn("the last column", self.succeed("svm", "--data", "csv:t.csv", "--group", "who", "--label", "y", "--dry-run").err)

    def test_a_test_file_with_groups_of_the_training_file_is_warned_of(self):
        rows = [[k, (k * 7) % 11, f"p{k // 4}", k % 2] for k in range(60)]
        for names, words in ((["a", "b", "who", "y"], "who"), (None, "3")):
            head = [names] if names else []
            write_csv(self.folder / "train.csv", [*head, *rows[:40]])
            write_csv(self.folder / "test.csv", [*head, *rows[36:]])
            found = self.succeed("svm", "--data", "csv:train.csv", "--test", "csv:test.csv", "--group", words, "--grid", "2x2",
                                 "--dry-run")
            self.assertIn("1 group is both in train.csv and in test.csv, such as p9", found.err)

    def test_a_limit_keeps_every_class_and_says_which_it_cannot(self):
        self.table({"a": 60, "b": 30, "c": 5, "d": 2, "e": 1})
        for limit, lost in ((5, 0), (20, 0), (4, 1)):
            (self.folder / "r.h5").unlink(missing_ok=True)
            self.study("--limit", str(limit), "--folds", "2", "--no-refit")
            with h5py.File(self.folder / "r.h5") as file:
                seen = len(set(file["out_of_fold/label"][()]))
            self.assertEqual(seen, 5 - lost, limit)
            lacking = [w for w in self.warnings() if "the training part has no sample of class" in w]
            self.assertEqual(len(lacking), lost)

    def test_rare_classes_and_an_empty_test_part_are_warned_of(self):
        self.table({"a": 30, "b": 30, "alone": 1})
        self.study()
        self.assertIn("class alone has one training sample: the fold that holds it out trains without the class", self.warnings())
        (self.folder / "r.h5").unlink()
        self.table({"a": 1, "b": 1})
        self.study("--folds", "2")
        self.assertIn("there is no test part, and so no test error: no class has two samples", self.warnings())

    def test_parts_of_few_groups_are_warned_of(self):
        groups = "A" * 30 + "B" * 30 + "C" * 2
        rows = [(k % 7, k * k % 11, groups[k], "pq"[k % 2]) for k in range(62)]
        (self.folder / "few.csv").write_text("a,b,g,y\n" + "".join("%d,%d,%s,%s\n" % row for row in rows))
        for limit in ((), ("--limit", "40")):
            self.succeed("svm", "--data", "csv:few.csv", "--group", "g", "--grid", "2x2", "--folds", "2", "--quiet", *limit, "-o", "r.h5")
            self.assertIn("the test part has 2 of 62 samples, not the share of 0.2: groups stay together, and some are large", self.warnings())
            (self.folder / "r.h5").unlink()

    def test_train_warns_of_its_data_too(self):
        self.table({"a": 30, "b": 30, "c": 2})
        self.succeed("train", "mlp", "--data", "csv:t.csv", "--limit", "2", "--batch", "2", "--epochs", "1", "-o", "n.h5")
        (warning,) = [w for w in self.succeed("report", "n.h5", "--format", "json").report()["warnings"] if "no sample" in w]
        self.assertRegex(warning, "the training part has no sample of class [abc]: raise --limit")

    def test_leave_one_out_is_refined_calibrated_and_reported_with_its_standard_error(self):
        self.table({"a": 15, "b": 15})
        said = self.study("--fold-kind", "leave-one-out", "--folds", "7", "--refine", "1", "--probability")
        with h5py.File(self.folder / "r.h5") as file:
            n = len(file["out_of_fold/label"])
            self.assertEqual(file["fold"].shape, (n,))
            error = (file["out_of_fold/label"][()] != file["out_of_fold/prediction"][()]).mean()
            self.assertAlmostEqual(file["best/error"][()], error)
            self.assertEqual(file["refine/1/fold_error"].shape, (7, 7, n))
            self.assertEqual(sorted(file["out_of_fold/fold_index"][()]), list(range(n)))
        standard_error = (error * (1 - error) / (n - 1)) ** 0.5
        self.assertIn(f"(standard error {100 * standard_error:.2f} %)", said.out)
        self.assertIn(f"{n} leave-one-out folds", said.out)
        self.assertIn("--folds 7 is ignored: leave-one-out holds out each sample alone", self.warnings())

    def test_bagging_refuses_folds_that_cannot_be_drawn_from(self):
        result = self.run_command("bag", "--data", "digits", "--limit", "30", "--fold-kind", "leave-one-out", "-o", "b.h5")
        self.assertEqual(result.code, 2, result)
        self.assertIn("30 folds of kind leave-one-out leave nothing to draw", result.err)
        result = self.run_command("bag", "--data", "digits", "--limit", "30", "--folds", "20", "-o", "b.h5")
        self.assertIn("20 folds of kind stratified-shuffled leave nothing to draw", result.err)
        self.assertIn("Use at most 15 folds.", result.err)

    def test_words_are_checked_whatever_the_data(self):
        for data in ("digits", "mnist:/nowhere"):
            result = self.run_command("svm", "--data", data, "--test-part", "lst", "-o", "r.h5")
            self.assertEqual(result.code, 2, result)
            self.assertIn("Did you mean last?", result.err)

    def test_comparing_studies_of_other_seeds_names_the_seed_and_warns_of_other_test_parts(self):
        self.table({"a": 20, "b": 20})
        self.study()
        self.succeed("svm", "--data", "csv:t.csv", *GRID, "--seed", "1", "-o", "s.h5")
        shown = self.succeed("report", "--compare", "r.h5", "s.h5").out
        self.assertIn("seed was 0 and is now 1", shown)
        self.assertIn("2 different test parts, whose errors do not compare", shown)


if __name__ == "__main__":
    unittest.main()
