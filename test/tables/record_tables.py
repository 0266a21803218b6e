#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes test/own_data: small tables as pandas, NumPy and scikit-learn write them, for the tests of the readers.

Recorded with pandas 3.1.1, NumPy 2.4.6 and scikit-learn 1.9.1. flowers.txt holds the values that all files of flowers must
give: a line per sample, four features and the number of the class. filled.txt holds pandas' means, medians and one-hot
columns of people.csv."""

import csv
import pathlib

import numpy as np
import pandas as pd
from sklearn.datasets import dump_svmlight_file, load_iris

folder = pathlib.Path(__file__).resolve().parent.parent / "own_data"
folder.mkdir(exist_ok=True)

iris = load_iris(as_frame=True)
rows = [0, 1, 2, 3, 4, 5, 50, 51, 52, 53, 54, 100, 101, 102, 103, 104, 105]
frame = iris.data.iloc[rows].reset_index(drop=True)
names = [iris.target_names[k] for k in iris.target.iloc[rows]]
frame["species"] = names
with open(folder / "flowers.txt", "w") as out:
    for row in frame.itertuples(index=False):
        print(*row[:4], list(iris.target_names).index(row[4]), file=out)


def write(name, table=frame, **options):
    table.to_csv(folder / name, **{"index": False, "lineterminator": "\n", **options})


write("flowers.csv")
write("flowers_index.csv", index=True)
write("flowers_no_header.csv", header=False)
write("flowers_semicolon.csv", sep=";")
write("flowers_decimal_comma.csv", sep=";", decimal=",")
write("flowers_tab.tsv", sep="\t")
write("flowers_blank.txt", sep=" ")
write("flowers_quoted.csv", quoting=csv.QUOTE_ALL)
write("flowers_bom.csv", encoding="utf-8-sig")
write("flowers_crlf.csv", lineterminator="\r\n")
write("flowers_utf16.csv", encoding="utf-16")
write("flowers_swapped.csv", frame[[*frame.columns[[2, 0, 3, 1]], "species"]])
write("flowers_label_first.csv", frame[["species", *frame.columns[:4]]])
numbered = frame.copy()
numbered.columns = range(5)
write("flowers_numeric_header.csv", numbered)
write("flowers_numeric_header_index.csv", numbered, index=True)
numbered[4] = [list(iris.target_names).index(name) for name in names]
write("flowers_all_numbers.csv", numbered)
named_label = numbered.rename(columns={4: "target"})
write("flowers_target.csv", named_label)
with open(folder / "flowers_excel.csv", "w", newline="") as out:
    out.write("sep=;\r\n")
    frame.to_csv(out, sep=";", index=False, lineterminator="\r\n")
with open(folder / "flowers_trailing.csv", "w") as out:
    out.write("".join(line + ",\n" for line in frame.to_csv(index=False).splitlines()))
np.savetxt(folder / "flowers_savetxt.txt", named_label.to_numpy(), header="a b c d target")

people = pd.DataFrame({
    "age": [31, 45, np.nan, 22, 60, 37, 51, np.nan],
    "colour": ["red", "green", "red", None, "blue", "green", "blue", "red"],
    "height": [1.71, 1.8, 1.65, 1.92, np.nan, 1.77, 1.6, 1.7],
    "visit": ["p1", "p1", "p2", "p2", "p3", "p3", "p4", "p4"],
    "trust": [1, 0.5, 1, 2, 1, 0.25, 1, 1],
    "ill": ["yes", "no", "no", "yes", "no", "no", "yes", "no"],
})
write("people.csv", people)
write("people_complete.csv", people.dropna())
with open(folder / "filled.txt", "w") as out:
    for fill in ("mean", "median"):
        filled = people[["age", "height"]].fillna(getattr(people[["age", "height"]], fill)())
        onehot = pd.get_dummies(people["colour"]).astype(float)
        table = pd.concat([filled["age"], onehot[["blue", "green", "red"]], filled["height"]], axis=1)
        for row in table.itertuples(index=False):
            print(*map(repr, map(float, row)), file=out)

rng = np.random.default_rng(18)
X = rng.normal(size=(120, 3)).round(4)
regression = pd.DataFrame(X, columns=["a", "b", "c"])
regression["target"] = (X @ [1, 2, 3]).round(3)
write("regression.csv", regression)
rare = pd.DataFrame(X, columns=["a", "b", "c"])
rare["positive"] = ([0] * 49 + [1]) * 2 + [0] * 20
write("rare.csv", rare)

# scikit-learn writes indices from 0 unless told otherwise; the first sample lacks feature 0.
sparse = np.array([[0, 0, 2.5], [1, 0, -3], [4, 5, 0], [0, 7, 0]])
labels = np.array([1, -1, 1, -1])
dump_svmlight_file(sparse, labels, str(folder / "zero_based.libsvm"))
dump_svmlight_file(sparse, labels, str(folder / "one_based.libsvm"), zero_based=False)
F = frame.iloc[:, :4].to_numpy()
y = np.array([list(iris.target_names).index(name) for name in names])
dump_svmlight_file(F, y, str(folder / "flowers_zero_based.libsvm"))
dump_svmlight_file(F, y, str(folder / "flowers_one_based.libsvm"), zero_based=False)
for dtype in ("<f8", ">f8", "<f4", ">f4"):
    np.save(folder / f"flowers_{'big' if dtype[0] == '>' else 'little'}_{dtype[1:]}.npy", F.astype(dtype))
np.save(folder / "flowers_fortran.npy", np.asfortranarray(F))
np.save(folder / "flowers_names.npy", np.array(names))
np.save(folder / "flowers_bytes.npy", np.array(names).astype("S"))
np.save(folder / "flowers_objects.npy", np.array(names, dtype=object))
np.save(folder / "flowers_numbers.npy", y)
for dtype in ("i1", "<i2", ">i2", "<i4", "u1", "<u2", "<u4", "<u8", "b1"):
    np.save(folder / f"tenths_{dtype.strip('<>')}{'_big' if dtype[0] == '>' else ''}.npy", (F * 10).round().astype(dtype))
with open(folder / "flowers_version2.npy", "wb") as out:
    np.lib.format.write_array(out, F, version=(2, 0))
with open(folder / "flowers_version3.npy", "wb") as out:
    np.lib.format.write_array(out, F, version=(3, 0))
np.savez(folder / "flowers.npz", X=F, y=np.array(names))
np.savez_compressed(folder / "flowers_deflated.npz", X=F, y=y)

# Tables whose names are numbers: spectra by wavelength (nm) and wavenumber (1/cm), times, years, ages, percentiles and dates, with the
# label first without a name (0), or last; columns of two levels; and a table with a numbered column that is not the first.
n = 40
kind = rng.integers(0, 2, n)


def named_by_numbers(name, names, values, first=True):
    table = pd.DataFrame(values, columns=names)
    label = pd.Series(kind, name=None if first else "kind")
    write(name, pd.concat([label, table] if first else [table, label], axis=1), header=True)


def curves(columns, scale=1.0):
    at = np.linspace(0, 1, columns)
    return (scale * (np.sin(6 * at + rng.normal(size=(n, 1))) + .1 * rng.normal(size=(n, columns)) + kind[:, None] * at)).round(4)


named_by_numbers("header_nm.csv", np.linspace(400.5, 490.5, 10), curves(10))
named_by_numbers("header_wavenumbers.csv", np.linspace(1800.25, 600.75, 9).round(2), curves(9))
named_by_numbers("header_times.csv", np.arange(6) * .5, curves(6))
named_by_numbers("header_years.csv", [2010, 2012, 2013, 2015, 2016], curves(5))
named_by_numbers("header_ages.csv", [18, 25, 35, 45, 65], (100 * curves(5)).round())
named_by_numbers("header_percentiles.csv", [5, 25, 50, 75, 95], np.sort(curves(5), axis=1))
named_by_numbers("header_dates.csv", [20240105, 20240112, 20240119, 20240126], curves(4))
named_by_numbers("header_tens.csv", [10, 20], curves(2))
levels = pd.MultiIndex.from_product([["eeg", "emg"], [0, 1, 2]])
pivot = pd.DataFrame(curves(6), columns=levels)
pivot["kind", 0] = kind
write("two_levels.csv", pivot)
write("two_levels_index.csv", pivot, index=True)
units = pd.DataFrame(curves(2).astype(str), columns=["length", "mass"])
units["kind"] = kind.astype(str)
write("units.csv", pd.concat([pd.DataFrame([["mm", "kg", "-"]], columns=units.columns), units]))
numbered = pd.DataFrame(curves(3), columns=["u", "v", "w"])
numbered["sample_no"] = np.arange(1, n + 1)
numbered["kind"] = np.repeat(["a", "b", "c", "d"], 10)
write("numbered.csv", numbered)
label_first = iris.frame.iloc[::5, [4, 0, 1, 2, 3]]
write("label_first.csv", label_first)
with open(folder / "visits.csv", "w") as out:
    out.write("x,visit,kind\n" + "".join(f"{i}.5,{i // 4}{'.0' if i % 2 else ''},{'ab'[i // 4 % 2]}\n" for i in range(32)))
dump_svmlight_file(np.c_[X, np.ones(len(X))], regression["target"], str(folder / "regression.libsvm"), zero_based=False)
