#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records the decision values of scikit-learn's RBF SVMs with class weights and sample weights, on a part of iris.

Two features of which the classes overlap, and 15 samples of the last class. Writes a file of lines "word,number,number,...":
  sample,x1,x2,class,weight
  case,ovr|ovo,none|balanced|given,0|1 (sample weights),decision values (sample, problem), row by row

One-vs-rest: a binary SVC for each class. The weights of the classes are those of all classes, as SVC has them in one-vs-one.

    test/reference/record_weights.py > test/reference/weights_sklearn.csv
"""

import numpy
import sklearn
from sklearn.datasets import load_iris
from sklearn.svm import SVC
from sklearn.utils.class_weight import compute_class_weight

C, GAMMA = 2.0, 0.7
GIVEN = {0: 1.0, 1: 5.0, 2: 0.5}


def main():
    x, y = load_iris(return_X_y=True)
    x, y = x[:115, 1:3].astype(numpy.float32).astype(float), y[:115]
    weight = numpy.random.default_rng(7).uniform(0, 3, len(y)).round(2)
    weight[::11] = 0
    print(f"# scikit-learn {sklearn.__version__}, record_weights.py: C = {C}, gamma = {GAMMA}")
    for row, label, w in zip(x, y, weight):
        print(",".join(["sample", *(f"{value:.6g}" for value in row), str(label), f"{w:.2f}"]))
    for multiclass in ("ovr", "ovo"):
        for classes, value in (("none", None), ("balanced", "balanced"), ("given", GIVEN)):
            for weighted in (0, 1):
                of_sample = weight if weighted else numpy.ones(len(y))
                if multiclass == "ovo":
                    machine = SVC(C=C, gamma=GAMMA, tol=1e-10, class_weight=value, decision_function_shape="ovo")
                    decision = machine.fit(x, y, of_sample).decision_function(x)
                else:
                    factor = compute_class_weight(value, classes=numpy.arange(3), y=y)
                    machines = [SVC(C=C, gamma=GAMMA, tol=1e-10).fit(x, y == c, of_sample * factor[y]) for c in range(3)]
                    decision = numpy.column_stack([machine.decision_function(x) for machine in machines])
                print(",".join(["case", multiclass, classes, str(weighted), *(f"{d:.10g}" for d in decision.ravel())]))


if __name__ == "__main__":
    main()
