#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold.open on whole, damaged, newer and hostile files."""

import io
import pathlib
import re
import shutil
import tempfile
import unittest

import h5py
import numpy
from python_case import OLD, ROOT

import krossfold
from krossfold import result_file
from krossfold.checksum import crc64

POLYNOMIAL = 0xC96C5795D7870F42  # of ECMA-182, reflected


def crc64_bit_by_bit(data):
    crc = 2**64 - 1
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0)
    return crc ^ (2**64 - 1)


class Checksum(unittest.TestCase):
    def test_is_that_of_the_catalogue(self):
        self.assertEqual(crc64(b"123456789"), 0x995DC9BBDF1939FA)  # the check value of CRC-64/XZ

    def test_is_the_same_as_bit_by_bit_whatever_the_length(self):
        random = numpy.random.default_rng(3)
        for length in [*range(0, 20), 127, 128, 129, 255, 256, 1000, 1023, 4097, 33333]:
            data = random.bytes(length)
            self.assertEqual(crc64(data), crc64_bit_by_bit(data), length)


class Opening(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="krossfold-python-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder / "r.h5"
        self.bytes = (OLD / "svm.h5").read_bytes()

    def assert_refused(self, data, *fragments, **options):
        self.file.write_bytes(data)
        with self.assertRaises(krossfold.ResultFileError) as caught:
            krossfold.open(self.file, **options)
        for fragment in (str(self.file), *fragments):
            self.assertIn(fragment, str(caught.exception))

    def test_any_flipped_bit_is_found(self):
        random = numpy.random.default_rng(5)
        for place in [24, 512, len(self.bytes) - 1, *random.integers(512, len(self.bytes), 40)]:
            data = bytearray(self.bytes)
            data[place] ^= 1 << int(random.integers(8))
            self.assert_refused(data, "damaged", "verify=False")

    def test_a_file_that_was_cut_or_grew_is_refused(self):
        for data in (self.bytes[:-1], self.bytes[:4000], self.bytes + b"\0"):
            self.assert_refused(data, "damaged", "copy it again")

    def test_what_is_left_of_a_damaged_file_can_be_read(self):
        data = bytearray(self.bytes)
        data[-1] ^= 1
        self.file.write_bytes(data)
        self.assertEqual(krossfold.open(self.file, verify=False).classes, ["0", "1", "2"])
        self.assert_refused(self.bytes[:3000], "HDF5", verify=False)

    def test_a_newer_file_is_refused_with_both_versions(self):
        data = bytearray(self.bytes)
        data[8] = result_file.NEWEST_VERSION + 1
        self.assert_refused(data, f"version {result_file.NEWEST_VERSION + 1}", f"up to {result_file.NEWEST_VERSION}", "update Krossfold")

    def test_other_files_and_missing_ones_are_refused(self):
        self.assert_refused(b"label,pixel\n" * 100, "not a result file")
        self.assert_refused(b"", "not a result file")
        self.file.unlink()
        with self.assertRaisesRegex(krossfold.ResultFileError, "No such file"):
            krossfold.open(self.file)

    def test_nothing_is_followed_out_of_the_file(self):
        secret = self.folder / "secret.h5"
        with h5py.File(secret, "w") as file:
            file["x"] = numpy.ones(3)
        stream = io.BytesIO()
        with h5py.File(stream, "w") as file:
            file.attrs["kind"] = "svm"
            file["C"] = h5py.ExternalLink(str(secret), "/x")
            file["gamma"] = h5py.SoftLink("/fold")
            file["fold"] = numpy.arange(3)
            file.create_dataset("fold_error", (3,), dtype="f8", external=[(str(secret), 0, 24)])
        self.file.write_bytes(result_file.user_block(stream.getvalue()) + stream.getvalue())
        result = krossfold.open(self.file)
        self.assertEqual(result.datasets(), ["/fold", "/fold_error"])
        for path in ("/C", "/gamma", "/fold_error", "/fold/x", "/"):
            with self.assertRaises(krossfold.ResultFileError):
                result[path]
        self.assertNotIn("/C", result)

    def test_datasets_are_read_only_if_the_file_has_all_of_them(self):
        stream = io.BytesIO()
        with h5py.File(stream, "w") as file:
            file.attrs["kind"] = "svm"
            file["whole"] = numpy.arange(1000)
            file["word"] = numpy.array([b"red", b"green"])
            file.create_dataset("any", data=["red", "green"], dtype=h5py.string_dtype())
            file.create_dataset("none", (0, 3), dtype="f8")
            file.create_dataset("hollow", (10**12,), dtype="f8", fillvalue=1, chunks=(1000,))
            file.create_dataset("unwritten", (10**9,), dtype="f8")
            file.create_dataset("packed", data=numpy.zeros(10000), compression="gzip")
            file.create_dataset("blank", (10**6,), dtype="S1000")
            file.create_dataset("blanks", (10**8,), dtype=h5py.string_dtype())
            file.create_dataset("wide", (5,), dtype="f8", maxshape=(None,), chunks=(10**8,), compression="gzip")
            file.create_dataset("pairs", data=numpy.zeros(3, "f8,f8"))
            file.create_dataset("complex", data=numpy.zeros(3, complex))
            file.create_dataset("null", data=h5py.Empty("f8"))
        self.file.write_bytes(result_file.user_block(stream.getvalue()) + stream.getvalue())
        result = krossfold.open(self.file)
        numpy.testing.assert_array_equal(result["/whole"], numpy.arange(1000))
        self.assertEqual(result["/word"].tolist(), result["/any"].tolist())
        self.assertEqual(result["/none"].shape, (0, 3))
        for path in ("hollow", "unwritten", "packed", "blank", "blanks", "wide", "pairs", "complex", "null"):
            with self.subTest(path=path), self.assertRaisesRegex(krossfold.ResultFileError, "is not as Krossfold writes it|there is no"):
                result[path]

    def test_attributes_are_text_and_numbers(self):
        stream = io.BytesIO()
        with h5py.File(stream, "w") as file:
            file.attrs.update({"kind": "svm", "C": 2.5, "n": 3, "old": numpy.bytes_("word"), "list": [1, 2], "pair": numpy.zeros((), "f8,f8"),
                               "none": h5py.Empty("f8"), "status": numpy.array(["a", "b"], dtype="S1")})  # fmt: skip
        self.file.write_bytes(result_file.user_block(stream.getvalue()) + stream.getvalue())
        result = krossfold.open(self.file)
        self.assertEqual(result.attributes, {"kind": "svm", "C": 2.5, "n": 3, "old": "word"})
        self.assertEqual(result.odd_attributes, {"list", "pair", "none", "status"})
        self.assertEqual(result.status, "unknown")

    def test_the_newest_version_is_that_of_the_program(self):
        header = (ROOT / "include/krossfold/storage/container.hpp").read_text(encoding="utf8")
        self.assertEqual(int(re.search(r"schema_version = (\d+);", header)[1]), result_file.NEWEST_VERSION)


class Version1(unittest.TestCase):
    def test_files_have_the_present_paths(self):
        for kind in ("svm", "bag", "names"):
            result = krossfold.open(OLD / f"{kind}.h5")
            with h5py.File(OLD / f"{kind}.h5") as file:
                for path, old in result_file.OLD_PATHS.items():
                    self.assertEqual(path in result, old in file, path)
                    if old in file:
                        numpy.testing.assert_array_equal(result[path], file[old][()])
        self.assertEqual(krossfold.open(OLD / "svm.h5").kind, "svm")

    def test_an_unfinished_study_shows_what_is_there_and_says_what_is_not(self):
        result = krossfold.open(OLD / "unfinished.h5")
        self.assertEqual((result.status, result.test_error), ("stopped", None))
        with self.assertRaisesRegex(krossfold.ResultFileError, "unfinished"):
            result.best_params_
        with h5py.File(OLD / "unfinished.h5") as file:
            error = file["fold_error"][()]
        mean = result.cv_results_["mean_test_score"].reshape(6, 6).T
        numpy.testing.assert_array_equal(numpy.isnan(mean), numpy.isnan(error).any(axis=2))
        self.assertTrue(numpy.isnan(mean).any())


if __name__ == "__main__":
    unittest.main()
