#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""--kernel-function: against scikit-learn's recorded values, precomputed matrices from every source, on any ranks, after stops, refused."""

import csv
import io
import json
import math
import unittest

import h5py
import numpy

from krossfold_cli import ROOT, USAGE, CommandTest, content, difference, write_csv

RECORDED = ROOT / "test" / "reference" / "kernels_sklearn.csv"  # gamma = 0.5
GAMMA = f"{math.log10(0.5)!r}:{math.log10(0.5)!r}"


def recorded():
    """The recorded samples (x1, x2, class, weight); the cases {(kernel, degree, coef0, multiclass, weighted, C): decision values} and folds."""
    lines = [line.split(",") for line in RECORDED.read_text().splitlines() if not line.startswith("#")]
    samples = numpy.array([[float(word) for word in line[1:]] for line in lines if line[0] == "sample"])
    cases = {tuple(line[1:7]): numpy.array(line[7:], float).reshape(-1, 3) for line in lines if line[0] == "case"}
    folds = {tuple(line[1:6]): [int(word) for word in line[6:]] for line in lines if line[0] == "fold"}
    return samples, cases, folds


def kernel_words(kernel, degree, coef0):
    words = ["--kernel-function", kernel]
    if kernel == "polynomial":
        words += ["--degree", degree, "--coef0", coef0, "--log10-gamma", GAMMA]
    return words


class Kernels(CommandTest):
    def setUp(self):
        super().setUp()
        self.samples, self.cases, self.folds = recorded()
        x, y = self.samples[:, :2], self.samples[:, 2].astype(int)
        distance = numpy.abs(x[:, None] - x[None]).sum(2)
        self.matrix = numpy.exp(-0.5 * distance).astype(numpy.float32)
        self.y = y
        numpy.save(self.folder / "K.npy", self.matrix)
        numpy.save(self.folder / "y.npy", y)
        write_csv(self.folder / "iris.csv", [["x1", "x2", "w", "y"], *([x1, x2, w, int(c)] for x1, x2, c, w in self.samples)])
        write_csv(self.folder / "plain.csv", [["x1", "x2"], *x])
        write_csv(self.folder / "K.csv", [[*(f"k{i}" for i in range(len(y))), "w", "y"],
                                          *([*row, w, int(c)] for row, w, c in zip(self.matrix, self.samples[:, 3], y))])

    def source(self, kernel):
        return "csv:K.csv" if kernel == "precomputed" else "csv:iris.csv"

    def decisions(self, model, data):
        table = csv.DictReader(io.StringIO(self.succeed("predict", model, data, "--format", "csv").out))
        return numpy.array([[value for column, value in row.items() if column.startswith("decision_")] for row in table], float)

    def test_models_have_the_decision_values_of_scikit_learn(self):
        # The recorded samples are all of the training part: any file can be the test part.
        for (kernel, degree, coef0, multiclass, weighted, c), expected in self.cases.items():
            with self.subTest(kernel=kernel, degree=degree, coef0=coef0, multiclass=multiclass, weighted=weighted, c=c):
                name = f"{kernel}-{degree}-{coef0}-{multiclass}-{weighted}-{c}.h5"
                source, at = self.source(kernel), math.log10(float(c))
                words = ["--weight", "w"] if weighted == "1" else ["--drop", "w"]
                self.succeed("svm", "--data", source, "--test", source, *words, "--grid", "1x1", f"--log10-c={at!r}:{at!r}",
                             *kernel_words(kernel, degree, coef0), "--scale", "none", "--multiclass", multiclass, "--tolerance", "1e-8",
                             "--quiet", "-o", name)
                found = self.decisions(name, source if kernel == "precomputed" else "plain.csv")
                numpy.testing.assert_allclose(found, expected, atol=1e-4)

    def test_folds_have_the_errors_of_scikit_learn(self):
        for kernel, degree, coef0, multiclass in sorted({key[:4] for key in self.folds}):
            for c in ("0.01", "1", "5"):
                with self.subTest(kernel=kernel, degree=degree, coef0=coef0, multiclass=multiclass, c=c):
                    at = math.log10(float(c))
                    name = f"{kernel}{degree}{coef0}{multiclass}{c}.h5"
                    self.succeed("svm", "--data", self.source(kernel), "--drop", "w", "--test-part", "none", "--fold-kind", "contiguous",
                                 "--grid", "1x1", f"--log10-c={at!r}:{at!r}", *kernel_words(kernel, degree, coef0), "--scale", "none",
                                 "--multiclass", multiclass, "--tolerance", "1e-6", "--no-refit", "--quiet", "-o", name)
                    with h5py.File(self.folder / name) as file:
                        held = numpy.bincount(file["out_of_fold/fold_index"][()])
                        wrong = numpy.rint(file["fold_error"][0, 0] * held).astype(int)
                    self.assertEqual(list(wrong), self.folds[kernel, degree, coef0, multiclass, c])

    def test_default_grid_has_one_gamma_that_no_report_shows(self):
        self.succeed("svm", "--data", "csv:iris.csv", "--drop", "w", "--kernel-function", "linear", "--quiet", "-o", "r.h5")
        with h5py.File(self.folder / "r.h5") as file:
            self.assertEqual(list(file["gamma"][()]), [1.0])
            self.assertEqual(file["fold_error"].shape, (1, 24, 5))
            self.assertEqual(json.loads(file.attrs["config"])["grid"]["value"], "24x1")
        shown = self.succeed("report", "r.h5").out
        self.assertIn("linear", shown)
        self.assertNotIn("gamma", shown)
        report = self.succeed("report", "r.h5", "--format", "json").report()
        self.assertIsNone(report["best"]["gamma"])
        self.assertEqual(report["kernel"]["function"], "linear")
        rows = list(csv.DictReader(io.StringIO(self.succeed("report", "r.h5", "--format", "csv").out)))
        self.assertEqual({row["gamma"] for row in rows}, {""})
        # The same again from its configuration, and refined.
        self.succeed("svm", "--config", "r.h5", "--refine", "1", "--quiet", "-o", "again.h5")
        with h5py.File(self.folder / "again.h5") as file:
            self.assertEqual(file["refine/1/fold_error"].shape, (1, 7, 5))

    def test_default_search_of_a_polynomial_finds_a_good_cell_and_says_what_gamma_does(self):
        for coef0, warned in (("0", True), ("1", False)):
            result = self.succeed("svm", "--data", "csv:iris.csv", "--drop", "w", "--kernel-function", "polynomial", "--coef0", coef0,
                                  "--grid", "4x4", "-o", f"p{coef0}.h5")
            self.assertEqual("gamma only scales the polynomial kernel" in result.err + result.out, warned, result)
            report = self.succeed("report", f"p{coef0}.h5", "--format", "json").report()
            self.assertLess(report["best"]["error"], 0.2)
            self.assertEqual((report["kernel"]["degree"], report["kernel"]["coef0"]), (3, float(coef0)))

    def test_precomputed_from_every_source_and_what_is_held_out_is_the_same(self):
        numpy.savez(self.folder / "both.npz", K=self.matrix, y=self.y)
        with h5py.File(self.folder / "both.hdf5", "w") as file:
            file["x"], file["y"] = self.matrix, self.y
        found = []
        for k, words in enumerate((["npy:K.npy,y.npy"], ["npz:both.npz:K,y"], ["hdf5:both.hdf5"], ["csv:K.csv", "--drop", "w"])):
            for limit in ("0", "60"):
                name = f"s{k}-{limit}.h5"
                self.succeed("svm", "--kernel-function", "precomputed", "--data", *words, *(["--limit", limit] if limit != "0" else []), "--grid", "3x1",
                             "--log10-c=-1:1", "--quiet", "-o", name)
                with h5py.File(self.folder / name) as file:
                    # An independent machine: the sum of the model over the given columns.
                    run_id = file.attrs["run_id"]
                    sample, prediction = file["test/sample"][()], file["test/prediction"][()]
                    errors = file["fold_error"][()]
                    train = set(range(len(self.y))) - set(sample)
                with h5py.File(next(self.folder.glob(f"{name[:-3]}.*.models")) / "svm.h5") as model:
                    column, coefficient, bias = model["support/column"][()], model["coefficient"][()], model["bias"][()]
                    self.assertEqual(model.attrs["kernel_columns"], len(self.y))
                    self.assertNotIn("raw", model["support"])
                self.assertTrue(set(column) <= train)
                value = self.matrix[sample][:, column].astype(float) @ coefficient.T + bias
                numpy.testing.assert_array_equal(value.argmax(1), prediction)
                predicted = self.decisions(name, words[0].split(",")[0] if k == 0 else words[0])
                numpy.testing.assert_allclose(predicted, self.matrix[:, column].astype(float) @ coefficient.T + bias, atol=1e-9)
                found.append((limit, errors.tolist(), list(sample), run_id))
        for limit in ("0", "60"):
            of_limit = [one[1:3] for one in found if one[0] == limit]
            self.assertTrue(all(one == of_limit[0] for one in of_limit))

    def test_precomputed_from_the_products_of_features_is_linear(self):
        x = numpy.asarray(self.samples[:, :2], numpy.float32).astype(float)
        numpy.save(self.folder / "P.npy", x @ x.T)
        numpy.save(self.folder / "x.npy", x)
        errors = []
        for kernel, source in (("linear", "npy:x.npy,y.npy"), ("precomputed", "npy:P.npy,y.npy")):
            self.succeed("svm", "--kernel-function", kernel, "--data", source, "--scale", "none", "--grid", "4x1", "--log10-c=-2:1",
                         "--tolerance", "1e-5", "--quiet", "-o", f"{kernel}.h5")
            with h5py.File(self.folder / f"{kernel}.h5") as file:
                errors.append((file["fold_error"][()].tolist(), list(file["test/prediction"][()])))
        self.assertEqual(errors[0], errors[1])

    def test_ranks_stops_and_memory_change_nothing(self):
        for kernel in ("linear", "polynomial", "precomputed"):
            source = ["npy:K.npy,y.npy"] if kernel == "precomputed" else ["csv:iris.csv", "--weight", "w"]
            grid = ["--grid", "3x2", "--log10-gamma=-3:-2"] if kernel == "polynomial" else ["--grid", "3x1"]
            search = ["svm", "--data", *source, "--kernel-function", kernel, *grid, "--folds", "3", "--refine", "1", "--probability", "--quiet"]
            self.succeed(*search, "-o", f"{kernel}1.h5")
            reference = content(self.folder / f"{kernel}1.h5")
            self.succeed(*search, "-o", f"{kernel}2.h5", ranks=2)
            self.assertEqual(difference(reference, content(self.folder / f"{kernel}2.h5")), [])
            self.stop_until_done(*search, "-o", f"{kernel}c.h5", "--grace", "0", seconds=0.02, growth=2, ranks=(None, 2))
            self.assertEqual(difference(reference, content(self.folder / f"{kernel}c.h5")), [])

    def test_what_is_no_kernel_matrix_is_refused_or_warned_of(self):
        def search(*words):
            return self.run_command("svm", "--kernel-function", "precomputed", "--grid", "2x1", *words, "-o", "r.h5")

        wrong = self.matrix.copy()
        wrong[6, 3] += 0.01
        numpy.save(self.folder / "wrong.npy", wrong)
        numpy.save(self.folder / "wide.npy", self.matrix[:, :100])
        for words, says in ((["--data", "npy:wrong.npy,y.npy"], ["not symmetric", "row 7, column 4", "row 4, column 7"]),
                            (["--data", "npy:wide.npy,y.npy"], ["115 rows and 100 columns"]),
                            (["--data", "csv:iris.csv"], ["a kernel matrix of 115 rows and 3 columns"]),
                            (["--data", "npy:K.npy,y.npy", "--scale", "standard"], ["scale 'standard' with a precomputed kernel"])):
            result = search(*words)
            self.assertEqual(result.code, USAGE, result)
            for say in says:
                self.assertIn(say, result.err, result)
        for change in (numpy.diag([-1.0] + [0.0] * 114), -0.5 * numpy.eye(115)):
            numpy.save(self.folder / "odd.npy", self.matrix + change)
            result = search("--data", "npy:odd.npy,y.npy")
            self.assertEqual(result.code, 0, result)
            self.assertIn("not positive semidefinite", result.out + result.err, result)
            (self.folder / "r.h5").unlink()
        self.succeed("svm", "--kernel-function", "precomputed", "--data", "npy:K.npy,y.npy", "--grid", "1x1", "--quiet", "-o", "r.h5")
        result = self.run_command("predict", "r.h5", "npy:wide.npy")
        self.assertEqual(result.code, USAGE, result)


if __name__ == "__main__":
    unittest.main()
