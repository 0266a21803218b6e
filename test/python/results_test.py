#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold.open on studies of every kind, against the same files read with h5py alone."""

import json
import pickle
import unittest

import h5py
import numpy
from python_case import CommandTest, optional

import krossfold
from krossfold.searches import SCORES

(metrics, model_selection) = optional("sklearn.metrics", "sklearn.model_selection")


def every_dataset(path):
    """{path: array} by h5py, text as str."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            found["/" + name] = item.asstr()[()] if h5py.check_string_dtype(item.dtype) else item[()]

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


class Study(CommandTest):
    """Runs a study once for all tests of a class."""

    arguments = ()

    @classmethod
    def setUpClass(cls):
        if cls.arguments:
            cls.path = cls.share("run_study") / "r.h5"
            cls.raw = every_dataset(cls.path)
            cls.result = krossfold.open(cls.path)

    def run_study(self):
        self.succeed(*self.arguments, "--quiet", "-o", "r.h5")

    def assert_reads_everything(self):
        self.assertEqual(self.result.datasets(), sorted(self.raw))
        for path, expected in self.raw.items():
            numpy.testing.assert_array_equal(self.result[path], expected, path)
        with h5py.File(self.path) as file:
            config = json.loads(file.attrs["config"])
            self.assertEqual(self.result.config, {name: option["value"] for name, option in config.items()})
            self.assertEqual(self.result.attributes.keys(), file.attrs.keys())
            for name, value in self.result.attributes.items():
                self.assertEqual(value, file.attrs[name])
            for path in self.raw:
                item = file[path]
                axes = [dimension.keys() for dimension in item.dims]
                if all(axes):
                    self.assertEqual(list(self.result.axes(path)), [keys[0] for keys in axes], path)
                else:
                    self.assertEqual(self.result.axes(path), (path.rsplit("/", 1)[1],))
                self.assertEqual(self.result.units(path), item.attrs["units"])
                self.assertEqual(self.result.meaning(path), item.attrs["long_name"])
        self.assertEqual((self.result.kind, self.result.status), (self.arguments[0], "finished"))

    def assert_survives_pickling(self):
        again = pickle.loads(pickle.dumps(self.result))
        self.assertIs(type(again), type(self.result))
        self.assertEqual(again.datasets(), self.result.datasets())
        self.assertEqual(again.config, self.result.config)


class Svm(Study):
    arguments = ("svm", "--data", "digits", "--limit", "300", "--grid", "4x3", "--folds", "3", "--probability", "--select-by", "f1-macro", "--refine", "1")

    def test_everything_is_as_h5py_reads_it(self):
        self.assert_reads_everything()
        self.assert_survives_pickling()

    def test_options_that_were_given_are_told_from_defaults(self):
        given = {"limit": "300", "grid": "4x3", "folds": "3", "probability": "true", "select-by": "f1-macro", "refine": "1"}
        self.assertEqual({name: value for name, value in self.result.given.items() if name != "data"}, given)
        self.assertEqual(self.result.provenance["krossfold_version"], self.result.attributes["krossfold_version"])
        self.assertIn("--grid 4x3", self.result.provenance["command_line"])

    def test_candidates_are_those_of_a_parameter_grid(self):
        found = self.result.cv_results()
        expected = [{"C": c, "gamma": gamma} for c in self.raw["/C"] for gamma in self.raw["/gamma"]]
        self.assertEqual(found["params"], expected)
        if model_selection:
            grid = model_selection.ParameterGrid({"C": self.raw["/C"].tolist(), "gamma": self.raw["/gamma"].tolist()})
            self.assertEqual(found["params"], list(grid))
        for name in ("C", "gamma"):
            self.assertEqual(found[f"param_{name}"].tolist(), [params[name] for params in expected])

    def test_scores_are_one_less_error_or_the_measure_itself(self):
        for scoring, (path, _) in SCORES.items():
            found = self.result.cv_results(scoring)
            sign, shift = (-1, 1) if path.endswith("error") else (1, 0)
            for fold in range(3):
                expected = [shift + sign * self.raw[path][g, c, fold] for c in range(4) for g in range(3)]
                numpy.testing.assert_array_equal(found[f"split{fold}_test_score"], expected)
            splits = numpy.array([found[f"split{fold}_test_score"] for fold in range(3)])
            numpy.testing.assert_allclose(found["mean_test_score"], splits.mean(axis=0), rtol=1e-14)
            numpy.testing.assert_allclose(found["std_test_score"], splits.std(axis=0), atol=1e-14)
            for row, rank in enumerate(found["rank_test_score"]):
                self.assertEqual(rank, 1 + numpy.count_nonzero(found["mean_test_score"] > found["mean_test_score"][row] + 1e-12))

    def test_the_best_cell_is_that_of_the_file(self):
        result = self.result
        self.assertEqual(result.scoring, "f1_macro")
        self.assertEqual(result.best_params_, {"C": self.raw["/best/C_value"], "gamma": self.raw["/best/gamma_value"]})
        self.assertEqual(result.best_score_, self.raw["/best/f1_macro"])
        table = result.cv_results_
        self.assertEqual(len(table["params"]), len(result.cv_results()["params"]) + len(result.cv_results(round=1)["params"]))
        self.assertEqual(table["params"][result.best_index_], result.best_params_)
        self.assertAlmostEqual(table["mean_test_score"][result.best_index_], result.best_score_, delta=1e-14)
        self.assertEqual(table["rank_test_score"][result.best_index_], 1)
        with self.assertRaisesRegex(krossfold.ResultFileError, "round 1 .* has no roc_auc"):
            result.cv_results("roc_auc", round=1)
        with self.assertRaisesRegex(ValueError, "'r2' is no score"):
            result.cv_results("r2")

    def test_out_of_fold_predictions_give_the_measures_and_the_confusion(self):
        held = self.result.out_of_fold
        confusion = numpy.zeros((10, 10), int)
        numpy.add.at(confusion, (held["label"], held["prediction"]), 1)
        numpy.testing.assert_array_equal(self.result.confusion, confusion)
        wrong = held["label"] != held["prediction"]
        error = numpy.mean([wrong[held["fold_index"] == fold].mean() for fold in range(3)])
        self.assertAlmostEqual(error, self.raw["/best/error"], delta=1e-14)
        numpy.testing.assert_allclose(held["probability"].sum(axis=1), 1, atol=1e-12)
        if metrics:
            f1 = [metrics.f1_score(held["label"][k], held["prediction"][k], average="macro") for k in (held["fold_index"] == fold for fold in range(3))]
            self.assertAlmostEqual(numpy.mean(f1), self.result.best_score_, delta=1e-12)

    def test_the_test_part_and_the_times_are_there(self):
        test, times = self.result.test, self.result.unit_times
        self.assertEqual(self.result.test_error, numpy.mean(test["label"] != test["prediction"]))
        self.assertEqual(test["confusion"].sum(), len(test["label"]))
        self.assertEqual(times["seconds"].shape, (3, 3))
        self.assertTrue((times["status"] == 1).all() and (times["seconds"] > 0).all())
        self.assertEqual(self.result.classes, [str(k) for k in range(10)])


class Bag(Study):
    arguments = ("bag", "--data", "digits", "--limit", "100", "--bootstraps", "3", "--trials", "2", "--folds", "2", "--epochs", "3", "--channels", "2:3",
                 "--kernel", "2:3", "--hidden", "4:6")  # fmt: skip

    def test_everything_is_as_h5py_reads_it(self):
        self.assert_reads_everything()
        self.assert_survives_pickling()

    def test_votes_probabilities_and_entropy_follow_from_the_networks(self):
        each = self.raw["/ensemble/probability"].astype(float)
        mean = each.mean(axis=0)
        numpy.testing.assert_allclose(self.result.probabilities, mean, rtol=1e-12)
        votes = numpy.zeros(mean.shape, int)
        for choice in each.argmax(axis=2):
            votes[numpy.arange(len(choice)), choice] += 1
        numpy.testing.assert_array_equal(self.result.votes, votes)
        numpy.testing.assert_allclose(self.result.entropy, -(mean * numpy.log(mean)).sum(axis=1), rtol=1e-6)
        ensemble = self.result.ensemble
        confusion = numpy.zeros((10, 10), int)
        numpy.add.at(confusion, (ensemble["label"], ensemble["vote"]), 1)
        numpy.testing.assert_array_equal(self.result.confusion, confusion)
        self.assertAlmostEqual(ensemble["error"][0], numpy.mean(ensemble["label"] != ensemble["vote"]), delta=1e-15)

    def test_the_random_search_has_a_value_for_each_trial(self):
        self.assertEqual(set(self.result.trials), {"channels", "kernel", "hidden", "rate", "momentum"})
        for name, array in self.result.trials.items():
            numpy.testing.assert_array_equal(array, self.raw[f"/search/{name}"])
        self.assertEqual(self.result.fold_error.shape, (3, 2, 2))
        self.assertEqual(self.result.networks["test_error"].shape, (3,))
        self.assertNotIn("epoch_loss", self.result.networks)
        self.assertEqual(self.result.epoch_loss.shape, (3, 3))


class Train(Study):
    arguments = ("train", "mlp", "--data", "digits", "--limit", "200", "--epochs", "3", "--hidden", "8")

    def test_everything_is_as_h5py_reads_it(self):
        self.assert_reads_everything()
        self.assert_survives_pickling()

    def test_curves_and_confusion(self):
        curves, test = self.result.curves, self.result.test
        numpy.testing.assert_array_equal(curves["loss"], self.raw["/training/loss"])
        self.assertEqual(self.result.best_run_, 0)
        confusion = numpy.zeros((10, 10), int)
        numpy.add.at(confusion, (test["label"], test["prediction"][0]), 1)
        numpy.testing.assert_array_equal(self.result.confusion(), confusion)
        numpy.testing.assert_array_equal(self.result.unit_times["seconds"], curves["seconds"])


class TrainWithoutHeldOut(Study):
    arguments = (*Train.arguments, "--test-part", "none")

    def test_the_best_run_is_the_first_with_a_model(self):
        self.assertEqual(self.result.best_run_, 0)
        self.assertEqual(len(self.result.classes), 10)
        self.assertEqual(self.result.runs["model"][0], self.result.attributes["model"])
        with self.assertRaisesRegex(ValueError, "nothing is held out"):
            self.result.confusion()


class Names(Study):
    arguments = ("names", "--limit", "30", "--workers", "1", "--batch-per-worker", "10", "--rate", ".01,.02", "--epochs", "2", "--layers", "1", "--hidden", "4")

    def test_everything_is_as_h5py_reads_it(self):
        self.assert_reads_everything()

    def test_the_best_run_has_the_lowest_held_out_loss_where_it_was_kept(self):
        kept = self.raw["/run/kept_epoch"]
        loss = [self.raw["/training/held_out_loss"][run, kept[run] - 1] for run in range(2)]
        self.assertEqual(self.result.best_run_, numpy.argmin(loss))
        self.assertEqual(self.result.runs["model"][self.result.best_run_], self.result.attributes["model"])
        with self.assertRaisesRegex(krossfold.ResultFileError, "no dataset /class_name"):
            self.result.classes


class Other(Study):
    def test_the_linear_kernel_has_no_gamma(self):
        self.succeed("svm", "--data", "digits", "--limit", "100", "--kernel-function", "linear", "--grid", "3x1", "--folds", "2", "--quiet", "-o", "r.h5")
        result = krossfold.open(self.folder / "r.h5")
        self.assertEqual([set(params) for params in result.cv_results_["params"]], [{"C"}] * 3)
        self.assertNotIn("param_gamma", result.cv_results_)
        self.assertEqual(set(result.best_params_), {"C"})

    def test_models_and_predictions_open_as_plain_results(self):
        self.succeed("svm", "--data", "digits", "--limit", "100", "--grid", "1x1", "--folds", "2", "--quiet", "-o", "r.h5")
        self.succeed("predict", "r.h5", "digits", "--quiet", "-o", "p.h5")
        prediction = krossfold.open(self.folder / "p.h5")
        self.assertIs(type(prediction), krossfold.Result)
        self.assertEqual(prediction["/input_0/prediction"].shape, (1797,))
        (model,) = self.folder.glob("r.*.models/svm.h5")
        self.assertEqual(krossfold.open(model).kind, "svm-model")


if __name__ == "__main__":
    unittest.main()
