# SPDX-License-Identifier: BSD-3-Clause
"""The results of krossfold train and krossfold names: one or several trainings, each on several workers."""

import numpy as np

from .result import Result


class TrainResult(Result):
    """Arrays have the axes of docs/file-format.md: run_number, epoch, sample."""

    @property
    def runs(self):
        """Of each training: workers, ranks, batch, rate, strategy, status, reason, model, kept_epoch, ..."""
        return self.group("/run")

    @property
    def curves(self):
        """(run_number, epoch), NaN where there was no epoch: loss, held_out_loss, held_out_error, validation_loss, seconds, comm_seconds, ..."""
        return self.group("/training")

    @property
    def unit_times(self):
        """Wall time of the steps of each epoch and the part of it for the exchange with other ranks (run_number, epoch)."""
        return {name: self[f"/training/{name}"] for name in ("seconds", "comm_seconds")}

    @property
    def best_run_(self):
        """The number of the run whose kept epoch has the lowest held-out loss, or of the first if nothing is held out: that whose model the file
        names. None without a model."""
        loss, kept = np.atleast_2d(self["/training/held_out_loss"]), np.atleast_1d(self["/run/kept_epoch"])
        at_kept = [row[epoch - 1] if 0 < epoch <= row.size and np.isfinite(row[epoch - 1]) else np.inf for row, epoch in zip(loss, kept)]
        if at_kept and np.isfinite(min(at_kept)):
            return int(np.argmin(at_kept))
        models = [run for run, model in enumerate(np.atleast_1d(self["/run/model"])) if model]
        return models[0] if models else None

    @property
    def test(self):
        """The held-out samples: sample, label, prediction (run_number, sample). Character models have none."""
        return self.group("/test")

    def confusion(self, run=None):
        """Held-out samples by true (row) and predicted (column) class, by the model of a run (the best one). Throws ValueError without one."""
        run = self.best_run_ if run is None else run
        prediction = None if run is None or "/test/prediction" not in self else np.atleast_2d(self["/test/prediction"])[run]
        if "/test/prediction" not in self and self.attributes.get("n_test", 0) > 0:
            raise ValueError(f"no predictions of classes in {self.path} (character models have none) see the held-out loss in curves")
        if prediction is None or prediction.size == 0 or not np.atleast_1d(self["/run/model"])[run]:
            raise ValueError(f"no predictions of run {run} in {self.path} (it has no model, or nothing is held out) choose another run")
        if (lost := int((prediction < 0).sum())) > 0:
            raise ValueError(f"{lost} of {prediction.size} held-out samples have no prediction in {self.path} (they have values that the "
                             "network cannot take) see test for those of the others")  # fmt: skip
        count = len(self.classes)
        return np.bincount(count * self["/test/label"] + prediction, minlength=count**2).reshape(count, count)
