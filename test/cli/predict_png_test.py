#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold predict on pictures: PNG files and folders of them."""

import csv
import io
import unittest

import h5py
import numpy

from krossfold_cli import CommandTest, held_out_digits, write_csv
from png_file import GREY_ALPHA, RGB, png

STUDY = ("svm", "--data", "digits", "--fold-kind", "contiguous", "--test-part", "last",
         "--limit", "300", "--grid", "3x3", "--folds", "3", "--quiet")
COUNT = 12


class PredictPng(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.study = cls.share("train") / "r.h5"
        with h5py.File(cls.study) as file:
            cls.prediction = [int(label) for label in file["test/prediction"][:COUNT]]
        pixels, _ = held_out_digits()
        cls.grey = numpy.rint(pixels[:COUNT].reshape(-1, 8, 8) * 255 / 16)

    def train(self):
        self.succeed(*STUDY, "-o", "r.h5")

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return name

    def write_digits(self):
        return [self.write(f"pictures/{k:02}.png", png(rows)) for k, rows in enumerate(self.grey)]

    def test_the_picture_of_a_digit_has_the_label_of_its_row_and_its_decision_values(self):
        names = self.write_digits()
        write_csv(self.folder / "rows.csv", held_out_digits()[0][:COUNT])
        samples = self.succeed("predict", self.study, *names, "--format", "json").json()["inputs"][0]["samples"]
        rows = self.succeed("predict", self.study, "rows.csv", "--format", "json").json()["inputs"][0]["samples"]
        self.assertEqual([sample["file"] for sample in samples], names)
        self.assertEqual([int(sample["label"]) for sample in samples], self.prediction)
        self.assertEqual([sample["decision"] for sample in samples], [row["decision"] for row in rows])

    def test_every_line_names_its_file_and_a_folder_means_its_pictures_in_order(self):
        names = self.write_digits()
        expected = "".join(f"{name}: {label}\n" for name, label in zip(names, self.prediction))
        self.assertEqual(self.succeed("predict", self.study, "pictures", "--quiet").out, expected)
        self.assertEqual(self.succeed("predict", self.study, *names, "--quiet").out, expected)
        self.assertEqual(self.succeed("predict", self.study, "png:pictures", "--quiet").out, expected)
        again = self.succeed("predict", self.study, *reversed(names), "--quiet").out.splitlines()
        self.assertEqual(again, list(reversed(expected.splitlines())))

    def test_csv_and_hdf5_name_the_files(self):
        names = self.write_digits()
        table = self.succeed("predict", self.study, "pictures", "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(table)))
        self.assertEqual([(row["input"], row["sample"]) for row in rows], [(name, "0") for name in names])
        self.assertEqual([int(row["label"]) for row in rows], self.prediction)
        self.succeed("predict", self.study, "pictures", "-o", "p.h5")
        with h5py.File(self.folder / "p.h5") as file:
            self.assertEqual(list(file["input_0/file"].asstr()), names)
            self.assertEqual(list(file["input_0/prediction"]), self.prediction)

    def test_pictures_and_other_inputs_are_answered_in_their_order(self):
        names = self.write_digits()
        write_csv(self.folder / "two.csv", held_out_digits()[0][:2])
        out = self.succeed("predict", self.study, names[5], "two.csv", names[3], names[4], "--quiet").out
        label = self.prediction
        self.assertEqual(out, f"{names[5]}: {label[5]}\n{label[0]}\n{label[1]}\n"
                              f"{names[3]}: {label[3]}\n{names[4]}: {label[4]}\n")

    def test_a_large_coloured_dark_on_light_picture_has_the_same_label_and_all_that_was_done_is_said(self):
        for k in range(COUNT):
            large = numpy.kron(255 - self.grey[k], numpy.ones((20, 20)))
            self.write("large.png", png(numpy.stack([large] * 3, axis=2), RGB))
            result = self.succeed("predict", self.study, "large.png")
            self.assertEqual(result.out, f"large.png: {self.prediction[k]}\n")
            self.assertIn("large.png: 160x160, 8-bit RGB -> grey (BT.601) -> 8x8 (area average) -> inverted (its border is "
                          "light, that of the training images dark) -> values 0 to 16\n", result.err)

    def test_nothing_is_inverted_with_no_and_everything_with_yes(self):
        self.write("light.png", png(255 - self.grey[0]))
        self.write("dark.png", png(self.grey[0]))

        def decision(name, invert):
            answer = self.succeed("predict", self.study, name, "--invert", invert, "--format", "json").json()
            return answer["inputs"][0]["samples"][0]["decision"]
        self.assertEqual(decision("light.png", "auto"), decision("dark.png", "auto"))
        self.assertEqual(decision("light.png", "no"), decision("dark.png", "yes"))
        self.assertEqual(decision("light.png", "yes"), decision("dark.png", "no"))
        self.assertNotEqual(decision("light.png", "no"), decision("light.png", "yes"))

    def test_what_is_transparent_shows_the_background(self):
        ink = self.grey[0]
        black_ink = numpy.stack([numpy.zeros_like(ink), ink], axis=2)
        white_ink = numpy.stack([numpy.full_like(ink, 255), ink], axis=2)
        self.write("black.png", png(black_ink, GREY_ALPHA))
        self.write("white.png", png(white_ink, GREY_ALPHA))
        label = self.prediction[0]
        self.assertEqual(self.succeed("predict", self.study, "black.png").out, f"black.png: {label}\n")
        self.assertEqual(self.succeed("predict", self.study, "white.png", "--background", "black").out,
                         f"white.png: {label}\n")
        lost = self.succeed("predict", self.study, "white.png", "--quiet")
        self.assertIn("warning: white.png has a single grey value", lost.err)

    def test_quiet_says_nothing_and_two_ranks_answer_once(self):
        name = self.write_digits()[0]
        self.assertEqual(self.succeed("predict", self.study, name, "--quiet").err, "")
        self.assertEqual(self.succeed("predict", self.study, name, ranks=2).out, f"{name}: {self.prediction[0]}\n")


if __name__ == "__main__":
    unittest.main()
