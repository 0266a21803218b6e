# SPDX-License-Identifier: BSD-3-Clause
"""Whether the result files of one curve are of one data set."""

import json
import sys
from dataclasses import dataclass

from plots.command import PlotError
from krossfold.result_file import attribute, data_name, option_value, text


@dataclass(frozen=True)
class Data:
    """place: with its folders, as the study was told; features: of the samples, or of a table the columns that they are made of, as a column of
    text has more features in more samples. None where nothing says, or where they may grow likewise (libsvm text)."""

    name: str
    place: str
    features: object = None


def data_of(file):
    """The Data of a result file."""
    place = text(file, "data")
    columns = json.loads(text(file, "features", "{}")).get("columns")
    grows = str(option_value(file, "data", "")).startswith("libsvm:") or place.endswith((".libsvm", ".svm", ".txt"))
    features = len(columns) if columns else None if grows else attribute(file, "n_features")
    return Data(data_name(place), place, features)


def check_same_data(tool, found):
    """Throws PlotError for data of one name with other features; warns of those in several folders, which may be one file all the same."""
    for name in sorted({data.name for data in found}):
        same = sorted({data for data in found if data.name == name}, key=str)
        if len({data.features for data in same} - {None}) > 1:
            those = ", ".join(f"{data.place} has {data.features} features" for data in same if data.features is not None)
            raise PlotError(f"these do not make one curve ({those}) give files of one data set")
        places = sorted({data.place for data in same})
        if len(places) > 1:
            print(f"{tool}: warning: the studies name {' and '.join(places)}: are these the same data?", file=sys.stderr)
