# SPDX-License-Identifier: BSD-3-Clause
"""The model of krossfold svm: a machine, or those of the parts of a search in parts."""

import re

import numpy as np

from .classifier import Classifier
from .encoding import Encoding
from .machine import Machine


class SvmModel(Classifier):
    """A support vector machine of any kernel. machines: one, or one for each part (--partition); problems: what its decision values speak for,
    a class of one-vs-rest or "a/b" of one-vs-one, which values above 0 favour a. All else as in Classifier."""

    def __init__(self, model):
        self.partition, self.centre = None, None
        self.machines = _parts(model) if model.kind == "svm-parts-model" else [Machine(model)]
        first = self.machines[0]
        if model.kind == "svm-parts-model":
            self.partition = model.word("partition")
            model.require(self.partition in ("voronoi", "random"), f"its partition is neither voronoi nor random: {self.partition}")
            fits = all(machine.features == first.features and machine.is_sparse == first.is_sparse for machine in self.machines)
            model.require(fits, "its parts do not fit one another")
        if self.partition == "voronoi":
            self.centre = model.numbers("/centre", dimensions=2)
            model.require(self.centre.shape == (len(self.machines), first.features), "its centres do not fit its parts")
        image = model.image()
        shape, encoding = image if image[1] > 0 and image[2] > 0 else None, Encoding.read(model, first.features)
        super().__init__(first.classes, first.features, shape, encoding, getattr(first, "scale", None))
        self.one_vs_one = first.one_vs_one
        names = self.classes
        self.problems = [f"{names[a]}/{names[b]}" for a, b in zip(*first.pairs())] if self.one_vs_one else list(names)

    def __repr__(self):
        vectors = sum(machine.label.size for machine in self.machines)
        return f"<SvmModel: {self.machines[0].kernel}, {len(self.classes)} classes, {self.features} features, {vectors} support vectors>"

    def decision_values(self, X):
        """(sample, problem), as krossfold predict writes them. Two classes have one value, which is above 0 for the first: scikit-learn's
        decision_function has the opposite sign there."""
        samples = self._samples(X)
        sparse = samples.is_sparse and self.machines[0].is_sparse and self.centre is None
        rows = min(machine.rows_at_once(sparse) for machine in self.machines)
        found = np.empty((len(samples), len(self.problems)))
        take = samples.part if sparse else samples.block
        for begin in range(0, len(samples), rows):
            found[begin : begin + rows] = self._decision(take(begin, begin + rows))
        return found

    def _decision(self, block):
        if self.centre is None:
            return sum(machine.decision(block) for machine in self.machines) / len(self.machines)
        x, found = self.machines[0].scale.double(block), np.empty((len(block), len(self.problems)))
        nearest = np.argmin([((x - centre) ** 2).sum(axis=1) for centre in self.centre], axis=0)
        for part, machine in enumerate(self.machines):
            own = nearest == part
            if own.any():
                found[own] = machine.decision(block[own])
        return found

    def predict(self, X):
        return self.classes_[self.machines[0].choose(self.decision_values(X))]

    def predict_proba(self, X):
        """(sample, class), by Platt's sigmoids of the decision values. Throws ValueError if the model was fitted without them."""
        if self.machines[0].sigmoid is None or len(self.machines) > 1:
            why = "searches in parts fit none" if len(self.machines) > 1 else "it was fitted without --probability"
            raise ValueError(f"the model has no probabilities ({why}) use decision_values, or run krossfold svm with --probability")
        return self.machines[0].probabilities(self.decision_values(X))

    def predictions(self, X):
        """class_name, prediction, decision_name, decision, and probability of a model that has it."""
        first, decision = self.machines[0], self.decision_values(X)
        found = {"class_name": np.array(self.classes), "prediction": first.choose(decision), "decision_name": np.array(self.problems),
                 "decision": decision}  # fmt: skip
        if first.sigmoid is not None and len(self.machines) == 1:
            found["probability"] = first.probabilities(decision)
        return found


def _parts(model):
    """The machine of each part."""
    gamma, c = model.numbers("/part_gamma"), model.numbers("/part_C")
    model.require(0 < gamma.size == c.size and np.isfinite(c).all(), "its parts have no gamma or C")
    strays = [path for path in model.datasets() if path.startswith("/part/") and not re.fullmatch("0|[1-9][0-9]{0,7}", path.split("/")[2])]
    strays += [path for path in model.datasets() if path.startswith("/part/") and path not in strays and int(path.split("/")[2]) >= gamma.size]
    model.require(not strays, f"its {(strays or [''])[0]} belongs to no part")
    return [Machine(model, f"/part/{part}", one) for part, one in enumerate(gamma.tolist())]
