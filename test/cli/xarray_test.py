#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Result files as h5py and xarray see them: strings are str, every group opens, every dimension has its coordinate."""

import unittest

import h5py
import numpy
from krossfold_cli import CommandTest, models_of

try:
    import h5netcdf  # noqa: F401
    import xarray
except ImportError:
    xarray = None


class Xarray(CommandTest):
    def study(self, *arguments):
        """Runs a study and asserts that all strings of its files are str."""
        self.succeed(*arguments)
        result = self.folder / arguments[arguments.index("-o") + 1]
        for path in (result, *models_of(result).glob("*.h5")):
            with h5py.File(path) as file:
                self.assert_strings(file)
                file.visititems(lambda _, item: self.assert_strings(item))

    def assert_strings(self, item):
        for name in set(item.attrs) - {"CLASS", "NAME"}:  # of dimension scales, which HDF5 defines as ASCII
            if h5py.check_string_dtype(item.attrs.get_id(name).dtype):
                self.assertIsInstance(item.attrs[name], str, f"{item.name}: {name}")
        if isinstance(item, h5py.Dataset):
            self.assertIsInstance(item.attrs["units"], str)
            if h5py.check_string_dtype(item.dtype):
                for word in numpy.ravel(item.asstr()[()]):
                    self.assertIsInstance(word, str, item.name)
        elif item.name == "/":
            self.assertIsInstance(item.attrs["kind"], str)

    def groups(self, path):
        with h5py.File(path) as file:
            names = ["/"]
            file.visititems(lambda name, item: names.append("/" + name) if isinstance(item, h5py.Group) else None)
        return names

    def open_all(self, name):
        """{group: Dataset}; asserts what holds for every file."""
        if xarray is None:
            self.skipTest("python3 has no xarray or h5netcdf (on Debian: python3-xarray, python3-h5netcdf)")
        found = {}
        for group in self.groups(self.folder / name):
            with xarray.open_dataset(self.folder / name, engine="h5netcdf", group=group) as dataset:
                found[group] = dataset.load()
        with h5py.File(self.folder / name) as file:
            for group, dataset in found.items():
                datasets = [key for key, item in file[group].items() if isinstance(item, h5py.Dataset)]
                self.assertLessEqual(set(datasets), set(dataset.variables), group)
                for key in datasets:
                    for dimension, size in zip(dataset[key].dims, dataset[key].shape):
                        place = next(found[place] for place in self.upwards(group) if dimension in found[place].coords)
                        self.assertEqual(place.coords[dimension].size, size, f"{group}: {key}")
        return found

    @staticmethod
    def upwards(group):
        parts = group.strip("/").split("/")
        return ["/" + "/".join(parts[:k]) for k in range(len(parts), 0, -1)] + ["/"]

    def test_an_svm_search(self):
        for more in ([], ["--multiclass", "ovo"]):
            with self.subTest(more=more):
                self.study("svm", "--grid", "2x3", "--folds", "3", "--limit", "150", "--refine", "1", "--probability",
                           "-o", f"svm{len(more)}.h5", *more)
                groups = self.open_all(f"svm{len(more)}.h5")
                root = groups["/"]
                self.assertEqual(root.fold_error.dims, ("gamma", "C", "fold"))
                self.assertEqual((root.attrs["kind"], root.fold_error.attrs["units"]), ("svm", "1"))
                self.assertEqual(root.fold_error.mean("fold").sel(C=root.C[0]).shape, (3,))
                self.assertEqual(groups["/fit"].iterations.dims[3], "pair_name" if more else "class_name")
                self.assertEqual(groups["/refine/1"].fold_error.dims, ("gamma", "C", "fold"))
                self.assertEqual(groups["/refine/1"].gamma.size, 7)
                self.assertEqual(groups["/test"].confusion.dims, ("class_name", "predicted"))

    def test_predictions(self):
        self.study("bag", "--limit", "100", "--bootstraps", "2", "--trials", "1", "--folds", "2", "--epochs", "1",
                   "--channels", "2:2", "--kernel", "2:2", "--hidden", "4:4", "-o", "bag.h5")
        self.study("svm", "--grid", "1x1", "--limit", "100", "--probability", "--log10-c=0:0", "--log10-gamma=-2:-2", "-o", "svm.h5")
        for study in ("bag", "svm"):
            self.succeed("predict", f"{study}.h5", "digits", "-o", f"{study}-p.h5")
            found = self.open_all(f"{study}-p.h5")["/input_0"]
            self.assertEqual(found.probability.dims, ("sample", "class_name"))
            self.assertEqual(found.sample.values.tolist(), list(range(found.prediction.size)))
            if study == "svm":
                self.assertEqual(found.decision.dims, ("sample", "decision_name"))
            else:
                self.assertEqual(found.member_probability.dims, ("network", "sample", "class_name"))
                names = [name.decode() if isinstance(name, bytes) else name for name in found.quartile_name.values]
                self.assertEqual(names, ["least", "lower_quartile", "median", "upper_quartile", "greatest"])
                middle = found.quartile.sel(quartile_name=found.quartile_name.values[2])
                self.assertEqual(middle.dims, ("sample", "class_name"))
                numpy.testing.assert_array_equal(middle, found.quartile[2])

    def test_bagging(self):
        self.study("bag", "--limit", "100", "--bootstraps", "2", "--trials", "2", "--folds", "2", "--epochs", "2",
                   "--channels", "2:3", "--kernel", "2:3", "--hidden", "4:6", "-o", "bag.h5")
        groups = self.open_all("bag.h5")
        self.assertEqual(groups["/"].fold_error.dims, ("bootstrap", "trial", "fold"))
        self.assertEqual(groups["/ensemble"].probability.dims[0], "bootstrap")
        self.assertEqual(len(groups["/ood"].auroc.dims), 2)

    def test_trainings(self):
        self.study("train", "mlp", "--limit", "100", "--epochs", "2", "--hidden", "8", "-o", "mlp.h5")
        self.study("names", "--limit", "30", "--workers", "1", "--batch-per-worker", "10", "--rate", ".01,.02",
                   "--epochs", "2", "--layers", "1", "--hidden", "4", "-o", "names.h5")
        self.assertEqual(self.open_all("mlp.h5")["/training"].loss.dims[1], "epoch")
        self.assertEqual(self.open_all("names.h5")["/training"].loss.shape, (2, 2))


if __name__ == "__main__":
    unittest.main()
