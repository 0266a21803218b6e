# SPDX-License-Identifier: BSD-3-Clause
"""The result of krossfold svm: errors and measures over a grid of C and gamma, in the form of scikit-learn's GridSearchCV."""

import itertools

import numpy as np

from .result import Result
from .result_file import ResultFileError

# scikit-learn's name of a score: (its dataset, measure of --select-by). A dataset of errors gives 1 - error.
SCORES = {
    "accuracy": ("/fold_error", "error"),
    "balanced_accuracy": ("/measure/balanced_error", "balanced-error"),
    "f1_macro": ("/measure/f1_macro", "f1-macro"),
    "precision_macro": ("/measure/precision_macro", "precision-macro"),
    "recall_macro": ("/measure/recall_macro", "recall-macro"),
    "matthews_corrcoef": ("/measure/mcc", "mcc"),
    "roc_auc": ("/measure/roc_auc", "roc-auc"),
}
ERRORS = ("accuracy", "balanced_accuracy")


def score_of(name):
    """The key of SCORES for a name of scikit-learn. Throws ValueError with those that there are."""
    if name is None:
        return "accuracy"
    known = "roc_auc" if isinstance(name, str) and name == "roc_auc_ovr" else name
    if not isinstance(known, str) or known not in SCORES:
        raise ValueError(f"{name!r} is no score that krossfold svm takes (it takes {', '.join(SCORES)}) choose one of these")
    return known


class SvmResult(Result):
    """Arrays over the grid have the axes gamma, C, fold; cv_results_ is in the order of scikit-learn's ParameterGrid."""

    @property
    def C(self):
        """The values of C, ascending."""
        return self["/C"]

    @property
    def gamma(self):
        """The values of gamma, ascending; 1 alone for kernels that have none."""
        return self["/gamma"]

    @property
    def fold_error(self):
        """Fraction of the held-out samples misclassified (gamma, C, fold), NaN where not computed."""
        return self["/fold_error"]

    @property
    def has_gamma(self):
        return self.config.get("kernel-function", "rbf") in ("rbf", "polynomial")

    @property
    def scoring(self):
        """scikit-learn's name of the measure by which the best cell was selected."""
        measure = self.config.get("select-by", "error").split(",")[0]
        return next((name for name, (_, word) in SCORES.items() if word == measure), "accuracy")

    def fold_score(self, scoring=None, round=0):
        """Scores of the held-out samples (gamma, C, fold); of round R = 1, 2, ... of --refine those of its own grid."""
        name = score_of(scoring or self.scoring)
        path = SCORES[name][0]
        if round:
            selected = name == self.scoring and name != "accuracy"
            if not selected and name != "accuracy":
                raise ResultFileError(f"round {round} of {self.path} has no {name} (rounds have accuracy and {self.scoring}) take one of these")
            path = f"/refine/{round}/{'selected' if selected else 'fold_error'}"
        found = self[path]
        return 1 - found if name in ERRORS else found

    def cv_results(self, scoring=None, round=0):
        """cv_results_ of GridSearchCV by any score: params, param_C, param_gamma, splitF_test_score, mean_, std_ and rank_test_score.

        The candidates run as in ParameterGrid: gamma fastest. Means leave out folds in which a measure other than accuracy is undefined;
        candidates that were not computed are NaN and rank last.
        """
        score = self.fold_score(scoring, round).transpose(1, 0, 2)
        group = f"/refine/{round}" if round else ""
        computed = np.isfinite(self[f"{group}/fold_error"]).all(axis=2).T.ravel()
        grid = np.meshgrid(self[f"{group}/C"], self[f"{group}/gamma"], indexing="ij")
        values = {"C": grid[0].ravel(), "gamma": grid[1].ravel()}
        if not self.has_gamma:
            del values["gamma"]
        folds = score.reshape(-1, score.shape[2])
        mean, deviation = (np.full(folds.shape[0], np.nan) for _ in range(2))
        known = computed & np.isfinite(folds).any(axis=1)
        mean[known], deviation[known] = np.nanmean(folds[known], axis=1), np.nanstd(folds[known], axis=1)
        results = {f"param_{name}": np.ma.MaskedArray(column, mask=False) for name, column in values.items()}
        results["params"] = [dict(zip(values, map(float, row))) for row in zip(*values.values())]
        results.update({f"split{k}_test_score": folds[:, k] for k in range(folds.shape[1])})
        results.update(mean_test_score=mean, std_test_score=deviation, rank_test_score=rank_of(mean))
        return results

    @property
    def rounds_(self):
        """The number of rounds of --refine, besides the grid."""
        return sum(1 for _ in itertools.takewhile(lambda number: f"/refine/{number}/C" in self, itertools.count(1)))

    @property
    def cv_results_(self):
        """cv_results() by the measure that selected the best cell: of the grid, followed by those of each round of --refine."""
        rounds = [self.cv_results(round=number) for number in range(self.rounds_ + 1)]
        joined = {name: np.ma.concatenate([one[name] for one in rounds]) if name.startswith("param_") else
                  np.concatenate([one[name] for one in rounds]) for name in rounds[0] if name != "params"}  # fmt: skip
        return {**joined, "params": [point for one in rounds for point in one["params"]], "rank_test_score": rank_of(joined["mean_test_score"])}

    @property
    def best_params_(self):
        """{"C": ..., "gamma": ...} of the cell that was refitted, which may lie between those of the grid (--refine)."""
        best = {"C": float(self["/best/C_value"])}
        if self.has_gamma:
            best["gamma"] = float(self["/best/gamma_value"])
        return best

    @property
    def best_round_(self):
        """0 if the best cell lies in the grid, otherwise its round of --refine."""
        return int(self.get("/best/round", 0))

    @property
    def best_index_(self):
        """The index of the best cell in cv_results_."""
        groups = ["", *(f"/refine/{number}" for number in range(1, self.best_round_ + 1))]
        before = sum(np.size(self[f"{group}/C"]) * np.size(self[f"{group}/gamma"]) for group in groups[:-1])
        return before + int(self["/best/C_index"]) * np.size(self[f"{groups[-1]}/gamma"]) + int(self["/best/gamma_index"])

    @property
    def best_score_(self):
        """Mean score of the best cell over the folds, by the measure that selected it."""
        path = SCORES[self.scoring][0].replace("/fold_error", "/best/error").replace("/measure/", "/best/")
        value = float(self[path])
        return 1 - value if self.scoring in ERRORS else value

    @property
    def test_error(self):
        """Fraction of the test samples misclassified after the refit; None without a test part."""
        found = self.get("/test_error")
        return None if found is None else float(found)

    @property
    def out_of_fold(self):
        """Of every training sample, by machines that did not train on it: sample, label, prediction, fold_index, decision, probability."""
        return self.group("/out_of_fold")

    @property
    def test(self):
        """The test samples: sample, label, prediction, confusion."""
        return self.group("/test")

    @property
    def confusion(self):
        """Out-of-fold predictions of the best cell by true (row) and predicted (column) class."""
        return self["/best/confusion"]

    @property
    def unit_times(self):
        """Of each unit (gamma, fold), which fits every C and class: seconds, started (seconds since the study began), rank, status, reason."""
        return self.group("/unit" if self.config.get("partition", "none") == "none" else "/part/unit")


def rank_of(mean):
    """1 for the largest mean, equal ones alike, NaN last, as scikit-learn ranks candidates. Means that differ by rounding are equal."""
    order = np.where(np.isnan(mean), np.inf, -np.round(mean, 12))
    return (np.searchsorted(np.sort(order), order) + 1).astype(np.int32)
