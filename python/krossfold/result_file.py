# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of Krossfold, which may come from strangers: verified first, nothing followed out of them.

A file is a 512-byte user block {"KROSSFLD", version, length of the rest, CRC-64 of the rest} and the HDF5 file.
"""

import io
import json
import math
import struct

import h5py
import numpy as np

from .checksum import crc64

USER_BLOCK = 512
NEWEST_VERSION = 2
# Where files of version 1 have what lies elsewhere today.
OLD_PATHS = {"/C": "/search/C", "/gamma": "/search/gamma", "/fold": "/search/fold", "/bootstrap": "/search/bootstrap",
             "/trial": "/search/trial", "/best/C_value": "/best/C", "/best/gamma_value": "/best/gamma",
             "/out_of_fold/seconds": "/probability/seconds"}
STRINGS_AT_ONCE = 256  # of those that may have any length, which Krossfold does not write
SMALL = 2**20  # letters


class ResultFileError(Exception):
    """A message in the form PROBLEM (WHY) SUGGESTION."""


def user_block(rest):
    """The user block of a file whose other bytes are `rest`."""
    return struct.pack("<8sQQQ", b"KROSSFLD", NEWEST_VERSION, len(rest), crc64(rest)).ljust(USER_BLOCK, b"\0")


def read_verified(path, verify=True, study="svm"):
    """The bytes of a file of krossfold `study`, whose block has been checked. Throws ResultFileError."""
    try:
        with open(path, "rb") as stream:
            data = stream.read()
    except OSError as error:
        raise ResultFileError(f"cannot read {path} ({error.strerror}) give a result file of krossfold {study}") from error
    if data[:8] != b"KROSSFLD" or len(data) < USER_BLOCK:
        raise ResultFileError(f"{path} is not a result file of Krossfold (it does not begin with KROSSFLD)")
    _, version, length, crc = struct.unpack_from("<8sQQQ", data)
    if version > NEWEST_VERSION:
        raise ResultFileError(f"{path} has format version {version} (known: up to {NEWEST_VERSION}) update Krossfold")
    rest = memoryview(data)[USER_BLOCK:]
    if verify and (len(rest) != length or crc64(rest) != crc):
        raise ResultFileError(
            f"{path} is damaged (its length or CRC-64 differs from what was written) copy it again, or see what is "
            "left of it with --unverified (in Python: verify=False)"
        )
    return data


def as_hdf5(path, data):
    """The h5py.File of bytes that were read from `path`. Throws ResultFileError."""
    try:
        return h5py.File(io.BytesIO(data), "r")
    except OSError as error:
        raise ResultFileError(f"cannot read {path} (HDF5: {error}) copy it again") from error


def open_result(path, verify=True, study="svm"):
    """The h5py.File of a result file of krossfold `study`, read into memory. Throws ResultFileError."""
    return as_hdf5(path, read_verified(path, verify, study))


def find(file, name):
    """The dataset or group at a path, or at the path that it had in version 1. None if there is none, or only by a link."""
    for path in (name, OLD_PATHS.get(name)):
        place = file if path else None
        for part in (path or "").strip("/").split("/"):
            link = place.get(part, getlink=True) if isinstance(place, h5py.Group) and part else None
            place = place[part] if isinstance(link, h5py.HardLink) else place if not part else None
        if place is not None:
            return place
    return None


def has(file, name):
    """Whether there is a dataset `name`, which no link leads to."""
    return isinstance(find(file, name), h5py.Dataset)


def values(file, name, study="svm"):
    """The numbers of dataset `name`. Throws ResultFileError if it is missing, linked, not stored as a whole, or no numbers."""
    place = find(file, name)
    if place is None:
        raise ResultFileError(f"there is no dataset {name} in it - give a result file of krossfold {study}")
    if letter_of(place) not in "fiu" or not _is_stored(place):
        raise ResultFileError(f"its {name} is not as Krossfold writes it - give a result file of krossfold {study}")
    try:
        return place[()]
    except OSError as error:
        raise ResultFileError(f"its {name} cannot be read (HDF5: {error}) copy the file again") from error


def letter_of(place):
    """The kind of the values of a dataset, as numpy's letter; "-" for a group and for values that numpy does not know."""
    try:
        return place.dtype.kind if isinstance(place, h5py.Dataset) else "-"
    except TypeError:
        return "-"


def _is_stored(dataset):
    """Whether the file has all bytes of a dataset: a small one of a stranger cannot ask for much memory. Krossfold compresses nothing."""
    if dataset.is_virtual or dataset.external or dataset.size is None:
        return False
    size = dataset.file.id.get_filesize()
    chunk = math.prod(dataset.chunks or ()) * dataset.dtype.itemsize
    return chunk <= size and math.prod(dataset.shape) * dataset.dtype.itemsize <= dataset.id.get_storage_size() <= size


def strings(file, name, study="svm"):
    """The strings of dataset `name`, as an array of its shape. Throws ResultFileError if it is missing, not stored as a whole or holds no strings."""
    found = find(file, name)
    if letter_of(found) not in "SO" or not _is_stored(found):
        raise ResultFileError(f"there is no {name} in it - give a result file of krossfold {study}")
    try:
        raw = np.asarray(found[()] if found.dtype.kind == "S" else _of_any_length(found, name), dtype=object)
    except OSError as error:
        raise ResultFileError(f"its {name} cannot be read (HDF5: {error}) copy the file again") from error
    decoded = [word.decode(errors="replace") if isinstance(word, bytes) else str(word) for word in raw.ravel()]
    return np.array(decoded, dtype=str).reshape(raw.shape)


def _of_any_length(dataset, name):
    """The strings of a dataset whose elements refer to them; several may refer to one, so that a small file could ask for much memory."""
    if dataset.ndim == 0:
        return dataset[()]
    size, longest, total, parts = dataset.file.id.get_filesize(), 0, 0, []
    rows = max(1, STRINGS_AT_ONCE // max(1, math.prod(dataset.shape[1:])))
    for first in range(0, len(dataset), rows):
        parts.append(dataset[first : first + rows])
        lengths = [len(word) if isinstance(word, (bytes, str)) else size + 1 for word in parts[-1].ravel()]
        longest, total = max([longest, *lengths]), total + sum(lengths)
        if total > size or longest * dataset.size > max(size, SMALL):
            raise ResultFileError(f"its {name} is not as Krossfold writes it (its strings are longer than the file) write it again")
    return np.concatenate(parts) if parts else np.empty(dataset.shape, dtype=object)


def words(file, name, study="svm"):
    """The strings of a list. Throws ResultFileError if it is missing or no list of strings."""
    found = strings(file, name, study)
    if found.ndim != 1:
        raise ResultFileError(f"there is no {name} in it - give a result file of krossfold {study}")
    return found.tolist()


def attribute(place, name, otherwise=None):
    """The attribute `name` of a file or dataset as str or a number of Python; `otherwise` if it is missing, an array or of another type."""
    try:
        about = place.attrs.get_id(name)
        found = place.attrs[name] if about.shape == () and about.dtype.kind in "biufSO" else None
    except (KeyError, TypeError, ValueError, OSError, RuntimeError):
        return otherwise
    if isinstance(found, bytes):
        return found.decode(errors="replace")
    found = found.item() if isinstance(found, np.generic) else found
    return found if isinstance(found, (str, bool, int, float)) else otherwise


def text(file, name, otherwise=""):
    """The string attribute `name` of the file, which old files have as bytes."""
    return str(attribute(file, name, otherwise))


def data_name(data):
    """How plots name data: a SPEC or an attribute `data` without its form and its folders."""
    form, colon, rest = data.partition(":")
    if colon and form in ("csv", "hdf5", "idx", "images", "libsvm", "names", "npy", "npz", "png"):
        data = rest.split(",")[0]
        if form in ("hdf5", "npz"):
            data = data.rpartition(":")[0] or data
    file, array, path = data.partition(", array ")
    name = file.rstrip("/").rsplit("/", 1)[-1] or "unknown data"
    return name + array + path


def option_value(file, name, otherwise):
    """The value of an option of the study; `otherwise` in files that do not say."""
    option = json.loads(text(file, "config")).get(name, {}) if "config" in file.attrs else {}
    return option.get("value", otherwise)


def repeats(file):
    """How often the folds of a search were drawn anew."""
    return max(1, int(option_value(file, "repeats", 1)))
