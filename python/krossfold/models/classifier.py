# SPDX-License-Identifier: BSD-3-Clause
"""What trained classifiers of every kind have in common."""

import re
import warnings

import numpy as np

from .samples import samples_of
from .units import other_units

JUDGED = 1000  # samples whose units are looked at


class Classifier:
    """classes: the names of the classes, as in the result file; classes_: the labels that predict() returns, which are integers if all names
    are whole numbers of 32 bits as they are usually written, as in an exported .npz file; features: how many a sample has; image: (channels,
    height, width) of the training images, or None; encoding: how the columns of the training table became features, or None;
    scale: of the training data, or None.

    Samples are an array (sample, feature) or (sample, [channel,] row, column), a table with columns (a DataFrame or a dictionary), or a sparse
    matrix of scipy; they are scaled, encoded and filled in as `krossfold predict` does with a table.
    """

    def __init__(self, classes, features, image=None, encoding=None, scale=None):
        self.classes, self.features, self.image, self.encoding, self.scale = classes, features, image, encoding, scale
        self.classes_ = labels_of(classes)

    def predict(self, X):
        """The label of each sample."""
        return self.classes_[self.predictions(X)["prediction"]]

    def predict_proba(self, X):
        """The probability of each class (sample, class), in the order of classes_. Throws ValueError if the model has none."""
        raise NotImplementedError

    def predictions(self, X):
        """All that `krossfold predict -o` writes of the samples, by its names in the file: prediction (the index of a class), ..."""
        raise NotImplementedError

    def _samples(self, X):
        samples = samples_of(X, self.features, self.image, self.encoding, self.classes)
        if self.scale is not None and not samples.is_sparse:
            names = self.encoding.feature_names() if self.encoding else [f"feature {j + 1}" for j in range(self.features)]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # predictions() warns of what is unknown
                first = samples.block(0, min(len(samples), JUDGED))
            for sentence in other_units(first, self.scale, names.__getitem__, self.image is not None):
                warnings.warn(sentence, stacklevel=4)
        return samples


def labels_of(classes):
    """The classes as labels: whole numbers of 32 bits if all are, as they are usually written ("7", "-1"; not "007" or "1.0"), else text."""
    whole = [int(name) for name in classes if re.fullmatch("-?[0-9]{1,10}", name)]
    if len(whole) == len(classes) and [str(number) for number in whole] == classes and all(-(2**31) <= number < 2**31 for number in whole):
        return np.array(whole)
    return np.array(classes)
