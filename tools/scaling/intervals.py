# SPDX-License-Identifier: BSD-3-Clause
"""The median of a few repeats with a confidence interval of order statistics.

Of n independent values the interval from the k-th smallest to the k-th largest misses the true median with probability
2 P(Binomial(n, 1/2) < k), whatever the distribution: times have long tails, for which Student's t does not hold with few values.
95 % need six values; with fewer the interval is the whole range, and its lower confidence is stated.
"""

import math
import statistics


def coverage(n, k):
    """Probability that the median lies between the k-th smallest and the k-th largest of n values."""
    return 1 - 2 * sum(math.comb(n, i) for i in range(k)) / 2**n


def median_interval(values, level=0.95):
    """(median, low, high, confidence): the narrowest interval that reaches the level, else the range; NaN bounds for one value."""
    ordered = sorted(values)
    n = len(ordered)
    if n < 2:
        return (ordered[0] if ordered else math.nan, math.nan, math.nan, 0.0)
    k = max((k for k in range(1, n // 2 + 1) if coverage(n, k) >= level), default=1)
    return statistics.median(ordered), ordered[k - 1], ordered[n - k], coverage(n, k)
