# SPDX-License-Identifier: BSD-3-Clause
"""Small models of every kind for the tests of export and import, and predictions of other programs' formats in NumPy alone."""

import csv
import io

import numpy

from krossfold_cli import ROOT, CommandTest, digits, write_csv
from train_networks_test import training

NAMES = ("ash", "birch", "cedar tree")
FACTORS, SHIFTS = numpy.array([1, 3, 100, 0.01]), numpy.array([0, 10, 500, 0])


def table(samples, classes, seed=1):
    """Four features on very different scales, and classes that overlap."""
    random = numpy.random.default_rng(seed)
    y = random.integers(0, classes, samples)
    x = (random.normal(size=(samples, 4)) + 1.5 * numpy.eye(5, 4)[y]) * FACTORS + SHIFTS
    return numpy.float32([[float(f"{value:.5g}") for value in row] for row in x]), y


# The words of `krossfold svm` for the models of the table by name.
CELL = ("--grid", "1x1", "--log10-c=0.5:0.5", "--folds", "3", "--quiet")
RBF = (*CELL, "--log10-gamma=-0.5:-0.5")
SVMS = {
    "rbf": ("three", *RBF, "--multiclass", "ovo", "--probability"),
    "rest": ("three", *RBF, "--probability"),
    "uniform": ("three", "--grid", "1x1", "--log10-c=1:1", "--log10-gamma=-1:-1", "--folds", "3", "--quiet", "--multiclass", "ovo", "--scale", "3:40"),
    "linear": ("three", *CELL, "--kernel-function", "linear", "--multiclass", "ovo", "--probability"),
    "linear-rest": ("three", *CELL, "--kernel-function", "linear"),
    "cubic": ("three", *RBF, "--kernel-function", "polynomial", "--coef0", "1", "--multiclass", "ovo"),
    "raw-cubic": ("plain", *RBF, "--kernel-function", "polynomial", "--coef0", "0.5", "--multiclass", "ovo", "--scale", "none"),
    "scaled-square": ("plain", *RBF, "--kernel-function", "polynomial", "--degree", "2", "--coef0", "1", "--multiclass", "ovo", "--scale", "0:2"),
    "two": ("two", *RBF, "--probability"),
    "square-rest": ("three", *RBF, "--kernel-function", "polynomial", "--degree", "2"),
}


class ExportedModels(CommandTest):
    """Tests with tables three.csv (classes with names), two.csv, and plain.csv (features of one scale), and models of them."""

    def write_tables(self):
        for name, classes in (("three", NAMES), ("two", NAMES[:2]), ("plain", (1, 2, 3))):
            x, y = table(90, len(classes))
            if name == "plain":
                x = numpy.float32(((x - SHIFTS) / FACTORS).round(3))
            write_csv(self.folder / f"{name}.csv", [["a", "b", "c", "d", "kind"], *([*row, classes[c]] for row, c in zip(x.tolist(), y))])

    def train_svm(self, name):
        source, *words = SVMS[name]
        self.succeed("svm", "--data", f"csv:{source}.csv", *words, "-o", f"{name}.h5")

    def data_of(self, name):
        """The samples that the model of this name was trained on, as a file and as an array."""
        path = f"{SVMS[name][0]}.csv"
        with open(self.folder / path) as file:
            rows = list(csv.reader(file))[1:]
        return path, numpy.array([[float(value) for value in row[:-1]] for row in rows], numpy.float32)

    def write_digits(self, count=120):
        """The last digits as digits.csv; returns their pixels."""
        pixels, labels = digits()
        write_csv(self.folder / "digits.csv", [[*row, label] for row, label in zip(pixels[-count:].tolist(), labels[-count:])])
        return pixels[-count:].astype(numpy.float32)

    def predictions(self, model, *inputs):
        """Labels, decision values and probabilities of `krossfold predict`."""
        lines = list(csv.DictReader(io.StringIO(self.succeed("predict", model, *inputs, "--format", "csv").out)))

        def columns(start):
            names = [name for name in lines[0] if name.startswith(start)]
            return numpy.array([[float(line[name]) for name in names] for line in lines])

        return [line["label"] for line in lines], columns("decision_"), columns("probability_")


class TrainedModels(ExportedModels):
    """Its tests read one folder `done` with a model of every kind by the tables and the built-in data."""

    bootstraps, lstm_epochs = 3, 2

    @classmethod
    def setUpClass(cls):
        cls.done = cls.share("train_all")

    def train_all(self):
        self.write_tables()
        for name in SVMS:
            self.train_svm(name)
        self.succeed(*training("cnn", limit=200, epochs=2, output="cnn.h5"), "--quiet")
        self.succeed("train", "mlp", "--data", "csv:three.csv", "--hidden", "12,7", "--activation", "tanh", "--epochs", "3", "--quiet", "-o", "mlp.h5")
        self.succeed("bag", "--data", "digits", "--limit", "150", "--bootstraps", self.bootstraps, "--trials", "1", "--folds", "2", "--epochs", "2",
                     "--channels", "2:5", "--kernel", "3:3", "--hidden", "8:16", "--quiet", "-o", "bag.h5")
        self.succeed("train", "lstm", "--data", "names", "--limit", "300", "--layers", "2", "--hidden", "16", "--epochs", self.lstm_epochs, "--quiet",
                     "-o", "lstm.h5")

    def setUp(self):
        super().setUp()
        self.write_tables()


def kernel_matrix(kind, x, z, gamma, degree, coef0):
    if kind == "rbf":
        return numpy.exp(-gamma * ((x[:, None] - z[None]) ** 2).sum(2))
    product = x @ z.T
    return product if kind == "linear" else (gamma * product + coef0) ** degree


def votes_of(decision, classes):
    """The class with the most votes; value p above 0 votes for the first class of pair p, any other for the second."""
    votes = numpy.zeros((len(decision), classes), int)
    pairs = [(a, b) for a in range(classes) for b in range(a + 1, classes)]
    for p, (a, b) in enumerate(pairs):
        votes[numpy.arange(len(decision)), numpy.where(decision[:, p] > 0, a, b)] += 1
    return votes.argmax(1)


class LibsvmModel:
    """A model file of LIBSVM, read and applied as docs/export.md of this project and the README of LIBSVM describe them."""

    def __init__(self, text):
        header, support = text.split("\nSV\n")
        self.field = {line.split()[0]: line.split()[1:] for line in header.splitlines()}
        self.classes = int(self.field["nr_class"][0])
        lines = [line.split() for line in support.splitlines() if line.strip()]
        self.coefficient = numpy.array([[float(word) for word in line[:self.classes - 1]] for line in lines])
        self.support = [{int(word.split(":")[0]): float(word.split(":")[1]) for word in line[self.classes - 1:]} for line in lines]
        self.count = [int(word) for word in self.field["nr_sv"]]
        assert len(lines) == sum(self.count) == int(self.field["total_sv"][0])

    def number(self, name, otherwise=0.0):
        return float(self.field.get(name, [otherwise])[0])

    def dense(self, rows, features):
        return numpy.array([[row.get(j, 0.0) for j in range(features)] for row in rows])

    def decisions(self, samples):
        """Decision values (sample, pair) of samples {index: value}."""
        features = 1 + max(max(row, default=0) for row in [*self.support, *samples])
        kernel = kernel_matrix(self.field["kernel_type"][0], self.dense(samples, features), self.dense(self.support, features),
                               self.number("gamma"), int(self.number("degree", 3)), self.number("coef0"))
        begin = numpy.cumsum([0, *self.count])
        values = []
        for a in range(self.classes):
            for b in range(a + 1, self.classes):
                own, other = slice(begin[a], begin[a + 1]), slice(begin[b], begin[b + 1])
                values.append(kernel[:, own] @ self.coefficient[own, b - 1] + kernel[:, other] @ self.coefficient[other, a])
        return numpy.array(values).T - [float(word) for word in self.field["rho"]]

    def labels(self, samples):
        return [self.field["label"][c] for c in votes_of(self.decisions(samples), self.classes)]


def sparse_rows(x, first=1):
    return [{j + first: float(value) for j, value in enumerate(row) if value != 0} for row in x]


def svm_scale(rows, text):
    """Samples as `svm-scale -r RANGE` writes them, with its six digits."""
    kind, limits, *lines = text.splitlines()
    assert kind == "x"
    lower, upper = map(float, limits.split())
    ranges = {int(j): (float(least), float(most)) for j, least, most in map(str.split, lines)}
    scaled = []
    for row in rows:
        new = {}
        for j, (least, most) in ranges.items():
            value = lower + (upper - lower) * (row.get(j, 0.0) - least) / (most - least)
            if value != 0:
                new[j] = float(f"{value:g}")
        scaled.append(new)
    return scaled


REFERENCE = ROOT / "test" / "reference" / "libsvm_models.json"
