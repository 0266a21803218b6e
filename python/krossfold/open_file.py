# SPDX-License-Identifier: BSD-3-Clause
"""From a path to the Result of the study's kind."""

from . import result_file
from .ensembles import BagResult
from .result import Result
from .searches import SvmResult
from .trainings import TrainResult

KINDS = {"svm": SvmResult, "bag": BagResult, "train": TrainResult, "names": TrainResult}


def open(path, verify=True):
    """The result of a study, read into memory: an SvmResult, BagResult or TrainResult by its kind, a Result for any other kind.

    The checksum of the whole file is verified first; verify=False shows what is left of a damaged file. Do not use that on files
    of strangers: the HDF5 library may crash on them, and Python with it.
    Throws ResultFileError for what is no file of Krossfold, damaged, or of a newer version than this package knows.
    """
    data = result_file.read_verified(path, verify, "svm, bag, train or names")
    with result_file.as_hdf5(path, data) as file:
        kind = result_file.text(file, "kind")
    return KINDS.get(kind, Result)(path, data)
