# SPDX-License-Identifier: BSD-3-Clause
"""The result of krossfold bag: a random search in every bootstrap sample, and what the chosen networks say together."""

import numpy as np

from .result import Result


class BagResult(Result):
    """Arrays have the axes of docs/file-format.md: bootstrap, trial, fold, sample, class_name."""

    @property
    def trials(self):
        """What the trials tried: {"channels": (bootstrap, trial), "rate": ..., ...}."""
        scales = ("bootstrap", "trial", "fold")  # which files of version 1 have beside them
        return {name: array for name, array in self.group("/search").items() if name not in scales}

    @property
    def fold_error(self):
        """Fraction misclassified (bootstrap, trial, fold); 1 where a training diverged, NaN where there is no result."""
        return self["/fold_error"]

    @property
    def unit_times(self):
        """Of each training (bootstrap, trial, fold): seconds, started (seconds since the study began), rank, status, reason."""
        return self.group("/unit")

    @property
    def networks(self):
        """Of each final network (bootstrap): trial, validation_error, out_of_bag_error, test_error, nll, brier, ece, seconds, model, ..."""
        return {name: array for name, array in self.group("/final").items() if name not in ("epoch", "epoch_loss")}

    @property
    def epoch_loss(self):
        """Mean training loss of the final networks (bootstrap, epoch), in nats."""
        return self["/final/epoch_loss"]

    @property
    def ensemble(self):
        """What the networks say of the test samples: probability (bootstrap, sample, class), votes (sample, class), vote, label, confidence,
        entropy, expected_entropy and mutual_information (sample), weight (bootstrap), error (rule), nll, brier, ece, confusion."""
        return self.group("/ensemble")

    @property
    def probabilities(self):
        """Mean probability of each class over the networks (sample, class); networks that are missing do not count."""
        return np.nanmean(self["/ensemble/probability"].astype(float), axis=0)

    @property
    def votes(self):
        """How many networks hold each class most probable (sample, class)."""
        return self["/ensemble/votes"]

    @property
    def entropy(self):
        """Entropy of the mean probability of each test sample, in nats."""
        return self["/ensemble/entropy"]

    @property
    def confusion(self):
        """Test samples by true (row) and voted (column) class."""
        return self["/ensemble/confusion"]

    @property
    def reliability(self):
        """The bins of the reliability diagram: count, confidence, accuracy."""
        return self.group("/ensemble/bin")

    @property
    def out_of_distribution(self):
        """Sets of images that show none of the classes: name, count, auroc (name, score), kept, threshold (score), ..."""
        return self.group("/ood")
