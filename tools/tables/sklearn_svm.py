# SPDX-License-Identifier: BSD-3-Clause
"""python sklearn_svm.py TRAIN TEST LABEL: what a careful user of scikit-learn does with a table. Prints the predictions as JSON.

Gaps become medians or the most frequent word, with columns that say so; words one column each; all are standardised; SVC by GridSearchCV, and beside
it HistGradientBoostingClassifier by its defaults. The grid is smaller for more samples, as its time grows with their square.
"""
import json
import sys
import time

import numpy
import pandas
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC

MOST_STEPS = 300000  # of a fit; without a limit single fits take hours


def grid_of(samples, width):
    """(log10 C, log10 of gamma relative to scikit-learn's "scale", folds)."""
    if samples < 600:
        return numpy.linspace(-2, 4, 7), numpy.linspace(-2, 1, 7), 5
    if samples < 1600 and width < 800:
        return numpy.linspace(-1, 3, 5), numpy.linspace(-2, 1, 5), 5
    return numpy.linspace(-1, 2, 4), numpy.linspace(-2, 1, 4), 3


def words(column):
    return column.dtype == object or column.dtype == bool


def features_of(samples):
    text = [name for name in samples if words(samples[name])]
    steps = [("numbers", SimpleImputer(strategy="median", add_indicator=True), [name for name in samples if name not in text])]
    if text:
        onehot = OneHotEncoder(handle_unknown="ignore", sparse=False)
        steps.append(("words", Pipeline([("gaps", SimpleImputer(strategy="most_frequent")), ("onehot", onehot)]), text))
        steps.append(("gaps", MissingIndicator(error_on_new=False), text))
    return Pipeline([("columns", ColumnTransformer(steps)), ("scale", StandardScaler())])


def main():
    train_path, test_path, label = sys.argv[1:]
    train, test = (pandas.read_csv(path, low_memory=False, na_values=["NA"], keep_default_na=False) for path in (train_path, test_path))
    y, y_test = (table.pop(label).astype(str).to_numpy() for table in (train, test))
    train = train.loc[:, train.notna().any()]
    test = test[train.columns]
    for name in train:
        if words(train[name]) or words(test[name]):
            for table in (train, test):
                table[name] = table[name].astype(object).where(table[name].isna(), table[name].astype(str))
    begin = time.monotonic()
    features = features_of(train)
    x, x_test = features.fit_transform(train), features.transform(test)
    log10_c, log10_gamma, folds = grid_of(len(y), x.shape[1])
    grid = {"C": 10**log10_c, "gamma": 10**log10_gamma / (x.shape[1] * x.var())}
    search = GridSearchCV(SVC(cache_size=500, max_iter=MOST_STEPS), grid, cv=StratifiedKFold(folds, shuffle=True, random_state=0))
    prediction = search.fit(x, y).predict(x_test)
    seconds = time.monotonic() - begin
    text = [name for name in train if words(train[name])]
    if text:
        ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=numpy.nan)
        train[text], test[text] = ordinal.fit_transform(train[text]), ordinal.transform(test[text])
    boosted = HistGradientBoostingClassifier(random_state=0).fit(train.astype(float).to_numpy(), y).predict(test.astype(float).to_numpy())
    print(json.dumps({"svm": (prediction != y_test).tolist(), "boosting": (boosted != y_test).tolist(), "seconds": seconds,
                      "cells": len(log10_c) * len(log10_gamma)}))  # fmt: skip


if __name__ == "__main__":
    main()
