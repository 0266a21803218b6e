# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the Python package share: the package of this source tree, and the command as test/cli runs it."""

import os
import pathlib
import sys
import warnings

TEST = pathlib.Path(__file__).resolve().parents[1]
ROOT = TEST.parent
sys.path[:0] = [str(ROOT / "python"), str(TEST / "cli")]
from krossfold_cli import ENVIRONMENT, EXECUTABLE, MPIRUN, PLACE, CommandTest, digits  # noqa: E402

OLD = TEST / "cli" / "version_1"  # files of version 1


def optional(*modules):
    """The modules; None in place of each that is missing."""
    found = []
    for name in modules:
        try:
            __import__(name)
            found.append(sys.modules[name])
        except ImportError:
            found.append(None)
    return found


def use_program():
    """Estimators find the tested program, which is started as test/cli starts it."""
    os.environ.update(ENVIRONMENT, KROSSFOLD=EXECUTABLE, TMPDIR=PLACE)


def ignore(test, *categories):
    """Ignores warnings of these categories until the test has ended."""
    kept = warnings.catch_warnings()
    kept.__enter__()
    test.addCleanup(kept.__exit__, None, None, None)
    for category in categories:
        warnings.simplefilter("ignore", category)


__all__ = ["CommandTest", "MPIRUN", "OLD", "ROOT", "digits", "ignore", "optional", "use_program"]
