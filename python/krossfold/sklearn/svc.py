# SPDX-License-Identifier: BSD-3-Clause
"""A support vector machine with the parameters of sklearn.svm.SVC."""

import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from .. import open_file
from . import data, program

# What the program says of a class that one of its two stratified folds lacks (missing_classes of data/folds.cpp).
ALONE_IN_A_FOLD = r"(?s)class(es)? .* (has|have) one training sample( each)?: the folds? that holds? (it|them) out trains? without (the|these) class(es)?$"


def encoded_classes(y):
    """(classes, index of each label). Throws ValueError for a single class, or labels that are none."""
    check_classification_targets(y)
    classes, index = np.unique(y, return_inverse=True)
    if classes.size < 2:
        raise ValueError(f"The number of classes has to be greater than one; got {classes.size} class")
    return classes, index


class KernelEstimator(ClassifierMixin, BaseEstimator):
    """An estimator with a parameter `kernel`, which takes kernel matrices if that is "precomputed"."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _more_tags(self):  # before scikit-learn 1.6
        return {"pairwise": self.kernel == "precomputed"}


class SVC(KernelEstimator):
    """C-support vector classification by the program krossfold; parameters and attributes as those of sklearn.svm.SVC.

    C, kernel ("rbf", "linear", "poly", "precomputed"), degree, gamma ("scale", "auto" or a number), coef0, probability, tol, class_weight,
    decision_function_shape ("ovr", "ovo"; what decision_function returns of more than two classes) and random_state have scikit-learn's
    meaning. multiclass: "ovo" (one-vs-one with votes, as scikit-learn) or "ovr" (one-vs-rest). scale: "none" as scikit-learn, or "standard"
    (mean 0 and variance 1 for each feature; the model remembers them).
    program: path of the program; launcher: words before it, such as ["mpirun", "-n", "4"]; output: a result file to keep, or None;
    options: further options of the program, {"memory-limit": "4g"}.

    Attributes: classes_, support_vectors_, n_support_ (support vectors of each class), machine_ (what predicts), n_features_in_.
    Prediction happens in this process, from the model file, and needs no program.
    """

    def __init__(self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, probability=False, tol=1e-3, class_weight=None,
                 decision_function_shape="ovr", multiclass="ovo", scale="none", random_state=None, program=None, launcher=None,
                 output=None, options=None):  # fmt: skip
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.probability = probability
        self.tol = tol
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.multiclass = multiclass
        self.scale = scale
        self.random_state = random_state
        self.program = program
        self.launcher = launcher
        self.output = output
        self.options = options

    def fit(self, X, y, sample_weight=None):
        """Trains on all samples. sample_weight multiplies C for each sample."""
        data.further_options(self.options)
        X, y = data.validate_data(self, X, y, dtype=np.float64)
        if not isinstance(self.C, numbers.Real) or not 0 < self.C < np.inf:
            raise ValueError(f"C is {self.C!r} (it has to be above 0 and finite) change it")
        classes, index = encoded_classes(y)
        weight = data.checked_weights(sample_weight, X)
        words = [data.list_option("c-values", [self.C]), *kernel_options(self, X, [self.gamma])]
        # The program always cross-validates. Nothing comes of it here, unless probabilities are fitted to it.
        words += [f"--folds={min(5, len(X)) if self.probability else 2}"]
        with program.work_folder(self.output, self.launcher) as (folder, output):
            words = ["svm", *data.write_samples(folder / "samples.npz", X, data.class_names(classes), index, weight), *words, *common_options(self, classes)]
            with warnings.catch_warnings():
                if not self.probability:
                    warnings.filterwarnings("ignore", ALONE_IN_A_FOLD, program.KrossfoldWarning)
                program.run([*words, "-o", str(output)], self.program, self.launcher)
            result = open_file.open(output)
            return self._take(result.model().machines[0], classes, result["/refit/converged"])

    def _take(self, machine, classes, converged):
        """Becomes fitted by a machine of these classes."""
        if machine.classes != data.class_names(classes):
            raise program.KrossfoldError(f"the model has the classes {machine.classes} ({data.class_names(classes)} were written) report this")
        if not np.all(converged):
            warnings.warn("the machine did not converge within max-iterations (option of the program)", ConvergenceWarning, stacklevel=3)
        self.machine_, self.classes_ = machine, classes
        self.n_support_ = np.bincount(machine.label, minlength=len(classes))
        if machine.raw is not None:
            self.support_vectors_ = machine.raw[np.argsort(machine.label, kind="stable")]  # by class, as scikit-learn orders them
        return self

    def _decision(self, X):
        check_is_fitted(self, "machine_")
        return self.machine_.decision(data.as_single(data.validate_data(self, X, reset=False, dtype=np.float64)))

    def predict(self, X):
        """The class of each sample."""
        decision = self._decision(X)
        return self.classes_[self.machine_.choose(decision)]

    def decision_function(self, X):
        """(sample,) of two classes, above 0 for classes_[1]; else (sample, class), or (sample, pair) with decision_function_shape="ovo".

        Of one-vs-one the values of classes are votes plus the sum of decision values, squashed below a third.
        """
        if self.decision_function_shape not in ("ovr", "ovo"):
            raise ValueError(f"decision_function_shape is {self.decision_function_shape!r} (it is 'ovr' or 'ovo') change it")
        decision = self._decision(X)
        if len(self.classes_) == 2:
            return -decision[:, 0]
        if not self.machine_.one_vs_one or self.decision_function_shape == "ovo":
            return decision
        votes, confidence = self.machine_.votes(decision)
        return votes + confidence / (3 * (np.abs(confidence) + 1))

    def _has_probability(self):
        if not self.probability:
            raise AttributeError("predict_proba is only there with probability=True")
        return True

    @available_if(_has_probability)
    def predict_proba(self, X):
        """(sample, class), by Platt's sigmoids of out-of-fold decision values."""
        decision = self._decision(X)
        return self.machine_.probabilities(decision)

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        return np.log(self.predict_proba(X))


def kernel_options(estimator, x, gammas):
    """Options for the kernel of an estimator and its values of gamma, ascending and each once."""
    word = data.kernel_word(estimator.kernel)
    words = [f"--kernel-function={word}"]
    if word == "polynomial":
        words += [f"--degree={estimator.degree}", f"--coef0={float(estimator.coef0)!r}"]
    if word in ("rbf", "polynomial"):
        words.append(data.list_option("gamma-values", sorted({data.gamma_value(gamma, x, estimator.scale) for gamma in gammas})))
    return words


def common_options(estimator, classes):
    """Options that both estimators have."""
    words = ["--quiet", f"--multiclass={estimator.multiclass}", f"--tolerance={float(estimator.tol)!r}",
             f"--seed={data.seed_of(estimator.random_state)}", f"--class-weight={data.class_weights(estimator.class_weight, classes)}"]  # fmt: skip
    if estimator.kernel != "precomputed":
        words.append(f"--scale={estimator.scale}")
    if estimator.probability:
        words.append("--probability")
    return words + data.further_options(estimator.options)
