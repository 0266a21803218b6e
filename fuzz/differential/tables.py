# SPDX-License-Identifier: BSD-3-Clause
"""Random tables of text and files of LIBSVM's format, read by pandas and by scikit-learn."""

import io
import math
import re

import numpy as np

from comparison import Refused, Samples

MISSING = ["", "NA", "nan", "NaN", "null", "NULL", "N/A", "n/a", "None", "#N/A", "?", "-nan", "NAN"]
MORE_MISSING = ["?", "NAN", "None"]  # what docs/data.md adds to the words of pandas; pandas itself has had None since 2.0


def number(random):
    """A number in one of the forms in which programs write them."""
    sign = random.choice(["", "-", "+"]) if random.random() < 0.5 else ""
    form = random.randrange(12)
    if form == 0:
        return sign + str(random.randrange(10 ** random.randrange(1, 19)))
    if form == 1:
        return sign + repr(random.random() * 10.0 ** random.randrange(-30, 30))
    if form == 2:
        return sign + f"{random.random():.{random.randrange(30)}f}"
    if form == 3:
        return sign + f"{random.randrange(10)}.{random.choice(['e', 'E'])}{random.choice(['', '+', '-'])}{random.randrange(30):02}"
    if form == 4:
        return sign + f".{random.randrange(1000)}"
    if form == 5:
        return sign + f"{random.randrange(1000)}."
    if form == 6:
        return sign + "0" * random.randrange(1, 5) + str(random.randrange(1000))
    if form == 7:  # halfway between two floats, or just beside
        return sign + str(16777217 + 2 * random.randrange(1000)) + random.choice(["", ".0", "." + "0" * 20 + "1"])
    if form == 8:
        return sign + f"{random.random():.17e}"
    if form == 9:
        return sign + random.choice(["0", "0.0", "0e0", "1e-30", "3.4028234e38", "0." + "0" * 20 + "1"])
    if form == 10:
        return sign + f"{random.random() * 10.0 ** random.randrange(-34, 38):.{random.randrange(1, 20)}g}"
    return sign + str(random.randrange(-5, 5)).lstrip("-")


def odd_number(random):
    """What readers disagree about, and ought to refuse: beyond float, not finite, of other bases or other countries."""
    return random.choice(["inf", "-inf", "Infinity", "1e39", "-1e400", "1e-400", "1e-42", "1e-46", "0x10", "1_000", "1,5", "1.234.567", "1e", "1d5", "1D+5",
                          "--1", "+-1", "1 2", "True", "false", "TRUE", "12:30", "50%", "1e5e5", "NAN", "infinity", "1f", "٣", "1\u00a0", "#1", "''", "1e+", "e5"])  # fmt: skip


def csv_text(random):
    """A table with a label last, and how it is written."""
    delimiter = random.choice([",", ";", "\t", " "])
    rows, columns = random.randrange(3, 40), random.randrange(1, 8)
    end = random.choice(["\n", "\r\n"])
    header = random.random() < 0.6
    words = random.sample(["yes", "no", "a b", "x,y", "d;e", 'in"ch', "two\nlines", "ümlaut", "7", "07", "8.0", "1E2"], random.randrange(2, 4))
    quoting = random.choice(["needed", "all", "some"])
    missing = 0.05 if random.random() < 0.4 and delimiter != " " else 0
    decimal = random.choice([".", ".", ","])
    above = random.choice([0, 0, 0, 1, 2])

    def written(field, blanks=True):
        needs = any(c in field for c in ' ;\t\n"') or ("," in field and delimiter == ",") or (delimiter == " " and not field)
        if needs or quoting == "all" or (quoting == "some" and random.random() < 0.3):
            return '"' + field.replace('"', '""') + '"'
        if blanks and field and delimiter in ",;" and random.random() < 0.05:
            return random.choice([" ", "  "]) + field
        return field

    lines = [random.choice(["of the lab", "a, b", "serial;7", "#"]) for _ in range(above)]
    if random.random() < 0.1:
        lines.append("# a comment, with; delimiters")
    if header:
        lines.append(delimiter.join(written(f"name_{k}" if random.random() < 0.8 else f"with {delimiter} in it {k}", False)
                                    for k in range(columns)) + delimiter + written("kind", False))  # fmt: skip
    for row in range(rows):
        odd = random.random() < 0.02
        fields = [random.choice(MISSING) if random.random() < missing else number(random).replace(".", decimal) for _ in range(columns)]
        if odd:
            fields[random.randrange(columns)] = odd_number(random)
        fields = [written(field) for field in fields] + [written(words[row % len(words)], False)]
        if delimiter == " " and random.random() < 0.1:
            lines.append("  ".join(fields))
        else:
            lines.append(delimiter.join(fields))
        if random.random() < 0.02:
            lines.append("")
    text = end.join(lines) + (end if random.random() < 0.9 else "")
    return (b"\xef\xbb\xbf" if random.random() < 0.15 else b"") + text.encode(), {"delimiter": delimiter, "header": header, "decimal": decimal, "above": above}


def changed(random, content, alphabet):
    """A few bytes replaced, taken out or put in."""
    content = bytearray(content)
    for _ in range(random.randrange(1, 4)):
        at, what = random.randrange(len(content)), random.randrange(4)
        if what == 0:
            content[at] = random.choice(alphabet)
        elif what == 1:
            content.insert(at, random.choice(alphabet))
        elif what == 2:
            del content[at]
        else:
            content[at:at] = content[at : at + random.randrange(1, 20)]
    return bytes(content)


def ends_in_quotes(line, delimiter, quoted):
    """Whether a quoted field goes on after this line; `quoted`: one goes on in it."""
    field = b"" if not quoted else b'"'
    for k in range(len(line)):
        byte = line[k : k + 1]
        if not quoted and byte == delimiter:
            field = b""
        elif byte == b'"' and (quoted or not field.strip(b" ")):
            quoted = not quoted
            field += byte
        elif byte == b'"' and field.endswith(b'"'):  # the second of two, which stand for one
            quoted = True
        else:
            field += byte
    return quoted


def read_by_pandas(content, delimiter, header, decimal, above):
    import pandas

    # As docs/data.md says, lines that start with # are comments, unless their first field is an error of a spreadsheet.
    def is_comment(line):
        line = line.removeprefix(b"\xef\xbb\xbf")
        return line.startswith(b"#") and re.split(rb"[,;|\t]", line)[0].strip() not in (b"#N/A", b"#NA", b"#N/A N/A")

    content = content.replace("\u00a0".encode(), b" ")  # a blank here, a letter for pandas
    lines, quoted = [], False
    for line in content.split(b"\n")[above:]:
        if not quoted and is_comment(line):
            continue
        lines.append(line)
        quoted = ends_in_quotes(line, delimiter.encode(), quoted)
    separated = {"sep": delimiter, "decimal": decimal}
    if delimiter == " ":
        separated = {"delim_whitespace": True, "decimal": decimal}
    try:
        # Where the header is one field shorter, pandas takes the first column for row names, as Krossfold does.
        frame = pandas.read_csv(io.BytesIO(b"\n".join(lines)), header=0 if header else None, na_values=MORE_MISSING,
                                float_precision="round_trip", skipinitialspace=True, encoding="utf-8-sig",
                                low_memory=False, **separated)  # fmt: skip
        labels = pandas.read_csv(io.BytesIO(b"\n".join(lines)), header=0 if header else None, dtype=str,
                                 skipinitialspace=True, encoding="utf-8-sig", keep_default_na=False, **separated)  # fmt: skip
    except (ValueError, UnicodeError, OverflowError) as problem:
        raise Refused(str(problem)) from problem
    # A sample without a label is left out, as docs/data.md says.
    labelled = [not gap and str(word).strip(" \t") not in MISSING for gap, word in zip(frame.iloc[:, -1].isna(), labels.iloc[:, -1])]
    frame, labels = frame[labelled], labels[labelled]
    x = frame.iloc[:, :-1]
    texts = [k for k, kind in enumerate(x.dtypes) if kind.kind not in "iuf"]
    missing = x.isna().to_numpy()
    words = {k: [None if missing[row, k] else str(word).strip(" \t") for row, word in enumerate(labels.iloc[:, k])] for k in texts}
    for k in texts:
        x.isetitem(k, np.nan)
    return Samples(x.to_numpy(np.float64), [str(word).strip(" \t") for word in labels.iloc[:, -1]], words)


def libsvm_text(random):
    """Samples in LIBSVM's format: comments, qid, several labels and indices out of order in some files."""
    first, features = random.randrange(2), random.randrange(1, 30)
    labels = random.choice([["1", "-1"], ["+1", "-1"], ["0", "1", "2"], ["1.0", "2.5"], ["1e0", "2"]])
    kind = random.choice(["plain"] * 6 + ["comments"] * 3 + ["qid", "several", "unordered", "odd", "twice"])
    end = random.choice(["\n", "\r\n"])
    lines = ["# a comment"] if kind == "comments" else []
    for row in range(random.randrange(3, 40)):
        indices = [k + first for k in range(features) if random.random() < 0.6]
        if kind == "unordered":
            random.shuffle(indices)
        if kind == "twice" and indices:
            indices.append(indices[-1])
        words = [f"{k}:{odd_number(random) if kind == 'odd' and random.random() < 0.02 else number(random)}" for k in indices]
        label = labels[row % len(labels)]
        if kind == "several" and random.random() < 0.3:
            label += "," + labels[0]
        if kind == "qid":
            words.insert(0, f"qid:{row // 3}")
        gap = random.choice([" ", "  ", "\t"]) if random.random() < 0.1 else " "
        line = gap.join([label, *words])
        if kind == "comments" and random.random() < 0.3:
            line += random.choice([" # a: comment", "#", " #3:4"])
        lines.append(line + (" " if random.random() < 0.1 else ""))
    return (end.join(lines) + end).encode()


def wide_libsvm_text(random):
    """So large and so empty that Krossfold keeps it sparse."""
    lines = []
    for row in range(100):
        indices = sorted(random.sample(range(1, 50_000), 20)) + [50_000]
        lines.append(" ".join([str(row % 2), *(f"{k}:{number(random)}" for k in indices)]))
    return ("\n".join(lines) + "\n").encode()


def read_by_sklearn(content):
    from sklearn.datasets import load_svmlight_file

    try:
        x, y = load_svmlight_file(io.BytesIO(content), dtype=np.float64)
    except (ValueError, OverflowError, IndexError) as problem:
        raise Refused(str(problem)) from problem
    return Samples(x.toarray(), [repr(value) if not math.isnan(value) else "nan" for value in y])
