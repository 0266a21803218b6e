#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A study outside the tree: examples/search_neighbours.cpp, built with the installation that package_test made."""

import unittest

import h5py
import numpy

from krossfold_cli import ROOT, STOPPED, USAGE, CommandTest, content, difference, journal_records, wait_until

STUDY = ("knn", "--data", "digits", "--k", "1,3,9", "--power", "1,1.5,2,3", "--folds", "20", "--fold-kind", "contiguous",
         "--test-part", "last", "--scale", "none")
UNITS = 4 * 20


def fold_error(x, y, k, power, folds):
    """(fold): the fraction of the held-out samples that the nearest neighbours misclassify."""
    cuts = numpy.rint(numpy.linspace(0, len(y), folds + 1)).astype(int)
    errors = []
    for first, last in zip(cuts, cuts[1:]):
        held = numpy.arange(first, last)
        train = numpy.setdiff1d(numpy.arange(len(y)), held)
        distance = (abs(x[held][:, None] - x[train][None]) ** power).sum(2)
        nearest = y[train][numpy.argsort(distance, axis=1, kind="stable")[:, :k]]
        chosen = [numpy.bincount(row).argmax() for row in nearest]
        errors.append(numpy.mean(chosen != y[held]))
    return errors


class OwnStudy(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.folder_of_all = cls.share("run_study")
        cls.reference = content(cls.folder_of_all / "r.h5")

    def run_study(self):
        self.succeed(*STUDY, "-o", "r.h5")

    def test_errors_are_those_of_a_plain_computation(self):
        table = numpy.loadtxt(ROOT / "data/digits.csv.gz", delimiter=",")
        with h5py.File(self.folder_of_all / "r.h5") as file:
            error, n = file["fold_error"][()], file.attrs["n_train"]
            self.assertEqual([scale.name for scale in (file["fold_error"].dims[a][0] for a in range(3))],
                             ["/power", "/fold", "/k"])
        x, y = table[:n, :-1], table[:n, -1].astype(int)
        for p, power in ((0, 1), (2, 2)):
            for at, k in enumerate((1, 3, 9)):
                with self.subTest(power=power, k=k):
                    numpy.testing.assert_allclose(error[p, :, at], fold_error(x, y, k, power, 20), atol=1e-12)

    def test_killed_on_three_ranks_it_goes_on_and_ends_in_the_same_result(self):
        running = self.start(*STUDY, "-o", "r.h5", ranks=3)
        self.assertTrue(wait_until(lambda: journal_records(self.folder / "r.h5.journal") >= 5), "no records")
        running.kill_all()
        running.wait()
        self.assertEqual(self.succeed("report", "r.h5", "--status").out, "running\n")
        result = self.succeed(*STUDY, "-o", "r.h5", ranks=3)
        self.assertRegex(result.err, r"continuing r.h5: \d+ units were computed before")
        self.assertEqual(difference(self.reference, content(self.folder / "r.h5")), [])
        self.assertEqual(self.files(), ["r.h5"])

    def test_stopped_it_is_resumable(self):
        self.assertEqual(self.run_command(*STUDY, "-o", "r.h5", "--max-time", "0.001s").code, STOPPED)
        plan = self.succeed("plan", "r.h5", "--formation", "1x2", "--format", "json").report()
        self.assertEqual(plan["units"]["all"], UNITS)
        self.succeed(*STUDY, "-o", "r.h5")
        self.assertEqual(difference(self.reference, content(self.folder / "r.h5")), [])

    def test_report_names_the_best_cell(self):
        report = self.succeed("report", self.folder_of_all / "r.h5", "--format", "json").report()
        with h5py.File(self.folder_of_all / "r.h5") as file:
            mean = file["fold_error"][()].mean(1)
            p, k = numpy.unravel_index(mean.argmin(), mean.shape)
            self.assertEqual((report["best"]["power"], report["best"]["k"]), (file["power"][p], file["k"][k]))
        self.assertAlmostEqual(report["best"]["error"], mean.min())
        self.assertEqual(report["options"]["folds"], "20")
        self.assertIn("best cell  k = ", self.succeed("report", self.folder_of_all / "r.h5").out)

    def test_wrong_options_are_refused(self):
        for options, words in ((("--k", "0"), "--k"), (("--power", "x"), "--power"), (("--k", "3,3"), "given twice"),
                               (("--folds", "1"), "folds")):
            with self.subTest(options=options):
                result = self.run_command("knn", "--data", "digits", *options, "-o", "r.h5")
                self.assertEqual(result.code, USAGE, result)
                self.assertIn(words, result.err)
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
