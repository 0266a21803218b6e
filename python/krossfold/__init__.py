# SPDX-License-Identifier: BSD-3-Clause
"""Result files and models of Krossfold in Python, and scikit-learn estimators that run the program.

    import krossfold

    result = krossfold.open("results.h5")
    result.status, result.best_params_, result.best_score_
    pandas.DataFrame(result.cv_results_)
    result.model().predict(X)

krossfold.sklearn holds the estimators; it needs scikit-learn, all else only numpy and h5py.
"""

from .ensembles import BagResult
from .models import load_model
from .result import Result
from .result_file import ResultFileError
from .searches import SvmResult
from .trainings import TrainResult
from .open_file import open

__all__ = ["BagResult", "Result", "ResultFileError", "SvmResult", "TrainResult", "load_model", "open"]
__version__ = "0.1.0"
