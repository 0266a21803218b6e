# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn estimators that run the program krossfold.

SVC: one support vector machine.  KrossfoldSearchCV: a grid of C and gamma by cross-validation, in the place of GridSearchCV(SVC(), ...).
Both need scikit-learn 1.2 or newer and the program, which is searched for in the parameter `program`, in $KROSSFOLD and in PATH.
"""

try:
    import sklearn  # noqa: F401
except ImportError as missing:
    raise ImportError(f"krossfold.sklearn needs scikit-learn ({missing}) install it: pip install scikit-learn") from missing

from ..models.machine import Machine
from .program import KrossfoldError, KrossfoldWarning
from .search import KrossfoldSearchCV
from .svc import SVC

__all__ = ["KrossfoldError", "KrossfoldSearchCV", "KrossfoldWarning", "Machine", "SVC"]
