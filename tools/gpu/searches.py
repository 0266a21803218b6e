# SPDX-License-Identifier: BSD-3-Clause
"""The searches whose fold errors are held against those of the CPU build, and how."""

import csv
import io
import json

from gpu.messages import ToolError

FORM = 1  # of reference.json
SEARCHES = {  # name: (arguments, whether MNIST is needed, grid)
    "digits": (["--data", "digits"], False, "24x24"),
    "mnist-5000": (["--data", "mnist", "--limit", "5000"], True, "24x24"),
    "mnist-10000": (["--data", "mnist", "--limit", "10000"], True, "12x12"),
}
# A GPU adds in another order: at a tolerance of 1e-3 a few predictions of a fold may fall on the other side.
LARGEST_SHARE = 0.02  # of the samples of a fold that may be told apart in one cell
LARGEST_MEAN = 0.001  # mean over all cells and folds
LARGEST_BEST = 0.002  # error of the best cell


def command(name, grid=None):
    """Arguments of krossfold for one of SEARCHES, without -o."""
    arguments, _, own = SEARCHES[name]
    return ["svm", *arguments, "--grid", grid or own, "--no-refit", "--quiet"]


def figures(csv_text, json_text):
    """{"cells": [[C, gamma], ...], "errors": one list of fold errors a cell, "best": error, "seconds", ...} from two reports."""
    (report,) = json.loads(json_text)
    cells = {}
    for row in csv.DictReader(io.StringIO(csv_text)):
        key = (float(row["gamma"]), float(row["C"]))
        cells.setdefault(key, {})[int(row["fold"])] = float(row["error"])
    keys = sorted(cells)
    return {
        "cells": [[c, gamma] for gamma, c in keys],
        "errors": [[cells[key][fold] for fold in sorted(cells[key])] for key in keys],
        "best": report["best"]["error"],
        "best_cell": [report["best"]["C"], report["best"]["gamma"]],
        "train": report["data"]["train"],
        "not_converged": report["fits"]["not_converged"],
        "seconds": report["seconds"],
        "ranks": report["ranks"],
        "grid": report["options"]["grid"],
    }


def hold_against(found, wanted):
    """Compares two figures(): (whether they agree, {"folds", "apart", "largest", "mean", "best", "speed"})."""
    if len(found["cells"]) != len(wanted["cells"]) or any(
        abs(a - b) > 1e-9 * abs(b) for one, other in zip(found["cells"], wanted["cells"]) for a, b in zip(one, other)
    ):
        raise ToolError("the search has other cells than the reference (another program or grid?) make the bundle anew")
    apart = [
        abs(a - b) for one, other in zip(found["errors"], wanted["errors"]) for a, b in zip(one, other)
    ]
    result = {
        "folds": len(apart),
        "apart": sum(value > 1e-12 for value in apart),
        "largest": max(apart),
        "mean": sum(apart) / len(apart),
        "best": found["best"] - wanted["best"],
        "times_as_fast": wanted["seconds"] / found["seconds"] if found["seconds"] > 0 else None,
    }
    agrees = result["largest"] <= LARGEST_SHARE and result["mean"] <= LARGEST_MEAN and abs(result["best"]) <= LARGEST_BEST
    return agrees, result
