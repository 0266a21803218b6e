#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves the structure of the code from its text: check_layers.py [ROOT]

Which layer may include which, which headers of other libraries stay in which layer, that only `parallel` uses MPI's
functions and types, how public headers begin, and how long a file may be. Prints one line for each problem; exit code 1 if there is any.
"""

import pathlib
import re
import sys

from tree_check import run

# Each layer and the layers it may include besides itself: the arrows of the design.
LAYERS = {
    "core": (),
    "data": ("core",),
    "kernels": ("core",),
    "svm": ("core", "data", "kernels"),
    "nn": ("core", "data", "kernels"),
    "ensemble": ("core", "kernels"),
    "parallel": ("core", "data"),
    "storage": ("core", "data"),
    "report": ("core", "storage"),
    "model": ("core", "data", "kernels", "svm", "nn", "ensemble", "storage"),
    "planning": ("core", "parallel", "report"),
    "run": ("core", "data", "parallel", "storage", "report", "model", "planning"),
    "training": ("core", "data", "kernels", "nn", "parallel", "model", "run"),
}
BELOW_STUDIES = tuple(LAYERS)
ROOMS = pathlib.Path(__file__).resolve().parents[2] / "src" / "studies"
KINDS = tuple(f"studies/{room.name}" for room in sorted(ROOMS.iterdir()) if room.is_dir())
for kind in KINDS:
    LAYERS[kind] = BELOW_STUDIES  # never one another
LAYERS["studies"] = BELOW_STUDIES + KINDS
LAYERS["cli"] = ("core", "data", "parallel", "storage", "run", "model", "planning", "report", "studies") + KINDS

# How the names of headers of other libraries begin, and the only folders in which they may be included.
CONFINED = {
    "mpi.h": ("include/krossfold/parallel", "src/parallel"),
    "hdf5": ("include/krossfold/storage", "src/storage"),
    "H5": ("include/krossfold/storage", "src/storage"),
    "KokkosBlas": ("src/kernels",),
    "KokkosLapack": ("src/kernels",),
    "CLI/": ("src/cli",),
    "png": ("src/data",),
}

# Functions and types of MPI (its constants are all capitals), and the only folders of CXX_FOLDERS that may name them.
MPI_NAME = re.compile(r"\bP?MPI_[A-Z][a-z]\w*")
MPI_FOLDERS = ("include/krossfold/parallel", "src/parallel", "test/mpi")
CXX_FOLDERS = ("include", "src", "test", "bench")

LONGEST_FILE = 400  # lines
SOURCE_FOLDERS = ("include", "src", "test", "bench", "tools")
SOURCE_SUFFIXES = (".hpp", ".cpp", ".in", ".py", ".cmake", ".txt", ".sh", "")
CXX_SUFFIXES = (".hpp", ".cpp")
LICENCE = "// SPDX-License-Identifier: BSD-3-Clause"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def includes(path):
    """Yields (line number, name) of every include line."""
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start(1)) + 1, match.group(1)


def layer_of(parts):
    """The layer that a path below include/krossfold or src belongs to."""
    return "/".join(parts[:2]) if "/".join(parts[:2]) in LAYERS else parts[0]


def included_layer(root, path, name):
    """The layer that an include line reaches into; None for headers of other libraries and of the same folder."""
    parts = pathlib.PurePosixPath(name).parts
    if parts[0] == "krossfold":
        return layer_of(parts[1:]) if len(parts) > 2 else name
    if parts[0] in LAYERS and len(parts) > 1:
        return layer_of(parts)
    reached = (path.parent / name).resolve()
    for tree in (root / "include" / "krossfold", root / "src"):
        if reached.is_relative_to(tree):
            return layer_of(reached.relative_to(tree).parts)
    return None


def check_arrows(root, layer, path):
    for line, name in includes(path):
        where = f"{path.relative_to(root)}:{line}: {layer} includes {name}"
        other = included_layer(root, path, name)
        if other is not None and other != layer and other not in LAYERS[layer]:
            allowed = ", ".join(LAYERS[layer]) or "nothing"
            yield f"{where} (it may include {allowed}) move the code to a layer that may"
        for start, folders in CONFINED.items():
            if name.startswith(start) and not any(path.is_relative_to(root / folder) for folder in folders):
                yield f"{where} (allowed in {', '.join(folders)} only) use the functions of that layer"


def check_layers(root):
    for tree in (root / "include" / "krossfold", root / "src"):
        for path in sorted(tree.rglob("*")):
            if path.suffix not in CXX_SUFFIXES:
                continue
            layer = layer_of(path.relative_to(tree).parts)
            if layer in LAYERS:
                yield from check_arrows(root, layer, path)
            else:
                yield f"{path.relative_to(root)}: belongs to no layer (they are {', '.join(LAYERS)}) move it into one"


def check_mpi(root):
    for path in (path for folder in CXX_FOLDERS for path in sorted((root / folder).rglob("*"))):
        if path.suffix not in CXX_SUFFIXES or any(path.is_relative_to(root / folder) for folder in MPI_FOLDERS):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if found := MPI_NAME.search(line.split("//")[0]):
                where = f"{path.relative_to(root)}:{number}: uses {found[0]}"
                yield f"{where} (allowed in {', '.join(MPI_FOLDERS)} only) use the functions of that layer"


def check_headers(root):
    for path in sorted((root / "include").rglob("*.hpp")):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        if lines[:2] != [LICENCE, "#pragma once"]:
            yield f"{path.relative_to(root)}: does not begin as headers do - first '{LICENCE}', then '#pragma once'"


def check_lengths(root):
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCE_SUFFIXES or not path.is_file():
                continue
            lines = path.read_bytes().count(b"\n")
            if lines > LONGEST_FILE:
                yield f"{path.relative_to(root)}: {lines} lines (at most {LONGEST_FILE}) split it by what it does"


def problems(root):
    """Every problem of the tree at `root`, one line each."""
    root = pathlib.Path(root).resolve()
    for check in (check_layers, check_mpi, check_headers, check_lengths):
        yield from check(root)


if __name__ == "__main__":
    sys.exit(run(problems, sys.argv[1:]))
