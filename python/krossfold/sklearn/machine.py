# SPDX-License-Identifier: BSD-3-Clause
"""A trained support vector machine out of a model file, evaluated with numpy."""

import numpy as np

from .. import open_file
from ..result_file import ResultFileError

LARGEST_BLOCK = 2**24  # kernel values at a time


class Machine:
    """Decision values are the sum of coefficients times kernel values plus the bias, as `krossfold predict` computes them.

    Like the program it keeps features in single precision. support: (support vector, feature), scaled; coefficient: (problem, support
    vector); problems are classes of one-vs-rest, or pairs of one-vs-one in the order (0,1), (0,2), ...
    """

    def __init__(self, path):
        model = open_file.open(path)
        if model.kind != "svm-model" or "/support/begin" in model:
            what = "its support vectors are sparse" if model.kind == "svm-model" else f"its kind is {model.kind}"
            raise ResultFileError(f"{path} is no machine that numpy evaluates here ({what}) use krossfold predict")
        about = model.attributes
        self.kernel, self.gamma = about.get("kernel") or "rbf", float(about["gamma"])
        self.degree, self.coef0 = int(about.get("degree", 3)), float(about.get("coef0", 0))
        self.classes = model.classes
        self.one_vs_one = about["multiclass"] == "ovo"
        self.coefficient, self.bias = model["/coefficient"], model["/bias"]
        self.label = model["/support/label"]
        self.column = model.get("/support/column")
        self.offset, self.divisor = model["/scale/offset"], model["/scale/divisor"]
        self.raw = None if self.kernel == "precomputed" else model["/support/raw"]
        self.support = None if self.raw is None else self.scaled(self.raw)
        self.sigmoid = (model["/probability/A"], model["/probability/B"]) if "/probability/A" in model else None

    def scaled(self, raw):
        return (np.asarray(raw, dtype=np.float32).astype(float) - self.offset) / self.divisor

    def kernel_values(self, x):
        """(sample, support vector) of scaled samples; of a precomputed kernel its columns of the support vectors."""
        if self.kernel == "precomputed":
            return x[:, self.column]
        products = x @ self.support.T
        if self.kernel == "linear":
            return products
        if self.kernel == "polynomial":
            return (self.gamma * products + self.coef0) ** self.degree
        squares = (x**2).sum(axis=1)[:, None] + (self.support**2).sum(axis=1) - 2 * products
        return np.exp(-self.gamma * np.maximum(squares, 0))

    def decision(self, raw):
        """(sample, problem)."""
        x = self.scaled(raw)
        values = np.empty((x.shape[0], self.bias.size))
        rows = max(1, LARGEST_BLOCK // max(1, self.coefficient.shape[1]))
        for first in range(0, x.shape[0], rows):
            values[first : first + rows] = self.kernel_values(x[first : first + rows]) @ self.coefficient.T + self.bias
        return values

    def pairs(self):
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
