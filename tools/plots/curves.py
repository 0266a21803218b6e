# SPDX-License-Identifier: BSD-3-Clause
"""What curves of a classifier are drawn from. As the measures of Krossfold and scikit-learn: equal scores are one threshold."""

from plots import np

CALIBRATION_BINS = 15  # as /ensemble/ece


def _counts(positive, score):
    """(true positives, false positives) at every threshold, from the highest, at which only scores above infinity count."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), score.size - 1)  # of those with equal scores
    true = np.cumsum(positive[order])[last]
    return np.append(0, true), np.append(0, last + 1 - true)


def roc(positive, score):
    """(false positive rate, true positive rate, area); positive: (sample) bool. NaN where a side has no samples."""
    true, false = _counts(positive, score)
    with np.errstate(invalid="ignore"):
        x, y = false / np.float64(false[-1]), true / np.float64(true[-1])
    return x, y, float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))


def precision_recall(positive, score):
    """(recall, precision, average precision), from the highest threshold; precision is 1 at recall 0."""
    true, false = _counts(positive, score)
    with np.errstate(invalid="ignore"):
        recall = true / np.float64(true[-1])
        precision = np.append(1.0, true[1:] / (true[1:] + false[1:]))
    return recall, precision, float(np.sum(np.diff(recall) * precision[1:]))


def calibration(label, probability):
    """(count, mean confidence, accuracy) of each bin (b/15, (b+1)/15] of the confidence, and the expected calibration error."""
    confidence, right = probability.max(axis=1), probability.argmax(axis=1) == label
    place = np.clip(np.ceil(confidence * CALIBRATION_BINS).astype(int) - 1, 0, CALIBRATION_BINS - 1)
    count, stated, true = (np.bincount(place, weights, CALIBRATION_BINS) for weights in (None, confidence, right))
    with np.errstate(invalid="ignore"):
        error = float(np.sum(np.abs(true - stated)) / label.size)
        return count.astype(int), stated / count, true / count, error


def wilson(share, count):
    """(least, greatest) of the interval of one standard error around a share of so many samples (Wilson, JASA 22 (1927) 209)."""
    centre, half = (share + 0.5 / count) / (1 + 1 / count), np.sqrt(share * (1 - share) / count + 0.25 / count**2) / (1 + 1 / count)
    return centre - half, centre + half
