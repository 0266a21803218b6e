#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold svm --refine: finer grids round the best cell."""

import unittest

import h5py
import numpy

from krossfold_cli import CommandTest, content, difference, models_of, write_csv, held_out_digits

GRID = ("svm", "--data", "digits", "--test-part", "last", "--limit", "400", "--grid", "4x3", "--folds", "3", "--quiet")
STUDY = (*GRID, "--refine", "2", "--probability")
SPACING = {"C": 9 / 3, "gamma": 4 / 2}


class Refine(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.study = cls.share("search") / "r.h5"

    def search(self):
        self.succeed(*STUDY, "-o", "r.h5")

    def best_of(self, file, round):
        """The lowest mean error of a round, and its values of C and gamma: the smallest C, then gamma, of equal ones."""
        group = file if round == 0 else file[f"refine/{round}"]
        mean = group["fold_error"][()].mean(axis=2)
        c, gamma = numpy.unravel_index(mean.T.argmin(), mean.T.shape)
        return mean[gamma, c], group["C"][c], group["gamma"][gamma]

    def test_each_round_lies_round_the_best_cell_before_it(self):
        with h5py.File(self.study) as file:
            self.assertEqual(list(file["refine"]), ["1", "2"])
            best = self.best_of(file, 0)
            for round in (1, 2):
                group = file[f"refine/{round}"]
                self.assertEqual(group["fold_error"].shape, (7, 7, 3))
                self.assertEqual([axis[0].name for axis in group["fold_error"].dims],
                                 [f"/refine/{round}/gamma", f"/refine/{round}/C", "/fold"])
                for name, centre in (("C", best[1]), ("gamma", best[2])):
                    values = group[name][()]
                    self.assertEqual(values[3], centre)
                    numpy.testing.assert_allclose(numpy.diff(numpy.log10(values)), SPACING[name] / 4**round, rtol=1e-9)
                self.assertTrue(numpy.isfinite(group["fold_error"][()]).all())
                self.assertTrue((group["not_converged"][()] == 0).all())
                best = min(best, self.best_of(file, round), key=lambda found: found[0])

    def test_the_best_cell_is_the_lowest_of_all_rounds_and_no_worse_than_the_grid_s(self):
        with h5py.File(self.study) as file:
            found = [self.best_of(file, round) for round in range(3)]
            lowest = min(found, key=lambda cell: cell[0])
            self.assertEqual((file["best/error"][()], file["best/C_value"][()], file["best/gamma_value"][()]), lowest)
            self.assertLessEqual(lowest[0], found[0][0])
            # On this coarse grid there is something to gain: else this file would test little.
            self.assertLess(lowest[0], found[0][0])
            round = file["best/round"][()]
            self.assertEqual(found.index(lowest), round)
            self.assertEqual(file[f"refine/{round}/C"][file["best/C_index"][()]], lowest[1])
            self.assertEqual(file[f"refine/{round}/gamma"][file["best/gamma_index"][()]], lowest[2])

    def test_the_model_is_that_of_the_refined_cell(self):
        with h5py.File(self.study) as file, h5py.File(models_of(self.study) / "svm.h5") as model:
            self.assertEqual((model.attrs["C"], model.attrs["gamma"]), (file["best/C_value"][()], file["best/gamma_value"][()]))
            test_error = file["test_error"][()]
        pixels, labels = held_out_digits()
        write_csv(self.folder / "digits.csv", numpy.column_stack([pixels, labels]))
        answer = self.succeed("predict", self.study, "digits.csv", "--format", "json").json()
        self.assertEqual(answer["inputs"][0]["error"], test_error)
        self.assertAlmostEqual(sum(answer["inputs"][0]["samples"][0]["probability"]), 1)

    def test_the_grid_itself_is_the_one_without_rounds(self):
        self.succeed(*GRID, "-o", "grid.h5")
        changed = difference(content(self.study), content(self.folder / "grid.h5"))
        for name in ("fold_error", "C", "gamma", "fit/dual_objective", "fit/iterations", "unit/status"):
            self.assertNotIn(name, changed)

    def test_report_has_the_best_of_each_round(self):
        out = self.succeed("report", self.study).out
        self.assertRegex(out, r"round 1 +C = .* gamma = .*: cross-validation error")
        self.assertRegex(out, r"round 2 +C = ")
        answer = self.succeed("report", self.study, "--format", "json").report()
        with h5py.File(self.study) as file:
            self.assertEqual(answer["best"]["round"], file["best/round"][()])
            for round in (1, 2):
                error, c, gamma = self.best_of(file, round)
                self.assertAlmostEqual(answer["refine"][round - 1].pop("error"), error, places=12)
                self.assertEqual(answer["refine"][round - 1], {"C": c, "gamma": gamma})

    def test_ranks_and_interruptions_change_nothing(self):
        self.succeed(*STUDY, "-o", "two.h5", ranks=2)
        self.stop_until_done(*STUDY, "-o", "cut.h5", growth=1.4, ranks=(2,), runs=60)
        for name in ("two", "cut"):
            self.assertEqual(difference(content(self.study), content(self.folder / f"{name}.h5")), [], name)
            self.assertEqual((models_of(self.study) / "svm.h5").read_bytes(),
                             (models_of(self.folder / f"{name}.h5") / "svm.h5").read_bytes(), name)


if __name__ == "__main__":
    unittest.main()
