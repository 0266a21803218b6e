#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold svm --partition: a search in parts of the training set."""

import unittest

import h5py
import numpy

from krossfold_cli import (STOPPED, USAGE, CommandTest, content, difference, held_out_digits, journal_records, models_of,
                           wait_until, write_csv)

PLAIN = ("svm", "--data", "digits", "--fold-kind", "stratified-shuffled", "--test-part", "last", "--grid", "3x3",
         "--folds", "3", "--log10-c=-1:2", "--quiet")
STUDY = (*PLAIN, "--partition", "voronoi:150", "-o", "r.h5")


def nearest(x, centre):
    return ((x[:, None] - centre[None]) ** 2).sum(2).argmin(1)


class Parts(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = cls.share("run_study")
        cls.reference = content(cls.shared / "r.h5")
        cls.model = (models_of(cls.shared / "r.h5") / "svm.h5").read_bytes()

    def run_study(self):
        self.succeed(*STUDY)

    def check_is_the_reference(self):
        self.assertEqual(difference(self.reference, content(self.folder / "r.h5")), [])
        self.assertEqual((models_of(self.folder / "r.h5") / "svm.h5").read_bytes(), self.model)
        self.assertEqual(self.files(), ["r.h5", "r.models", "r.models/svm.h5"])

    def test_results_are_the_same_on_two_and_four_ranks(self):
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                self.succeed(*STUDY, ranks=ranks)
                self.check_is_the_reference()
                self.remove_all()

    def remove_all(self):
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()

    def test_killed_and_stopped_again_and_again_it_ends_in_the_same_result(self):
        for records in (3, 20, 45):
            running = self.start(*STUDY, ranks=2)
            wait_until(lambda: journal_records(self.folder / "r.h5.journal") >= records or running.process.poll() is not None)
            running.kill_all()
            running.wait()
        while self.run_command(*STUDY, "--max-time", "0.3", "--grace", "0").code == STOPPED:
            pass
        self.check_is_the_reference()

    def test_predict_gives_the_predictions_of_the_study(self):
        pixels, _ = held_out_digits()
        write_csv(self.folder / "test.csv", pixels)
        for study in (self.shared / "r.h5", models_of(self.shared / "r.h5") / "svm.h5"):
            out = self.succeed("predict", study, "test.csv", "--quiet").out
            self.assertEqual([int(line) for line in out.split()], list(self.reference_file()["test/prediction"][()]))

    def reference_file(self):
        file = h5py.File(self.shared / "r.h5")
        self.addCleanup(file.close)
        return file

    def test_every_test_sample_belongs_to_the_nearest_centre(self):
        pixels, _ = held_out_digits()
        with h5py.File(models_of(self.shared / "r.h5") / "svm.h5") as model:
            centre = model["centre"][()]
            scaled = (pixels - model["scale/offset"][()]) / model["scale/divisor"][()]
        found = self.reference_file()["test/part_index"][()]
        numpy.testing.assert_array_equal(found, nearest(scaled, centre))
        self.assertGreater(len(set(found)), 4)

    def test_the_file_says_what_each_part_is(self):
        file = self.reference_file()
        parts = len(file["part/part"])
        self.assertEqual(file["part/samples"][()].sum(), file.attrs["n_train"])
        self.assertEqual(file["part/held"][()].sum(), file.attrs["n_train"])
        self.assertEqual(file["part/cell_error"].shape, (parts, 3, 3))
        self.assertEqual(file["part/unit/seconds"].shape, (parts, 3, 3))
        held = file["part/held"][()].sum(1)
        pooled = (file["part/cell_error"][()] * held[:, None, None]).sum(0) / held.sum()
        numpy.testing.assert_allclose(pooled, file["fold_error"][()].mean(2), atol=2e-3)  # folds differ by a sample
        part, label, choice = (file["out_of_fold/" + name][()] for name in ("part_index", "label", "prediction"))
        for p in range(parts):
            self.assertEqual((part == p).sum(), file["part/samples"][p])
            self.assertAlmostEqual((label != choice)[part == p].mean(), file["part/error"][p])

    def test_the_report_is_short_and_tells_of_the_parts(self):
        out = self.succeed("report", self.shared / "r.h5").out
        for words in (" (voronoi) of ", "cross-validation errors in the parts", "the largest is that of part", "best cell", "test error"):
            self.assertIn(words, out)
        self.assertLess(len(out.splitlines()), 60)
        report = self.succeed("report", self.shared / "r.h5", "--format", "json").report()
        self.assertEqual(len(report["part_table"]), report["parts"]["number"])
        csv = self.succeed("report", self.shared / "r.h5", "--format", "csv").out
        self.assertEqual(len(csv.splitlines()), 1 + 27)

    def test_own_cells_random_parts_and_other_options_run(self):
        for name, more in (("own", ("--part-cell", "own")), ("random", ()),
                           ("ovo", ("--multiclass", "ovo")), ("weight", ("--class-weight", "balanced", "--repeats", "2")),
                           ("mcc", ("--select-by", "mcc,1se", "--part-cell", "own")), ("polynomial", ("--kernel-function", "polynomial", "--coef0", "1")),
                           ("no", ("--no-refit",))):
            with self.subTest(name):
                kind = "random:200" if name == "random" else "voronoi:150"
                self.succeed(*PLAIN, "--partition", kind, *more, "-o", name + ".h5")
                out = self.succeed("report", name + ".h5").out
                self.assertIn(" of ", out)
                with h5py.File(self.folder / (name + ".h5")) as file:
                    self.assertLess(file["best/error"][()], 0.15, name)
                    if name != "no":
                        self.assertLess(file["test_error"][()], 0.2, name)
                    self.assertEqual("best/C_value" in file, "own" not in more)

    def test_a_dry_run_tells_parts_units_and_memory(self):
        out = self.succeed(*STUDY, "--dry-run").out
        for words in ("(part, gamma, fold)", "parts ", "(voronoi) of ", "of one part at a time", "refits"):
            self.assertIn(words, out)
        self.assertEqual(self.files(), [])

    def test_the_config_of_a_search_in_parts_repeats_it_and_that_of_a_plain_one_is_a_plain_one(self):
        self.succeed("svm", "--config", self.shared / "r.h5", "--quiet", "-o", "r.h5")
        self.check_is_the_reference()
        self.succeed(*PLAIN, "-o", "plain.h5")
        self.succeed("svm", "--config", "plain.h5", "--quiet", "-o", "again.h5")
        self.assertEqual(difference(content(self.folder / "plain.h5"), content(self.folder / "again.h5")), [])

    def test_the_same_file_with_another_partition_is_refused(self):
        (self.folder / "r.h5").write_bytes((self.shared / "r.h5").read_bytes())
        for other in ((), ("--partition", "voronoi:160"), ("--partition", "voronoi:150", "--part-cell", "own")):
            result = self.run_command(*PLAIN, *other, "-o", "r.h5")
            self.assertEqual(result.code, USAGE, result)
            self.assertIn("partition" if "own" not in other else "part-cell", result.err)

    def test_no_plan_is_made_of_parts(self):
        result = self.run_command("plan", self.shared / "r.h5")
        self.assertEqual(result.code, USAGE)
        self.assertIn("partition", result.err)


if __name__ == "__main__":
    unittest.main()
