#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of pandas and xarray out of results, against the same files read with h5py alone."""

import sys
import unittest
from unittest import mock

import h5py
import numpy
from python_case import OLD, CommandTest, optional

import krossfold

pandas, xarray = optional("pandas", "xarray")


class Tables(unittest.TestCase):
    def setUp(self):
        self.result = krossfold.open(OLD / "svm.h5")
        self.file = h5py.File(OLD / "svm.h5")
        self.addCleanup(self.file.close)

    @unittest.skipUnless(pandas, "python3 has no pandas (on Debian: python3-pandas)")
    def test_a_data_frame_has_a_row_for_each_combination_of_the_axes(self):
        frame = self.result.to_pandas("fold_error", "/fold_error")
        self.assertEqual(list(frame.index.names), ["gamma", "C", "fold"])
        for g, gamma in enumerate(self.file["search/gamma"]):
            for c, value in enumerate(self.file["search/C"]):
                for fold in range(2):
                    self.assertEqual(frame["fold_error"][gamma, value, fold], self.file["fold_error"][g, c, fold])
        times = self.result.to_pandas("/unit/seconds", "/unit/status", "/unit/reason")
        numpy.testing.assert_array_equal(times["seconds"].to_numpy().reshape(2, 2), self.file["unit/seconds"][()])
        one = self.result.to_pandas("/probability/A")
        self.assertEqual((one.index.name, one.index.tolist()), ("class_name", ["0", "1", "2"]))
        self.assertEqual(self.result.to_pandas("/best/error")["error"].tolist(), [self.file["best/error"][()]])
        with self.assertRaisesRegex(ValueError, "different axes"):
            self.result.to_pandas("/fold_error", "/unit/seconds")
        with self.assertRaisesRegex(ValueError, "takes the paths"):
            self.result.to_pandas()

    @unittest.skipUnless(pandas, "python3 has no pandas (on Debian: python3-pandas)")
    def test_cv_results_make_a_data_frame_as_those_of_scikit_learn(self):
        frame = pandas.DataFrame(self.result.cv_results_)
        best = frame.sort_values("rank_test_score").iloc[0]
        errors = [self.file[f"{group}fold_error"][()].mean(axis=2) for group in ("", "refine/1/")]
        self.assertEqual(len(frame), sum(part.size for part in errors))
        self.assertEqual(best["mean_test_score"], 1 - min(part.min() for part in errors))
        self.assertEqual(best["params"], {"C": best["param_C"], "gamma": best["param_gamma"]})

    @unittest.skipUnless(xarray, "python3 has no xarray (on Debian: python3-xarray)")
    def test_a_dataset_has_axes_coordinates_units_and_meanings(self):
        root = self.result.to_xarray()
        self.assertEqual(root.fold_error.dims, ("gamma", "C", "fold"))
        numpy.testing.assert_array_equal(root.fold_error.values, self.file["fold_error"][()])
        gamma = float(self.file["search/gamma"][1])
        numpy.testing.assert_array_equal(root.fold_error.sel(gamma=gamma).values, self.file["fold_error"][1])
        self.assertEqual(root.attrs["kind"], "svm")
        unit = self.result.to_xarray("/unit")
        self.assertEqual(unit.seconds.attrs["units"], self.result.units("/unit/seconds"))
        numpy.testing.assert_array_equal(unit.gamma.values, self.file["search/gamma"][()])
        self.assertEqual(self.result.to_xarray("/fit").iterations.class_name.values.tolist(), ["0", "1", "2"])
        self.assertEqual(len(set(self.result.to_xarray("/test").confusion.dims)), 2)

    @unittest.skipUnless(xarray, "python3 has no xarray (on Debian: python3-xarray)")
    def test_every_group_of_every_kind_becomes_a_dataset(self):
        for kind in ("svm", "bag", "train", "names", "unfinished"):
            result = krossfold.open(OLD / f"{kind}.h5")
            groups = {path.rsplit("/", 1)[0] or "/" for path in result.datasets()}
            for group in groups:
                dataset = result.to_xarray(group)
                for name, array in result.group(group).items():
                    numpy.testing.assert_array_equal(dataset[name].values, array, f"{kind} {group} {name}")

    def test_without_pandas_or_xarray_the_message_says_what_to_install(self):
        for name, call in (("pandas", lambda: self.result.to_pandas("/fold_error")), ("xarray", self.result.to_xarray)):
            with mock.patch.dict(sys.modules, {name: None}), self.assertRaisesRegex(ImportError, f"pip install {name}"):
                call()

    def test_a_missing_group_is_named_with_the_datasets_there_are(self):
        with self.assertRaisesRegex(krossfold.ResultFileError, "no group /fits .*/fit/converged"):
            self.result.group("/fits")


@unittest.skipUnless(pandas, "python3 has no pandas (on Debian: python3-pandas)")
class SeveralGroups(CommandTest):
    def test_datasets_of_one_name_keep_their_paths_and_axes_with_other_values_are_refused(self):
        self.succeed("svm", "--data", "digits", "--limit", "60", "--grid", "7x7", "--folds", "2", "--refine", "1", "--quiet", "-o", "r.h5")
        result = krossfold.open(self.folder / "r.h5")
        both = result.to_pandas("/best/confusion", "/test/confusion", "best/confusion")
        self.assertEqual(both.columns.tolist(), ["/best/confusion", "/test/confusion"])
        for path in both.columns:
            numpy.testing.assert_array_equal(both[path].to_numpy().reshape(10, 10), result[path])
        self.assertEqual(result["/fold_error"].shape, result["/refine/1/fold_error"].shape)  # else the shapes would tell
        for path in ("/refine/1/fold_error", "/refine/1/selected"):
            with self.assertRaisesRegex(ValueError, f"/fold_error and {path} have different values along gamma"):
                result.to_pandas("/fold_error", path)
        refined = result.to_pandas("/refine/1/fold_error", "/refine/1/selected")
        numpy.testing.assert_array_equal(refined.index.levels[1], result["/refine/1/C"])
        self.assertEqual(refined.columns.tolist(), ["fold_error", "selected"])


if __name__ == "__main__":
    unittest.main()
