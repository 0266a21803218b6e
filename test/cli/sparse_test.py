#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sparse libsvm files: the results of their dense form, on any number of ranks, after any stop, and predictions."""

import signal
import unittest

import h5py
import numpy

from krossfold_cli import (STOPPED, CommandTest, content, difference, journal_records, models_of, wait_until)

SAMPLES, FEATURES, CLASSES = 900, 8000, 3  # enough for the reader to keep them sparse


def texts(seed, samples=SAMPLES, whole=True):
    """Word counts, or their logarithms, and topics, each of which prefers some words."""
    random = numpy.random.default_rng(seed)
    share = 1 / (numpy.arange(FEATURES) + 5.0)
    x, y = numpy.zeros((samples, FEATURES), numpy.float32), random.integers(CLASSES, size=samples)
    for i, topic in enumerate(y):
        weight = share * numpy.where(numpy.arange(FEATURES) % CLASSES == topic, 2.0, 1.0)
        words, counts = numpy.unique(random.choice(FEATURES, 40, p=weight / weight.sum()), return_counts=True)
        x[i, words] = counts if whole else (1 + numpy.log(counts)).astype(numpy.float32)
    x[0, FEATURES - 1] = 1
    return x, y


def write_libsvm(path, x, y, first=1):
    lines = [" ".join([str(label)] + [f"{j + first}:{row[j]:.9g}" for j in numpy.flatnonzero(row)]) for row, label in zip(x, y)]
    path.write_text("\n".join(lines) + "\n")


def write_both(folder, seed, name="t", **kind):
    x, y = texts(seed, **kind)
    write_libsvm(folder / f"{name}.svm", x, y)
    numpy.save(folder / f"{name}-x.npy", x)
    numpy.save(folder / f"{name}-y.npy", y)


# What a result file says of the file that the data came from.
OF_THE_FILE = {"@data", "@config", "@fingerprint", "@features"}

STUDY = ("svm", "--grid", "4x3", "--folds", "3", "--log10-gamma", "-4:-1")


class Sparse(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.shared = cls.share("prepare")

    def prepare(self):
        write_both(self.folder, 1)
        write_both(self.folder, 2, "real", whole=False)
        self.succeed(*STUDY, "--data", "libsvm:t.svm", "-o", "r.h5")

    def both(self, name, *options):
        """Result files of the sparse and the dense form of the same data."""
        data = self.shared / name
        self.succeed(*STUDY, *options, "--data", f"libsvm:{data}.svm", "-o", "sparse.h5")
        self.succeed(*STUDY, *options, "--data", f"npy:{data}-x.npy,{data}-y.npy", "-o", "dense.h5")
        return h5py.File(self.folder / "sparse.h5"), h5py.File(self.folder / "dense.h5")

    def test_it_says_that_the_samples_are_sparse(self):
        result = self.succeed(*STUDY, "--data", f"libsvm:{self.shared}/t.svm", "--dry-run")
        self.assertIn(f"{FEATURES} features, sparse", result.out)
        self.assertRegex(result.err, r"only \d\.\d\d % of the values are not 0: .*compare --scale none")
        with h5py.File(models_of(self.shared / "r.h5") / "svm.h5") as model:
            self.assertNotIn("raw", model["support"])
            self.assertEqual(model.attrs["n_features"], FEATURES)

    def test_whole_numbers_give_every_bit_of_the_dense_form(self):
        for more in ((), ("--class-weight", "balanced", "--limit", "500", "--multiclass", "ovo")):
            for file in self.folder.glob("*.h5"):
                file.unlink()
            self.both("t", "--scale", "none", *more)
            left, right = content(self.folder / "sparse.h5"), content(self.folder / "dense.h5")
            self.assertGreater(len(left), 40)
            other = OF_THE_FILE | {"@data_warnings", "@model_checksum", "@model_size"}  # the model file is a sparse one
            self.assertEqual([name for name in difference(left, right) if name not in other], [])

    def test_searches_in_parts_take_the_dense_form(self):
        sparse, dense = self.both("t", "--scale", "none", "--partition", "voronoi:300")
        with sparse, dense:
            self.assertGreater(len(sparse["part/part"]), 1)
        left, right = content(self.folder / "sparse.h5"), content(self.folder / "dense.h5")
        # The model remembers what its training data counted from.
        other = OF_THE_FILE | {"@data_warnings", "@model_checksum", "@model_size"}
        self.assertEqual([name for name in difference(left, right) if name not in other], [])
        predicted = [self.succeed("predict", f"{form}.h5", file, "--quiet").out for form, file in
                     (("sparse", f"libsvm:{self.shared}/t.svm"), ("dense", f"npy:{self.shared}/t-x.npy"))]
        self.assertEqual(predicted[0], predicted[1])
        self.assertEqual(len(predicted[0].split()), SAMPLES)

    def test_other_data_have_the_fold_errors_of_the_dense_form(self):
        sparse, dense = self.both("real")
        with sparse, dense:
            self.assertEqual(sparse.attrs["data_digest"], dense.attrs["data_digest"])
            numpy.testing.assert_array_equal(sparse["fold_error"][()], dense["fold_error"][()])
            numpy.testing.assert_allclose(sparse["out_of_fold/decision"][()], dense["out_of_fold/decision"][()], atol=3e-3)

    def test_two_ranks_give_the_bits_of_one(self):
        (self.folder / "t.svm").symlink_to(self.shared / "t.svm")
        self.succeed(*STUDY, "--data", "libsvm:t.svm", "-o", "r.h5", ranks=2)
        self.assertEqual(difference(content(self.shared / "r.h5"), content(self.folder / "r.h5")), [])
        self.assertEqual((models_of(self.folder / "r.h5") / "svm.h5").read_bytes(),
                         (models_of(self.shared / "r.h5") / "svm.h5").read_bytes())

    def test_after_a_stop_it_gives_the_same_bits(self):
        study = ("svm", "--grid", "24x12", "--folds", "5", "--tolerance", "1e-5", "--data", f"libsvm:{self.shared}/real.svm")
        running = self.start(*study, "-o", "r.h5")
        self.assertTrue(wait_until(lambda: journal_records(self.folder / "r.h5.journal") >= 5))
        running.signal(signal.SIGTERM)
        stopped = running.wait()
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertIn("were computed before", self.succeed(*study, "-o", "r.h5").err)
        self.succeed(*study, "-o", "whole.h5")
        self.assertEqual(difference(content(self.folder / "whole.h5"), content(self.folder / "r.h5")), [])
        self.assertEqual((models_of(self.folder / "whole.h5") / "svm.h5").read_bytes(),
                         (models_of(self.folder / "r.h5") / "svm.h5").read_bytes())

    def predicted(self, spec):
        self.succeed("predict", self.shared / "r.h5", spec, "-o", "p.h5", "--overwrite")
        with h5py.File(self.folder / "p.h5") as file:
            return file["input_0/prediction"][()], file["input_0/decision"][()]

    def test_predicts_the_same_of_sparse_and_dense_samples(self):
        write_both(self.folder, 3, "new", samples=700)
        labels, values = self.predicted("new.svm")
        truth = numpy.load(self.folder / "new-y.npy")
        self.assertLess(numpy.mean(labels != truth), 0.3)
        other, dense = self.predicted("npy:new-x.npy")
        self.assertEqual(list(other), list(labels))
        numpy.testing.assert_allclose(dense, values, atol=1e-6)
        x = numpy.load(self.folder / "new-x.npy")[:20]  # a small file, which is dense in memory
        write_libsvm(self.folder / "few.svm", x[:, :FEATURES // 2], truth[:20])  # and lacks features
        x[:, FEATURES // 2:] = 0
        numpy.save(self.folder / "few-x.npy", x)
        few, small = self.predicted("few.svm")
        numpy.testing.assert_allclose(small, self.predicted("npy:few-x.npy")[1], atol=1e-6)

    def test_features_that_the_training_data_do_not_have_are_ignored_with_a_warning(self):
        write_both(self.folder, 3, "new", samples=700)
        labels, values = self.predicted("new.svm")
        lines = (self.folder / "new.svm").read_text().splitlines()
        lines[1] += f" {FEATURES + 1}:3.5 {FEATURES + 9}:1"
        lines[5] += f" {FEATURES + 4}:2"
        (self.folder / "more.svm").write_text("\n".join(lines) + "\n")
        result = self.succeed("predict", self.shared / "r.h5", "more.svm")
        self.assertEqual(result.err.count("that the training data do not have"), 1, result)
        self.assertIn(f"more.svm has 3 features that the training data do not have, which were ignored: {FEATURES + 1} to "
                      f"{FEATURES + 9}, in 2 of 700 samples", result.err)
        more, decision = self.predicted("more.svm")
        self.assertEqual(list(more), list(labels))
        numpy.testing.assert_array_equal(decision, values)

    def test_a_test_file_with_more_features_is_that_file_without_them(self):
        write_both(self.folder, 4, "test", samples=600)
        study = (*STUDY, "--data", f"libsvm:{self.shared}/t.svm", "--test")
        self.succeed(*study, "libsvm:test.svm", "-o", "a.h5")
        text = (self.folder / "test.svm").read_text()
        (self.folder / "more.svm").write_text(text.replace("\n", f" {FEATURES + 7}:1\n", 1))
        result = self.succeed(*study, "libsvm:more.svm", "-o", "b.h5")
        warning = f"has 1 feature that the training data do not have, which was ignored: {FEATURES + 7}, in 1 of 600 samples"
        self.assertIn(warning, result.err)
        self.assertIn(warning, self.succeed("report", "b.h5").out)
        with h5py.File(self.folder / "a.h5") as a, h5py.File(self.folder / "b.h5") as b:
            numpy.testing.assert_array_equal(a["test/prediction"][()], b["test/prediction"][()])

    def test_a_test_file_is_read_like_the_training_file(self):
        write_both(self.folder, 4, "test", samples=600)
        self.succeed(*STUDY, "--data", f"libsvm:{self.shared}/t.svm", "--test", "libsvm:test.svm", "-o", "a.h5")
        self.succeed(*STUDY, "--data", f"libsvm:{self.shared}/t.svm", "--test", "npy:test-x.npy,test-y.npy", "-o", "b.h5")
        with h5py.File(self.folder / "a.h5") as a, h5py.File(self.folder / "b.h5") as b:
            self.assertEqual(a.attrs["n_test"], 600)
            numpy.testing.assert_array_equal(a["test/prediction"][()], b["test/prediction"][()])

    def test_other_kernels_take_the_dense_form(self):
        study = ("svm", "--kernel-function", "linear", "--grid", "2x1", "--folds", "3", "--data", f"libsvm:{self.shared}/t.svm")
        self.assertNotIn("sparse", self.succeed(*study, "--dry-run").out)
        self.succeed(*study, "-o", "l.h5")
        self.succeed("predict", "l.h5", f"libsvm:{self.shared}/t.svm")

    def test_a_network_takes_the_dense_form(self):
        self.succeed("train", "mlp", "--hidden", "8", "--epochs", "1", "--limit", "200",
                     "--data", f"libsvm:{self.shared}/t.svm", "-o", "n.h5")

    def test_what_is_in_it_is_described_as_of_the_dense_form(self):
        sparse = self.succeed("data", f"libsvm:{self.shared}/t.svm", "--format", "json").report()
        dense = self.succeed("data", f"npy:{self.shared}/t-x.npy,{self.shared}/t-y.npy", "--format", "json").report()
        for key in ("samples", "features", "classes"):
            self.assertEqual(sparse[key], dense[key])
        self.assertEqual(len(sparse["columns"]), FEATURES)
        for left, right in zip(sparse["columns"], dense["columns"]):
            for key in ("type", "missing", "distinct", "lowest", "highest"):
                self.assertEqual(left[key], right[key], left)
            self.assertAlmostEqual(left["mean"], right["mean"], 12)

    def test_converted_it_gives_the_same_bits(self):
        self.succeed("data", "convert", f"libsvm:{self.shared}/t.svm", "-o", "c.h5")
        self.assertLess((self.folder / "c.h5").stat().st_size, 4 * SAMPLES * FEATURES / 5)
        self.succeed(*STUDY, "--data", "hdf5:c.h5", "-o", "r.h5")
        left, right = content(self.shared / "r.h5"), content(self.folder / "r.h5")
        self.assertEqual([name for name in difference(left, right) if name not in OF_THE_FILE], [])


if __name__ == "__main__":
    unittest.main()
