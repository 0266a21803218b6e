# SPDX-License-Identifier: BSD-3-Clause
"""The networks of krossfold train cnn, train mlp and bag: one, or an ensemble whose networks predict together."""

import math
import pathlib

import numpy as np

from ..result_file import ResultFileError
from .classifier import Classifier
from .encoding import Encoding
from .scale import Scale
from .uncertainty import quartiles, uncertainty, votes_of

ROUNDING = 1e-6  # of an entropy: the threshold is that of a test sample, which is not above it
LARGEST_LAYER = 2**28  # units
LARGEST_BLOCK = 2**22  # values of a layer, or of the windows of a convolution, at a time


class Form:
    """The architecture of a network and its classes, without its weights: equal in all parts of a network."""

    def __init__(self, model):
        self.activation, self.image, self.classes = model.word("activation"), model.image(), model.class_names(1)
        if self.activation not in ACTIVATIONS:
            raise ResultFileError(f"{model.path} is no network that is known here (activation {self.activation}) update Krossfold")
        self.channels, self.kernel = model.whole("channels"), model.whole("kernel")
        self.hidden = model.numbers("/hidden", "i").tolist()
        for name in ("image_black", "image_white", "image_border", "integer"):
            model.number(name)
        model.require(0 < math.prod(self.image) < 2**31, "its input has no features, or too many")
        model.require(self.channels == 0 or 1 <= self.kernel <= min(self.image[1:]), "its window does not fit into the images")
        model.require(all(0 < units <= LARGEST_LAYER for units in self.hidden), "a layer has no units, or too many")
        part, parts = part_of(model)
        model.require(part < parts <= self.dense_inputs, "the number of its part is out of range")

    def __eq__(self, other):
        return vars(self) == vars(other)

    @property
    def dense_inputs(self):
        channels, height, width = self.image
        return self.channels * (height - self.kernel + 1) * (width - self.kernel + 1) if self.channels > 0 else math.prod(self.image)


class Network:
    """[Convolution without padding, ReLU,] hidden dense layers, each with an activation, and a dense layer with a logit for each class.

    Like the program it computes in single precision. file: the name of its file without the ending; dense: [(weight (unit, input), bias), ...].
    """

    def __init__(self, parts):
        """parts: its file as Contents, or those of all parts of its weights. Throws ResultFileError for what contradicts itself."""
        first, form = parts[0], Form(parts[0])
        self.path, self.file, self.activation, self.form = first.path, pathlib.Path(first.path).stem, form.activation, form
        self.channels, self.kernel, self.classes, self.image, self.hidden = form.channels, form.kernel, form.classes, form.image, form.hidden
        self.features = math.prod(self.image)
        self.scale = Scale(first, self.features)
        for part in parts[1:]:
            scale, own = Scale(part, self.features), self.scale
            if Form(part) != form or not (np.array_equal(scale.offset, own.offset) and np.array_equal(scale.divisor, own.divisor)):
                raise ResultFileError(f"{self.path} is a part of a network that cannot be joined ({part.path} is of a different network) name its "
                                      "result file, or the folder of models")  # fmt: skip
        self.encoding, self.conv = Encoding.read(first, self.features), None
        if self.channels > 0:
            self.conv = _joined(parts, "/parameter/conv/weight", 4, 0), _joined(parts, "/parameter/conv/bias", 1, 0)
        self.dense = [(_joined(parts, f"/parameter/dense/{layer}/weight", 2, 1), first.numbers(f"/parameter/dense/{layer}/bias"))
                      for layer in range(len(self.hidden) + 1)]  # fmt: skip
        self._check(first)

    def _check(self, model):
        channels, height, width = self.image
        fits = self.conv is None or (self.conv[0].shape == (self.channels, channels, self.kernel, self.kernel)
                                     and self.conv[1].shape == (self.channels,))  # fmt: skip
        inputs = self.form.dense_inputs
        for (weight, bias), units in zip(self.dense, [*self.hidden, len(self.classes)]):
            fits = fits and weight.shape == (units, inputs) and bias.shape == (units,)
            inputs = units
        model.require(fits, "its weights do not fit its layers and classes")

    @property
    def rows_at_once(self):
        windows = 0 if self.conv is None else (self.image[1] - self.kernel + 1) * (self.image[2] - self.kernel + 1) * self.conv[0][0].size
        return max(1, min(1024, LARGEST_BLOCK // max(self.features, windows, *(max(weight.shape) for weight, _ in self.dense))))

    def _convolved(self, x):
        """(sample, channel x row x column) after ReLU: each window is a column of a matrix that the weights multiply."""
        weight, bias = self.conv
        windows = np.lib.stride_tricks.sliding_window_view(x.reshape(len(x), *self.image), (self.kernel, self.kernel), axis=(2, 3))
        columns = windows.transpose(0, 1, 4, 5, 2, 3).reshape(len(x), weight[0].size, -1)
        y = np.matmul(weight.reshape(len(weight), -1), columns)
        y += bias[:, None]
        return np.maximum(y, 0, out=y).reshape(len(x), -1)

    def logits(self, raw):
        """(sample, class) of a block of unscaled features in single precision."""
        x = self.scale.single(raw)
        if self.conv is not None:
            x = self._convolved(x)
        for layer, (weight, bias) in enumerate(self.dense):
            x = x @ weight.T
            x += bias
            if layer < len(self.hidden):
                x = ACTIVATIONS[self.activation](x)
        return x

    def probabilities(self, raw):
        """(sample, class) of a block of unscaled features, in single precision. Throws ValueError where one is not finite."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = softmax(self.logits(raw)).astype(np.float32)
        if not np.isfinite(found).all():
            raise ValueError(f"the network {self.file} has no prediction for these samples (its probabilities are not finite) leave out values far "
                             "from those of the training data")  # fmt: skip
        return found


def softmax(logits):
    """exp(z) / sum of exp(z) over the last axis, in double precision."""
    shifted = logits.astype(float)
    shifted -= shifted.max(axis=-1, keepdims=True)
    np.exp(shifted, out=shifted)
    shifted /= shifted.sum(axis=-1, keepdims=True)
    return shifted


def logistic(x):
    """1 / (1 + exp(-x)), in a form that cannot overflow."""
    return 0.5 + 0.5 * np.tanh(0.5 * x)


ACTIVATIONS = {"none": lambda x: x, "relu": lambda x: np.maximum(x, 0, out=x), "tanh": np.tanh, "sigmoid": logistic}


def joined(files):
    """The networks of model files; files of the parts of a network are adjacent. Throws ResultFileError if a part is missing or they differ."""
    networks, at = [], 0
    while at < len(files):
        count = part_of(files[at])[1]
        own = sorted(files[at : at + max(1, count)], key=part_of)
        if len(own) != count or [part_of(file) for file in own] != [(part, count) for part in range(count)]:
            raise ResultFileError(f"{files[at].path} is a part of a network that cannot be joined ({len(own)} of {count} parts are there, or one "
                                  "twice) name its result file, or the folder of models")  # fmt: skip
        networks.append(Network(own))
        at += count
    for network in networks[1:]:
        if network.classes != networks[0].classes or network.image != networks[0].image:
            raise ResultFileError(f"{network.path} and {networks[0].path} do not predict together (they were trained on different classes or sizes "
                                  "of images) name one of them")  # fmt: skip
    return networks


def part_of(file):
    """(part, parts): which part of the weights of a network a file has; files of version 0.1 do not say."""
    return file.whole("part", 0), file.whole("parts", 1)


def _joined(parts, path, dimensions, axis):
    """A tensor of a network whose weights lie in several files, each with a slice of it."""
    found = [part.numbers(path, dimensions=dimensions) for part in parts]
    others = {one.shape[:axis] + one.shape[axis + 1 :] for one in found}
    parts[0].require(len(others) == 1, f"the slices of {path} do not fit one another")
    return np.concatenate(found, axis=axis)


class Networks(Classifier):
    """Networks that predict together by majority vote; a single network is an ensemble of one. networks: its members; threshold: the entropy of the
    mean probability above which a sample is unlike the training images, or None. All else as in Classifier."""

    def __init__(self, networks, threshold=None):
        self.networks, self.threshold = networks, threshold
        first = networks[0]
        # A network makes a row of pixels of samples that are no images.
        image = None if first.image[:2] == (1, 1) else first.image
        super().__init__(first.classes, first.features, image, first.encoding, first.scale)

    def __repr__(self):
        return f"<Networks: {len(self.networks)} of {len(self.classes)} classes, {self.features} features>"

    def member_probabilities(self, X):
        """(network, sample, class) in single precision."""
        samples, rows = self._samples(X), min(network.rows_at_once for network in self.networks)
        found = np.empty((len(self.networks), len(samples), len(self.classes)), dtype=np.float32)
        for first in range(0, len(samples), rows):
            block = samples.block(first, first + rows)
            for member, network in enumerate(self.networks):
                found[member, first : first + rows] = network.probabilities(block)
        return found

    def predict(self, X):
        """The label of each sample: that of most networks, of a tie the one of the largest mean probability."""
        members = self.member_probabilities(X)
        return self.classes_[votes_of(members, members.mean(axis=0, dtype=float))[1]]

    def predict_proba(self, X):
        """The mean probability over the networks (sample, class). With several of them predict() is their vote, not the most probable class."""
        return self.member_probabilities(X).mean(axis=0, dtype=float)

    def predictions(self, X):
        """class_name, prediction (by majority vote), probability (the mean), and of each network and all of them network, member_probability,
        votes, quartile, entropy, mutual_information, confidence and, with a threshold, out_of_distribution (docs/ensembles.md)."""
        members = self.member_probabilities(X)
        mean = members.mean(axis=0, dtype=float)
        votes, vote = votes_of(members, mean)
        found = {"class_name": np.array(self.classes), "prediction": vote, "probability": mean,
                 "network": np.array([network.file for network in self.networks]), "member_probability": members, "votes": votes,
                 "quartile": quartiles(members), **uncertainty(members, mean)}  # fmt: skip
        if self.threshold is not None:
            found["out_of_distribution"] = (found["entropy"] > self.threshold + ROUNDING).astype(int)
        return found
