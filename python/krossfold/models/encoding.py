# SPDX-License-Identifier: BSD-3-Clause
"""How the columns of a table become features: what a model remembers of the table that it was trained on (/column of a model file)."""

import re
import warnings
from dataclasses import dataclass, field

import numpy as np

# What stands for a missing value in a table of text (src/tables/table_fields.cpp), beside the errors of spreadsheets in any language.
MISSING = {"", "?", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None",
           "n/a", "nan", "null", "NAN"}  # fmt: skip
WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]{0,14})")  # a whole number, and no code such as 007 (src/tables/encode_table.cpp)
ERROR = re.compile(rb"#NV|#N/.|#[^a-z #]*[!?]", re.DOTALL)  # #DIV/0!, #WERT!, #VALEUR!, #NOME?, #N/D, #NV
REPLACED = "\ufffd"  # stands for bytes that are no UTF-8, whose order is not known here
NOTHING = (None, np.ma.masked)


@dataclass
class Column:
    """A column of the training table. category: None for numbers, otherwise its words, each of which is a feature; fill: what takes the place
    of a missing number, NaN for nothing."""

    number: int
    name: str = ""
    category: list = None
    fill: float = np.nan

    def __str__(self):
        return f"column {self.number} ({self.name})" if self.name else f"column {self.number}"

    @property
    def features(self):
        return 1 if self.category is None else len(self.category)


@dataclass
class Encoding:
    """The columns in the order of their features. columns: those of the training table; label_column: from 1, 0 or -1 if the table has none."""

    columns: int
    label_column: int = 0
    named: bool = False
    column: list = field(default_factory=list)

    @classmethod
    def read(cls, model, features):
        """That of a model file for so many features; None if the model was not trained on a table."""
        if "/column/number" not in model:
            return None
        numbers, counts = (model.numbers(f"/column/{part}", "i").tolist() for part in ("number", "categories"))
        fills, named, label = model.numbers("/column/fill").tolist(), "/column/name" in model, model.number("label_column")
        names = model.words("/column/name") if named else [""] * len(numbers)
        words = model.words("/column/category") if "/column/category" in model else []
        columns = model.whole("table_columns")
        model.require(len(numbers) == len(counts) == len(fills) == len(names), "the descriptions of its columns are of different lengths")
        model.require(sum(max(count, 0) for count in counts) == len(words), "its columns have more or fewer categories than there are")
        model.require(all(1 <= number <= columns for number in numbers) and not np.isinf(fills).any(), "a column is out of range")
        model.require(sum(1 if count < 0 else count for count in counts) == features, "its columns do not give the features")
        model.require(-1 <= label <= columns and label == int(label), "its label column is out of range")
        encoding, used = cls(columns, int(label), named), 0
        for number, name, count, fill in zip(numbers, names, counts, fills):
            category = None if count < 0 else words[used : used + count]
            used += max(count, 0)
            ascending = category is None or REPLACED in "".join(category) or category == sorted(category)
            model.require(ascending, "its categories are not in order")
            encoding.column.append(Column(number, name, category, fill))
        return encoding

    @classmethod
    def plain(cls, features):
        """That of a table without names and labels whose columns are the features in their order."""
        return cls(features, column=[Column(number + 1) for number in range(features)])

    @property
    def features(self):
        return sum(column.features for column in self.column)

    @property
    def fills(self):
        """Whether the training table was one whose missing values are filled in: then a word may be missing, too."""
        return any(not np.isnan(column.fill) for column in self.column)

    @property
    def fill(self):
        """What takes the place of a missing value (feature), NaN where nothing does."""
        return np.repeat(np.array([column.fill for column in self.column], dtype=np.float32), [column.features for column in self.column])

    def feature_names(self):
        """How messages name each feature; "" for one of a column of text."""
        return [name for column in self.column for name in ([str(column)] if column.category is None else [""] * column.features)]

    def by_name(self, names):
        """The place of each column among `names`. Throws ValueError for names that are missing or occur twice."""
        missing = [column.name or str(column) for column in self.column if column.name not in names]
        if missing:
            raise ValueError(f"the samples lack columns of the model: {', '.join(missing[:8])} (they have {', '.join(names[:8])}) give data of the "
                             "kind used for training")  # fmt: skip
        own = [column.name for column in self.column]
        for name in own:
            if names.count(name) > 1 or own.count(name) > 1:
                raise ValueError(f"the name '{name}' does not tell which column is meant (two columns have it, here or in the training data) give "
                                 "each column a name of its own, or the columns of the training data as an array")  # fmt: skip
        return [names.index(name) for name in own]

    def by_position(self, count):
        """The place of each column among `count` columns: those of the training table, with or without its label, or only those that features are
        made of. Throws ValueError for other counts, and for one that may mean two of these."""
        own, labelled = len(self.column), self.label_column > 0
        if count == self.columns:
            return [column.number - 1 for column in self.column]
        if labelled and count == self.columns - 1:
            if count == own + 1:
                raise ValueError(f"the samples have {count} columns, which can be read in two ways (the model learnt from a table of {self.columns}, "
                                 "of which one is its label and one has no use; here one of the two is missing) leave both out")  # fmt: skip
            return [column.number - 1 - (column.number > self.label_column) for column in self.column]
        if count == own:
            return list(range(own))
        raise ValueError(f"the samples have {count} columns (the model learnt {own} from a table of {self.columns}"
                         f"{', its label included' if labelled else ''}) give data of the kind used for training")  # fmt: skip

    def without_label(self, count):
        """What so many columns without names are read as where that is the table without its label, and some have no use: another column may be
        missing. "" for other counts."""
        if self.label_column < 1 or count != self.columns - 1 or count <= len(self.column):
            return ""
        use = ["(ignored)"] * count
        for place, column in zip(self.by_position(count), self.column):
            use[place] = column.name or str(column)
        listed = ", ".join(use[:24]) + (f", ... ({count} in all)" if count > 24 else "")
        return f"the training table without its label: {listed}; if another column is missing, give the features alone, or a table with names"


def trimmed(word):
    return word.strip().strip("\ufeff").strip()


def is_missing(word):
    """Whether a field of a table stands for a missing value (src/tables/table_fields.cpp)."""
    if word in MISSING:
        return True
    if not word.startswith("#"):
        return False
    field = word.encode(errors="surrogatepass")
    return 3 <= len(field) <= 24 and ERROR.fullmatch(field) is not None


def word_of(value):
    """A value as the field of a table would have it; "" if it is missing."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        word = trimmed(value)
        return "" if is_missing(word) else word
    word = "" if any(value is one for one in NOTHING) else trimmed(str(value))
    return "" if word == "NaT" or is_missing(word) else word  # pandas' time that is none


def listed(values):
    """The values of a column; None where one is masked."""
    found = np.ma.getdata(values).tolist()
    if isinstance(values, np.ma.MaskedArray):
        found = [None if masked else value for value, masked in zip(found, np.ma.getmaskarray(values).tolist())]
    return found


def numeric(values):
    """Values of a numeric type, NaN where one is masked: `values` itself if none can be."""
    return values.astype(float).filled(np.nan) if isinstance(values, np.ma.MaskedArray) else values


def words_of(values, column, first=0, fills=True):
    """The words of a text column, "" where one is missing; `first` is the row of the first, `fills` that of the encoding.

    A whole number of floating point is the word without decimals, if the training part has that: pandas makes numbers of a column that lacks one.
    True and False are the only word of the training part that spells them, in capitals or not: pandas makes truth values of "true" and "TRUE".
    Throws ValueError for other such numbers, whose spelling in the training table is unknown, and for missing words if nothing is filled in.
    """
    words, known = [], set(column.category)
    spelt = {word: [one for one in column.category if one.lower() == word] for word in ("true", "false")}
    for row, value in enumerate(listed(values)):
        if isinstance(value, (float, np.floating)) and value == value:
            if float(value).is_integer() and str(int(value)) in known:
                words.append(str(int(value)))
                continue
            raise ValueError(f"{column} has the number {value} (the model learnt words there) give it as text, as it stands in the table")
        same = spelt[str(value).lower()] if isinstance(value, (bool, np.bool_)) else ()
        words.append(same[0] if len(same) == 1 else word_of(value))
        if not words[-1] and not fills:
            raise ValueError(f"X[{first + row}], {column}: the value is missing (the model has nothing that takes its place) fill it in, or leave "
                             "the sample out")  # fmt: skip
    return words


def numbers_of(values, column, first):
    """The numbers of a column, NaN where one is missing; `first` is the row of the first. Throws ValueError for text."""
    if values.dtype.kind in "biuf":
        return numeric(values).astype(float)
    numbers = np.empty(len(values))
    for row, value in enumerate(listed(values)):
        word = word_of(value)
        try:
            numbers[row] = float(word) if word else np.nan
            plain = word.isascii() and "_" not in word and not (word and np.isnan(numbers[row]))  # what Python alone takes for a number
        except ValueError:
            plain = False
        if not plain:
            raise ValueError(f"X[{first + row}], {column}: '{word}' is not a number (the model learnt numbers there) give data of the kind used for "
                             "training")  # fmt: skip
    return numbers


def other_spelling(word):
    """The other spelling of a whole number: 1.0, as pandas writes it once a value is missing, for 1, and the reverse; "" for other words."""
    whole = word[:-2] if word.endswith(".0") else word
    if not WHOLE.fullmatch(whole):
        return ""
    return whole if whole != word else word + ".0"


def one_hot(words, column):
    """(row, category), all 0 where the word is missing or unknown, of which a warning tells."""
    place = {word: k for k, word in enumerate(column.category)}
    others = {word: other_spelling(word) for word in set(words) - set(place)}
    place |= {word: place[other] for word, other in others.items() if other in place and other}
    code = np.array([place.get(word, -1) for word in words], dtype=int)
    unknown = next((word for word in words if word and word not in place), None)
    if unknown is not None:
        warnings.warn(f"{column} has values that the training part does not have (such as '{unknown}'); none of its categories is set there",
                      stacklevel=2)  # fmt: skip
    found = np.zeros((len(words), column.features), dtype=np.float32)
    found[np.flatnonzero(code >= 0), code[code >= 0]] = 1
    return found
