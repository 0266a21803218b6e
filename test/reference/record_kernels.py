#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the decision values and fold errors of scikit-learn's SVC with linear, polynomial and precomputed kernels, on a part of iris.

Two features of which the classes overlap, standardised, shuffled, 15 samples of the last class. Writes a file of lines
"word,number,number,...":
  sample,x1,x2,class,weight
  case,KERNEL,DEGREE,COEF0,ovr|ovo,0|1 (sample weights),C,decision values (sample, problem), row by row
  fold,KERNEL,DEGREE,COEF0,ovr|ovo,C,samples misclassified in each of 5 contiguous folds

One-vs-rest: a binary SVC for each class. The precomputed kernel is exp(-0.5 |x - z|_1), rounded to float.

    test/reference/record_kernels.py > test/reference/kernels_sklearn.csv
"""

import numpy
import sklearn
from sklearn.datasets import load_iris
from sklearn.svm import SVC

GAMMA = 0.5
KERNELS = [("linear", 3, 0), ("polynomial", 2, 0), ("polynomial", 2, 1), ("polynomial", 3, 0), ("polynomial", 3, 1), ("precomputed", 3, 0)]
WORDS = {"linear": "linear", "polynomial": "poly", "precomputed": "precomputed"}


def load():
    x, y = load_iris(return_X_y=True)
    x, y = x[:115, 1:3], y[:115]
    x = ((x - x.mean(0)) / x.std(0)).round(3).astype(numpy.float32).astype(float)
    random = numpy.random.default_rng(7)
    order = random.permutation(len(y))
    weight = random.uniform(0, 3, len(y)).round(2)
    weight[::11] = 0
    return x[order], y[order], weight


def decisions(kernel, degree, coef0, multiclass, c, x, y, weight, train, test):
    """(test sample, problem)."""
    if kernel == "precomputed":
        x = numpy.exp(-0.5 * numpy.abs(x[:, None] - x[None]).sum(2)).astype(numpy.float32).astype(float)
        a, b = x[numpy.ix_(train, train)], x[numpy.ix_(test, train)]
    else:
        a, b = x[train], x[test]

    def fit(target):
        machine = SVC(kernel=WORDS[kernel], C=c, gamma=GAMMA, degree=degree, coef0=coef0, tol=1e-8, max_iter=3_000_000, decision_function_shape="ovo")
        return machine.fit(a, target, weight[train]).decision_function(b)

    if multiclass == "ovo":
        return fit(y[train])
    return numpy.column_stack([fit(y[train] == k) for k in range(3)])


def predictions(decision, multiclass):
    if multiclass == "ovr":
        return decision.argmax(1)
    votes = numpy.zeros((len(decision), 3))
    for p, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        votes[numpy.arange(len(decision)), numpy.where(decision[:, p] > 0, a, b)] += 1
    return votes.argmax(1)


def main():
    x, y, weight = load()
    n = len(y)
    print(f"# scikit-learn {sklearn.__version__}, record_kernels.py: gamma = {GAMMA}")
    for row, label, w in zip(x, y, weight):
        print(",".join(["sample", *(f"{value:.6g}" for value in row), str(label), f"{w:.2f}"]))
    every = numpy.arange(n)
    heavy = every[weight > 0]  # SVC mixes up the columns of a precomputed kernel where a weight is 0
    for kernel, degree, coef0 in KERNELS:
        for multiclass in ("ovr", "ovo"):
            for weighted, c in ((0, 2), (1, 2), (0, 5)):
                of_sample = weight if weighted else numpy.ones(n)
                decision = decisions(kernel, degree, coef0, multiclass, c, x, y, of_sample, heavy if weighted else every, every)
                values = (f"{d:.10g}" for d in decision.ravel())
                print(",".join(["case", kernel, str(degree), str(coef0), multiclass, str(weighted), str(c), *values]))
            for c in (0.01, 1, 5):
                wrong = []
                for fold in range(5):
                    first, last = (int(numpy.round(f * n / 5)) for f in (fold, fold + 1))
                    test = every[first:last]
                    train = numpy.concatenate([every[:first], every[last:]])
                    decision = decisions(kernel, degree, coef0, multiclass, c, x, y, numpy.ones(n), train, test)
                    wrong.append(str(int((predictions(decision, multiclass) != y[test]).sum())))
                print(",".join(["fold", kernel, str(degree), str(coef0), multiclass, str(c), *wrong]))


if __name__ == "__main__":
    main()
