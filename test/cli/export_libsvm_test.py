#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold export to LIBSVM and import from it: equal predictions, on raw data where the format allows it, against recorded models of
LIBSVM, and against the library itself where Python has it."""

import json
import shutil
import subprocess
import unittest

import numpy

from exported_models import RBF, REFERENCE, ExportedModels, LibsvmModel, sparse_rows, svm_scale, table
from krossfold_cli import models_of, write_csv
from sparse_test import texts, write_libsvm

try:
    from libsvm import svmutil
except ImportError:
    svmutil = None


def read(path):
    return path.read_text()


class ExportLibsvm(ExportedModels):
    @classmethod
    def setUpClass(cls):
        cls.recorded = json.loads(REFERENCE.read_text())
        cls.done = cls.share("train_all")

    def train_all(self):
        self.write_tables()
        for name in ("rbf", "uniform", "linear", "cubic", "raw-cubic", "scaled-square", "two", "rest"):
            self.train_svm(name)

    def setUp(self):
        super().setUp()
        self.write_tables()

    def test_the_reader_of_this_test_predicts_as_libsvm(self):
        for name, case in self.recorded["cases"].items():
            model = LibsvmModel(case["model"])
            samples = sparse_rows(self.recorded["x"])
            numpy.testing.assert_allclose(model.decisions(samples), case["decision"], atol=1e-7, err_msg=name)
            self.assertEqual(model.labels(samples), [str(int(label)) for label in case["label"]], name)

    def test_exported_models_predict_as_krossfold_does(self):
        raw = {"uniform", "linear", "raw-cubic", "scaled-square"}  # take features as they are
        for name in ("rbf", "uniform", "linear", "cubic", "raw-cubic", "scaled-square", "two"):
            with self.subTest(name):
                result = self.succeed("export", self.done / f"{name}.h5", "-o", f"{name}.model")
                path, x = self.data_of(name)
                labels, decision, _ = self.predictions(self.done / f"{name}.h5", path)
                model, samples = LibsvmModel(read(self.folder / f"{name}.model")), sparse_rows(x)
                range_file = self.folder / f"{name}.range"
                self.assertEqual(range_file.exists(), name not in raw, result)
                self.assertEqual("svm-scale -r" in result.out, name not in raw, result)
                if name not in raw:
                    exact = [{j: (row.get(j, 0.0) - a) / (b - a) for j, a, b in self.ranges(range_file)} for row in samples]
                    numpy.testing.assert_allclose(model.decisions(exact), decision, atol=2e-5)
                    samples = svm_scale(samples, read(range_file))
                # svm-scale writes six digits.
                numpy.testing.assert_allclose(model.decisions(samples), decision, atol=2e-5 if name in raw else 1e-3)
                names = self.names_of(name)
                self.assertEqual([names[label] for label in model.labels(samples)], labels)
                if svmutil:
                    again = svmutil.svm_predict([], samples, svmutil.svm_load_model(str(self.folder / f"{name}.model")), "-q")
                    self.assertEqual([names[str(int(label))] for label in again[0]], labels)

    @unittest.skipUnless(shutil.which("svm-predict"), "svm-predict is not installed: apt-get install libsvm-tools")
    def test_the_programs_of_libsvm_run_as_the_export_says(self):
        for name in ("rbf", "uniform", "linear", "cubic", "two"):
            with self.subTest(name):
                result = self.succeed("export", self.done / f"{name}.h5", "-o", f"{name}.model")
                path, x = self.data_of(name)
                write_libsvm(self.folder / "DATA", x, [0] * len(x))
                for line in result.out.splitlines():
                    if line.startswith("  svm-"):
                        subprocess.run(line, shell=True, cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
                names = self.names_of(name)
                labels = [names[label] for label in read(self.folder / "PREDICTIONS").split()]
                self.assertEqual(labels, self.predictions(self.done / f"{name}.h5", path)[0])

    def ranges(self, path):
        return [(int(j), float(a), float(b)) for j, a, b in (line.split() for line in read(path).splitlines()[2:])]

    def names_of(self, name):
        path = self.folder / f"{name}.labels"
        if path.exists():
            return dict(line.split(" ", 1) for line in read(path).splitlines())
        return {label: label for label in "123"}

    def test_whole_numbers_as_class_names_are_the_labels_and_others_have_a_file(self):
        for name, whole in (("raw-cubic", True), ("rbf", False)):
            self.succeed("export", self.done / f"{name}.h5", "-o", f"{name}.model")
            self.assertEqual((self.folder / f"{name}.labels").exists(), not whole)
        self.assertIn("label 1 2 3\n", read(self.folder / "raw-cubic.model"))
        self.assertEqual(read(self.folder / "rbf.labels"), "0 ash\n1 birch\n2 cedar tree\n")

    def test_sigmoids_are_those_of_the_model(self):
        self.succeed("export", self.done / "two.h5", "-o", "two.model")
        model = LibsvmModel(read(self.folder / "two.model"))
        path, _ = self.data_of("two")
        _, decision, probability = self.predictions(self.done / "two.h5", path)
        first = 1 / (1 + numpy.exp(model.number("probA") * decision[:, 0] + model.number("probB")))
        numpy.testing.assert_allclose(probability, numpy.column_stack([first, 1 - first]), atol=1e-7)

    def test_models_of_libsvm_predict_the_same_here(self):
        x, case_of = numpy.array(self.recorded["x"]), self.recorded["cases"]
        write_libsvm(self.folder / "x.libsvm", numpy.float32(x), [7] * len(x))
        cases = {**{name: case["model"] for name, case in case_of.items()}, "nu": case_of["rbf"]["model"].replace("c_svc", "nu_svc")}
        for name, text in cases.items():
            with self.subTest(name):
                case = case_of["rbf" if name == "nu" else name]
                (self.folder / f"{name}.model").write_text(text)
                result = self.succeed("import", f"{name}.model", "-o", f"{name}.h5")
                self.assertIn(f"SVM of {2 if name == 'two' else 3} classes, 2 features", result.out)
                labels, decision, probability = self.predictions(f"{name}.h5", "x.libsvm")
                numpy.testing.assert_allclose(decision, case["decision"], atol=1e-5)
                self.assertEqual(labels, [str(int(label)) for label in case["label"]])
                if "probability" in case:  # LIBSVM stops its coupling of pairs at 0.005 / classes
                    numpy.testing.assert_allclose(probability, case["probability"], atol=0.005)

    def test_features_that_no_support_vector_has_are_refused_until_the_import_counts_them(self):
        (self.folder / "rbf.model").write_text(self.recorded["cases"]["rbf"]["model"])
        (self.folder / "more.libsvm").write_text("0 1:0.5 2:0.5\n0 1:0.5 2:0.5 4:1.5\n")
        self.succeed("import", "rbf.model", "-o", "two.h5")
        result = self.run_command("predict", "two.h5", "more.libsvm")
        self.assertEqual((result.code, result.out), (2, ""), result)
        self.assertIn("more.libsvm, line 2: there is no feature 4 (the model was imported with 2 features", result.err)
        self.assertIn("mport it again with --features 4", result.err)
        self.succeed("import", "rbf.model", "--features", "4", "-o", "four.h5")
        _, decision, _ = self.predictions("four.h5", "more.libsvm")
        model = LibsvmModel(self.recorded["cases"]["rbf"]["model"])
        numpy.testing.assert_allclose(decision, model.decisions([{1: 0.5, 2: 0.5}, {1: 0.5, 2: 0.5, 4: 1.5}]), atol=1e-5)

    def test_round_trips_keep_predictions_scale_and_names(self):
        for name in ("rbf", "uniform", "linear", "cubic", "two"):
            with self.subTest(name):
                self.succeed("export", self.done / f"{name}.h5", "-o", f"{name}.model")
                result = self.succeed("import", f"{name}.model", "-o", f"{name}.h5")
                path, _ = self.data_of(name)
                before, after = self.predictions(self.done / f"{name}.h5", path), self.predictions(f"{name}.h5", path)
                self.assertEqual(before[0], after[0])
                numpy.testing.assert_allclose(after[1], before[1], atol=2e-5)
                if before[2].size:
                    numpy.testing.assert_allclose(after[2], before[2], atol=2e-5)
                if (self.folder / f"{name}.range").exists():
                    self.assertIn(f"Took {name}.range too; --range none leaves it out.", result.out)

    def test_columns_with_a_single_value_come_back(self):
        x, y = table(60, 2)
        lines = [[7, *row, 5, c] for row, c in zip(x.tolist(), y)]
        write_csv(self.folder / "const.csv", [["a", "b", "c", "d", "e", "f", "kind"], *lines])
        write_libsvm(self.folder / "const.libsvm", numpy.float32(lines)[:, :6], y, 0)
        for data in ("csv:const.csv", "libsvm:const.libsvm"):
            with self.subTest(data):
                name, path = data.split(":")
                self.succeed("svm", "--data", data, *RBF, "--test-part", "none", "-o", f"{name}.h5")
                self.succeed("export", f"{name}.h5", "-o", f"{name}.model")
                result = self.succeed("import", f"{name}.model", "-o", f"{name}2.h5")
                self.assertIn("6 features", result.out)
                before, after = self.predictions(f"{name}.h5", path), self.predictions(f"{name}2.h5", path)
                self.assertEqual(before[0], after[0])
                numpy.testing.assert_allclose(after[1], before[1], atol=2e-5)

    def test_companions_are_named_or_left_out(self):
        self.succeed("export", self.done / "rbf.h5", "-o", "rbf.model")
        (self.folder / "rbf.range").rename(self.folder / "other.txt")
        (self.folder / "rbf.labels").rename(self.folder / "names.txt")
        path, _ = self.data_of("rbf")
        expected = self.predictions(self.done / "rbf.h5", path)[0]
        self.succeed("import", "rbf.model", "--range", "other.txt", "--labels", "names.txt", "-o", "named.h5")
        self.assertEqual(self.predictions("named.h5", path)[0], expected)
        (self.folder / "names.txt").rename(self.folder / "rbf.labels")
        self.succeed("import", "rbf.model", "--range", "other.txt", "--labels", "none", "-o", "plain.h5")
        self.assertEqual([dict(zip("012", ("ash", "birch", "cedar tree")))[label] for label in self.predictions("plain.h5", path)[0]], expected)

    def test_sparse_models_stay_sparse_and_indices_are_those_of_the_training_file(self):
        x, y = texts(1)
        for first, scale in ((1, "none"), (0, "standard")):
            with self.subTest(first=first):
                write_libsvm(self.folder / f"t{first}.libsvm", x, y, first)
                self.succeed("svm", "--data", f"libsvm:t{first}.libsvm", "--test-part", "none", "--grid", "1x1", "--log10-c=0:0", "--log10-gamma=-3:-3",
                             "--folds", "2", "--scale", scale, "--multiclass", "ovo", "--quiet", "-o", f"t{first}.h5")
                self.succeed("export", f"t{first}.h5", "-o", f"t{first}.model")
                model = LibsvmModel(read(self.folder / f"t{first}.model"))
                self.assertLess(max(len(row) for row in model.support), 60)
                rows, used = sparse_rows(x[:60], first), sorted({j for row in model.support for j in row})
                if scale == "standard":
                    ranges = {j: (a, b) for j, a, b in self.ranges(self.folder / f"t{first}.range")}
                    rows = [{j: (v - ranges[j][0]) / (ranges[j][1] - ranges[j][0]) for j, v in row.items()} for row in rows]
                write_libsvm(self.folder / "few.libsvm", x[:60], y[:60], first)
                labels, decision, _ = self.predictions(f"t{first}.h5", "few.libsvm")
                numpy.testing.assert_allclose(model.decisions(rows), decision, atol=2e-4)
                self.assertEqual(model.labels(rows), labels)
                self.assertGreaterEqual(used[0], first)

    def test_one_vs_rest_is_refused_with_the_way(self):
        result = self.run_command("export", self.done / "rest.h5", "-o", "rest.model")
        self.assertEqual(result.code, 2, result)
        for words in ("one-vs-rest with 3 classes", "--multiclass ovo", ".onnx or FILE.npz"):
            self.assertIn(words, result.err)
        self.assertFalse((self.folder / "rest.model").exists())

    def test_nothing_is_overwritten_and_a_refusal_leaves_nothing_behind(self):
        for taken in ("rbf.model", "rbf.range", "rbf.labels"):
            with self.subTest(taken):
                (self.folder / taken).write_text("mine")
                before = self.files()
                result = self.run_command("export", self.done / "rbf.h5", "-o", "rbf.model")
                self.assertEqual(result.code, 2, result)
                self.assertIn(f"{taken} exists (no file is overwritten) Choose another -o", result.err)
                self.assertEqual(self.files(), before)
                self.assertEqual(read(self.folder / taken), "mine")
                (self.folder / taken).unlink()

    def test_companions_of_another_model_are_refused_where_an_import_would_take_them(self):
        for name, stale in (("raw-cubic", "m.range"), ("raw-cubic", "m.labels"), ("linear", "m.range")):
            with self.subTest(name, stale=stale):
                (self.folder / stale).write_text("x\n0 1\n1 5 6\n")
                before = self.files()
                result = self.run_command("export", self.done / f"{name}.h5", "-o", "m.model")
                self.assertEqual(result.code, 2, result)
                self.assertIn(f"{stale} exists (krossfold import would take it for part of m.model) Choose another -o", result.err)
                self.assertEqual(self.files(), before)
                (self.folder / stale).unlink()

    def test_model_file_and_folder_are_models_too(self):
        folder = models_of(self.done / "rbf.h5")
        for name, model in (("file", folder / "svm.h5"), ("folder", folder)):
            self.succeed("export", model, "-o", f"{name}.model")
        self.assertEqual(read(self.folder / "file.model"), read(self.folder / "folder.model"))


if __name__ == "__main__":
    unittest.main()
