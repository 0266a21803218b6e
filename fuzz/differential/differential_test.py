#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random files are read by Krossfold as a reference reads them, or refused with a message: tables of text (pandas), LIBSVM's format
(scikit-learn), .npy and .npz (NumPy), PNG (Pillow). See docs/fuzzing.md.

KROSSFOLD_DIFFERENTIAL_FILES=N makes N files of each kind from KROSSFOLD_DIFFERENTIAL_SEED on; with KROSSFOLD_LONG_TESTS=1 they are 400."""

import collections
import importlib.util
import os
import pathlib
import random
import sys
import tempfile
import unittest
import unittest.mock

import h5py
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import comparison  # noqa: E402
import arrays  # noqa: E402
import pictures  # noqa: E402
import tables  # noqa: E402
from comparison import Refused  # noqa: E402

FILES = int(os.environ.get("KROSSFOLD_DIFFERENTIAL_FILES") or (400 if os.environ.get("KROSSFOLD_LONG_TESTS") else 10))
FIRST = int(os.environ.get("KROSSFOLD_DIFFERENTIAL_SEED") or 1)
DELIMITER = {",": "comma", ";": "semicolon", "\t": "tab", " ": "blank"}
TEXT = b"0123456789+-.eE,;\t \n\r\"'#:naifNA?x"


def needs(module, package):
    return unittest.skipUnless(importlib.util.find_spec(module), f"python3 has no {module} (on Debian: {package})")


class DifferentialTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="krossfold-differential-")
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.became = collections.Counter()

    def tearDown(self):
        print(f"{self._testMethodName}: " + ", ".join(f"{count} {what}" for what, count in sorted(self.became.items())), file=sys.stderr)

    def for_each_file(self, check):
        """Calls `check` with a source of random numbers for each file, whose seed a failure names."""
        for seed in range(FIRST, FIRST + FILES):
            with self.subTest(seed=seed):
                check(random.Random(f"{self._testMethodName} {seed}"))

    def for_each_made_file(self, check):
        """As for_each_file; at least half of the files have to be read, because nobody changed them."""
        self.for_each_file(check)
        self.assertGreaterEqual(2 * self.became["equal"], FILES, f"of {FILES} files from seed {FIRST} on")

    def compare(self, reference, spec, *options):
        """Krossfold's samples of `spec` are those that `reference` returns; either may refuse the file."""
        try:
            ours = comparison.read_by_krossfold(spec, self.folder, *options)
        except Refused:
            self.became["refused"] += 1
            return
        try:
            theirs = reference()
        except Refused:
            self.became["refused by the reference alone"] += 1
            return
        found = comparison.difference(ours, theirs)
        self.assertEqual(found, "", f"{spec} {' '.join(options)}")
        self.became["equal"] += 1

    def write(self, name, content):
        (self.folder / name).write_bytes(content)

    def compare_table(self, content, written, told):
        """`told`: whether the delimiter and the decimal mark are given, or found."""
        self.write("table.csv", content)
        options = ["--header", "yes" if written["header"] else "no", "--skip-lines", str(written["above"])]
        if told:
            options += ["--delimiter", DELIMITER[written["delimiter"]], "--decimal", "comma" if written["decimal"] == "," else "point"]
        self.compare(lambda: tables.read_by_pandas(content, **written), "csv:table.csv", "--missing", "mean", *options)

    @needs("pandas", "python3-pandas")
    def test_tables_of_text_are_read_as_pandas_reads_them(self):
        def check(source):
            content, written = tables.csv_text(source)
            self.compare_table(content, written, source.random() < 0.7)

        self.for_each_made_file(check)

    @needs("pandas", "python3-pandas")
    def test_changed_tables_of_text_are_read_as_pandas_reads_them(self):
        def check(source):
            content, written = tables.csv_text(source)
            self.compare_table(tables.changed(source, content, TEXT), written, True)

        self.for_each_file(check)

    def compare_libsvm(self, content):
        self.write("samples.libsvm", content)
        self.compare(lambda: tables.read_by_sklearn(content), "libsvm:samples.libsvm")

    @needs("sklearn", "python3-sklearn")
    def test_libsvm_files_are_read_as_scikit_learn_reads_them(self):
        def check(source):
            self.compare_libsvm(tables.libsvm_text(source))

        self.for_each_made_file(check)

    @needs("sklearn", "python3-sklearn")
    def test_changed_libsvm_files_are_read_as_scikit_learn_reads_them(self):
        def check(source):
            self.compare_libsvm(tables.changed(source, tables.libsvm_text(source), TEXT))

        self.for_each_file(check)

    @needs("sklearn", "python3-sklearn")
    def test_sparse_samples_are_those_of_scikit_learn(self):
        self.compare_libsvm(tables.wide_libsvm_text(random.Random(FIRST)))
        with h5py.File(self.folder / "read.h5") as file:
            self.assertIn("x_begin", file)  # the file was read as a sparse one

    def compare_arrays(self, x, y):
        self.write("x.npy", x)
        self.write("y.npy", y)
        self.compare(lambda: arrays.read_by_numpy(x, y), "npy:x.npy,y.npy", "--missing", "mean")

    def test_npy_files_are_read_as_numpy_reads_them(self):
        def check(source):
            self.compare_arrays(*arrays.files(source))

        self.for_each_made_file(check)

    def test_changed_npy_files_are_read_as_numpy_reads_them(self):
        def check(source):
            x, y = arrays.files(source)
            head = tables.changed(source, x[:128], b"<>|=fiuUSb0123456789(), 'TrueFals{}:\n")
            self.compare_arrays(head + x[128:], y)

        self.for_each_file(check)

    def compare_archive(self, content):
        self.write("arrays.npz", content)
        self.compare(lambda: arrays.read_archive_by_numpy(content), "npz:arrays.npz:X,y", "--missing", "mean")

    def test_npz_files_are_read_as_numpy_reads_them(self):
        def check(source):
            self.compare_archive(arrays.npz(*arrays.files(source), source))

        self.for_each_made_file(check)

    def test_changed_npz_files_are_read_as_numpy_reads_them(self):
        def check(source):
            self.compare_archive(tables.changed(source, arrays.npz(*arrays.files(source), source), bytes(range(256))))

        self.for_each_file(check)

    def compare_pictures(self, contents, height, width):
        """Krossfold reads a folder of them at once."""
        for k, content in enumerate(contents):
            place = self.folder / "pictures" / "ab"[k % 2]
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{k:04}.png").write_bytes(content)
        try:
            ours = comparison.read_by_krossfold("images:pictures", self.folder).x
        except Refused as message:
            self.became["refused"] += 1
            return str(message)
        ours = ours.reshape(len(contents), -1, height, width)
        for at, k in enumerate([*range(0, len(contents), 2), *range(1, len(contents), 2)]):
            try:
                theirs, rounding = pictures.read_by_pillow(contents[k])
            except Refused:
                self.became["refused by the reference alone"] += 1
                continue
            far = abs(ours[at].transpose(1, 2, 0) - theirs).max() if ours.shape[1] == 3 or (theirs == theirs[:, :, :1]).all() else 255
            depth, kind, interlacing = contents[k][24], contents[k][25], contents[k][28]
            self.assertLessEqual(far, rounding, f"picture {k}: {depth} bits, colour type {kind}, interlacing {interlacing}")
            self.became["equal"] += 1
        return ""

    @needs("PIL", "python3-pil")
    def test_pictures_are_read_as_pillow_reads_them(self):
        source = random.Random(FIRST)
        for seed in range(-(-FILES // 50)):
            height, width = source.randrange(1, 20), source.randrange(1, 20)
            with self.subTest(first=FIRST, folder=seed):
                self.assertEqual(self.compare_pictures([pictures.png(source, width, height) for _ in range(50)], height, width), "")

    @needs("PIL", "python3-pil")
    def test_changed_pictures_are_read_as_pillow_reads_them(self):
        def check(source):
            content = pictures.changed(source, pictures.png(source, 7, 5))
            plain = pictures.png(random.Random(1), 7, 5)
            self.compare_pictures([content, plain], 5, 7)

        self.for_each_file(check)


class Comparison(unittest.TestCase):
    def test_a_program_that_refuses_every_file_fails(self):
        result = unittest.TestResult()
        with unittest.mock.patch.object(comparison, "read_by_krossfold", side_effect=Refused("no")):
            made = [name for name in unittest.defaultTestLoader.getTestCaseNames(DifferentialTest) if "changed" not in name]
            for name in made:
                DifferentialTest(name).run(result)
        failed = {getattr(test, "test_case", test).id() for test, _ in result.failures + result.errors}  # of sub-tests, the test
        self.assertEqual(len(failed) + len(result.skipped), len(made), failed)

    def test_a_wrong_bit_label_word_or_shape_is_found(self):
        right = comparison.Samples(np.float32([[0.1, np.nan], [3, -0.5]]), ["a", "7"], {1: ["x", None]})
        theirs = comparison.Samples(np.array([[0.1, np.nan], [3, -0.5]]), ["a", "7.0"], {1: ["x", None]})
        self.assertEqual(comparison.difference(right, theirs), "")
        for at in ((0, 0), (1, 0), (1, 1)):
            for towards in (-np.inf, np.inf, np.nan):
                x = right.x.copy()
                x[at] = np.nextafter(x[at], np.float32(towards))
                self.assertIn("feature", comparison.difference(right._replace(x=x), theirs), (at, towards))
        wrong = ({"x": right.x[:1]}, {"labels": ["a", "8"]}, {"labels": None}, {"words": {}}, {"words": {1: ["x", "y"]}})
        for change in wrong:
            self.assertNotEqual(comparison.difference(right._replace(**change), theirs), "", change)


if __name__ == "__main__":
    unittest.main()
