#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/plots/curves.py and the scores of tools/plots/predictions.py against sums over pairs and thresholds."""

import unittest

from plot_case import np
from plots import curves, predictions
from krossfold.result_file import ResultFileError

SEED = 11


def samples(random, ties):
    """(positive, score) with both sides, with equal scores or without."""
    n = int(random.integers(2, 60))
    positive = random.random(n) < 0.4
    positive[:2] = (True, False)
    return positive, (random.integers(0, 5, n) if ties else random.normal(size=n)).astype(float)


class Curves(unittest.TestCase):
    def test_the_area_under_the_roc_curve_is_the_share_of_pairs_in_order(self):
        random = np.random.default_rng(SEED)
        for case in range(200):
            positive, score = samples(random, case % 2)
            pairs = score[positive][:, None] - score[~positive][None, :]
            expected = np.mean((pairs > 0) + 0.5 * (pairs == 0))
            x, y, area = curves.roc(positive, score)
            self.assertAlmostEqual(area, expected, places=12, msg=f"seed {SEED} case {case}")
            self.assertEqual((x[0], y[0], x[-1], y[-1]), (0, 0, 1, 1))
            for threshold in set(score):  # every point is one of the curve, and no others
                point = (np.mean(score[~positive] >= threshold), np.mean(score[positive] >= threshold))
                self.assertTrue(np.any(np.all(np.isclose(np.stack([x, y], axis=1), point), axis=1)))
            self.assertEqual(x.size, len(set(score)) + 1)

    def test_the_average_precision_sums_precision_over_steps_of_recall(self):
        random = np.random.default_rng(SEED)
        for case in range(200):
            positive, score = samples(random, case % 2)
            expected, before = 0.0, 0.0
            for threshold in sorted(set(score), reverse=True):
                chosen = score >= threshold
                recall = np.sum(chosen & positive) / positive.sum()
                expected += (recall - before) * np.sum(chosen & positive) / chosen.sum()
                before = recall
            recall, precision, area = curves.precision_recall(positive, score)
            self.assertAlmostEqual(area, expected, places=12, msg=f"seed {SEED} case {case}")
            self.assertEqual((recall[0], precision[0], recall[-1]), (0, 1, 1))
            self.assertAlmostEqual(precision[-1], positive.mean())

    def test_known_areas(self):
        positive, score = np.array([False, False, True, True]), np.array([0.1, 0.4, 0.35, 0.8])
        self.assertAlmostEqual(curves.roc(positive, score)[2], 0.75)  # three of four pairs
        self.assertAlmostEqual(curves.precision_recall(positive, score)[2], 0.5 * 1 + 0.5 * 2 / 3)

    def test_a_missing_side_has_no_area_and_no_warning(self):
        for side in (np.ones(3, dtype=bool), np.zeros(3, dtype=bool)):
            self.assertTrue(np.isnan(curves.roc(side, np.arange(3.0))[2]))

    def test_calibration_bins_by_hand(self):
        probability = np.array([[0.7, 0.3], [0.71, 0.29], [0.2, 0.8], [1.0, 0.0], [0.0, 1.0]])
        label = np.array([0, 1, 1, 0, 0])
        count, confidence, accuracy, error = curves.calibration(label, probability)
        self.assertEqual({int(k): int(count[k]) for k in np.flatnonzero(count)}, {10: 2, 11: 1, 14: 2})
        np.testing.assert_allclose(confidence[[10, 11, 14]], [0.705, 0.8, 1])
        np.testing.assert_allclose(accuracy[[10, 11, 14]], [0.5, 1, 0.5])
        self.assertAlmostEqual(error, (2 * 0.205 + 1 * 0.2 + 2 * 0.5) / 5)
        self.assertTrue(np.isnan(accuracy[0]))

    def test_wilson_solves_its_equation_and_has_a_width_at_certainty(self):
        for share, count in ((0.0, 1), (1.0, 3), (0.25, 8), (0.5, 100)):
            for end in curves.wilson(share, count):  # (share - end)^2 = end (1 - end) / count
                self.assertAlmostEqual((share - end) ** 2, end * (1 - end) / count)
        self.assertEqual(curves.wilson(1.0, 1), (0.5, 1.0))


class Scores(unittest.TestCase):
    def test_one_column_speaks_for_the_first_of_its_pair_else_for_class_1(self):
        decision = np.array([[2.0], [-3.0]])
        np.testing.assert_array_equal(predictions.class_scores(decision, ["a/b"], 2).argmax(axis=1), [0, 1])
        np.testing.assert_array_equal(predictions.class_scores(decision, [], 2).argmax(axis=1), [1, 0])

    def test_pairs_become_votes_and_confidence_even_where_there_are_as_many_pairs_as_classes(self):
        decision = np.array([[1.0, 2.0, -0.5], [0.5, -1.0, 3.0]])  # 0/1, 0/2, 1/2
        found = predictions.class_scores(decision, ["a/b", "a/c", "b/c"], 3)
        sums = np.array([[3.0, -1.5, -1.5], [-0.5, 2.5, -2.0]])
        votes = np.array([[2, 0, 1], [1, 1, 1]])
        np.testing.assert_allclose(found, votes + sums / (3 * (abs(sums) + 1)))
        self.assertIs(predictions.class_scores(decision, [], 3), decision)

    def test_columns_that_are_neither_are_refused(self):
        with self.assertRaises(ResultFileError):
            predictions.class_scores(np.zeros((2, 5)), [], 4)


if __name__ == "__main__":
    unittest.main()
