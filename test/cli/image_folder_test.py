#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Studies of images:FOLDER, a folder for each class, and predictions for pictures in colour."""

import pathlib
import shutil
import unittest

import h5py
import numpy

from krossfold_cli import CommandTest, USAGE
from png_file import RGB, png

OWN = pathlib.Path(__file__).resolve().parents[1] / "own_data"


class ImageFolder(CommandTest):
    """Classes of the same brightness, which only the colour tells apart: 0.587 * 102 = 0.299 * 200."""

    def picture(self, random, colour):
        rows = random.integers(0, 30, size=(6, 6, 1)).repeat(3, axis=2)
        rows[2:4, 2:4] += numpy.array(colour)
        return png(rows, RGB)

    def write_pictures(self, folder, each):
        random = numpy.random.default_rng(each)
        for name, colour in (("green", (0, 102, 0)), ("red", (200, 0, 0))):
            (self.folder / folder / name).mkdir(parents=True)
            for k in range(each):
                (self.folder / folder / name / f"{k:02}.png").write_bytes(self.picture(random, colour))

    def test_colours_are_learnt_and_predicted_on_any_number_of_ranks(self):
        self.write_pictures("flowers", 20)
        self.write_pictures("more", 5)
        for ranks in (1, 2):
            study = self.succeed("svm", "--data", "images:flowers", "--test", "images:more", "--grid", "3x3", "-o", f"{ranks}.h5",
                                 ranks=ranks)
            self.assertIn("images:flowers", study.out)
            self.assertIn("flowers: 40 pictures of 6x6 pixels, in colour; files: 8-bit RGB", study.err)
            self.assertIn("label: the folders, with 2 classes: green 20 (50.0 %), red 20 (50.0 %)", study.err)
            with h5py.File(self.folder / f"{ranks}.h5") as file:
                self.assertEqual(int(numpy.sum(file["test/prediction"][()] != file["test/label"][()])), 0)
        self.assertEqual(self.succeed("predict", "1.h5", "more/red/00.png", "more/green", "--quiet").out.split()[1::2],
                         ["red"] + 5 * ["green"])
        whole = self.succeed("predict", "2.h5", "images:more")
        self.assertEqual(whole.out.split(), 5 * ["green"] + 5 * ["red"])
        self.assertIn("0 of them labelled otherwise", whole.err)

    def test_networks_take_them_and_grey_pictures_are_samples_of_one_channel(self):
        self.write_pictures("flowers", 20)
        self.succeed("train", "cnn", "--data", "images:flowers", "--batch", "8", "--epochs", "12", "--channels", "4", "--kernel", "3",
                     "--hidden", "8", "-o", "cnn.h5")
        self.assertTrue(self.succeed("predict", "cnn.h5", "flowers/red/03.png", "--quiet").out.startswith("flowers/red/03.png: red "))
        report = self.succeed("data", "images:flowers", "--format", "json").report()
        self.assertEqual(report["image"], {"width": 6, "height": 6, "channels": 3})
        self.assertEqual(report["samples"], 40)
        converted = self.succeed("data", "convert", "images:flowers", "-o", "flowers.h5")
        self.assertEqual(converted.code, 0)
        for spec in ("images:flowers", "hdf5:flowers.h5"):
            self.succeed("svm", "--data", spec, "--grid", "2x2", "-o", spec.replace(":", "_") + ".out.h5")
        with h5py.File(self.folder / "images_flowers.out.h5") as one, h5py.File(self.folder / "hdf5_flowers.h5.out.h5") as other:
            numpy.testing.assert_array_equal(one["out_of_fold/decision"][()], other["out_of_fold/decision"][()])

    def test_files_are_predicted_as_folders_are_whatever_the_range_of_the_training_pictures(self):
        # Dark pictures, and those of 16 bits within a few grey values: their range is not that of black and white.
        random = numpy.random.default_rng(5)
        for depth, base, step in ((8, 1, 5), (16, 9000, 3000)):
            folder = f"deep{depth}"
            for k in range(60):
                name = "ab"[k % 2]
                (self.folder / folder / name).mkdir(parents=True, exist_ok=True)
                rows = random.integers(base, base + step, size=(5, 4)) + (k % 2) * step
                (self.folder / folder / name / f"{k:02}.png").write_bytes(png(rows, depth=depth))
            for spec in (f"images:{folder}", f"hdf5:{folder}.h5"):
                with self.subTest(depth=depth, spec=spec):
                    if spec.startswith("hdf5"):
                        self.succeed("data", "convert", f"images:{folder}", "-o", f"{folder}.h5", "--overwrite")
                    for study in (("svm", "--grid", "3x3"),
                                  ("train", "cnn", "--batch", "8", "--epochs", "3", "--channels", "4", "--kernel", "3", "--hidden", "8")):
                        self.succeed(*study, "--data", spec, "--quiet", "-o", "r.h5")
                        whole = self.succeed("predict", "r.h5", f"images:{folder}", "--format", "csv").out
                        files = self.succeed("predict", "r.h5", f"{folder}/a", f"{folder}/b", "--format", "csv").out
                        table = [[line.split(",") for line in text.splitlines()] for text in (whole, files)]
                        heads = [rows[0] for rows in table]
                        common = [name for name in heads[0] if name in heads[1] and name.startswith(("decision", "probability"))]
                        self.assertTrue(common)
                        values = [[[row[head.index(name)] for name in common] for row in rows[1:]] for head, rows in zip(heads, table)]
                        self.assertEqual(*values)
                        (self.folder / "r.h5").unlink()

    def test_colours_become_grey_for_models_of_grey_pictures_with_a_warning(self):
        random = numpy.random.default_rng(6)
        for k in range(20):
            (self.folder / "grey" / "ab"[k % 2]).mkdir(parents=True, exist_ok=True)
            (self.folder / "grey" / "ab"[k % 2] / f"{k:02}.png").write_bytes(png(random.integers(0, 99, size=(6, 6)) + 100 * (k % 2)))
        self.write_pictures("flowers", 3)
        self.succeed("svm", "--data", "images:grey", "--grid", "2x2", "--quiet", "-o", "g.h5")
        whole, files = (self.succeed("predict", "g.h5", *words, "--format", "csv")
                        for words in (["images:flowers"], ["flowers/green", "flowers/red"]))
        self.assertIn("6 pictures in colour of flowers became grey", whole.err)
        columns = [[line.split(",")[-2:] for line in text.out.splitlines()[1:]] for text in (whole, files)]
        self.assertEqual(*columns)

    def test_jpeg_and_png_lie_side_by_side_and_a_picture_of_another_size_is_refused(self):
        for k, name in enumerate(("colour", "progressive", "restarts", "grey", "turned", "full_chroma")):
            folder = self.folder / "mixed" / ("even" if k % 2 == 0 else "odd")
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(OWN / "jpeg" / f"{name}.jpg", folder / f"{name}.jpg")
        report = self.succeed("data", "images:mixed", "--format", "json").report()
        self.assertEqual(report["image"], {"width": 13, "height": 9, "channels": 3})
        (self.folder / "mixed" / "odd" / "small.png").write_bytes(png(numpy.zeros((2, 2))))
        refused = self.run_command("svm", "--data", "images:mixed", "-o", "r.h5")
        self.assertEqual(refused.code, USAGE)
        self.assertIn("mixed/odd/small.png has 2x2 pixels (mixed/even/colour.jpg has 13x9", refused.err)


if __name__ == "__main__":
    unittest.main()
