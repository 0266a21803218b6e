#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A search on the digits, cell by cell as in a notebook: search, look, decide, keep.

Run it with the program in PATH or in $KROSSFOLD; it needs scikit-learn and pandas. It leaves digits.h5 and digits.pickle in the current folder.
"""

# %% The data: 8x8 pixels from 0 to 16. A fifth is set aside and seen by no search.
import pickle

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split

import krossfold
from krossfold.sklearn import KrossfoldSearchCV

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.2, stratify=y, random_state=0)

# %% 64 cells in 5 folds. With output=, a second run of this cell continues or returns at once; launcher=["mpirun", "-n", "4"] uses 4 cores.
search = KrossfoldSearchCV(
    C=np.geomspace(0.1, 1000, 8), gamma=np.geomspace(0.001, 1, 8), cv=5, scoring="f1_macro", probability=True, output="digits.h5"
)
search.fit(X_train, y_train)
print(f"best: {search.best_params_}, F1 {search.best_score_:.4f} in cross-validation")

# %% The grid as a table, C across and gamma down.
table = pd.DataFrame(search.cv_results_)
grid = table.pivot(index="param_gamma", columns="param_C", values="mean_test_score").round(3)
print(grid.rename(index="{:.2g}".format, columns="{:.2g}".format))

# %% The file knows more than the search: every measure, every fit, what took the time.
result = krossfold.open("digits.h5")
print(f"{result['/fit/iterations'].size} fits in {result.unit_times['seconds'].sum():.1f} s of computing, on {result.provenance['cpu']}")
print(f"accuracy of the same cell: {1 - result['/best/error']:.4f}, ties: {result['/best/tied']}")
print(result.to_pandas("/unit/seconds").groupby("gamma")["seconds"].sum().round(3).to_string())

# %% Which figures are taken for which? Out-of-fold predictions, each by a machine that did not train on the sample.
wrong = result.confusion - np.diag(np.diag(result.confusion))
for true, taken in np.argwhere(wrong == wrong.max()):
    print(f"{wrong[true, taken]} samples of {result.classes[true]} were taken for {result.classes[taken]}")

# %% The test samples, once. The pickled search predicts where there is no program.
with open("digits.pickle", "wb") as file:
    pickle.dump(search, file)
with open("digits.pickle", "rb") as file:
    search = pickle.load(file)
prediction, probability = search.predict(X_test), search.predict_proba(X_test)
print(f"test accuracy {accuracy_score(y_test, prediction):.4f}")
least = np.argmin(probability.max(axis=1))
print(f"least certain: {prediction[least]} with probability {probability[least].max():.2f}, in truth {y_test[least]}")
