# SPDX-License-Identifier: BSD-3-Clause
"""What the checks of the source tree share."""

import pathlib
import sys


def run(problems, arguments):
    """Prints what problems(root) yields, a line each. Returns the exit code: 0 none, 1 some, 2 no source tree."""
    root = pathlib.Path(arguments[0]) if arguments else pathlib.Path(__file__).parents[2]
    if not (root / "include" / "krossfold").is_dir():
        print(f"{root}: no folder include/krossfold in it - give the root of the source tree", file=sys.stderr)
        return 2
    found = list(problems(root))
    for problem in found:
        print(problem)
    return 1 if found else 0
