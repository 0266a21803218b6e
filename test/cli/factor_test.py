#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""svm --factor: beside the kernel matrix itself, on any ranks, after stops, within less memory, and what it refuses or warns of."""

import json
import unittest

import h5py
import numpy

from krossfold_cli import USAGE, CommandTest, content, difference


class Factor(CommandTest):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(11)
        y = random.integers(0, 3, 600)
        x = random.normal(size=(600, 2)) + 1.3 * numpy.array([[0, 0], [1, 0], [0, 1]])[y]
        numpy.save(self.folder / "x.npy", x.astype(numpy.float32))
        numpy.save(self.folder / "y.npy", y)

    def search(self, *words):
        return ("svm", "--data", "npy:x.npy,y.npy", "--grid", "3x2", "--log10-c=0:4", "--log10-gamma=-2:-0.5", "--quiet", *words)

    def test_errors_and_objectives_are_those_of_the_kernel_matrix(self):
        self.succeed(*self.search("-o", "whole.h5", "--tolerance", "1e-4"))
        self.succeed(*self.search("-o", "factor.h5", "--tolerance", "1e-4", "--factor", "200"))
        with h5py.File(self.folder / "whole.h5") as whole, h5py.File(self.folder / "factor.h5") as factor:
            self.assertTrue((factor["fit/converged"][()] == 1).all())
            self.assertTrue((factor["fit/factor_rank"][()] < 200).all())
            numpy.testing.assert_allclose(factor["fit/dual_objective"][()], whole["fit/dual_objective"][()], rtol=5e-6)
            # A sample or two of the 96 of a fold lie where the solutions differ.
            self.assertLess(abs(factor["fold_error"][()] - whole["fold_error"][()]).max(), 2.5 / 96)
            self.assertEqual(list(factor["test/prediction"][()]), list(whole["test/prediction"][()]))
            self.assertNotIn("fit/objective_error", whole)
            self.assertLess(factor["fit/objective_error"][()].max(), 1e-2)
            self.assertLess(factor["fit/gradient_error"][()].max(), 1e-4)

    def test_ranks_and_stops_change_nothing(self):
        words = ("--factor", "150", "--probability", "--class-weight", "balanced")
        self.succeed(*self.search("-o", "one.h5", *words))
        reference = content(self.folder / "one.h5")
        self.succeed(*self.search("-o", "two.h5", *words), ranks=2)
        self.assertEqual(difference(reference, content(self.folder / "two.h5")), [])
        self.stop_until_done(*self.search("-o", "cut.h5", *words), "--grace", "0", seconds=0.05, growth=1.2, runs=50)
        self.assertEqual(difference(reference, content(self.folder / "cut.h5")), [])

    def test_it_needs_less_memory_and_is_advised_where_the_matrix_does_not_fit(self):
        random = numpy.random.default_rng(12)
        numpy.save(self.folder / "x.npy", random.normal(size=(20000, 2)).astype(numpy.float32))
        numpy.save(self.folder / "y.npy", random.integers(0, 2, 20000))
        refused = self.run_command(*self.search("-o", "r.h5", "--dry-run", "--memory-limit", "60M"))
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("a factor of the kernel matrix (--factor 512)", refused.err)
        found = self.succeed(*self.search("-o", "r.h5", "--dry-run", "--memory-limit", "60M", "--factor", "64"))
        self.assertIn("a factor of the kernel matrix, of rank 64 at most", found.out)

    def test_too_small_a_rank_is_warned_of(self):
        self.succeed(*self.search("-o", "r.h5", "--factor", "8", "--no-refit"))
        text = self.succeed("report", "r.h5").out
        self.assertRegex(text, r"\d+ of 90 fits did not converge on a factor of rank 8, which leaves errors of the gradient up to")
        facts = json.loads(self.succeed("report", "r.h5", "--format", "json").out)[0]
        self.assertGreater(facts["fits"]["not_converged"], 10)

    def test_what_does_not_go_together_is_refused(self):
        for words, says in ((["--factor", "2000"], "a rank from 1 to 1024"),
                            (["--factor", "64", "--gap", "0.01"], "gap does not go with --factor"),
                            (["--factor", "64", "--kernel-function", "polynomial"], "it is made for rbf")):
            result = self.run_command(*self.search("-o", "r.h5", *words))
            self.assertEqual(result.code, USAGE, result)
            self.assertIn(says, result.err)


if __name__ == "__main__":
    unittest.main()
