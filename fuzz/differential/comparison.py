# SPDX-License-Identifier: BSD-3-Clause
"""What Krossfold read from a file, and whether it is what a reference reader read."""

import collections
import os
import sys

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "test", "cli"))
from krossfold_cli import DONE, FAILED, USAGE, Running  # noqa: E402

# x is (sample, feature), NaN where a value is missing or text; labels are words, or None; words holds columns of text by their number.
Samples = collections.namedtuple("Samples", "x labels words", defaults=({},))


class Refused(Exception):
    """A reader's message that it does not take a file."""


def read_by_krossfold(spec, folder, *options):
    """The Samples of `spec` by `krossfold data convert`; Refused with its message. A crash or a refusal without words is an error."""
    out = folder / "read.h5"
    out.unlink(missing_ok=True)
    result = Running(["data", "convert", spec, "-o", out, *options], None, folder).wait()
    if result.code != DONE:
        if result.code not in (FAILED, USAGE) or "krossfold" not in result.err:
            raise AssertionError(f"{spec} is neither read nor refused with a message:\n{result}")
        raise Refused(result.err)
    with h5py.File(out) as file:
        if "x" in file:
            x = file["x"][()]
        else:
            begin, column, value = (file[name][()] for name in ("x_begin", "x_column", "x_value"))
            x = np.zeros((len(begin) - 1, int(file.attrs["n_features"])), np.float32)
            x[np.repeat(np.arange(len(begin) - 1), np.diff(begin)), column] = value
        labels = None
        if "class_name" in file:
            names = file["class_name"].asstr()[()]
            labels = [names[k] for k in file["y"][()]]
        words = {int(k): words_of(column) for k, column in file.get("words", {}).items()}
    return Samples(x.reshape(len(x), -1), labels, words)


def words_of(column):
    words = column["word"].asstr()[()]
    return [None if code < 0 else words[code] for code in column["code"][()]]


def same_label(ours, theirs):
    """Labels are equal words, or the same number however it is written."""
    if ours == theirs:
        return True
    try:
        return float(ours) == float(theirs)
    except ValueError:
        return False


def difference(ours, theirs):
    """Where two Samples differ, or "" if they agree: ours is the reference rounded to float."""
    expected = np.asarray(theirs.x)
    if ours.x.shape != expected.shape:
        return f"the shape is {ours.x.shape} where the reference has {expected.shape}"
    with np.errstate(over="ignore", under="ignore"):
        # The reference is a double. Text beside the middle of two floats may go either way: a double on the middle has lost its last digits.
        lower, upper = (np.nextafter(expected.astype(np.float64), end).astype(np.float32) for end in (-np.inf, np.inf))
        equal = ((lower <= ours.x) & (ours.x <= upper)) | (np.isnan(ours.x) & np.isnan(expected))
    if not equal.all():
        at = tuple(np.argwhere(~equal)[0])
        return f"sample {at[0]}, feature {at[1]} is {ours.x[at]!r} where the reference has {expected[at]!r}; {(~equal).sum()} differ"
    if sorted(ours.words) != sorted(theirs.words):
        return f"columns {sorted(ours.words)} are text where the reference has {sorted(theirs.words)}"
    for column, words in ours.words.items():
        for sample, (one, other) in enumerate(zip(words, theirs.words[column])):
            if one != other:
                return f"sample {sample}, feature {column} is {one!r} where the reference has {other!r}"
    if theirs.labels is not None:
        if ours.labels is None:
            return "there are no labels"
        for sample, (one, other) in enumerate(zip(ours.labels, theirs.labels)):
            if not same_label(one, other):
                return f"the label of sample {sample} is {one!r} where the reference has {other!r}"
    return ""
