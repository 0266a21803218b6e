#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The same search of the digits by KrossfoldSearchCV and by scikit-learn's GridSearchCV, in the same folds: scores and CPU time.

compare_with_grid_search.py [VALUES]: so many values of C and of gamma (8).
"""

import resource
import sys
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from krossfold.sklearn import KrossfoldSearchCV, KrossfoldWarning


def cpu_seconds():
    """Of this process and those that it started."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


warnings.simplefilter("ignore", KrossfoldWarning)  # three pixels are 0 in every sample
count = int(sys.argv[1]) if len(sys.argv) > 1 else 8
X, y = load_digits(return_X_y=True)
X = X / 16
C, gamma = np.geomspace(0.1, 1000, count), np.geomspace(0.001, 1, count)

tol = 1e-5  # at the default of 1e-3 both stop early enough for a prediction on the edge of two classes to differ
searches = {"KrossfoldSearchCV": KrossfoldSearchCV(C, gamma, cv=5, tol=tol),
            "GridSearchCV": GridSearchCV(SVC(tol=tol), {"C": C, "gamma": gamma}, cv=5)}  # fmt: skip
for name, search in searches.items():
    before = cpu_seconds()
    search.fit(X, y)
    values = ", ".join(f"{key} = {value:.4g}" for key, value in search.best_params_.items())
    print(f"{name:18} {cpu_seconds() - before:6.2f} s of CPU  best {search.best_score_:.6f} at {values}")
ours, theirs = (search.cv_results_["mean_test_score"] for search in searches.values())
print(f"largest difference of a mean score: {np.abs(ours - theirs).max():.1e}")
