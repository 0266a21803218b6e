#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Models that are none, and inputs that do not fit a model."""

import unittest

from invalid_case import InvalidCase


class Model(InvalidCase):
    @classmethod
    def setUpClass(cls):
        cls.result = cls.share("train") / "r.h5"

    def train(self):
        lines = [f"{i % 7},{i * i % 5},{i % 3}.5,{'red' if i % 2 else 'blue'}\n" for i in range(40)]
        (self.folder / "d.csv").write_text("".join(lines))
        self.succeed("svm", "--data", "csv:d.csv", "--grid", "2x2", "--folds", "2", "--quiet", "-o", "r.h5")

    def check_predict(self, content, *says, name="input.csv"):
        (self.folder / name).write_text(content)
        return self.check_refused("predict", self.result, name, says=[name, *says])

    def test_other_number_of_features(self):
        self.check_predict("1,2\n3,4\n", "2 columns", "learnt 3")
        self.check_predict("1,2,3,4,5\n3,4,5,6,7\n", "5 columns", "learnt 3")
        self.check_predict("1:1 4:2\n", "4", name="input.libsvm")

    def test_unknown_class(self):
        (self.folder / "input.csv").write_text("1,2,3,red\n3,4,5,green\n")
        result = self.run_command("predict", self.result, "input.csv")
        self.assertEqual(result.code, 0, result)
        self.assertIn("1 of 2 samples of input.csv has no label, or one that is not of the model's classes blue, red", result.err)

    def test_labels_in_some_lines_only(self):
        self.check_predict("1,2,3,red\n3,4,5\n", "line 2 has 3 fields")

    def test_feature_that_is_not_finite(self):
        self.check_predict("1,2,3\n3,nan,5\n", "line 2, column 2", "missing")

    def test_one_bad_input_among_good_ones_and_nothing_is_printed_or_written(self):
        (self.folder / "good.csv").write_text("1,2,3\n")
        (self.folder / "bad.csv").write_text("1,2\n")
        for options in ((), ("--format", "json"), ("-o", "p.h5")):
            self.check_refused("predict", self.result, "good.csv", "bad.csv", *options, says=["bad.csv"])

    def test_missing_input(self):
        self.check_refused("predict", self.result, "none.csv", says=["cannot read none.csv"])

    def test_input_whose_name_does_not_tell_its_format(self):
        self.check_predict("1,2,3\n", "does not tell its format", "csv:input.dat", name="input.dat")

    def test_model_that_is_none(self):
        self.check_refused("predict", "none.h5", "digits", says=["none.h5"])
        (self.folder / "empty.models").mkdir()
        self.check_refused("predict", "empty.models", "digits", says=["empty.models", "svm.h5 is missing"])
        (self.folder / "model.h5").write_text("no model")
        self.check_refused("predict", "model.h5", "digits", says=["model.h5 cannot be read"])

    def test_predictions_are_no_model(self):
        (self.folder / "good.csv").write_text("1,2,3\n")
        self.succeed("predict", self.result, "good.csv", "-o", "p.h5")
        self.check_refused("predict", "p.h5", "good.csv",
                           says=["p.h5 is not a usable SVM model", "it holds: prediction"])

    def test_result_file_without_its_models_folder(self):
        (self.folder / "alone.h5").write_bytes(self.result.read_bytes())
        self.check_refused("predict", "alone.h5", "digits", says=["svm.h5 is missing", "alone.h5 says that its model is there"])

    def test_search_without_refit(self):
        self.succeed("svm", "--limit", "150", "--grid", "2x2", "--no-refit", "--quiet", "-o", "search.h5")
        self.check_refused("predict", "search.h5", "digits", says=["search.h5 has no model", "ran without a refit"])


if __name__ == "__main__":
    unittest.main()
