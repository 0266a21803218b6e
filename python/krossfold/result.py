# SPDX-License-Identifier: BSD-3-Clause
"""What the result files of all kinds of studies have in common."""

import json

import h5py
import numpy as np

from . import result_file, tables
from .result_file import ResultFileError

PROVENANCE = ("krossfold_version", "git_commit", "schema_version", "compiler", "kokkos", "mpi", "hdf5", "blas", "cpu", "build", "command_line",
              "fingerprint", "data", "data_digest", "seed", "formation", "schedule", "devices", "hosts", "ranks", "run_id",
              "started", "finished", "seconds", "setup_seconds", "utilisation")  # fmt: skip


class Result:
    """A result file of Krossfold in memory.

    result["/fold_error"]: any dataset, numbers as a numpy array, text as an array of str; paths as in docs/file-format.md, also of files of
    version 1, which had some datasets elsewhere.
    """

    def __init__(self, path, data):
        self.path, self._data, self._model = path, data, None
        self._file = result_file.as_hdf5(path, data)

    def __reduce__(self):
        return type(self), (self.path, self._data), {"_model": self._model}

    def __repr__(self):
        return f"<{type(self).__name__} {self.path}: krossfold {self.kind}, {self.status}>"

    @property
    def kind(self):
        """The kind of the study: svm, bag, train, names, or the name of a kind of one's own."""
        return result_file.text(self._file, "kind")

    @property
    def status(self):
        """running (at work, or killed), stopped, finished or diverged."""
        return result_file.text(self._file, "status", "unknown")

    @property
    def attributes(self):
        """Every attribute of the file: {name: str or number}; arrays, which Krossfold does not write, are left out."""
        found, left = {}, self.size
        for name in self._file.attrs:
            value = result_file.attribute(self._file, name)
            left -= len(value) if isinstance(value, str) else 0
            if left < 0:
                raise ResultFileError(f"{self.path} is damaged (its attributes are longer than the file) write it again")
            if value is not None:
                found[name] = value
        return found

    @property
    def odd_attributes(self):
        """The names of those attributes that are neither text nor a number."""
        return set(self._file.attrs) - set(self.attributes)

    @property
    def size(self):
        """The bytes of the file."""
        return len(self._data)

    @property
    def provenance(self):
        """What the result came from: program, libraries, machine, data, command line and times."""
        attributes = self.attributes
        return {name: attributes[name] for name in PROVENANCE if name in attributes}

    @property
    def config(self):
        """The value of every option of the command, as text: {"folds": "5", ...}."""
        return {name: option["value"] for name, option in self._options().items()}

    @property
    def given(self):
        """The options that differ from their defaults."""
        return {name: option["value"] for name, option in self._options().items() if not option["default"]}

    @property
    def warnings(self):
        """What the program found odd in the data."""
        return result_file.text(self._file, "data_warnings").splitlines()

    @property
    def features(self):
        """Scale, columns and names of the features; {} in files that do not say."""
        return self._json("features")

    @property
    def classes(self):
        """The names of the classes, in the order of class indices."""
        return self["/class_name"].tolist()

    def datasets(self, group="/"):
        """The paths of the datasets of a group and of those below it, in alphabetical order."""
        start = result_file.find(self._file, group)
        if not isinstance(start, h5py.Group):
            raise ResultFileError(f"{self.path} has no group {group} - its datasets are {', '.join(self.datasets())}")
        return sorted(_below(start, "/" + group.strip("/") + ("/" if group.strip("/") else ""), set()))

    def __contains__(self, path):
        return result_file.has(self._file, _absolute(path))

    def __getitem__(self, path):
        dataset = self._dataset(path)
        read = result_file.values if result_file.letter_of(dataset) in "fiu" else result_file.strings
        found = read(self._file, _absolute(path), self.kind)
        return found if np.ndim(found) else found[()]

    def get(self, path, otherwise=None):
        """A dataset, or `otherwise` where a step has not taken place."""
        return self[path] if path in self else otherwise

    def group(self, path):
        """The datasets of a group, those below it not: {name: array}."""
        prefix = "/" + path.strip("/")
        return {name.rsplit("/", 1)[1]: self[name] for name in self.datasets(path) if name.rsplit("/", 1)[0] == prefix}

    def axes(self, path):
        """The names of a dataset's dimensions, the slowest first: ("gamma", "C", "fold")."""
        dataset = self._dataset(path)
        named = [[str(name) for name in dimension.keys()] for dimension in dataset.dims]
        if dataset.ndim == 1 and not named[0] and h5py.h5ds.is_scale(dataset.id):
            named[0] = [_absolute(path).rsplit("/", 1)[1]]
        return tuple(names[0] if names else f"dim_{k}" for k, names in enumerate(named))

    def units(self, path):
        """The units of a dataset; "1" is a number without dimension."""
        return result_file.text(self._dataset(path), "units", "1")

    def meaning(self, path):
        """What a dataset holds, in words."""
        return result_file.text(self._dataset(path), "long_name")

    def coordinate(self, path, axis):
        """The values along an axis of a dataset, from the dataset of that name in its group or above; None if there is none."""
        place = _absolute(path).rsplit("/", 1)[0]
        while True:
            if f"{place}/{axis}" in self:
                return self[f"{place}/{axis}"]
            if not place:
                return None
            place = place.rsplit("/", 1)[0]

    def model(self):
        """What the study trained, or the model of a model file, evaluated with numpy: an SvmModel, Networks or a CharacterModel of krossfold.models.

        Models lie in the folder NAME.ID.models beside the result file, whose checksums of them are verified; of several trainings the
        model is that of the best. They are read once: what a search of krossfold.sklearn without an output deletes is kept here, and pickled.
        Throws ResultFileError if there is none.
        """
        from .models import model_of

        if self._model is None:
            self._model = model_of(self)
        return self._model

    def to_pandas(self, *paths):
        """A pandas.DataFrame with a column for each dataset and a row for each combination of their axes, which all have in common.

        Columns have the last names of the paths, or the whole paths where two of these are equal. Throws ValueError for datasets whose axes, or
        the values along these, differ.
        """
        return tables.to_pandas(self, [_absolute(path) for path in paths])

    def to_xarray(self, group="/"):
        """An xarray.Dataset of the datasets of a group, with their axes as coordinates, units and meanings."""
        return tables.to_xarray(self, group)

    def _dataset(self, path):
        found = result_file.find(self._file, _absolute(path))
        if not isinstance(found, h5py.Dataset):
            why = {"finished": "the study had no such step", "diverged": "its trainings diverged"}.get(self.status, "it is unfinished")
            raise ResultFileError(f"{self.path} has no dataset {path} ({why}) see its datasets()")
        return found

    def _json(self, name):
        try:
            found = json.loads(result_file.text(self._file, name, "{}"))
        except ValueError as error:
            raise ResultFileError(f"the attribute {name} of {self.path} is not JSON ({error}) was it written by krossfold?") from error
        return found if isinstance(found, dict) else {}

    def _options(self):
        return {name: option for name, option in self._json("config").items() if isinstance(option, dict) and {"value", "default"} <= set(option)}


def _absolute(path):
    return "/" + path.strip("/")


def _below(group, prefix, seen):
    """Each dataset once, under the first of its names: several links to a group would multiply what is below it."""
    seen.add(group)
    for name in group:
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            continue
        place = group[name]
        if place in seen:
            continue
        seen.add(place)
        if isinstance(place, h5py.Group):
            yield from _below(place, f"{prefix}{name}/", seen)
        elif isinstance(place, h5py.Dataset):
            yield prefix + name
