#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves the structure of the code from its text: check_layers.py [ROOT]

Which layer may include which, which headers of other libraries stay in which layer, that only `parallel` uses MPI's
functions and types, that sources for the host compiler alone reach no header of Kokkos, how public headers begin, and how
long a file may be. Prints one line for each problem; exit code 1 if there is any.
"""

import pathlib
import re
import sys

from tree_check import run

# Each layer and the layers it may include besides itself: the arrows of the design.
LAYERS = {
    "core": (),
    "data": ("core",),
    "measures": ("core",),
    "tables": ("core", "data"),
    "input": ("core", "data", "tables", "storage"),
    "kernels": ("core",),
    "svm": ("core", "data", "kernels"),
    "nn": ("core", "data", "kernels"),
    "ensemble": ("core", "kernels"),
    "parallel": ("core", "data"),
    "storage": ("core", "data"),
    "report": ("core", "storage"),
    "model": ("core", "data", "input", "kernels", "svm", "nn", "ensemble", "storage"),
    "interchange": ("core", "data", "tables", "input", "svm", "nn", "storage", "model"),
    "planning": ("core", "parallel", "report"),
    "doctor": ("core", "parallel", "storage", "report"),
    "run": ("core", "data", "measures", "tables", "input", "parallel", "storage", "report", "model", "planning"),
    "training": ("core", "data", "measures", "tables", "input", "kernels", "nn", "parallel", "model", "run"),
}
BELOW_STUDIES = tuple(LAYERS)
ROOMS = pathlib.Path(__file__).resolve().parents[2] / "src" / "studies"
KINDS = tuple(f"studies/{room.name}" for room in sorted(ROOMS.iterdir()) if room.is_dir())
for kind in KINDS:
    LAYERS[kind] = BELOW_STUDIES  # never one another
LAYERS["studies"] = BELOW_STUDIES + KINDS
LAYERS["cli"] = ("core", "data", "tables", "input", "parallel", "storage", "run", "model", "interchange", "planning", "report", "doctor")
PROGRAM = pathlib.PurePosixPath("src/cli/main.cpp")  # not part of the layer: hands it the registry of studies
LAYERS["launcher"] = ()  # a program of its own, which starts the other

# How the names of headers of other libraries begin, and the only folders in which they may be included.
CONFINED = {
    "mpi.h": ("include/krossfold/parallel", "src/parallel"),
    "hdf5": ("include/krossfold/storage", "src/storage"),
    "H5": ("include/krossfold/storage", "src/storage"),
    "KokkosBlas": ("src/kernels",),
    "KokkosLapack": ("src/kernels",),
    "CLI/": ("src/cli",),
    "png": ("src/input",),
}

# Functions and types of MPI (its constants are all capitals), and the only folders of CXX_FOLDERS that may name them.
MPI_NAME = re.compile(r"\bP?MPI_[A-Z][a-z]\w*")
MPI_FOLDERS = ("include/krossfold/parallel", "src/parallel", "test/mpi")
CXX_FOLDERS = ("include", "src", "test", "bench")

# The sources in a CMakeLists.txt that the host compiler alone compiles, because nvcc must not see their other libraries.
HOST_ONLY = re.compile(r"(?:\bJSON\s+|\bkrossfold_host_only\(\s*)((?:[\w/.]+\.cpp\s*)+)")

LONGEST_FILE = 400  # lines
SOURCE_FOLDERS = ("include", "src", "test", "bench", "tools", "python")
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
        allowed = LAYERS[layer] + (("studies",) if path == root / PROGRAM else ())
        if other is not None and other != layer and other not in allowed:
            yield f"{where} (it may include {', '.join(allowed) or 'nothing'}) move the code to a layer that may"
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


def included_file(root, path, name):
    """The file of this project that an include line of `path` names; None if there is none."""
    for folder in (path.parent, root / "include", root / "src"):
        if (folder / name).is_file():
            return (folder / name).resolve()
    return None


def way_to_kokkos(root, source):
    """The names in the include lines that lead from a source to a header of Kokkos; [] if none does."""
    ways = {source: []}
    queue = [source]
    for path in queue:
        for _, name in includes(path):
            way = ways[path] + [name]
            if name.startswith("Kokkos"):
                return way
            reached = included_file(root, path, name)
            if reached is not None and reached not in ways:
                ways[reached] = way
                queue.append(reached)
    return []


def check_host_only(root):
    for listing in sorted((root / "src").rglob("CMakeLists.txt")):
        for sources in HOST_ONLY.findall(listing.read_text(encoding="utf-8")):
            for name in sources.split():
                source = listing.parent / name
                if way := way_to_kokkos(root, source):
                    where = f"{source.relative_to(root)}: includes {way[-1]}"
                    through = f"through {', '.join(way[:-1])}" if way[:-1] else "itself"
                    yield f"{where} ({through}, but nvcc must not compile it) separate what needs Kokkos"


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
    for check in (check_layers, check_mpi, check_host_only, check_headers, check_lengths):
        yield from check(root)


if __name__ == "__main__":
    sys.exit(run(problems, sys.argv[1:]))
