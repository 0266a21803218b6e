#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Exports that a format cannot hold, and files that are no models."""

import json
import unittest
import warnings
import zipfile

import numpy

from invalid_case import InvalidCase
from krossfold_cli import ROOT, write_csv

RECORDED = json.loads((ROOT / "test" / "reference" / "libsvm_models.json").read_text())["cases"]["rbf"]["model"]


class Export(InvalidCase):
    @classmethod
    def setUpClass(cls):
        cls.folder_of_models = cls.share("train")

    def train(self):
        random = numpy.random.default_rng(1)
        rows = [[*random.normal(size=2).round(2).tolist(), k % 3] for k in range(150)]
        write_csv(self.folder / "d.csv", rows)
        search = ("svm", "--data", "csv:d.csv", "--grid", "1x1", "--folds", "2", "--quiet")
        self.succeed(*search, "-o", "rest.h5")
        self.succeed(*search, "--multiclass", "ovo", "-o", "pairs.h5")
        self.succeed(*search, "--partition", "random:50", "-o", "parts.h5")
        self.succeed("train", "mlp", "--data", "csv:d.csv", "--hidden", "4", "--epochs", "1", "--quiet", "-o", "mlp.h5")
        self.succeed("train", "lstm", "--data", "names", "--limit", "60", "--layers", "1", "--hidden", "4", "--epochs", "1", "--quiet", "-o", "lstm.h5")

    def model(self, name):
        return self.folder_of_models / f"{name}.h5"

    def test_formats_that_cannot_hold_a_model(self):
        self.check_refused("export", self.model("rest"), "-o", "m.model", says=["one-vs-rest with 3 classes", "--multiclass ovo"])
        self.check_refused("export", self.model("mlp"), "-o", "m.model", says=["is no SVM", "FILE.onnx or FILE.npz"])
        self.check_refused("export", self.model("lstm"), "-o", "m.model", says=["is no SVM"])
        for end in ("model", "onnx", "npz"):
            self.check_refused("export", self.model("parts"), "-o", f"m.{end}", says=["an SVM for each part", "--partition"])

    def test_names_that_tell_no_format(self):
        for name in ("m.txt", "m", "m.h5", "model"):
            self.check_refused("export", self.model("pairs"), "-o", name, says=[name, ".model (LIBSVM), .onnx (ONNX) or .npz (NumPy)"])
        (self.folder / "m.txt").write_text(RECORDED)
        self.check_refused("import", "m.txt", "-o", "m.h5", says=["m.txt does not name a format"])

    def test_missing_words(self):
        self.check_refused("export", self.model("pairs"), says=["needs a model and a file to write"])
        self.check_refused("import", "m.model", says=["needs a file and the model to write"])

    def test_existing_files_stay(self):
        for name in ("m.model", "m.onnx", "m.npz"):
            (self.folder / name).write_text("mine")
            self.check_refused("export", self.model("pairs"), "-o", name, says=[f"{name} exists", "Choose another -o"])
        (self.folder / "n.model").write_text(RECORDED)
        (self.folder / "n.h5").write_text("mine")
        self.check_refused("import", "n.model", "-o", "n.h5", says=["n.h5 exists"])

    def test_models_that_are_missing_or_none(self):
        self.check_refused("export", "none.h5", "-o", "m.onnx", says=["none.h5"])
        (self.folder / "text.h5").write_text("no model")
        self.check_refused("export", "text.h5", "-o", "m.onnx", says=["text.h5"])
        self.check_refused("import", "none.model", "-o", "m.h5", says=["none.model"])

    def test_damaged_libsvm_models(self):
        for old, new, says in (("gamma 0.5", "gamma x", ["line 3, column 7"]), ("c_svc", "one_class", ["line 1, column 10"]),
                               ("total_sv 19", "total_sv 20", ["nr_sv is 19 in all"]), ("1:0.706", "1:0.706 1:2", ["column", "ascend"])):
            (self.folder / "m.model").write_text(RECORDED.replace(old, new))
            self.check_refused("import", "m.model", "-o", "m.h5", says=["m.model", *says])
        for old, new, says in (("gamma 0.5\n", "", ["gamma is missing"]), ("kernel_type rbf\n", "", ["kernel_type is missing"]),
                               ("gamma 0.5\n", "gamma 0.5\ngamma 0.4\n", ["gamma"])):
            self.assertIn(old, RECORDED)
            (self.folder / "m.model").write_text(RECORDED.replace(old, new))
            self.check_refused("import", "m.model", "-o", "m.h5", says=["m.model", *says])
        for length in (0, 40, 200, 600, len(RECORDED) - 1, len(RECORDED) - 5):
            (self.folder / "m.model").write_text(RECORDED[:length])
            self.check_refused("import", "m.model", "-o", "m.h5", says=["m.model"])
        (self.folder / "m.model").write_bytes(bytes(range(256)) * 4)
        self.check_refused("import", "m.model", "-o", "m.h5", says=["m.model"])

    def test_ranges_labels_and_features_that_do_not_fit(self):
        (self.folder / "m.model").write_text(RECORDED)
        (self.folder / "few.range").write_text("x\n-1 1\n1 0 1\n")
        self.check_refused("import", "m.model", "--range", "few.range", "-o", "m.h5", says=["no range for feature 2"])
        (self.folder / "bad.range").write_text("x\n-1 1\n1 0 one\n")
        self.check_refused("import", "m.model", "--range", "bad.range", "-o", "m.h5", says=["bad.range, line 3, column 5"])
        (self.folder / "few.labels").write_text("7 ash\n")
        self.check_refused("import", "m.model", "--labels", "few.labels", "-o", "m.h5", says=["few.labels does not name label -1"])
        self.check_refused("import", "m.model", "--features", "1", "-o", "m.h5", says=["has a feature 2"])
        self.check_refused("import", "m.model", "--features", "none", "-o", "m.h5", says=["--features"])
        self.check_refused("import", "m.model", "--range", "none.range", "-o", "m.h5", says=["none.range"])

    def test_damaged_npz_files(self):
        self.succeed("export", self.model("pairs"), "-o", "whole.npz")
        whole = (self.folder / "whole.npz").read_bytes()
        for k, damaged in enumerate((b"", whole[:100], whole[:-30], whole[:500] + b"x" * 40 + whole[540:])):
            (self.folder / f"{k}.npz").write_bytes(damaged)
            self.check_refused("import", f"{k}.npz", "-o", "m.h5", says=[f"{k}.npz"])
        self.check_refused("import", "whole.npz", "--features", "3", "-o", "m.h5", says=["--features are not for whole.npz"])
        numpy.savez(self.folder / "x.npz", x=numpy.eye(3))
        self.check_refused("import", "x.npz", "-o", "m.h5", says=["x.npz", "dense.0.weight", "docs/export.md"])
        numpy.savez(self.folder / "o.npz", classes_=numpy.array([1, 2], object), kernel="rbf", gamma=1.0, dual_coef_=numpy.eye(2))
        self.check_refused("import", "o.npz", "-o", "m.h5", says=["o.npz, array classes_", "Python objects"])

    def test_features_that_lose_their_digits(self):
        """Features near 1013.25 that differ by a thousandth are told apart by steps of 6e-5."""
        near = numpy.random.default_rng(1).uniform(0, 1e-3, size=(8, 2)) + 1013.25
        numpy.savez(self.folder / "near.npz", classes_=numpy.array([0, 1]), kernel="rbf", gamma=1e6, support_vectors_=near, n_support_=[4, 4],
                    dual_coef_=[[-1.0] * 4 + [1.0] * 4], intercept_=[0.0])
        self.assertIn("Warning: decision values differ", self.succeed("import", "near.npz", "-o", "near.h5").out)
        network = {"classes_": numpy.array([0, 1]), "dense.0.weight": numpy.eye(2), "dense.0.bias": numpy.zeros(2),
                   "mean_": [1.6e9, 0.0], "scale_": [10.0, 1.0]}
        numpy.savez(self.folder / "far.npz", **network)
        self.check_refused("import", "far.npz", "-o", "m.h5", says=["far.npz", "single precision"])

    def test_classes_without_names(self):
        arrays = {"dense.0.weight": numpy.eye(2), "dense.0.bias": numpy.zeros(2)}
        for classes in (["a", " "], [float("nan"), 1.0], ["inf", "b"]):
            numpy.savez(self.folder / "c.npz", **arrays, classes_=numpy.array(classes))
            self.check_refused("import", "c.npz", "-o", "m.h5", says=["c.npz", "is no name", "docs/export.md"])

    def test_parameters_that_no_model_here_has(self):
        for model in ("pairs", "lstm"):
            self.succeed("export", self.model(model), "-o", f"{model}.npz")
            arrays = dict(numpy.load(self.folder / f"{model}.npz"))
            numpy.savez(self.folder / "more.npz", **arrays, **{"norm.weight": [1.0]})
            self.check_refused("import", "more.npz", "-o", "m.h5", says=["more.npz", "the array norm.weight is of no layer"])
            numpy.savez(self.folder / "other.npz", **{**arrays, "format": "krossfold-network"})
            self.check_refused("import", "other.npz", "-o", "m.h5", says=["other.npz"])
        del arrays["known"]
        numpy.savez(self.folder / "own.npz", **arrays)
        self.succeed("import", "own.npz", "-o", "own.h5")
        self.check_refused("sample", "own.h5", "--novel", says=["does not say which names it was trained on", "Leave --novel out"])

    def test_two_arrays_of_the_same_name(self):
        self.succeed("export", self.model("pairs"), "-o", "whole.npz")
        with warnings.catch_warnings(), zipfile.ZipFile(self.folder / "whole.npz", "a") as file:
            warnings.simplefilter("ignore")
            file.writestr("gamma.npy", file.read("gamma.npy"))
        self.check_refused("import", "whole.npz", "-o", "m.h5", says=["whole.npz", "gamma.npy", "twice"])


if __name__ == "__main__":
    unittest.main()
