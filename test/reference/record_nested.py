#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records repeated and nested cross-validation of scikit-learn's one-vs-rest RBF SVM on iris.

Writes a file of lines "word,number,number,...":
  sample,x1,x2,x3,x4,class          the samples, in a random order
  repeat,fold,held-out samples      5 folds, repeated 3 times (RepeatedStratifiedKFold)
  repeated,gamma,C,fold,wrong       misclassified held-out samples of each cell of the grid
  outer,fold,held-out samples       4 outer folds (StratifiedKFold)
  inner,outer,fold,held-out samples 5 folds of the other samples
  nested,outer,gamma,C,fold,wrong
  tested,outer,gamma,C,wrong        the best cell (fewest errors in the mean over the folds; ties: smallest C, then
                                    smallest gamma), trained on all but the outer fold and tested on it

    test/reference/record_nested.py > test/reference/nested_sklearn.csv
"""

import numpy
import sklearn
from sklearn.datasets import load_iris
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

GAMMA, C = 10.0 ** numpy.array([-2.5, -1.5, -0.5, 0.5]), 10.0 ** numpy.array([-1.0, 0, 1, 2])
SEED = 3


def wrong(x, y, train, test, gamma, c):
    machine = OneVsRestClassifier(SVC(C=c, gamma=gamma, tol=1e-9)).fit(x[train], y[train])
    return int((machine.predict(x[test]) != y[test]).sum())


def say(*fields):
    print(",".join(map(str, fields)))


def grid(x, y, folds):
    """Errors (gamma, C, fold)."""
    return numpy.array([[[wrong(x, y, train, held, gamma, c) for train, held in folds] for c in C] for gamma in GAMMA])


def main():
    x, y = load_iris(return_X_y=True)
    order = numpy.random.default_rng(SEED).permutation(len(y))
    x, y = x[order].astype(numpy.float32).astype(float), y[order]
    print(f"# scikit-learn {sklearn.__version__}, record_nested.py")
    for row, label in zip(x, y):
        say("sample", *(f"{value:.6g}" for value in row), label)

    folds = list(RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=SEED).split(x, y))
    for f, (_, held) in enumerate(folds):
        say("repeat", f, *held)
    for (g, c, f), count in numpy.ndenumerate(grid(x, y, folds)):
        say("repeated", g, c, f, count)

    for o, (rest, out) in enumerate(StratifiedKFold(4, shuffle=True, random_state=SEED).split(x, y)):
        say("outer", o, *out)
        inner = StratifiedKFold(5, shuffle=True, random_state=SEED + o).split(x[rest], y[rest])
        folds = [(rest[train], rest[held]) for train, held in inner]
        for f, (_, held) in enumerate(folds):
            say("inner", o, f, *held)
        count = grid(x, y, folds)
        for (g, c, f), one in numpy.ndenumerate(count):
            say("nested", o, g, c, f, one)
        error = (count / [len(held) for _, held in folds]).mean(axis=2)
        g, c = min(numpy.ndindex(error.shape), key=lambda cell: (round(error[cell], 12), cell[1], cell[0]))
        say("tested", o, g, c, wrong(x, y, rest, out, GAMMA[g], C[c]))


if __name__ == "__main__":
    main()
