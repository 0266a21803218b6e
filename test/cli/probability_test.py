#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold svm --probability, and the probabilities that krossfold predict then gives."""

import csv
import io
import unittest

import h5py
import numpy

from krossfold_cli import CommandTest, content, difference, held_out_digits, models_of, write_csv

STUDY = ("svm", "--data", "digits", "--fold-kind", "contiguous", "--test-part", "last", "--limit", "400", "--grid", "4x3", "--folds", "3", "--quiet", "--probability")


class Probability(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.study = cls.share("train") / "r.h5"
        cls.pixels, cls.labels = held_out_digits()

    def train(self):
        self.succeed(*STUDY, "-o", "r.h5")

    def setUp(self):
        super().setUp()
        if self.id().endswith(".train"):
            return
        write_csv(self.folder / "digits.csv", numpy.column_stack([self.pixels, self.labels]))

    def probabilities(self, model):
        table = self.succeed("predict", model, "digits.csv", "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(table)))
        return numpy.array([[float(row[f"probability_{name}"]) for name in range(10)] for row in rows])

    def log_loss(self, probability):
        return -numpy.log(probability[numpy.arange(len(self.labels)), self.labels]).mean()

    def check_same_study(self, name):
        self.assertEqual(difference(content(self.study), content(self.folder / f"{name}.h5")), [], name)
        models = [models_of(path) / "svm.h5" for path in (self.study, self.folder / f"{name}.h5")]
        self.assertEqual(models[0].read_bytes(), models[1].read_bytes(), name)

    def test_the_result_file_holds_the_sigmoids_of_the_model_and_their_scores(self):
        with h5py.File(self.study) as result, h5py.File(models_of(self.study) / "svm.h5") as model:
            for name in ("A", "B"):
                self.assertEqual(result[f"probability/{name}"].shape, (10,))
                numpy.testing.assert_array_equal(result[f"probability/{name}"], model[f"probability/{name}"])
            self.assertTrue((result["probability/A"][()] < 0).all())  # a larger decision value is more probable
            log_loss, brier = result["probability/log_loss"][()], result["probability/brier"][()]
            self.assertEqual(result["probability/A"].dims[0][0].name, "/class_name")
        self.assertTrue(0 < brier < 0.3, brier)
        self.assertTrue(0 < log_loss < 0.6, log_loss)
        self.assertIn("log loss", self.succeed("report", self.study).out)
        report = self.succeed("report", self.study, "--format", "json").report()
        self.assertEqual(report["probability"], {"log_loss": log_loss, "brier": brier})

    def test_without_the_option_the_search_is_the_same_and_there_are_no_probabilities(self):
        self.succeed(*STUDY[:-1], "-o", "plain.h5")
        with_it, plain = content(self.study), content(self.folder / "plain.h5")
        differing = difference(with_it, plain)
        self.assertEqual({name.split("/")[0] for name in differing},
                         {"probability", "out_of_fold", "test", "@config", "@fingerprint", "@model_checksum", "@model_size"})
        self.assertEqual({name for name in differing if name.startswith("test/")}, {"test/probability", "test/log_loss", "test/brier"})
        answer = self.succeed("predict", "plain.h5", "digits.csv", "--format", "json").json()
        self.assertNotIn("probability", answer["inputs"][0]["samples"][0])
        header = self.succeed("predict", "plain.h5", "digits.csv", "--format", "csv").out.split("\n", 1)[0]
        self.assertNotIn("probability", header)
        self.succeed("predict", "plain.h5", "digits.csv", "-o", "p.h5")
        with h5py.File(self.folder / "p.h5") as file:
            self.assertNotIn("input_0/probability", file)

    def test_probabilities_sum_to_one_and_are_those_of_the_sigmoids(self):
        table = self.succeed("predict", self.study, "digits.csv", "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(table)))
        decision = numpy.array([[float(row[f"decision_{name}"]) for name in range(10)] for row in rows])
        probability = self.probabilities(self.study)
        numpy.testing.assert_allclose(probability.sum(axis=1), 1, rtol=0, atol=1e-12)
        with h5py.File(self.study) as file:
            sigmoid = 1 / (1 + numpy.exp(file["probability/A"][()] * decision + file["probability/B"][()]))
        numpy.testing.assert_allclose(probability, sigmoid / sigmoid.sum(axis=1, keepdims=True), rtol=1e-10)

    def test_json_and_hdf5_hold_the_same_probabilities_as_csv(self):
        probability = self.probabilities(self.study)
        samples = self.succeed("predict", self.study, "digits.csv", "--format", "json").json()["inputs"][0]["samples"]
        numpy.testing.assert_array_equal([sample["probability"] for sample in samples], probability)
        self.succeed("predict", self.study, "digits.csv", "-o", "p.h5")
        with h5py.File(self.folder / "p.h5") as file:
            numpy.testing.assert_array_equal(file["input_0/probability"], probability)

    def test_they_are_far_better_than_guesses_from_the_errors_alone(self):
        probability = self.probabilities(self.study)
        log_loss = self.log_loss(probability)
        # As sure of every label as the error of the study allows.
        label = [int(word) for word in self.succeed("predict", self.study, "digits.csv").out.split()]
        with h5py.File(self.study) as file:
            error = file["best/error"][()]
        sure = numpy.full_like(probability, error / 9)
        sure[numpy.arange(len(label)), label] = 1 - error
        self.assertLess(log_loss, 0.8 * self.log_loss(sure))
        # Samples that are given a probability near p for a class are of that class about as often.
        for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
            within = (probability >= low) & (probability <= high)
            right = within[numpy.arange(len(self.labels)), self.labels].sum()
            expected = probability[within].sum()
            spread = numpy.sqrt((probability[within] * (1 - probability[within])).sum())
            self.assertLess(abs(right - expected), 4 * spread + 3, (low, high, right, expected))

    def test_ranks_and_interruptions_change_nothing(self):
        self.succeed(*STUDY, "-o", "two.h5", ranks=2)
        self.check_same_study("two")
        self.stop_until_done(*STUDY, "-o", "cut.h5", ranks=(2,), runs=30)  # each run finishes the units that it began
        self.check_same_study("cut")

    def test_one_vs_one_couples_the_pairs(self):
        self.succeed(*STUDY, "--multiclass", "ovo", "-o", "ovo.h5")
        with h5py.File(self.folder / "ovo.h5") as file:
            self.assertEqual(file["probability/A"].shape, (45,))
            self.assertEqual(file["probability/A"].dims[0][0].name, "/pair_name")
        probability = self.probabilities("ovo.h5")
        numpy.testing.assert_allclose(probability.sum(axis=1), 1, rtol=0, atol=1e-12)
        self.assertTrue((probability >= 0).all())
        self.assertLess(self.log_loss(probability), 0.6)
        self.assertGreater((probability.argmax(axis=1) == self.labels).mean(), 0.85)


if __name__ == "__main__":
    unittest.main()
