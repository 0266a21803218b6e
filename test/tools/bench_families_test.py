#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/peers/families.py: the data sets of bench_peers svm that are made by code."""

import pathlib
import sys
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from peers import families, families_names  # noqa: E402

CLASSES = {"moons": 2, "clusters": 3, "bananas": 4, "noisy-5": 2, "noisy-20": 3, "noisy-200": 2, "duplicates": 2,
           "categorical": 2, "rare": 2, "letters": 30, "text": 4}  # fmt: skip


class Families(unittest.TestCase):
    def test_each_has_the_samples_asked_for_in_all_its_classes_and_is_the_same_each_time(self):
        self.assertEqual(CLASSES.keys(), families.MADE.keys())
        self.assertEqual(tuple(families.MADE), families_names.MADE_NAMES)
        for name, classes in CLASSES.items():
            with self.subTest(name):
                x, y = families.make(name, 600)
                self.assertEqual((len(x), x.dtype, y.dtype), (600, np.float32, np.int32))
                np.testing.assert_array_equal(np.unique(y), np.arange(classes))
                again = families.make(name, 600)
                np.testing.assert_array_equal(x, again[0])
                np.testing.assert_array_equal(y, again[1])
                if name not in families.UNSCALED:
                    np.testing.assert_allclose(x.mean(axis=0), 0, atol=1e-5)

    def test_they_are_what_they_are_called(self):
        self.assertAlmostEqual(families.make("rare", 2000)[1].mean(), 0.02, delta=0.01)
        x, y = families.make("duplicates", 800)
        points, place = np.unique(x, axis=0, return_inverse=True)
        self.assertEqual(len(points), 200)
        self.assertGreater(sum(len(np.unique(y[place.ravel() == k])) == 2 for k in range(200)), 50)
        self.assertLess((families.make("text", 100)[0] != 0).mean(), 0.012)

    def test_gamma_covers_the_scale_of_the_data(self):
        low, high = families.gamma_range(families.make("noisy-20", 600)[0])
        self.assertAlmostEqual(high - low, 3, delta=0.011)
        self.assertTrue(low < np.log10(1 / 40) < high)


if __name__ == "__main__":
    unittest.main()
