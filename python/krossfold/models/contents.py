# SPDX-License-Identifier: BSD-3-Clause
"""What a model file holds, read by its types: files may come from strangers, and a checksum says nothing of what was meant to be in them."""

import math

import numpy as np

from ..result_file import ResultFileError

MOST_CLASSES = 30000
LARGEST_WHOLE = 10**6


class Contents:
    """The attributes and datasets of a model file, each dataset read once. Throws ResultFileError for what is missing or of another type, and
    if the datasets together are larger than the file: then several are the same bytes."""

    def __init__(self, result):
        self._result, self._left, self._read = result, result.size, {}
        self.path, self.kind, self.attributes = result.path, result.kind, result.attributes
        self.odd = result.odd_attributes

    def __contains__(self, path):
        return path in self._result

    def datasets(self):
        return self._result.datasets()

    def require(self, fits, why):
        """Refuses the file unless it `fits`."""
        if not fits:
            raise ResultFileError(f"{self.path} is damaged ({why}) write it again")

    def number(self, name, otherwise=None):
        """A finite number. otherwise: that of files which lack the attribute, None if no file does."""
        found = self.attributes.get(name, otherwise)
        self.require(found is not None and name not in self.odd, f"its attribute {name} is missing, or an array")
        is_number = isinstance(found, (int, float)) and not isinstance(found, bool)
        self.require(is_number and math.isfinite(found), f"its attribute {name} is not a finite number")
        return found

    def whole(self, name, otherwise=None, most=LARGEST_WHOLE):
        """A whole number from 0 on."""
        found = self.number(name, otherwise)
        self.require(0 <= found <= most and found == int(found), f"its attribute {name} is out of range")
        return int(found)

    def word(self, name, otherwise=None):
        found = self.attributes.get(name, otherwise)
        self.require(isinstance(found, str) and name not in self.odd, f"its attribute {name} is missing, or no text")
        return found

    def numbers(self, path, kind="f", dimensions=1):
        """An array of real ("f") or of whole ("i") numbers; a single number is a list of one."""
        found = self._dataset(path)
        found = np.atleast_1d(found) if dimensions == 1 else found
        fits = isinstance(found, np.ndarray) and found.dtype.kind == kind and found.ndim == dimensions
        self.require(fits, f"its {path} is of another type or shape")
        return found

    def words(self, path):
        """A list of strings."""
        found = self._dataset(path)
        self.require(isinstance(found, np.ndarray) and found.dtype.kind == "U" and found.ndim == 1, f"its {path} is no list of words")
        return found.tolist()

    def _dataset(self, path):
        if path not in self._read:
            self.require(path in self._result, f"its {path} is missing")
            try:
                found = self._result[path]
            except ResultFileError as error:
                raise ResultFileError(f"{self.path} is damaged (its {path} is not as Krossfold writes it) write it again") from error
            self._left -= found.nbytes // (4 if found.dtype.kind == "U" else 1)  # numpy's letters have 4 bytes
            self.require(self._left >= 0, "its datasets are larger than the file")
            self._read[path] = found
        return self._read[path]

    def class_names(self, least):
        found = self.words("/class_name")
        self.require(least <= len(found) <= MOST_CLASSES, "it has no classes, or too many")
        return found

    def image(self):
        """(channels, height, width) of the training images; a 0 among them if the samples were none."""
        return tuple(self.whole(f"image_{name}") for name in ("channels", "height", "width"))
