#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the folds of scikit-learn's StratifiedGroupKFold(shuffle=False) on random labels and groups.

Where groups or folds are equally good, scikit-learn decides by rounding. Only cases are kept in which it never has to, but
between folds that hold the same number of each class; folds are numbered by their first sample.

Writes a line "k;class,class,...;group,group,...;fold,fold,..." for each case: classes, groups and folds of the samples.

    test/data/record_group_folds.py > test/data/group_folds_sklearn.txt
"""

import numpy
import sklearn
from sklearn.model_selection import StratifiedGroupKFold


def split(label, group, k):
    """The fold of each sample, folds being numbered by their first sample."""
    fold = numpy.zeros(len(label), int)
    for f, (_, held) in enumerate(StratifiedGroupKFold(int(k)).split(label, label, group)):
        fold[held] = f
    _, first, number = numpy.unique(fold, return_index=True, return_inverse=True)
    return numpy.argsort(numpy.argsort(first))[number]


def is_clear(label, group, k, fold):
    """Whether each group had one best fold, and a place of its own in the order of the groups, or equals of the same content."""
    count = numpy.zeros((group.max() + 1, label.max() + 1))
    numpy.add.at(count, (group, label), 1)
    spread = count.std(axis=1)
    order = numpy.argsort(-spread.round(9), kind="stable")
    for a, b in zip(order, order[1:]):
        if numpy.isclose(spread[a], spread[b]) and (count[a] != count[b]).any():
            return False
    inside = numpy.zeros((k, label.max() + 1))
    for g in order:
        error = []
        for f in range(k):
            inside[f] += count[g]
            error.append((inside / count.sum(axis=0)).std(axis=0).mean())
            inside[f] -= count[g]
        best = numpy.argmin(error)
        near = numpy.isclose(error, error[best], rtol=1e-4, atol=1e-6)
        if (inside[near] != inside[best]).any():
            return False
        inside[fold[group == g][0]] += count[g]
    return True


def main():
    random = numpy.random.default_rng(4)
    print(f"# scikit-learn {sklearn.__version__}, record_group_folds.py")
    kept = 0
    while kept < 30:
        n, classes, groups, k = random.integers(20, 120), random.integers(1, 6), random.integers(6, 30), random.integers(2, 7)
        label = random.choice(classes, n, p=random.dirichlet(numpy.ones(classes)))
        group = numpy.unique(random.choice(groups, n, p=random.dirichlet(numpy.ones(groups))), return_inverse=True)[1]
        if random.random() < 0.5:  # most groups are of one class, as patients are
            label = label[group]
        label = numpy.unique(label, return_inverse=True)[1]
        k = min(k, group.max() + 1, numpy.bincount(label).max())  # it takes no more folds than the largest class has samples
        if k < 2:
            continue
        fold = split(label, group, k)
        if not is_clear(label, group, k, fold):
            continue
        kept += 1
        print(";".join([str(k), *(",".join(map(str, row)) for row in (label, group, fold))]))


if __name__ == "__main__":
    main()
