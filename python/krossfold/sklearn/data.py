# SPDX-License-Identifier: BSD-3-Clause
"""From what fit() is given to the file and the options of `krossfold svm`."""

import numbers
import re

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator, *arrays, **options):
        return estimator._validate_data(*arrays, **options)


PLAIN_WORD = re.compile(r"[^\W\d]\w*([ .-]\w+)*")
OTHER_MEANINGS = {"inf", "infinity", "nan", "na", "null", "none", "nil"}  # numbers, and what tables take for missing
# What estimators set by their parameters, and what gives results that they do not read.
OWN_OPTIONS = {"data", "test", "test-part", "limit", "label", "drop", "group", "weight", "folds", "fold-kind", "repeats", "seed", "scale", "grid",
               "log10-c", "log10-gamma", "c-values", "gamma-values", "kernel-function", "degree", "coef0", "multiclass", "class-weight",
               "weighted-measures", "select-by", "tolerance", "probability", "refit", "no-refit", "partition", "config", "output", "dry-run", "outer",
               "help"}  # fmt: skip
TABLE_OPTIONS = {"missing", "categorical", "delimiter", "decimal", "header", "skip-lines"}  # of files that are no arrays of numbers
GAMMAS = (1e-30, 1e30)  # the values that the program takes (src/studies/svm/layout.cpp)
KERNELS = {"rbf": "rbf", "linear": "linear", "poly": "polynomial", "precomputed": "precomputed"}


def check_values(name, values):
    """Throws TypeError for what is no list of numbers, such as the estimator or the grid that GridSearchCV takes."""
    if isinstance(values, dict) or hasattr(values, "get_params"):
        raise TypeError(f"{name} is a {type(values).__name__} (KrossfoldSearchCV searches C and gamma of an SVM of its own) give numbers: "
                        "KrossfoldSearchCV(C=[1, 10], gamma=[0.1])")  # fmt: skip


def kernel_word(kernel):
    """The program's name of a kernel. Throws ValueError for one that it does not have."""
    if kernel not in KERNELS:
        raise ValueError(f"'{kernel}' is no kernel of krossfold (it has {', '.join(KERNELS)}) choose one of these")
    return KERNELS[kernel]


def gamma_value(gamma, x, scale="none"):
    """gamma as a number: "scale" is 1 / (features times variance of all values), "auto" 1 / features, as in scikit-learn.

    scale: of the features before the kernel; of the standardised ones all vary by 1 but those that are constant. Throws ValueError for what is
    no gamma, and for features whose variance gives one that the program does not take.
    """
    if isinstance(gamma, str):
        if gamma == "scale":
            with np.errstate(over="ignore"):  # as_single() refuses such values
                variance = np.mean(x.max(axis=0) > x.min(axis=0)) if scale == "standard" else x.var()
            if ":" in str(scale):  # OFFSET:DIVISOR
                variance /= float(scale.split(":")[1]) ** 2
            found = 1 / (x.shape[1] * variance) if variance > 0 else 1.0
            if not GAMMAS[0] <= found <= GAMMAS[1] and np.isfinite(variance):
                raise ValueError(f"gamma='scale' is {found:.3g} (the features have a variance of {variance:.3g}; krossfold takes values between "
                                 f"{GAMMAS[0]:g} and {GAMMAS[1]:g}) scale the features, with scale='standard' for example")  # fmt: skip
            return found
        if gamma == "auto":
            return 1 / x.shape[1]
    if not isinstance(gamma, numbers.Real) or not 0 < gamma < np.inf:
        raise ValueError(f"gamma is {gamma!r} (it has to be above 0 and finite, 'scale' or 'auto') change it")
    return float(gamma)


def as_single(x):
    """The samples in single precision, in which the program keeps them. Throws ValueError for values beyond its range."""
    with np.errstate(over="ignore"):
        found = x.astype(np.float32)
    if not np.isfinite(found).all():
        raise ValueError("Input X contains a value too large for dtype('float32'), in which krossfold keeps features: scale it")
    return found


def class_names(classes):
    """The names by which the program and its files know the classes, in the same order: whole numbers and plain words as they are, the indices
    of all others."""
    if classes.dtype.kind in "iub" and all(abs(int(label)) < 10**15 for label in classes):
        return [str(label) for label in classes.tolist()]
    if all(isinstance(label, str) and PLAIN_WORD.fullmatch(label) and label.lower() not in OTHER_MEANINGS for label in classes.tolist()):
        return classes.tolist()
    return [str(index) for index in range(len(classes))]


def class_weights(class_weight, classes):
    """The option for class_weight: a factor for each class by its name."""
    if class_weight is None or isinstance(class_weight, str):
        if class_weight not in (None, "balanced"):
            raise ValueError(f"class_weight is '{class_weight}' (it is None, 'balanced' or a dict) change it")
        return class_weight or "none"
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise ValueError(f"class_weight names {unknown}, which y does not have (its classes are {list(classes)}) leave it out")
    name_of = dict(zip(classes.tolist(), class_names(classes)))
    return ",".join(f"{name_of[label]}:{float(weight)!r}" for label, weight in class_weight.items()) or "none"


def seed_of(random_state):
    if random_state is None:
        return 0
    return int(random_state) if isinstance(random_state, numbers.Integral) else int(check_random_state(random_state).randint(2**31))


def checked_weights(sample_weight, x):
    """The weights, None where all are 1. Throws ValueError for negative ones, as the program does."""
    if sample_weight is None:
        return None
    weight = _check_sample_weight(sample_weight, x, dtype=np.float64)
    return None if (weight == 1).all() else weight


def write_samples(path, x, names, index, weight=None, fold=None):
    """Writes an .npz file of samples, their classes, weights and numbers of folds; returns the options that name them."""
    table, options = [as_single(x)], []
    for name, column in (("weight", weight), ("group", fold)):
        if column is not None:
            table.append(np.asarray(column, dtype=np.float64)[:, None])
            options.append(f"--{name}={x.shape[1] + len(table) - 1}")
    np.savez(path, x=np.hstack(table) if len(table) > 1 else table[0], y=np.array(names)[index])
    return [f"--data=npz:{path}:x,y", "--test-part=none", *options]


def list_option(name, values):
    return f"--{name}=" + ",".join(repr(float(value)) for value in values)


def further_options(options):
    """Words for a dict of options of the program by their names; True stands for a flag. Throws ValueError for those that estimators set."""
    taken = sorted(OWN_OPTIONS & set(options or {}))
    if taken:
        raise ValueError(f"options has {', '.join(taken)} (the estimator sets it, or cannot do with it) use its parameters, or the program")
    of_tables = sorted(TABLE_OPTIONS & set(options or {}))
    if of_tables:
        raise ValueError(f"options has {', '.join(of_tables)} (estimators take arrays of complete numbers) put SimpleImputer or OneHotEncoder of "
                         "scikit-learn before it in a pipeline, or use the program")  # fmt: skip
    return [f"--{name}" if isinstance(value, (bool, np.bool_)) and value else f"--{name}={value}" for name, value in (options or {}).items()]
