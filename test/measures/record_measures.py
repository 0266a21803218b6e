#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Record the measures that scikit-learn gives for small cases: record_measures.py measures_cases.csv

Run by hand where scikit-learn is installed; the test of the measures reads the file. Each line is a word and its numbers, row
by row; a case begins with its name. Input: classes, truth, choice, score and probability (sample, class), and weight where
there are weights. All other lines are results. Undefined ones are nan, as scikit-learn gives them.
"""

import platform
import sys
import warnings

import numpy as np
import sklearn
from sklearn import metrics
from sklearn.calibration import calibration_curve

random = np.random.default_rng(20240917)


def cases():
    """(name, classes, truth, choice, score, probability, weight or None)"""
    yield case("two_classes", 40, 2)
    yield case("two_classes_weighted", 40, 2, weight="random")
    yield case("three_classes", 30, 3)
    yield case("three_classes_weights_0_to_3", 36, 3, weight="whole")
    yield case("ten_classes", 60, 10)
    yield case("ten_classes_two_absent_weighted", 50, 10, absent=(0, 7), weight="random")
    yield case("five_classes_one_absent", 25, 5, absent=(2,))
    yield case("class_never_chosen", 24, 4, never_chosen=(3, 1))
    yield case("absent_and_never_chosen", 20, 4, absent=(2,), never_chosen=(2,))
    yield case("perfect", 20, 4, skill=1.0)
    yield case("perfect_weighted", 20, 3, skill=1.0, weight="random")
    yield case("all_wrong_two_classes", 20, 2, skill=-1.0)
    yield case("all_wrong_three_classes", 20, 3, skill=-1.0, weight="random")
    yield case("one_true_class", 12, 2, absent=(0,))
    yield case("one_chosen_class", 12, 2, never_chosen=(1,), weight="random")
    yield case("one_class_throughout", 9, 3, absent=(0, 2), never_chosen=(0, 2))
    yield case("equal_scores", 15, 3, levels=1)
    yield case("two_scores", 30, 2, levels=2, weight="whole")
    yield case("one_sample", 1, 2)
    yield case("rare_class", 150, 2, rare=0.02)
    yield case("rare_class_weighted", 100, 3, rare=0.03, weight="random")
    yield case("all_digits", 40, 3, levels=0, weight="random")
    yield case("all_digits_two_classes", 40, 2, levels=0)
    yield case("weights_of_many_sizes", 40, 3, levels=0, weight="sizes")


def case(name, n, classes, absent=(), never_chosen=(), skill=0.4, levels=12, rare=None, weight=None):
    present = [c for c in range(classes) if c not in absent]
    chosen = [c for c in range(classes) if c not in never_chosen]
    truth = random.choice(present, n)
    truth[: len(present)] = present[:n]
    if rare is not None:
        truth = np.where(random.random(n) < rare, classes - 1, random.integers(0, classes - 1, n))
        truth[0] = classes - 1
    choice = random.choice(chosen, n)
    if skill < 0:
        choice = (truth + random.integers(1, classes, n)) % classes
    else:
        right = (random.random(n) < skill) & np.isin(truth, chosen)
        choice = np.where(right, truth, choice)
    one_hot = np.eye(classes)[truth]
    if levels == 0:
        score = random.normal(size=(n, classes)) + one_hot
        probability = random.dirichlet(np.ones(classes) / 2, n)
    else:
        score = (random.integers(0, levels, (n, classes)) - levels // 2 + one_hot * (levels > 2)) / 4
        probability = np.array([random.multinomial(64, p) for p in random.dirichlet(np.ones(classes) / 3, n)]) / 64
    if skill == 1.0:
        score, probability = one_hot * 2 - 1, one_hot
    if skill == -1.0:
        score, probability = 1 - one_hot * 2, (1 - one_hot) / (classes - 1)
    weights = {
        None: lambda: None,
        "random": lambda: random.exponential(size=n).round(3),
        "whole": lambda: random.integers(0, 4, n).astype(float),
        "sizes": lambda: 10.0 ** random.uniform(-6, 6, n).round(2),
    }[weight]()
    return name, classes, truth, choice, score, probability, weights


def results(classes, truth, choice, score, probability, weight):
    labels = np.arange(classes)
    of_labels = {"sample_weight": weight}
    yield "confusion", metrics.confusion_matrix(truth, choice, labels=labels, **of_labels)
    yield "error", metrics.zero_one_loss(truth, choice, **of_labels)
    yield "balanced-error", 1 - metrics.balanced_accuracy_score(truth, choice, **of_labels)
    macro = metrics.precision_recall_fscore_support(truth, choice, average="macro", zero_division=0, **of_labels)
    yield from zip(("precision-macro", "recall-macro", "f1-macro"), macro)
    each = metrics.precision_recall_fscore_support(truth, choice, labels=labels, zero_division=0, **of_labels)
    yield from zip(("precision", "recall", "f1", "support"), each)
    yield "mcc", metrics.matthews_corrcoef(truth, choice, **of_labels)
    rest = [((truth == c).astype(int), score[:, c]) for c in labels]
    yield "roc-auc-of-class", [metrics.roc_auc_score(*pair, **of_labels) for pair in rest]
    yield "average-precision-of-class", [metrics.average_precision_score(*pair, **of_labels) for pair in rest]
    if classes > 2:
        yield "roc-auc-of-probabilities", metrics.roc_auc_score(
            truth, probability, multi_class="ovr", average="macro", labels=labels, **of_labels)
    yield "log-loss", metrics.log_loss(truth, probability, labels=labels, **of_labels)
    yield "brier", metrics.brier_score_loss(truth, probability, labels=labels, scale_by_half=False, **of_labels)
    yield "brier-half", metrics.brier_score_loss(truth, probability, labels=labels, scale_by_half=True, **of_labels)
    if weight is None:
        observed, predicted = calibration_curve(rest[1][0], probability[:, 1], n_bins=5)
        yield "reliability-observed", observed
        yield "reliability-predicted", predicted
    if classes == 2:
        roc = metrics.roc_curve(*rest[1], pos_label=1, drop_intermediate=False, **of_labels)
        yield from zip(("roc-false-positive", "roc-true-positive", "roc-threshold"), roc)
        curve = metrics.precision_recall_curve(*rest[1], pos_label=1, **of_labels)
        yield from zip(("curve-precision", "curve-recall", "curve-threshold"), curve)


def line(word, values):
    values = np.asarray(values, dtype=float).ravel()
    return ",".join([word, *(np.format_float_positional(v, trim="-") for v in values)]) + "\n"


def main():
    warnings.simplefilter("ignore")  # of measures that are not defined
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write(f"# scikit-learn {sklearn.__version__}, numpy {np.__version__}, "
                  f"Python {platform.python_version()}: {__file__.rsplit('/', 1)[-1]}\n")
        for name, classes, truth, choice, score, probability, weight in cases():
            out.write(f"case,{name}\n")
            given = {"classes": classes, "truth": truth, "choice": choice, "score": score, "probability": probability}
            if weight is not None:
                given["weight"] = weight
            for word, values in given.items():
                out.write(line(word, values))
            for word, values in results(classes, truth, choice, score, probability, weight):
                out.write(line(word, values))


if __name__ == "__main__":
    main()
