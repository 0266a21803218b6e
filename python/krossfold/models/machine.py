# SPDX-License-Identifier: BSD-3-Clause
"""A trained support vector machine out of a model file, evaluated with numpy."""

import numpy as np

from .compressed_rows import CompressedRows, FeatureLists
from .scale import Scale

LARGEST_BLOCK = 2**21  # values at a time
KERNELS = ("rbf", "linear", "polynomial", "precomputed")
LARGEST_DEGREE = 32
MOST_SPARSE_FEATURES = 10_000_001


class Machine:
    """Decision values are the sum of coefficients times kernel values plus the bias, as `krossfold predict` computes them.

    Like the program it keeps features in single precision and computes in double. support: (support vector, feature), scaled; coefficient:
    (problem, support vector); problems are classes of one-vs-rest, or pairs of one-vs-one in the order (0,1), (0,2), ...
    """

    def __init__(self, model, place="", gamma=None):
        """That of a model file, as Contents; place: "/part/P" if it is that of a part, which has its own gamma. Throws ResultFileError for
        what contradicts itself, as the program refuses it."""
        self._read_kernel(model, gamma)
        self.classes, multiclass = model.class_names(2), model.word("multiclass")
        model.require(multiclass in ("ovr", "ovo"), f"it is neither ovr nor ovo: {multiclass}")
        self.one_vs_one = multiclass == "ovo"
        self.column = self.raw = self.support = self.lists = self.normal = self.sigmoid = None
        rows = self._read_support(model, place)
        self.label, self.bias = model.numbers(f"{place}/support/label", "i"), model.numbers(f"{place}/bias")
        classes = len(self.classes)
        problems = classes * (classes - 1) // 2 if self.one_vs_one else classes
        model.require(self.bias.size == problems, "its biases do not fit the classes")
        self.coefficient = model.numbers(f"{place}/coefficient", dimensions=2)
        vectors = (self.column, self.raw, rows)
        fits = self.coefficient.shape == (problems, self.label.size) and all(one is None or len(one) == self.label.size for one in vectors)
        model.require(fits, "its coefficients do not fit the support vectors")
        model.require(((self.label >= 0) & (self.label < classes)).all(), "the class of a support vector is out of range")
        if "/probability/A" in model or "/probability/B" in model:
            self.sigmoid = model.numbers("/probability/A"), model.numbers("/probability/B")
            model.require(all(part.size == problems for part in self.sigmoid), "its sigmoids do not fit the biases")
        self.scale = Scale(model, self.features)
        if rows is not None:
            rows = rows.scaled(self.scale)
            self.lists, self.squares = FeatureLists(rows), rows.squares()
        elif self.raw is not None:
            self.support = self.scale.double(self.raw)
            self.squares = (self.support**2).sum(axis=1)
            if self.kernel == "linear" and problems <= self.label.size:  # else kernel values take less, memory, too
                self.normal = self.coefficient @ self.support

    def _read_kernel(self, model, gamma):
        self.kernel, self.degree, self.coef0 = model.word("kernel", "rbf") or "rbf", 3, 0.0
        model.require(self.kernel in KERNELS, f"its kernel is unknown: {self.kernel}")
        self.gamma = float(model.number("gamma") if gamma is None else gamma)
        model.require(0 < self.gamma < np.inf, "its gamma is not positive")
        for name in ("integer", "lowest", "highest", *(("C",) if gamma is None else ())):
            model.number(name)
        if self.kernel == "polynomial":
            self.degree, self.coef0 = model.whole("degree"), float(model.number("coef0"))
            model.require(1 <= self.degree <= LARGEST_DEGREE and self.coef0 >= 0, "its degree is out of range, or coef0 is negative")

    def _read_support(self, model, place):
        """The support vectors: self.column, self.raw or, if they are sparse, the compressed rows that it returns; and self.features."""
        is_sparse = f"{place}/support/begin" in model
        model.require(not is_sparse or (self.kernel == "rbf" and f"{place}/support/raw" not in model),
                      "its sparse support vectors are of another kernel than rbf, or dense ones are there, too")  # fmt: skip
        if self.kernel == "precomputed":
            self.column, self.features = model.numbers(f"{place}/support/column", "i"), model.whole("kernel_columns")
            fits = self.features >= 1 and ((self.column >= 0) & (self.column < self.features)).all()
            model.require(fits, "the column of a support vector is out of range")
        elif is_sparse:
            rows = _compressed(model, place)
            self.features = rows.columns
            return rows
        else:
            self.raw = model.numbers(f"{place}/support/raw", dimensions=2)
            self.features = self.raw.shape[1]
            model.require(self.features >= 1, "its support vectors have no features")
        return None

    @property
    def is_sparse(self):
        """Whether the support vectors are sparse, and samples may stay so."""
        return self.lists is not None

    def rows_at_once(self, sparse=False):
        """How many samples are taken together, in dense or in sparse form."""
        return max(1, min(2**16, LARGEST_BLOCK // max(1, self.label.size, 1 if sparse else self.features)))

    def kernel_values(self, raw):
        """(sample, support vector) of a block of samples; of a precomputed kernel its columns of the support vectors."""
        if self.kernel == "precomputed":
            return raw[:, self.column].astype(float)
        if self.is_sparse:
            x = (raw if isinstance(raw, CompressedRows) else CompressedRows.of_dense(raw)).scaled(self.scale)
            products, squares = self.lists.products(x), x.squares()
        else:
            x = self.scale.double(raw)
            products, squares = x @ self.support.T, (x**2).sum(axis=1) if self.kernel == "rbf" else None
        if self.kernel == "linear":
            return products
        if self.kernel == "polynomial":
            return (self.gamma * products + self.coef0) ** self.degree
        distances = squares[:, None] + self.squares - 2 * products
        return np.exp(-self.gamma * np.maximum(distances, 0, out=distances))

    def decision(self, raw):
        """(sample, problem) of unscaled features: an array, or CompressedRows if the support vectors are sparse."""
        values, sparse = np.empty((len(raw), self.bias.size)), isinstance(raw, CompressedRows)
        rows = self.rows_at_once(sparse)
        for first in range(0, len(raw), rows):
            last = first + rows
            block = raw.part(first, last) if sparse else raw[first:last]
            if self.normal is None:
                values[first:last] = self.kernel_values(block) @ self.coefficient.T + self.bias
            else:
                values[first:last] = self.scale.double(block) @ self.normal.T + self.bias
        return values

    def pairs(self):
        """The first and the second class of each problem of one-vs-one."""
        return np.triu_indices(len(self.classes), 1)

    def votes(self, decision):
        """(votes, confidence), each (sample, class): a decision value above 0 is a vote for the first class of its pair."""
        votes, confidence = np.zeros((2, decision.shape[0], len(self.classes)))
        for column, (first, second) in enumerate(zip(*self.pairs())):
            value = decision[:, column]
            votes[:, first] += value > 0
            votes[:, second] += value <= 0
            confidence[:, first] += value
            confidence[:, second] -= value
        return votes, confidence

    def choose(self, decision):
        """Class index of each sample, by the most votes or the largest value; ties go to the lowest class."""
        return np.argmax(self.votes(decision)[0] if self.one_vs_one else decision, axis=1)

    def probabilities(self, decision):
        """(sample, class): sigmoids divided by their sum (one-vs-rest), or coupled pairs (Wu, Lin, Weng 2004, second method)."""
        found = np.empty((len(decision), len(self.classes)))
        rows = max(1, LARGEST_BLOCK // len(self.classes) ** 2)
        for first in range(0, len(decision), rows):
            found[first : first + rows] = self._probabilities(decision[first : first + rows])
        return found

    def _probabilities(self, decision):
        a, b = self.sigmoid
        z = a * decision + b
        if not self.one_vs_one:
            logarithm = -np.logaddexp(0, z)
            p = np.exp(logarithm - logarithm.max(axis=1, keepdims=True))
            return p / p.sum(axis=1, keepdims=True)
        pair = np.clip(np.exp(-np.logaddexp(0, z)), 1e-7, 1 - 1e-7)
        count, (first, second) = len(self.classes), self.pairs()
        # The minimum of p^T Q p where p sums to 1; the ones make Q regular and add a constant there.
        q = np.ones((decision.shape[0], count, count))
        for column, (i, j) in enumerate(zip(first, second)):
            r = pair[:, column]
            q[:, i, i] += (1 - r) ** 2
            q[:, j, j] += r**2
            q[:, i, j] -= r * (1 - r)
            q[:, j, i] -= r * (1 - r)
        p = np.maximum(np.linalg.solve(q, np.ones((decision.shape[0], count, 1)))[:, :, 0], 0)
        return p / p.sum(axis=1, keepdims=True)


def _compressed(model, place):
    """The sparse support vectors of a file. Throws ResultFileError unless they lie one after the other, in range and with ascending features."""
    begin, column = (model.numbers(f"{place}/support/{part}", "i") for part in ("begin", "feature"))
    value, features = model.numbers(f"{place}/support/value"), model.whole("n_features", most=MOST_SPARSE_FEATURES)
    model.require(features >= 1, "the number of features is out of range")
    fits = begin.size >= 1 and begin[0] == 0 and (begin[1:] >= begin[:-1]).all() and begin[-1] == column.size == value.size
    model.require(fits, "its sparse support vectors do not lie one after the other")
    rows = CompressedRows(begin, column, value, features)
    ascends = (column[1:] > column[:-1]) | (rows.row[1:] != rows.row[:-1])
    model.require(((column >= 0) & (column < features)).all() and ascends.all(), "a feature of a support vector is out of range")
    return rows
