#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pictures that krossfold predict cannot use."""

import resource
import unittest
import zlib

import numpy

from invalid_case import InvalidCase
from krossfold_cli import write_csv
from png_file import SIGNATURE, chunk, header, png
from sanitizer import needs_plain_memory

PICTURE = png(numpy.arange(64).reshape(8, 8))


class Png(InvalidCase):
    @classmethod
    def setUpClass(cls):
        cls.result = cls.share("train") / "r.h5"

    def train(self):
        self.succeed("svm", "--data", "digits", "--limit", "100", "--grid", "2x2", "--folds", "2", "--quiet", "-o", "r.h5")
        write_csv(self.folder / "d.csv", [(k % 7, k * k % 5, k % 2) for k in range(40)])
        self.succeed("svm", "--data", "csv:d.csv", "--grid", "2x2", "--folds", "2", "--quiet", "-o", "table.h5")

    def check_picture(self, content, *says, name="a.png"):
        (self.folder / name).write_bytes(content)
        self.check_refused("predict", self.result, name, says=[name, *says])

    def test_no_png_at_all(self):
        self.check_picture(b"", "is neither a PNG nor a JPEG file", "it is empty")
        self.check_picture(b"1,2,3\n", "is neither a PNG nor a JPEG file")
        self.check_picture(b"\xff\xd8\xff\xe0" + bytes(100), "is damaged or cut off", "Fetch the file again")

    def test_transferred_as_text(self):
        self.check_picture(PICTURE.replace(b"\r\n", b"\n"), "is damaged at its first bytes", "binary")

    def test_without_pixels(self):
        for size in ((0, 0), (0, 5), (5, 0)):
            self.check_picture(SIGNATURE + header(*size) + chunk(b"IDAT", b"") + chunk(b"IEND", b""),
                               "has no pixels", f"{size[0]} x {size[1]}")

    def test_truncated(self):
        for size in (4, 20, 40, len(PICTURE) - 1):
            self.check_picture(PICTURE[:size], "is cut off")

    def test_wrong_checksum(self):
        damaged = bytearray(PICTURE)
        damaged[-14] ^= 1
        self.check_picture(bytes(damaged), "is damaged", "IDAT: CRC error")

    def test_wrong_pixels_with_a_right_checksum(self):
        self.check_picture(SIGNATURE + header(8, 8) + chunk(b"IDAT", b"no deflate") + chunk(b"IEND", b""), "is damaged")
        self.check_picture(SIGNATURE + header(8, 8) + chunk(b"IDAT", zlib.compress(bytes(9))) + chunk(b"IEND", b""), "a.png")

    def test_huge_sizes_in_a_tiny_file_take_no_memory(self):
        needs_plain_memory()
        tiny = chunk(b"IDAT", zlib.compress(b"tiny")) + chunk(b"IEND", b"")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.check_picture(SIGNATURE + header(20_000, 20_000) + tiny, "20000 x 20000", "at most 50 million")
        self.check_picture(SIGNATURE + header(2**31, 2**31) + tiny, "is too large")
        self.check_picture(SIGNATURE + header(7_000, 7_000, 16, 6) + tiny, "is cut off", "7000 x 7000")
        grown = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - before  # KiB; training was larger already
        self.assertLess(grown, 100_000)

    def test_missing_files_and_folders_without_pictures(self):
        self.check_refused("predict", self.result, "none.png", says=["cannot read none.png", "No such file"])
        (self.folder / "empty").mkdir()
        self.check_refused("predict", self.result, "empty", says=["no pictures in the folder empty"])

    def test_one_bad_picture_among_good_ones_and_nothing_is_printed_or_written(self):
        (self.folder / "good.png").write_bytes(PICTURE)
        (self.folder / "bad.png").write_bytes(PICTURE[:50])
        for options in ((), ("--format", "json"), ("-o", "p.h5")):
            self.check_refused("predict", self.result, "good.png", "bad.png", *options, says=["bad.png is cut off"])

    def test_a_model_that_was_not_trained_on_images(self):
        (self.folder / "a.png").write_bytes(PICTURE)
        table = self.result.with_name("table.h5")
        self.check_refused("predict", table, "a.png", says=["takes no pictures", "not trained on images in grey or colour"])

    def test_pictures_are_no_training_data(self):
        (self.folder / "a.png").write_bytes(PICTURE)
        self.check_study_refused("--data", "png:a.png", says=["unknown data 'png:a.png'"])

    def test_bad_words(self):
        (self.folder / "a.png").write_bytes(PICTURE)
        self.check_refused("predict", self.result, "a.png", "--invert", "ys", says=["unknown invert 'ys'", "auto, yes or no"])
        self.check_refused("predict", self.result, "a.png", "--background", "grey", says=["unknown background 'grey'"])
        self.check_refused("predict", self.result, "png:", says=["png:FILE"])


if __name__ == "__main__":
    unittest.main()
