# SPDX-License-Identifier: BSD-3-Clause
"""A grid of C and gamma by cross-validation, in the place of sklearn.model_selection.GridSearchCV with an SVC."""

import numpy as np
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import ParameterGrid, StratifiedGroupKFold, check_cv
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .. import open_file
from ..searches import SCORES, rank_of, score_of
from . import data, program
from .svc import SVC, KernelEstimator, common_options, encoded_classes, kernel_options


def fold_numbers(cv, x, y, groups):
    """The number of the split that holds out each sample. Throws ValueError unless each sample is held out exactly once."""
    fold = np.full(len(y), -1)
    for number, (train, test) in enumerate(cv.split(x, y, groups)):
        train, test = np.arange(len(y))[train], np.arange(len(y))[test]
        if (fold[test] >= 0).any() or len(np.union1d(train, test)) < len(y) or len(train) + len(test) != len(y):
            raise ValueError(f"{cv} does not hold out each sample once and train on all others (krossfold needs that) use a K-fold")
        fold[test] = number
    if (fold < 0).any():
        raise ValueError(f"{cv} never holds out {np.count_nonzero(fold < 0)} samples (krossfold needs every one once) use a K-fold")
    return fold


class KrossfoldSearchCV(KernelEstimator):
    """Searches C and gamma by cross-validation with the program krossfold, and refits the best cell to all samples.

    C, gamma: lists of values; a range is numpy.geomspace(low, high, count). gamma may hold "scale" and "auto", taken of all samples.
    cv: number of stratified folds or a splitter of scikit-learn that holds out each sample once; the folds are those of GridSearchCV. With
    groups in fit() and a number, StratifiedGroupKFold. scoring: "accuracy", "balanced_accuracy", "f1_macro", "precision_macro",
    "recall_macro", "matthews_corrcoef" or "roc_auc". scale: "none" as scikit-learn, or "standard" (of all samples, unlike a Pipeline).
    weighted_scores: sample_weight counts in the scores, too, as in scikit-learn 1.9 (1.2 does not count it).
    one_se: choose the smallest C, then gamma, within one standard error of the best. All else as in SVC.

    Attributes: cv_results_, best_params_, best_score_, best_index_, best_estimator_ (an SVC), n_splits_, classes_, n_features_in_, and
    result_, the whole result file (krossfold.SvmResult): every measure, confusion, out-of-fold predictions, times.
    """

    def __init__(self, C=(0.01, 0.1, 1, 10, 100, 1000), gamma=(0.0001, 0.001, 0.01, 0.1, 1), *, cv=5, scoring="accuracy", one_se=False,
                 kernel="rbf", degree=3, coef0=0.0, probability=False, tol=1e-3, class_weight=None, multiclass="ovo", scale="none",
                 weighted_scores=True, random_state=None, program=None, launcher=None, output=None, options=None):  # fmt: skip
        self.C = C
        self.gamma = gamma
        self.cv = cv
        self.scoring = scoring
        self.one_se = one_se
        self.kernel = kernel
        self.degree = degree
        self.coef0 = coef0
        self.probability = probability
        self.tol = tol
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.scale = scale
        self.weighted_scores = weighted_scores
        self.random_state = random_state
        self.program = program
        self.launcher = launcher
        self.output = output
        self.options = options

    def fit(self, X, y, sample_weight=None, groups=None):
        """Runs the search. sample_weight multiplies C for each sample in training; see weighted_scores."""
        scoring = score_of(self.scoring)
        data.check_values("C", self.C)
        data.check_values("gamma", self.gamma)
        data.further_options(self.options)
        X, y = data.validate_data(self, X, y, dtype=np.float64)
        classes, index = encoded_classes(y)
        by_number = isinstance(self.cv, (int, np.integer)) or self.cv is None
        cv = StratifiedGroupKFold(self.cv or 5) if by_number and groups is not None else check_cv(self.cv, y, classifier=True)
        fold = fold_numbers(cv, X, y, groups)
        grid = self._grid(X)
        weight = data.checked_weights(sample_weight, X)
        words = [data.list_option("c-values", sorted(set(grid["C"]))), *kernel_options(self, X, grid.get("gamma", ()))]
        # Folds that are groups of their own are the folds of the program, whatever their sizes and classes.
        words += [f"--folds={fold.max() + 1}", f"--select-by={SCORES[scoring][1]}{',1se' if self.one_se else ''}"]
        if weight is not None and self.weighted_scores:
            words.append("--weighted-measures")
        with program.work_folder(self.output, self.launcher) as (folder, output):
            samples = data.write_samples(folder / "samples.npz", X, data.class_names(classes), index, weight, fold)
            words = ["svm", *samples, *words, *common_options(self, classes)]
            program.run([*words, "-o", str(output)], self.program, self.launcher, report=True)
            self.result_ = open_file.open(output)
            machine = self.result_.model().machines[0]
        self.n_splits_, self.classes_ = fold.max() + 1, classes
        self.cv_results_ = self._cv_results(grid, fold)
        self.best_params_, self.best_score_ = self.result_.best_params_, self.result_.best_score_
        self.best_index_ = self.cv_results_["params"].index(self.best_params_)
        shared = {name: value for name, value in self.get_params().items() if name in SHARED}
        if self.options:  # a single cell has no spacing to refine
            shared["options"] = {name: value for name, value in self.options.items() if name != "refine"}
        self.best_estimator_ = SVC(**self.best_params_, **shared)
        self.best_estimator_._take(machine, classes, self.result_["/refit/converged"])
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(self.best_estimator_, name, getattr(self, name))
        return self

    def _grid(self, x):
        """{"C": values, "gamma": values} as they were given, as numbers. Throws ValueError for values that are no C or gamma."""
        grid = {"C": [float(value) for value in np.ravel(self.C)]}
        if not grid["C"] or not all(0 < value < np.inf for value in grid["C"]):
            raise ValueError(f"C is {self.C!r} (values have to be above 0 and finite) change it")
        if self.kernel in ("rbf", "poly"):
            given = [self.gamma] if isinstance(self.gamma, str) or np.isscalar(self.gamma) else list(self.gamma)
            grid["gamma"] = [data.gamma_value(gamma, x, self.scale) for gamma in given]
            if not grid["gamma"]:
                raise ValueError("gamma has no values (a grid needs one at least) change it")
        return grid

    def _cv_results(self, grid, fold):
        """Those of the result file with candidates in the order of the parameters, then those of --refine, and splits in the order of cv."""
        found = self.result_.cv_results_
        in_grid = len(self.result_.cv_results()["params"])
        row_of = {tuple(params.values()): row for row, params in enumerate(found["params"][:in_grid])}
        candidates = [{name: point[name] for name in grid} for point in ParameterGrid(grid)]
        rows = [row_of[tuple(point.values())] for point in candidates] + list(range(in_grid, len(found["params"])))
        candidates += found["params"][in_grid:]
        # The program numbers folds as it fills them.
        place = self.result_.out_of_fold
        number_of = {fold[sample]: number for sample, number in zip(place["sample"], place["fold_index"])}
        if any(number_of[fold[sample]] != number for sample, number in zip(place["sample"], place["fold_index"])):
            raise program.KrossfoldError("the folds of the program are not those of cv (fold_index differs) report this")
        results = {name: column[rows] for name, column in found.items() if name.startswith(("param_", "mean_", "std_"))}
        splits = {f"split{k}_test_score": found[f"split{number_of[k]}_test_score"][rows] for k in range(len(number_of))}
        return {**results, **splits, "params": candidates, "rank_test_score": rank_of(results["mean_test_score"])}

    def score(self, X, y):
        """By `scoring`, as GridSearchCV. The area under the ROC curve of more than two classes is that of cv_results_: the mean of each class
        against the rest, by decision values. Throws ValueError for that of samples which are all of one class."""
        check_is_fitted(self, "best_estimator_")
        name = score_of(self.scoring)
        if name != "roc_auc" or len(self.classes_) == 2:
            return get_scorer(name)(self, X, y)
        decision = self.decision_function(X)
        positive = [(np.asarray(y) == label, decision[:, k]) for k, label in enumerate(self.classes_)]
        areas = [roc_auc_score(own, values) for own, values in positive if own.any() and not own.all()]
        if not areas:
            raise ValueError("roc_auc is undefined (all samples are of one class) score samples of several classes")
        return float(np.mean(areas))

    def _call(self, name, X):
        check_is_fitted(self, "best_estimator_")
        data.validate_data(self, X, reset=False, dtype=np.float64)
        return getattr(self.best_estimator_, name)(X)

    def predict(self, X):
        return self._call("predict", X)

    def decision_function(self, X):
        return self._call("decision_function", X)

    def _has_probability(self):
        if not self.probability:
            raise AttributeError("predict_proba is only there with probability=True")
        return True

    @available_if(_has_probability)
    def predict_proba(self, X):
        return self._call("predict_proba", X)

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        return self._call("predict_log_proba", X)


SHARED = ("kernel", "degree", "coef0", "probability", "tol", "class_weight", "multiclass", "scale", "random_state", "program", "launcher",
          "options")  # fmt: skip
