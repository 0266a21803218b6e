# SPDX-License-Identifier: BSD-3-Clause
"""Makes small files under the names that commands of the documentation read; for docs_run_test.py."""

import gzip
import struct

import h5py
import numpy

from krossfold_cli import digits, write_csv
from png_file import RGB, png

SMALL = ("--limit", "200", "--folds", "2")
NETWORKS = ("--bootstraps", "2", "--trials", "2", "--epochs", "2", "--channels", "1:4", "--hidden", "1:16", "--kernel", "2:3")


def large_digits():
    """The digits as images of 28x28 pixels, 0 to 255, and their labels."""
    pixels, labels = digits()
    images = numpy.kron(pixels.reshape(-1, 8, 8) * 255 // 16, numpy.ones((3, 3), int))
    return numpy.pad(images, ((0, 0), (2, 2), (2, 2))), labels


def write_mnist(folder, images, labels):
    """12,579 and 1,797 images in files of the four names."""
    folder.mkdir(parents=True)
    for part, copies in (("train", 7), ("t10k", 1)):
        count = copies * len(labels)
        pixels = numpy.concatenate([images] * copies).astype("u1").tobytes()
        (folder / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 0x803, count, 28, 28) + pixels)
        classes = numpy.concatenate([labels] * copies).astype("u1").tobytes()
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, count) + classes)


def write_tables(folder, images, labels, random):
    """train.csv, test.csv and new.csv have 784 pixels, as the models of MNIST do; the other tables have the columns that the pages name."""
    rows = numpy.column_stack([images.reshape(len(labels), -1), labels]).tolist()
    header = [f"pixel_{k}" for k in range(784)]
    write_csv(folder / "train.csv", [[*header, "y"], *rows[:300]])
    write_csv(folder / "test.csv", [[*header, "y"], *rows[300:400]])
    write_csv(folder / "new.csv", [header, *(row[:-1] for row in rows[400:410])])
    points = random.normal(size=(6000, 4)).round(3)
    kinds = (points[:, 0] > 0) + (points[:, 1] > 0).astype(int)
    table = [[*point, kind] for point, kind in zip(points.tolist(), kinds.tolist())]
    write_csv(folder / "large.csv", table)
    (folder / "table.csv.gz").write_bytes(gzip.compress("".join(",".join(map(str, row)) + "\n" for row in table[:200]).encode()))
    write_csv(folder / "survey.csv", [["income", "size", "stratum_weight", "answer"],
                                      *([*row[:2], 1 + abs(row[2]), "yes" if row[4] else "no"] for row in table[:200])])
    features = ["age", "dose", *(f"marker_{k}" for k in range(1, 8))]
    values = random.normal(size=(318, 9)).round(3).tolist()
    write_csv(folder / "patients.csv", [["id", "date", *features, "outcome", "patient"], *(
        [k, f"2024-05-{1 + k % 28:02}", *values[k], "yes" if k % 6 == 0 else "no", f"P{k // 3:03}"] for k in range(318))])
    names = ["".join(random.choice(list("abelmnorst"), size=5)) for _ in range(300)]
    for table in ("pets.csv", "seattlepets.csv"):
        write_csv(folder / table, [["licence", "animal_name"], *enumerate(names)])


def write_arrays(folder, random):
    x, y = random.normal(size=(120, 4)), random.integers(0, 2, 120)
    with h5py.File(folder / "cells.h5", "w") as file:
        for features, kinds in (("x", "y"), ("train/features", "train/kind")):
            file[features], file[kinds] = x, y
    with h5py.File(folder / "cells.nc", "w") as file:
        file["measure"] = numpy.column_stack([x, y])


def write_pictures(folder, images, labels, random):
    for place, each in (("flowers", 400), ("garden/train", 20), ("garden/test", 5)):
        for flower, colour in (("rose", (180, 0, 40)), ("tulip", (160, 160, 0))):
            (folder / place / flower).mkdir(parents=True)
            for k in range(each):
                rows = random.integers(0, 60, size=(12, 12, 1)) + numpy.array(colour)
                (folder / place / flower / f"{k:04}.png").write_bytes(png(rows, RGB))
    (folder / "scans").mkdir()
    for name, label in (("one.png", 1), ("three.png", 3), ("scans/a.png", 5), ("scans/b.png", 8)):
        (folder / name).write_bytes(png(images[labels.tolist().index(label)]))


def write_results(folder, succeed):
    """Result files that pages read and do not make. `succeed` runs krossfold in the folder."""
    search = ("svm", "--data", "digits", *SMALL, "--grid", "2x2")
    for name in ("results", "svm", "on_3_gpus"):
        succeed(*search, "-o", f"{name}.h5")
    succeed(*search, "-o", "on_8_gpus.h5", ranks=2)
    succeed("train", "cnn", "--data", "digits", "--limit", "200", "--epochs", "1", "--channels", "4", "--hidden", "8", "-o", "cnn.h5")
    succeed("bag", "--data", "digits", *SMALL, *NETWORKS, "-o", "bag.h5")
    succeed(*search, "--multiclass", "ovo", "-o", "pairs.h5")
    succeed("export", "pairs.h5", "-o", "svm.model")


def write_stand_ins(folder, succeed):
    """Everything, in `folder`, which is to be KROSSFOLD_DATA, too."""
    random = numpy.random.default_rng(1)
    images, labels = large_digits()
    write_mnist(folder / "mnist", images, labels)
    write_tables(folder, images, labels, random)
    write_arrays(folder, random)
    write_pictures(folder, images, labels, random)
    write_results(folder, succeed)
