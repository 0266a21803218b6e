# SPDX-License-Identifier: BSD-3-Clause
"""Samples most of whose features are 0, in compressed rows, and their products with support vectors of the same form."""

import numpy as np

MOST_PAIRS = 2**22  # products of entries at a time


class CompressedRows:
    """Row i has the entries begin[i] ... begin[i + 1] - 1: value[k] of the feature column[k]; all other features are 0."""

    def __init__(self, begin, column, value, columns):
        self.begin, self.column, self.value, self.columns = begin, column, value, columns

    @classmethod
    def of(cls, matrix):
        """From a sparse matrix or array of scipy, whose duplicate entries are summed."""
        rows = matrix.tocsr()
        if not getattr(rows, "has_canonical_format", True):
            rows = rows.copy()
            rows.sum_duplicates()
        return cls(rows.indptr, rows.indices, rows.data, rows.shape[1])

    @classmethod
    def of_dense(cls, block):
        """From dense samples (sample, feature)."""
        row, column = np.nonzero(block)
        begin = np.searchsorted(row, np.arange(len(block) + 1))
        return cls(begin, column, block[row, column], block.shape[1])

    def __len__(self):
        return len(self.begin) - 1

    @property
    def row(self):
        """The row of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.begin))

    def part(self, first, last):
        """Rows first ... last - 1; their entries are views."""
        begin = np.asarray(self.begin[first : min(last, len(self)) + 1])
        entries = slice(begin[0], begin[-1])
        return CompressedRows(begin - begin[0], self.column[entries], self.value[entries], self.columns)

    def with_value(self, value):
        """The same entries with other values."""
        return CompressedRows(self.begin, self.column, value, self.columns)

    def dense(self):
        """(row, feature) in single precision."""
        found = np.zeros((len(self), self.columns), dtype=np.float32)
        found[self.row, self.column] = self.value
        return found

    def scaled(self, scale):
        """The entries divided by the divisors of their features, in double precision; distances do not depend on offsets."""
        return self.with_value(self.value.astype(float) / scale.divisor_of(self.column))

    def squares(self):
        """The sum of squares of each row."""
        return np.bincount(self.row, self.value**2, minlength=len(self))


class FeatureLists:
    """For each feature the rows that have an entry of it: the transpose of CompressedRows."""

    def __init__(self, rows):
        order = np.argsort(rows.column, kind="stable")
        self.rows, self.column = len(rows), rows.column[order]
        self.row, self.value = rows.row[order], rows.value[order]

    def products(self, others):
        """(row of others, own row): sums over the features that both have."""
        found = np.zeros(len(others) * self.rows)
        begin = np.searchsorted(self.column, others.column)
        count = np.searchsorted(self.column, others.column, side="right") - begin
        row, ends = others.row, np.cumsum(count)
        first = 0
        while first < len(count):
            done = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, done + MOST_PAIRS, side="right")))
            lengths = count[first:last]
            start = np.cumsum(lengths) - lengths
            own = np.repeat(begin[first:last] - start, lengths) + np.arange(lengths.sum())  # entries of this transpose, list after list
            products = np.repeat(others.value[first:last], lengths) * self.value[own]
            found += np.bincount(np.repeat(row[first:last], lengths) * self.rows + self.row[own], products, minlength=found.size)
            first = last
        return found.reshape(len(others), self.rows)
