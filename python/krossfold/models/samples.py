# SPDX-License-Identifier: BSD-3-Clause
"""What predict() is given, as blocks of features in single precision, in which the program keeps them.

No form copies all samples: a block of a contiguous float32 array is a view of it, all else is converted block by block.
"""

import warnings

import numpy as np

from .compressed_rows import CompressedRows
from .encoding import Encoding, listed, numbers_of, numeric, one_hot, word_of, words_of

NUMBERS = "biuf"  # numpy's letters of real numbers, ...
TEXT = "OSUT"  # ... and of text and objects
ARRAY = "give an array (sample, feature), a DataFrame or a sparse matrix"


class ArraySamples:
    """Samples of an array (sample, feature) or of images (sample, row, column) or (sample, channel, row, column)."""

    is_sparse = False

    def __init__(self, values, features, fill=None):
        self.values, self.features, self.fill = values, features, fill

    def __len__(self):
        return len(self.values)

    def block(self, first, last):
        """Samples first ... last - 1 (sample, feature). Throws ValueError for values that are missing, infinite or too large."""
        raw = numeric(self.values[first:last])
        return single(raw.reshape(len(raw), self.features), first, self.fill)


class TableSamples:
    """Samples of columns, each of which gives one feature or, if it holds text, one for each of its words."""

    is_sparse = False

    def __init__(self, columns, encoding):
        self.columns, self.encoding, self.features = columns, encoding, encoding.features

    def __len__(self):
        return len(self.columns[0]) if self.columns else 0

    def block(self, first, last):
        """As ArraySamples.block()."""
        last, fills = min(last, len(self)), self.encoding.fills
        found, at = np.empty((last - first, self.features), dtype=np.float32), 0
        for values, column in zip(self.columns, self.encoding.column):
            part = values[first:last]
            if column.category is not None:
                found[:, at : at + column.features] = one_hot(words_of(part, column, first, fills), column)
            else:
                fill = None if np.isnan(column.fill) else np.array([column.fill], dtype=np.float32)
                found[:, at : at + 1] = single(numbers_of(part, column, first)[:, None], first, fill, str(column))
            at += column.features
        return found


class SparseSamples:
    """Samples of a sparse matrix; the model takes blocks of them as they are (part()) or in dense form."""

    is_sparse = True

    def __init__(self, rows):
        self.rows, self.features = rows, rows.columns

    def __len__(self):
        return len(self.rows)

    def part(self, first, last):
        """Samples first ... last - 1 as compressed rows. Throws ValueError as block() does."""
        part = self.rows.part(first, last)
        for k in np.flatnonzero(~np.isfinite(part.value)):
            single(part.value[k : k + 1, None], first + part.row[k], None, f"column {part.column[k] + 1}")
        return part.with_value(single(part.value[:, None]).ravel())

    def block(self, first, last):
        """As ArraySamples.block()."""
        return self.part(first, last).dense()


def single(raw, first=0, fill=None, place=None):
    """Raw values in single precision: `raw` itself if it is so and contiguous, with what is missing filled in. first: the number of the first row.

    Throws ValueError for what is missing and has no fill, and for numbers that are infinite or above the range of single precision.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        found = np.ascontiguousarray(raw, dtype=np.float32)
    if np.isfinite(found).all():
        return found
    missing = np.isnan(found)
    if fill is not None:
        found = np.where(missing, fill, found)
        missing = np.isnan(found)
    if np.isfinite(found).all():
        return found
    row, column = np.argwhere(~np.isfinite(found))[0]
    where = f"X[{first + row}], {place or f'column {column + 1}'}"
    if missing[row, column]:
        raise ValueError(f"{where}: the value is missing (the model has nothing that takes its place) fill it in, or leave the sample out")
    raise ValueError(f"{where}: the value is infinite or too large (features are kept in single precision) give this feature in another unit")


def samples_of(x, features, image=None, encoding=None, classes=()):
    """The samples that `x` holds, for a model of so many features, of images (channels, height, width), of a table.

    Throws ValueError if they are in another form than an array, a table with columns or a sparse matrix, or of another size.
    """
    if hasattr(x, "tocsr"):
        if x.dtype.kind not in NUMBERS:
            raise ValueError(f"the samples are of the type {x.dtype} (a model takes real numbers) {ARRAY}")
        rows = CompressedRows.of(x)
        _check_features(rows.columns, features, image)
        return SparseSamples(rows)
    if isinstance(x, dict) or (hasattr(x, "columns") and hasattr(x, "__getitem__") and not isinstance(x, np.ndarray)):
        return _of_columns(x, encoding or Encoding.plain(features), classes)
    try:
        values = as_array(x)
    except ValueError as error:
        raise ValueError(f"the samples are no array ({error}) {ARRAY}") from None
    if values.ndim < 2 or values.dtype.kind not in NUMBERS + TEXT:
        what = f"have {('no dimension', 'one dimension')[values.ndim]}" if values.ndim < 2 else f"are of the type {values.dtype}"
        raise ValueError(f"the samples {what} (a model takes rows of numbers; pictures are for krossfold predict) {ARRAY}")
    if image is not None and _without_ones(values.shape) == _without_ones(image) and len(values) > 1:
        raise ValueError(f"the samples have the shape {values.shape} (it is that of a single image) give X[numpy.newaxis]")
    if values.ndim > 2:
        return _of_images(values, features, image, encoding and encoding.fill)
    if values.dtype.kind in TEXT:
        return _of_objects(values, features, encoding, classes)
    if values.shape[1] == features or encoding is None:
        _check_features(values.shape[1], features, image)
        return ArraySamples(values, features, encoding and encoding.fill)
    return _by_position(values, encoding, classes)


def _by_position(values, encoding, classes):
    """The columns of a table without names, in the order of the training table."""
    places = encoding.by_position(values.shape[1])
    if reading := encoding.without_label(values.shape[1]):
        warnings.warn(f"the columns of the samples were read as {reading}", stacklevel=4)
    if encoding.label_column > 0 and values.shape[1] == encoding.columns:
        _warn_of_labels(values[:, encoding.label_column - 1], encoding.label_column, classes)
    return TableSamples([values[:, place] for place in places], encoding)


def _warn_of_labels(values, number, classes):
    """Warns if the column that is left out, as the label of the training table, has labels and none is a class of the model."""
    words = {word_of(value) for value in listed(values[:10000])} - {""}
    known = {str(name) for name in classes}
    if words and not words & known and not {_number(word) for word in words} & {_number(name) for name in known} - {None}:
        warnings.warn(f"column {number} of the samples was left out, as it was the label of the training table, but none of its values is a class of "
                      "the model: are the columns in the order of that table?", stacklevel=4)  # fmt: skip


def _number(word):
    try:
        return float(word)
    except ValueError:
        return None


def _without_ones(shape):
    return tuple(n for n in shape if n != 1)


def _of_images(values, features, image, fill):
    """Images with their channels first or last; dimensions of one entry do not count. A model of a table takes its numbers as they lie."""
    own = _without_ones(values.shape[1:])
    numbers = values.dtype.kind in NUMBERS
    if numbers and image is None and int(np.prod(own)) == features:
        return ArraySamples(values, features, fill)
    if numbers and image is not None:
        channels, height, width = image
        if own in map(_without_ones, (image, (channels, height * width), (channels * height, width), (features,))):
            return ArraySamples(values, features, fill)
        if own in map(_without_ones, ((height, width, channels), (height * width, channels))):
            return ArraySamples(np.moveaxis(values.reshape(len(values), height, width, channels), -1, 1), features, fill)
    shape = (features,) if image is None else image if image[0] > 1 else image[1:]
    raise ValueError(f"the samples have the shape {values.shape} of {values.dtype} (the model takes numbers "
                     f"(sample, {', '.join(map(str, shape))})) give such samples")  # fmt: skip


def _of_objects(values, features, encoding, classes):
    """An array of text or objects: the columns of a table, or numbers that are no numbers for numpy."""
    return _by_position(values, encoding or Encoding.plain(features), classes)


def _of_columns(table, encoding, classes):
    """A DataFrame or a dictionary of columns, found by their names as in a table with a header."""
    keys = list(table) if isinstance(table, dict) else list(table.columns)
    texts = [key.decode(errors="replace") if isinstance(key, bytes) else key for key in keys]
    names = [" ".join(map(str, key)) if isinstance(key, tuple) else str(key).strip() for key in texts]
    if encoding.named and any(isinstance(key, (str, tuple)) for key in texts):
        places = encoding.by_name(names)
    else:
        places = encoding.by_position(len(keys))
        why = "the samples have no names" if encoding.named else "the model has no names"
        if reading := encoding.without_label(len(keys)):
            why += f": read as {reading}"
        warnings.warn(f"the columns of the samples were matched by position, because {why}", stacklevel=2)
        if encoding.label_column > 0 and len(keys) == encoding.columns:
            _warn_of_labels(as_array(table[keys[encoding.label_column - 1]]), encoding.label_column, classes)
    columns = [as_array(table[keys[place]]) for place in places]
    if any(column.ndim == 0 for column in columns):
        raise ValueError("the columns of the samples hold single values (each holds one value of each sample) give lists, of one value for one sample")
    if len({len(column) for column in columns}) > 1 or any(column.ndim != 1 for column in columns):
        raise ValueError("the columns of the samples differ in length, or two have the same name (each holds one value of each sample) change them")
    for column, values in zip(encoding.column, columns):
        if values.dtype.kind not in NUMBERS + TEXT:
            raise ValueError(f"{column} is of the type {values.dtype} (a model takes numbers and text) give it as it stands in the training table")
    return TableSamples(columns, encoding)


def as_array(x):
    """`x` as an array; masked values stay masked, also those of a list of masked arrays."""
    masked = isinstance(x, np.ma.MaskedArray) or (isinstance(x, (list, tuple)) and any(isinstance(part, np.ma.MaskedArray) for part in x))
    return np.ma.array(x, copy=False) if masked else np.asarray(x)


def _check_features(found, features, image):
    if found == features:
        return
    shape = f" ({image[2]}x{image[1]} pixels{'' if image[0] == 1 else f' in {image[0]} channels'})" if image else ""
    raise ValueError(f"the samples have {found} features (the model was trained on {features}{shape}) give data prepared like the training data")
