# SPDX-License-Identifier: BSD-3-Clause
"""bench_peers svm: the (C, gamma) search of RBF SVMs on MNIST."""

import csv
import io
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

from peers.family_tools import packages_of
from peers.measure import (
    BenchError,
    UsageError,
    markdown_table,
    peer_python,
    range_text,
    run_pinned,
    text_table,
    write_markdown,
)
from peers.mnist import idx_file, mnist_folder

PEERS = {  # name: (what it is, the krossfold --multiclass that does the same)
    "sklearn-ovr": ("scikit-learn, OneVsRestClassifier(SVC)", "ovr"),
    "sklearnex-ovr": ("scikit-learn-intelex, OneVsRestClassifier(SVC)", "ovr"),
    "sklearn-ovo": ("scikit-learn, SVC (one-vs-one)", "ovo"),
}
LOG10_C, LOG10_GAMMA = (-3, 6), (-6, -2)
TRAINING_SAMPLES = 60000
CACHE_MB = 1000


def spread(bounds, count):
    """Powers of ten over a range of exponents, the middle one if it is to be one; as krossfold takes them."""
    low, high = bounds
    steps = [0.5] if count == 1 else [i / (count - 1) for i in range(count)]
    return [10 ** (low + (high - low) * step) for step in steps]


def fold_bounds(samples, folds):
    """round(linspace(0, n, k + 1))."""
    return [round(samples * i / folds) for i in range(folds + 1)]


class Search:
    """What all tools do: the grid, the folds, the samples."""

    def __init__(self, limit, grid, folds, tolerance):
        self.limit, self.folds, self.tolerance = limit, folds, tolerance
        self.c, self.gamma = spread(LOG10_C, grid[0]), spread(LOG10_GAMMA, grid[1])
        self.bounds = fold_bounds(limit, folds)

    def name(self, cell):
        return f"C = {self.c[cell[1]]:.4g}, gamma = {self.gamma[cell[0]]:.4g}"

    def error(self, wrong, cell):
        """Mean fold error of the cell (gamma, C)."""
        counts = wrong[cell[0]][cell[1]]
        return statistics.fmean(w / (b - a) for w, a, b in zip(counts, self.bounds, self.bounds[1:]))

    def best(self, wrong):
        """The cell with the lowest mean fold error; of equal ones the smallest C, then the smallest gamma."""
        cells = [(g, c) for c in range(len(self.c)) for g in range(len(self.gamma))]
        return min(cells, key=lambda cell: round(self.error(wrong, cell), 12))

    def apart(self, wrong, other):
        """{(gamma, C): largest difference of two counts of a fold} of the cells where it is more than one sample."""
        found = {}
        for g in range(len(self.gamma)):
            for c in range(len(self.c)):
                largest = max(abs(a - b) for a, b in zip(wrong[g][c], other[g][c]))
                if largest > 1:
                    found[g, c] = largest
        return found


def run_krossfold(search, multiclass, arguments, mnist):
    """One run of krossfold: {"search", "process", "wrong"}."""
    with tempfile.TemporaryDirectory(prefix="bench_peers-") as folder:
        output = os.path.join(folder, "r.h5")
        program, grid = arguments.krossfold, f"{len(search.c)}x{len(search.gamma)}"
        command = [program, "svm", "--data", f"mnist:{mnist}", "--limit", search.limit, "--grid", grid]
        command += ["--folds", search.folds, "--fold-kind", "contiguous", "--multiclass", multiclass, "--tolerance", search.tolerance]
        process, _ = run_pinned([*command, "--no-refit", "--quiet", "-o", output], arguments.core)
        _, report = run_pinned([program, "report", output, "--format", "json"], arguments.core)
        _, table = run_pinned([program, "report", output, "--format", "csv"], arguments.core)
    (report,) = json.loads(report)
    if report["fits"]["not_converged"]:
        print(f"bench_peers: {report['fits']['not_converged']} fits of krossfold did not converge", file=sys.stderr)
    return {"search": report["seconds"], "process": process, "wrong": wrong_from_csv(table, search)}


def wrong_from_csv(table, search):
    """wrong[gamma][C][fold] from the CSV report, whose lines go over gamma, C, fold in this order."""
    rows = list(csv.DictReader(io.StringIO(table)))
    if len(rows) != len(search.c) * len(search.gamma) * search.folds:
        raise BenchError(f"the report of krossfold has {len(rows)} lines (another grid was expected) build it anew")
    wrong = [[[None] * search.folds for _ in search.c] for _ in search.gamma]
    for i, row in enumerate(rows):
        g, c, fold = i // search.folds // len(search.c), i // search.folds % len(search.c), int(row["fold"])
        same = math.isclose(float(row["gamma"]), search.gamma[g]) and math.isclose(float(row["C"]), search.c[c])
        if not same:
            raise BenchError(f"krossfold searched C = {row['C']}, gamma = {row['gamma']} (another cell was expected)")
        wrong[g][c][fold] = round(float(row["error"]) * (search.bounds[fold + 1] - search.bounds[fold]))
    return wrong


def run_peer(search, name, arguments, mnist, python):
    """One run of a peer: {"search", "process", "wrong"}."""
    task = {
        "tool": name,
        "images": idx_file(mnist, "train-images-idx3-ubyte"),
        "labels": idx_file(mnist, "train-labels-idx1-ubyte"),
        "limit": search.limit,
        "C": search.c,
        "gamma": search.gamma,
        "bounds": search.bounds,
        "tolerance": search.tolerance,
        "cache_mb": CACHE_MB,
    }
    script = pathlib.Path(__file__).with_name("sklearn_svm.py")
    process, out = run_pinned([python, "-W", "ignore", script], arguments.core, json.dumps(task))
    answer = json.loads(out.strip().splitlines()[-1])
    return {"search": answer["seconds"], "process": process, "wrong": answer["wrong"]}


def measure(search, arguments, mnist, python):
    """All runs: ({peer: runs}, {multiclass: runs}, {peer: (search ratio, process ratio) of each neighbouring pair})."""
    peers = {name: [] for name in arguments.only}
    products = {kind: [] for kind in dict.fromkeys(PEERS[name][1] for name in peers)} or {"ovr": [], "ovo": []}
    ratios = {name: [] for name in peers}

    def note(name, run):
        times = f"search {run['search']:8.2f} s   process {run['process']:8.2f} s"
        print(f"  {name:14} {times}", file=sys.stderr, flush=True)
        return run

    def product(kind):
        products[kind].append(note(f"krossfold {kind}", run_krossfold(search, kind, arguments, mnist)))
        return products[kind][-1]

    for done in range(arguments.repeat):
        print(f"round {done + 1} of {arguments.repeat}", file=sys.stderr)
        if not peers:
            for kind in products:
                product(kind)
        for name in peers:
            before = product(PEERS[name][1])
            run = note(name, run_peer(search, name, arguments, mnist, python))
            peers[name].append(run)
            for own in (before, product(PEERS[name][1])):
                ratios[name].append([run[what] / own[what] for what in ("search", "process")])
    return peers, products, ratios


def make_table(search, peers, products, ratios):
    """Headings, rows, and lines on the cells that differ."""
    rows, notes = [], []
    headings = ["tool", "search, s", "whole process, s", "search, ratio", "process, ratio", "best cell", "cells apart"]

    def row(title, runs, ratio, apart):
        wrong = runs[0]["wrong"]
        best = search.best(wrong)
        cell = f"{search.name(best)}: {100 * search.error(wrong, best):.2f} %"
        times = [range_text([run[what] for run in runs]) for what in ("search", "process")]
        rows.append([title, *times, *ratio, cell, apart])

    for kind, runs in products.items():
        row(f"krossfold --multiclass {kind}", runs, ["1", "1"], "")
        for name, other in peers.items():
            if PEERS[name][1] != kind:
                continue
            texts = [range_text([pair[k] for pair in ratios[name]]) for k in (0, 1)]
            found = search.apart(other[0]["wrong"], runs[0]["wrong"])
            row(PEERS[name][0], other, texts, f"{len(found)} of {len(search.c) * len(search.gamma)}")
            for (g, c), largest in found.items():
                counts = [" ".join(map(str, source[0]["wrong"][g][c])) for source in (other, runs)]
                wrong = f"wrong by fold {counts[0]}, krossfold {counts[1]} (up to {largest} apart)"
                notes.append(f"{name}, {search.name((g, c))}: {wrong}")
    return headings, rows, notes


def run(arguments):
    """Measures, and prints the table."""
    search = Search(arguments.limit, arguments.grid, arguments.folds, arguments.tolerance)
    mnist = mnist_folder(arguments.data)
    if not os.access(arguments.krossfold, os.X_OK):
        raise UsageError(f"cannot run {arguments.krossfold} (it is not there) build it, or name it with --krossfold")
    _, version = run_pinned([arguments.krossfold, "--version"], arguments.core)
    python, versions = None, []
    if arguments.only:
        python, versions = peer_python(arguments.venv, packages_of(arguments.only))
    print("; ".join([version.strip(), *versions]))
    work = (
        f"first {search.limit} of MNIST, {len(search.c)} x {len(search.gamma)} cells, {search.folds} folds, "
        f"tolerance {search.tolerance:g}; core {arguments.core}, rounds: {arguments.repeat}"
    )
    print(work, flush=True)
    headings, rows, notes = make_table(search, *measure(search, arguments, mnist, python))
    print(text_table(headings, rows))
    for note in notes:
        print(note)
    if arguments.markdown:
        lines = ["; ".join([version.strip(), *versions]), "", work, "", markdown_table(headings, rows), ""]
        lines += [f"- {note}" for note in notes]
        write_markdown(arguments.markdown, lines)
