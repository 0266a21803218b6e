#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold predict: a saved model applied to files."""

import csv
import gzip
import io
import os
import shutil
import struct
import subprocess
import unittest

import h5py
import numpy

from krossfold_cli import CommandTest, DONE, USAGE, held_out_digits, models_of, write_csv

STUDY = ("svm", "--data", "digits", "--fold-kind", "contiguous", "--test-part", "last",
         "--limit", "300", "--grid", "3x3", "--folds", "3", "--quiet")


class Predict(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.study = cls.share("train") / "r.h5"
        with h5py.File(cls.study) as file:
            cls.test_error = float(file["test_error"][()])
            cls.prediction = file["test/prediction"][()]
        cls.pixels, cls.labels = held_out_digits()

    def train(self):
        self.succeed(*STUDY, "-o", "r.h5")

    def labelled_csv(self, name="digits.csv"):
        write_csv(self.folder / name, numpy.column_stack([self.pixels, self.labels]))
        return name

    def plain_csv(self, name="plain.csv"):
        write_csv(self.folder / name, self.pixels)
        return name

    def predicted(self, *arguments):
        """The labels printed as text."""
        return [int(line) for line in self.succeed("predict", *arguments, "--quiet").out.split()]

    def test_text_is_one_label_a_line_those_of_the_study(self):
        self.assertEqual(self.predicted(self.study, self.labelled_csv()), list(self.prediction))

    def test_the_error_on_the_held_out_digits_is_the_test_error_of_the_study(self):
        answer = self.succeed("predict", self.study, self.labelled_csv(), "--format", "json").json()
        self.assertEqual(answer["inputs"][0]["error"], self.test_error)

    def test_without_labels_the_predictions_are_the_same_and_there_is_no_error(self):
        self.assertEqual(self.predicted(self.study, self.plain_csv()), list(self.prediction))
        answer = self.succeed("predict", self.study, "plain.csv", "--format", "json").json()
        self.assertIsNone(answer["inputs"][0]["error"])
        self.assertNotIn("truth", answer["inputs"][0]["samples"][0])

    def test_samples_without_a_known_label_are_predicted_and_not_counted(self):
        labels = [str(label) for label in self.labels]
        labels[0], labels[3], labels[5] = "", "w", "NA"
        write_csv(self.folder / "odd.csv", [[*row, label] for row, label in zip(self.pixels.tolist(), labels)])
        self.assertEqual(self.predicted(self.study, "odd.csv"), list(self.prediction))
        found = self.succeed("predict", self.study, "odd.csv", "--format", "json")
        answer = found.json()["inputs"][0]
        known = [i for i in range(len(labels)) if i not in (0, 3, 5)]
        self.assertEqual([i for i, sample in enumerate(answer["samples"]) if "truth" in sample], known)
        self.assertAlmostEqual(answer["error"], numpy.mean(self.prediction[known] != self.labels[known]))
        self.assertIn(f"3 of {len(labels)} samples of odd.csv have no label, or one that is not of the model's classes", found.err)
        numpy.save(self.folder / "odd.npy", numpy.column_stack([self.pixels, numpy.where(self.labels == 4, numpy.nan, self.labels)]))
        self.assertIn("samples of odd.npy have no label", self.succeed("predict", self.study, "odd.npy").err)
        (self.folder / "odd.libsvm").write_text("77 1:1 64:0\n78 2:3\n")
        found = self.succeed("predict", self.study, "odd.libsvm", "--format", "json")
        self.assertIsNone(found.json()["inputs"][0]["error"])

    def test_reads_libsvm_text_with_and_without_labels(self):
        words = [" ".join(f"{j + 1}:{value}" for j, value in enumerate(row) if value) for row in self.pixels]
        with_labels = "".join(f"{label} {row}\n" for label, row in zip(self.labels, words))
        (self.folder / "digits.libsvm").write_text(with_labels)
        (self.folder / "plain.libsvm").write_text("".join(row + "\n" for row in words))
        self.assertEqual(self.predicted(self.study, "digits.libsvm"), list(self.prediction))
        self.assertEqual(self.predicted(self.study, "plain.libsvm"), list(self.prediction))

    def test_reads_idx_with_the_labels_beside_it_or_without(self):
        images = struct.pack(">4I", 0x803, len(self.pixels), 8, 8) + self.pixels.astype(numpy.uint8).tobytes()
        labels = struct.pack(">2I", 0x801, len(self.labels)) + self.labels.astype(numpy.uint8).tobytes()
        (self.folder / "t10k-images-idx3-ubyte").write_bytes(images)
        (self.folder / "alone-images-idx3-ubyte.gz").write_bytes(gzip.compress(images))
        (self.folder / "t10k-labels-idx1-ubyte").write_bytes(labels)
        self.assertEqual(self.predicted(self.study, "alone-images-idx3-ubyte.gz"), list(self.prediction))
        answer = self.succeed("predict", self.study, "t10k-images-idx3-ubyte", "--format", "json").json()
        self.assertEqual(answer["inputs"][0]["error"], self.test_error)

    def test_csv_has_a_decision_value_for_every_class_and_the_largest_is_the_label(self):
        out = self.succeed("predict", self.study, self.labelled_csv(), "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual(len(rows), len(self.labels))
        for k, row in enumerate(rows):
            decisions = [float(row[f"decision_{name}"]) for name in range(10)]
            self.assertEqual((row["input"], int(row["sample"])), ("digits.csv", k))
            self.assertEqual(int(row["label"]), numpy.argmax(decisions))
            self.assertEqual(int(row["label"]), self.prediction[k])
            self.assertEqual(int(row["truth"]), self.labels[k])

    def test_csv_quotes_names_with_commas_and_quotes(self):
        names = ('red, "dark"', "blue")
        rows = [(k % 7, k * k % 5, '"red, ""dark"""' if k % 2 else "blue") for k in range(40)]
        write_csv(self.folder / "a,b.csv", rows)
        self.succeed("svm", "--data", "csv:a,b.csv", "--grid", "2x2", "--folds", "2", "--quiet", "-o", "colour.h5")
        out = self.succeed("predict", "colour.h5", "a,b.csv", "--format", "csv").out
        table = list(csv.reader(io.StringIO(out)))
        self.assertEqual(table[0][4:], ["decision_" + "/".join(sorted(names))])
        self.assertEqual(len(table), 1 + len(rows))
        for k, row in enumerate(table[1:]):
            self.assertEqual(len(row), len(table[0]))
            self.assertEqual(row[0], "a,b.csv")
            self.assertIn(row[2], names)
            self.assertEqual(row[3], names[0] if k % 2 else names[1])

    def test_earlier_predictions_are_replaced_and_others_if_that_is_said(self):
        self.plain_csv()
        write_csv(self.folder / "one.csv", self.pixels[:1])
        for _ in range(2):
            self.succeed("predict", self.study, "plain.csv", "-o", "p.h5")
        self.succeed("predict", self.study, f"csv:{self.folder}/plain.csv", "-o", "p.h5")  # the same by another name
        before = (self.folder / "p.h5").read_bytes()
        (self.folder / "more").mkdir()
        shutil.copy(self.folder / "plain.csv", self.folder / "more" / "plain.csv")
        for words in ((self.study, "one.csv"), (self.study, "more/plain.csv"), (self.study, "plain.csv", "one.csv")):
            refused = self.run_command("predict", *words, "-o", "p.h5")
            self.assertEqual(refused.code, USAGE, refused)
            self.assertIn("p.h5 exists and holds other predictions (they are of ", refused.err)
            self.assertIn("say --overwrite", refused.err)
        self.assertEqual((self.folder / "p.h5").read_bytes(), before)
        self.succeed("predict", self.study, "one.csv", "-o", "p.h5", "--overwrite")
        with h5py.File(self.folder / "p.h5") as file:
            self.assertEqual(file["input_0/prediction"].shape, (1,))

    def test_predictions_of_named_arrays_and_of_pipes_are_told_from_others(self):
        for name, count in (("a", 3), ("b", 5)):
            (self.folder / name).mkdir()
            with h5py.File(self.folder / name / "t.h5", "w") as file:
                file["g/x"] = self.pixels[:count]
        self.succeed("predict", self.study, "hdf5:a/t.h5:/g/x", "-o", "p.h5")
        self.succeed("predict", self.study, f"hdf5:{self.folder}/a/./t.h5:/g/x", "-o", "p.h5")
        refused = self.run_command("predict", self.study, "hdf5:b/t.h5:/g/x", "-o", "p.h5")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("not of the same files or arrays", refused.err)
        overwritten = self.run_command("predict", self.study, "hdf5:p.h5:/input_0/decision", "-o", "p.h5", "--overwrite")
        self.assertEqual(overwritten.code, USAGE, overwritten)
        self.assertIn("-o p.h5 would overwrite an input", overwritten.err)
        os.mkfifo(self.folder / "pipe.csv")
        for code in (DONE, USAGE):  # what a pipe holds may be anything
            with subprocess.Popen(["cp", self.plain_csv(), "pipe.csv"], cwd=self.folder) as writer:
                found = self.run_command("predict", self.study, "csv:pipe.csv", "-o", "q.h5")
                self.assertEqual(found.code, code, found)
                if code != DONE:
                    self.assertIn("perhaps not of the same", found.err)
                    writer.kill()
        for said in ("", "perhaps not of the same"):  # so does a file without a path
            with open(self.folder / "gone.csv", "w+") as gone:
                gone.write((self.folder / "plain.csv").read_text())
                gone.seek(0)
                os.unlink(self.folder / "gone.csv")
                self.assertIn(said, self.run_command("predict", self.study, f"csv:/proc/{os.getpid()}/fd/{gone.fileno()}", "-o", "g.h5").err)

    def test_json_and_hdf5_hold_the_same_decisions_as_csv(self):
        self.labelled_csv()
        samples = self.succeed("predict", self.study, "digits.csv", "--format", "json").json()["inputs"][0]["samples"]
        from_json = numpy.array([sample["decision"] for sample in samples])
        table = self.succeed("predict", self.study, "digits.csv", "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(table)))
        from_csv = numpy.array([[float(row[f"decision_{name}"]) for name in range(10)] for row in rows])
        result = self.succeed("predict", self.study, "digits.csv", "-o", "p.h5")
        self.assertEqual(result.out, "")
        with h5py.File(self.folder / "p.h5") as file:
            numpy.testing.assert_array_equal(file["input_0/decision"][()], from_json)
            numpy.testing.assert_array_equal(file["input_0/decision"][()], from_csv)
            numpy.testing.assert_array_equal(file["input_0/prediction"], self.prediction)
            numpy.testing.assert_array_equal(file["input_0/label"], self.labels)
            self.assertEqual(file.attrs["kind"], "prediction")

    def test_hdf5_of_unlabelled_input_has_no_labels(self):
        self.succeed("predict", self.study, self.plain_csv(), "-o", "p.h5")
        with h5py.File(self.folder / "p.h5") as file:
            self.assertNotIn("input_0/label", file)

    def test_the_model_may_be_named_as_file_folder_or_result_file(self):
        self.plain_csv()
        for model in (self.study, models_of(self.study), models_of(self.study) / "svm.h5"):
            self.assertEqual(self.predicted(model, "plain.csv"), list(self.prediction), model)

    def test_a_result_file_may_be_moved_together_with_its_models(self):
        moved = self.folder / "elsewhere"
        moved.mkdir()
        (moved / "r.h5").write_bytes(self.study.read_bytes())
        models_of(moved / "r.h5").mkdir()
        (models_of(moved / "r.h5") / "svm.h5").write_bytes((models_of(self.study) / "svm.h5").read_bytes())
        self.assertEqual(self.predicted("elsewhere/r.h5", self.plain_csv()), list(self.prediction))

    def test_a_result_that_was_moved_away_keeps_its_model_when_its_place_is_taken(self):
        study = ("svm", "--limit", 150, "--grid", "2x2", "--folds", 2, "-o", "a.h5")
        self.succeed(*study)
        first, inputs = models_of(self.folder / "a.h5"), self.plain_csv()
        model, said = (first / "svm.h5").read_bytes(), self.predicted("a.h5", inputs)
        (self.folder / "a.h5").rename(self.folder / "old.h5")
        self.succeed(*study, "--seed", 7)
        self.assertNotEqual(models_of(self.folder / "a.h5"), first)
        self.assertEqual((first / "svm.h5").read_bytes(), model)
        self.assertEqual(self.predicted("old.h5", inputs), said)
        self.assertIn(first.name, self.succeed("report", "old.h5").out)

    def test_several_inputs_are_answered_in_their_order(self):
        write_csv(self.folder / "first.csv", self.pixels[:3])
        write_csv(self.folder / "second.csv", self.pixels[3:5])
        self.assertEqual(self.predicted(self.study, "second.csv", "first.csv"),
                         list(self.prediction[3:5]) + list(self.prediction[:3]))

    def test_a_sample_is_predicted_alike_alone_and_among_others(self):
        write_csv(self.folder / "one.csv", self.pixels[7:8])
        alone = self.succeed("predict", self.study, "one.csv", "--format", "json").json()["inputs"][0]["samples"][0]
        self.plain_csv()
        among = self.succeed("predict", self.study, "plain.csv", "--format", "json").json()["inputs"][0]["samples"][7]
        self.assertEqual(alone["label"], among["label"])
        numpy.testing.assert_allclose(alone["decision"], among["decision"], rtol=0, atol=1e-9)

    def test_two_ranks_answer_once(self):
        result = self.succeed("predict", self.study, self.plain_csv(), ranks=2)
        self.assertEqual(len(result.out.split()), len(self.labels))


if __name__ == "__main__":
    unittest.main()
