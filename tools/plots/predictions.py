# SPDX-License-Identifier: BSD-3-Clause
"""Labelled predictions out of the result files of krossfold svm, bag and train and the prediction files of krossfold predict."""

from dataclasses import dataclass

from plots import np
from plots.command import PlotError
from krossfold.result_file import ResultFileError, data_name, has, open_result, repeats, text, values, words


@dataclass
class Predictions:
    """Of one set of samples. score: (sample, class), the larger the likelier; None where the file has none."""

    name: str  # in the names of pictures; empty for the only or first set
    data: str
    samples: str  # what they are, for headings
    classes: list
    confusion: np.ndarray  # (true class, predicted class)
    label: object = None
    score: object = None
    score_kind: str = ""
    probability: object = None
    decided: str = ""  # how the classes of `confusion` came about, where not by the largest score
    scored: str = ""  # whose scores they are
    left_out: int = 0  # samples whose label is missing or no class of the model

    def heading(self, of=""):
        left_out = f" ({self.left_out:,} more without a known label)" if self.left_out else ""
        return f"{self.data}: {int(self.confusion.sum()):,} {self.samples}{left_out}" + (f", {of}" if of else "")


def class_scores(decision, pairs, classes):
    """(sample, class) from decision values: as they are of one-vs-rest, votes and confidence of one-vs-one.

    One column of two classes speaks for the first class of its pair, or else for class 1. The scores of one-vs-one are
    votes plus the sum of decision values squashed below a third, as _ovr_decision_function of scikit-learn.
    """
    if decision.shape[1] == classes and not pairs:
        return decision
    if classes == 2 and decision.shape[1] == 1:
        toward_first = decision[:, 0] if pairs else -decision[:, 0]
        return np.stack([toward_first, -toward_first], axis=1)
    if decision.shape[1] != classes * (classes - 1) // 2:
        raise ResultFileError(f"its {decision.shape[1]} decision values do not fit {classes} classes: was it written by krossfold?")
    votes, confidence = np.zeros((2, decision.shape[0], classes))
    column = 0
    for first in range(classes):
        for second in range(first + 1, classes):
            value = decision[:, column]
            votes[:, first] += value > 0
            votes[:, second] += value <= 0
            confidence[:, first] += value
            confidence[:, second] -= value
            column += 1
    return votes + confidence / (3 * (np.abs(confidence) + 1))


def confusion_of(label, prediction, classes):
    return np.bincount(classes * label + prediction, minlength=classes**2).reshape(classes, classes)


def _set(file, group, study, name, data, samples, classes, pairs):
    """The Predictions of a group that has label, prediction and perhaps decision and probability.

    Of study "predict", samples whose label is -1 (missing, or no class of the model) are left out; None if all are.
    """
    label, prediction = (np.atleast_1d(values(file, f"{group}/{part}", study)).astype(int) for part in ("label", "prediction"))
    least = -1 if study == "predict" else 0
    in_range = all(((low <= x) & (x < len(classes))).all() for low, x in ((least, label), (0, prediction)))
    if label.size == 0 or label.ndim != 1 or label.shape != prediction.shape or not in_range:
        raise ResultFileError(f"its labels and predictions in {group} do not fit {len(classes)} classes: was it written by krossfold?")
    known = label >= 0
    if not known.any():
        return None
    confusion = confusion_of(label[known], prediction[known], len(classes))
    found = Predictions(name, data, samples, classes, confusion, label[known], left_out=int(np.sum(~known)))
    for part in ("decision", "probability"):
        if not has(file, f"{group}/{part}"):
            continue
        numbers = np.asarray(values(file, f"{group}/{part}", study), dtype=float)
        numbers = numbers[:, None] if numbers.ndim == 1 else numbers
        if numbers.ndim != 2 or numbers.shape[0] != label.size or not np.isfinite(numbers).all():
            raise ResultFileError(f"its {group}/{part} does not fit its {label.size} labels: was it written by krossfold?")
        if part == "probability" and numbers.shape[1] != len(classes):
            raise ResultFileError(f"its {group}/probability does not fit {len(classes)} classes: was it written by krossfold?")
        numbers = numbers[known]
        if part == "probability":
            found.probability = numbers
        if found.score is None:
            found.score = class_scores(numbers, pairs, len(classes)) if part == "decision" else numbers
            found.score_kind = "decision value" if part == "decision" else "probability"
    return found


def _of_svm(file):
    data, classes = data_name(text(file, "data")), words(file, "/class_name")
    pairs = words(file, "/pair_name") if has(file, "/pair_name") else []
    found = []
    if has(file, "/out_of_fold/label"):
        times = repeats(file)
        samples = "training samples, each predicted out of fold" if times == 1 else f"predictions out of fold, {times} of each training sample"
        found.append(_set(file, "/out_of_fold", "svm", "out-of-fold", data, samples, classes, pairs))
    if has(file, "/test/label"):
        found.insert(0, _set(file, "/test", "svm", "", data, "test samples", classes, pairs))
    return found


def _of_bag(file):
    classes = words(file, "/class_name", "bag")
    answers = np.asarray(values(file, "/ensemble/probability", "bag"), dtype=float)
    label, vote = (np.atleast_1d(values(file, f"/ensemble/{part}", "bag")).astype(int) for part in ("label", "vote"))
    fits = answers.ndim == 3 and label.ndim == 1 and answers.shape[1:] == (label.size, len(classes)) and vote.shape == label.shape
    if not fits or not all(((0 <= x) & (x < len(classes))).all() for x in (label, vote)):
        raise ResultFileError("its answers, labels and classes do not fit together: was it written by krossfold bag?")
    answers = answers[np.isfinite(answers).all(axis=(1, 2))]
    if len(answers) == 0 or label.size == 0:
        raise PlotError("none of its networks has answered (no final fit is done) finish the study")
    mean = answers.mean(axis=0)
    confusion = confusion_of(label, vote, len(classes))
    found = Predictions("", data_name(text(file, "data")), "test samples", classes, confusion, label, mean, "probability", mean)
    found.decided, found.scored = f"vote of {len(answers)} networks", f"mean probability of {len(answers)} networks"
    return [found]


def _of_train(file):
    """A set for each run whose model predicted every sample; a run that has no model has none."""
    if not has(file, "/test/label"):
        return []
    classes, data = words(file, "/class_name", "train"), data_name(text(file, "data"))
    label = np.atleast_1d(values(file, "/test/label", "train")).astype(int)
    prediction = np.atleast_2d(values(file, "/test/prediction", "train")).astype(int)
    if prediction.shape[1:] != label.shape or not ((0 <= label) & (label < len(classes))).all() or (prediction >= len(classes)).any():
        raise ResultFileError("its labels, predictions and classes do not fit together: was it written by krossfold train?")
    found = []
    for run, one in enumerate(prediction):
        if label.size and (one >= 0).all():
            name = f"run-{run}" if len(prediction) > 1 else ""
            found.append(Predictions(name, data, "held-out samples", classes, confusion_of(label, one, len(classes)), label))
            found[-1].decided = f"run {run}" if name else ""
    return found


def _of_prediction(file):
    found = []
    for number in range(sum(name.startswith("input_") for name in file)):
        group = f"/input_{number}"
        if has(file, f"{group}/label"):
            classes = words(file, f"{group}/class_name", "predict")
            decisions = words(file, f"{group}/decision_name", "predict") if has(file, f"{group}/decision_name") else classes
            name = f"input-{number}" if number else ""
            data = data_name(text(file, f"input_{number}"))
            one = _set(file, group, "predict", name, data, "samples predicted", classes, [] if decisions == classes else decisions)
            networks = len(words(file, f"{group}/network", "predict")) if has(file, f"{group}/network") else 1
            if one is not None and networks > 1:
                one.decided, one.scored = f"vote of {networks} networks", f"mean probability of {networks} networks"
            found += [one] if one is not None else []
    return found


def read(path, verify=True):
    """Every set of labelled predictions of the file. Throws ResultFileError."""
    with open_result(path, verify, "svm, bag, train or predict") as file:
        kind = text(file, "kind", "svm")
        if kind not in ("svm", "bag", "train", "prediction"):
            raise PlotError(f"it has no predictions (it is of the kind {kind}) write some with krossfold predict to an HDF5 file")
        if kind == "bag" and not has(file, "/ensemble/probability"):
            raise PlotError("it has no predictions (no network of the ensemble has answered) finish the study")
        found = {"svm": _of_svm, "bag": _of_bag, "train": _of_train, "prediction": _of_prediction}[kind](file)
    if not found:
        why = {"prediction": "its inputs have no labels of the classes", "train": "no run has a model of classes"}.get(kind, "the refit is missing")
        what_to_do = "predict data that has labels" if kind == "prediction" else "finish the study"
        raise PlotError(f"it has no labelled predictions ({why}) {what_to_do}")
    return found
