#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where models are found and which are refused: moved, exchanged, damaged and hostile ones. Those of version 1 predict as they did."""

import csv
import pickle
import shutil
import unittest

import numpy
from model_case import ModelTest, attribute, changed, dataset
from python_case import OLD

import krossfold
from krossfold.models import CharacterModel, Networks, SvmModel
from krossfold.models.uncertainty import quartiles, uncertainty, votes_of


class Version1(unittest.TestCase):
    def test_models_predict_what_the_program_of_that_time_did(self):
        x = numpy.loadtxt(OLD / "ask.csv", delimiter=",")
        for kind, form in (("svm", SvmModel), ("bag", Networks), ("train", Networks)):
            with self.subTest(kind=kind), open(OLD / f"expected/predict.{kind}.csv", encoding="utf8") as file:
                rows = list(csv.DictReader(file))
                model = krossfold.open(OLD / f"{kind}.h5").model()
                self.assertIsInstance(model, form)
                self.assertEqual(model.predict(x).astype(str).tolist(), [row["label"] for row in rows])
                found = model.predictions(x)
                columns = {"decision": found.get("decision"), "probability": found["probability"]}
                if kind != "svm":
                    columns.update(zip(("least", "lower_quartile", "median", "upper_quartile", "greatest"), found["quartile"]))
                    numpy.testing.assert_allclose(found["entropy"], [float(row["entropy"]) for row in rows], atol=1e-6)
                    numpy.testing.assert_allclose(found["mutual_information"], [float(row["mutual_information"]) for row in rows], atol=1e-6)
                    chosen = numpy.take_along_axis(found["votes"], found["prediction"][:, None], 1)[:, 0]
                    self.assertEqual(chosen.tolist(), [int(row["votes"]) for row in rows])
                for name, values in columns.items():
                    if values is not None:
                        expected = [[float(row[f"{name}_{one}"]) for one in model.classes] for row in rows]
                        numpy.testing.assert_allclose(values, expected, atol=2e-6, err_msg=name)
        self.assertIsInstance(krossfold.open(OLD / "names.h5").model(), CharacterModel)

    def test_models_survive_pickling(self):
        x = numpy.loadtxt(OLD / "ask.csv", delimiter=",")
        for kind in ("svm", "bag", "train"):
            model = krossfold.open(OLD / f"{kind}.h5").model()
            numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(x), model.predict_proba(x))
        names = krossfold.open(OLD / "names.h5").model()
        numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(names)).predict_proba("mi"), names.predict_proba("mi"))


class Places(ModelTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(OLD, self.folder / "old")
        self.old = self.folder / "old"

    def refuse(self, path, pattern):
        with self.assertRaisesRegex(krossfold.ResultFileError, pattern):
            krossfold.load_model(path)

    def test_result_files_model_files_and_folders_denote_the_same_model(self):
        x = numpy.loadtxt(OLD / "ask.csv", delimiter=",")
        for kind, file in (("svm", "svm.h5"), ("train", "network.h5"), ("bag", None)):
            expected = krossfold.open(self.old / f"{kind}.h5").model().predict_proba(x)
            for path in (self.old / f"{kind}.h5", self.old / f"{kind}.models", *([self.old / f"{kind}.models" / file] if file else [])):
                numpy.testing.assert_array_equal(krossfold.load_model(path).predict_proba(x), expected)
                numpy.testing.assert_array_equal(krossfold.load_model(str(path)).predict_proba(x), expected)

    def test_a_renamed_result_file_finds_its_models_by_the_run_id(self):
        self.succeed("svm", "--data", "digits", "--limit", "100", "--grid", "1x1", "--folds", "2", "--quiet", "-o", "r.h5")
        expected = krossfold.open(self.folder / "r.h5").model().machines[0].bias
        (self.folder / "r.h5").rename(self.folder / "renamed.h5")
        numpy.testing.assert_array_equal(krossfold.load_model(self.folder / "renamed.h5").machines[0].bias, expected)

    def test_missing_and_exchanged_models_are_refused(self):
        self.refuse(self.old / "unfinished.h5", "has no model .the study is not finished. run its command again")
        shutil.copy(self.old / "bag.models/bootstrap_00.h5", self.old / "train.models/network.h5")
        self.refuse(self.old / "train.h5", "is not the model that .*train.h5 was written with .its checksum differs")
        self.assertIsInstance(krossfold.load_model(self.old / "train.models/network.h5"), Networks)  # by its own name
        (self.old / "bag.models/bootstrap_01.h5").unlink()
        self.refuse(self.old / "bag.h5", r"bootstrap_01.h5 is missing .*keep the folder of models")
        shutil.rmtree(self.old / "svm.models")
        (self.old / "svm.models").mkdir()
        self.refuse(self.old / "svm.models", "there is no model in .*svm.h5 is missing")
        self.refuse(self.old / "names.models", "several trainings .* name one of them")
        self.refuse(self.old / "nowhere.h5", "No such file")

    def test_a_study_without_a_refit_has_no_model(self):
        self.succeed("svm", "--data", "digits", "--limit", "100", "--grid", "1x1", "--folds", "2", "--no-refit", "--quiet", "-o", "r.h5")
        self.refuse(self.folder / "r.h5", "has no model .it ran without a refit")

    def test_predictions_are_no_model(self):
        self.succeed("predict", self.old / "svm.h5", self.old / "ask.csv", "--quiet", "-o", "p.h5")
        self.refuse(self.folder / "p.h5", "holds no model .its kind is prediction")

    def change(self, name, edit):
        return changed(OLD / name, self.old / name, edit)

    def test_files_that_contradict_themselves_are_refused(self):
        svm, network, names = "svm.models/svm.h5", "train.models/network.h5", "names.models/lstm_00.h5"
        many = ((svm, dataset("bias", numpy.zeros(2))), (svm, dataset("support/label", numpy.full(22, 3, numpy.int32))),
                (svm, dataset("coefficient", numpy.zeros((3, 21)))), (svm, dataset("scale/divisor", numpy.zeros(1))),
                (svm, dataset("scale/offset", numpy.zeros(5))), (svm, attribute("kernel", b"sigmoid")), (network, attribute("kernel", 5)),
                (network, attribute("channels", 3)), (network, dataset("hidden", numpy.array([9], numpy.int32))),
                (network, attribute("activation", b"swish")), (network, attribute("parts", 2)),
                (network, dataset("parameter/dense/1/bias", numpy.zeros(2, numpy.float32))), (names, attribute("hidden", 5)),
                (names, attribute("alphabet", b"abc")), (names, dataset("parameter/dense.bias", numpy.zeros(30, numpy.float32))))  # fmt: skip
        for name, edit in many:
            with self.subTest(name=name):
                self.refuse(self.change(name, edit), "damaged|is no network that is known|cannot be joined")

    def test_run_ids_and_names_that_lead_elsewhere_are_refused(self):
        self.refuse(self.change("train.h5", lambda file: file.attrs.__setitem__("model", "../secret.h5")), "names a model that is not its own")
        self.refuse(self.change("train.h5", lambda file: file.attrs.__setitem__("run_id", "../up")), "run id that is none")


class Uncertainty(unittest.TestCase):
    def test_votes_ties_and_entropies(self):
        members = numpy.array([[[0.6, 0.4, 0], [0.2, 0.5, 0.3]], [[0.1, 0.9, 0], [0.2, 0.5, 0.3]]], dtype=numpy.float32)
        mean = members.mean(axis=0, dtype=float)
        votes, vote = votes_of(members, mean)
        numpy.testing.assert_array_equal(votes, [[1, 1, 0], [0, 2, 0]])
        numpy.testing.assert_array_equal(vote, [1, 1])  # the tie goes to the class of the larger mean
        found = uncertainty(members, mean)
        entropy = -sum(q * numpy.log(q) for q in (0.35, 0.65))
        own = [-sum(p * numpy.log(p) for p in pair) for pair in ((0.6, 0.4), (0.1, 0.9))]
        self.assertAlmostEqual(found["entropy"][0], entropy, delta=1e-7)
        self.assertAlmostEqual(found["mutual_information"][0], entropy - sum(own) / 2, delta=1e-7)
        self.assertEqual(found["mutual_information"][1], 0)
        numpy.testing.assert_allclose(found["confidence"], [0.65, 0.5], atol=1e-7)
        numpy.testing.assert_allclose(quartiles(members)[:, 0, 0], [0.1, 0.225, 0.35, 0.475, 0.6], atol=1e-7)
        equal = numpy.full((2, 1, 3), 1 / 3, dtype=numpy.float32)
        self.assertEqual(votes_of(equal, equal.mean(axis=0, dtype=float))[1].tolist(), [0])


if __name__ == "__main__":
    unittest.main()
