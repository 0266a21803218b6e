# SPDX-License-Identifier: BSD-3-Clause
"""bench_peers svm --data-set: the (C, gamma) search of RBF SVMs on families of data (families.py), against other solvers."""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from peers.families_names import FILES, NAMES
from peers.family_figures import family_figures, known_families, refusal, rows_of, write_figures
from peers.family_tools import GAP, TOOLS, own_name, packages_of
from peers.measure import BenchError, UsageError, markdown_table, number, peer_python, run_pinned, text_table, write_markdown
from peers.svm import CACHE_MB, Search, fold_bounds, wrong_from_csv

HERE = pathlib.Path(__file__).resolve().parent


class FamilySearch(Search):
    """The search of one family."""

    def __init__(self, facts, arguments):
        self.limit, self.folds, self.tolerance = facts["samples"], arguments.folds, arguments.tolerance
        self.c = powers(arguments.log10_c, arguments.grid[0])
        self.gamma = powers(facts["log10_gamma"], arguments.grid[1])
        self.bounds = fold_bounds(self.limit, self.folds)
        self.classes, self.features = facts["classes"], facts["features"]


def powers(bounds, count):
    low, high = bounds
    return [10 ** (low if count == 1 else low + (high - low) * k / (count - 1)) for k in range(count)]


def sampled_cells(gammas, cs, count):
    """`count` cells (gamma, C), spread over the grid: those whose numbers g cs + c times the golden ratio have the smallest fractions."""
    golden = (math.sqrt(5) - 1) / 2
    every = [(g, c) for g in range(gammas) for c in range(cs)]
    order = sorted(range(len(every)), key=lambda k: (k + 0.5) * golden % 1)
    return [every[k] for k in sorted(order[:count])]


def make_data(python, name, limit, file, folder):
    """Writes the data of a family; returns its facts."""
    if name in FILES and folder is None:
        raise UsageError(f"the data of {name} are liquidSVM's (they are not made by code) give --liquidsvm FOLDER")
    command = [python, HERE / "families.py", name, limit, file, *([] if folder is None else [folder / "data"])]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BenchError(f"cannot make the data of {name} ({(done.stderr.strip().splitlines() or ['no message'])[-1]}) see families.py")
    return json.loads(done.stdout)


def run_krossfold(program, search, multiclass, file, arguments, log10_gamma, *more):
    """One run: {"search", "process", "wrong", "open"}."""
    with tempfile.TemporaryDirectory(prefix="bench_peers-") as folder:
        output = os.path.join(folder, "r.h5")
        command = [program, "svm", "--data", f"npz:{file}:X,y", "--scale", "none", "--test-part", "none"]
        command += ["--grid", f"{len(search.c)}x{len(search.gamma)}", "--log10-c=" + ":".join(map(str, arguments.log10_c))]
        command += ["--log10-gamma=" + ":".join(map(str, log10_gamma)), "--folds", search.folds, "--fold-kind", "contiguous"]
        command += ["--multiclass", multiclass, "--tolerance", search.tolerance, "--no-refit", "--quiet", *more, "-o", output]
        process, _ = run_pinned(command, arguments.core)
        _, report = run_pinned([program, "report", output, "--format", "json"], arguments.core)
        _, table = run_pinned([program, "report", output, "--format", "csv"], arguments.core)
    (report,) = json.loads(report)
    return {"search": report["seconds"], "process": process, "wrong": wrong_from_csv(table, search), "open": report["fits"]["not_converged"]}


def run_peer(search, name, python, file, arguments):
    """Some cells, and what all would take: {"search", "capped", "cells", "wrong", "open"}. TorchKM takes all: it does whole paths."""
    gammas, cs = len(search.gamma), len(search.c)
    cells = sampled_cells(gammas, cs, gammas * cs if name == "torchkm" else arguments.sample)
    task = {"tool": name, "file": str(file), "C": search.c, "gamma": search.gamma, "cells": cells, "bounds": search.bounds,
            "tolerance": search.tolerance, "cache_mb": CACHE_MB, "cap": arguments.cap}  # fmt: skip
    _, out = run_pinned([python, "-W", "ignore", HERE / "peer_families.py"], arguments.core, json.dumps(task))
    answer = json.loads(out.strip().splitlines()[-1])
    whole = sum(map(sum, answer["seconds"])) / len(cells) * gammas * cs
    return {"search": whole, "cells": cells, **{what: answer[what] for what in ("capped", "wrong", "open")}}


def write_csv(python, file, table):
    """The samples as liquidSVM reads them: the label first, -1 and 1 for two classes."""
    code = ("import numpy as n, sys; f = n.load(sys.argv[1]); y = f['y']; y = 2 * y - 1 if y.max() == 1 else y; "
            "n.savetxt(sys.argv[2], n.c_[y, f['X']], delimiter=',', fmt='%.9g')")  # fmt: skip
    subprocess.run([str(python), "-c", code, str(file), str(table)], check=True)


def run_liquid(search, folder, table, arguments):
    """The whole grid with liquidSVM's hinge solver, which has no offset and stops at its own gap: {"search", "errors"}. Its folds are
    the same contiguous blocks; several classes are each against the rest, and its errors then those of the binary problems."""
    gammas = [f"{1 / math.sqrt(gamma):.9g}" for gamma in search.gamma]
    with tempfile.TemporaryDirectory(prefix="bench_peers-") as scratch:
        log = os.path.join(scratch, "r.log")
        command = [folder / "bin" / "svm-train", "-d", 1, "-f", 1, search.folds, "-g", "[", *gammas, "]", "-l", "["]
        command += [*(f"{c:.9g}" for c in search.c), "]", 1, "-S", 2, "-L", 0, "-T", 1, "-W", 0 if search.classes == 2 else 2]
        process, _ = run_pinned([*command, "-P", 0, table, log], arguments.core)
        with open(log, encoding="ascii") as file:
            rows = [line.split() for line in file]
    count = len(search.c) * len(search.gamma) * search.folds * (1 if search.classes == 2 else search.classes)
    fits = [row for row in rows if len(row) > 20]
    if len(fits) != count:
        raise BenchError(f"the log of liquidSVM has {len(fits)} fits ({count} were expected) is it another version?")
    return {"search": process, "errors": [float(row[7]) for row in fits]}


def measure_family(name, arguments, python, scratch):
    """Rounds of every tool beside krossfold, as family_figures takes them."""
    file, table = pathlib.Path(scratch) / f"{name}.npz", pathlib.Path(scratch) / f"{name}.csv"
    facts = make_data(python, name, arguments.limit, file, arguments.liquidsvm)
    search = FamilySearch(facts, arguments)
    refused = {tool: why for tool in arguments.only if (why := refusal(tool, facts["classes"]))}
    if "liquidsvm" in arguments.only:
        write_csv(python, file, table)
    runs, ratios = {"krossfold": [], "krossfold-ovo": []}, {}

    def own(kind):
        return run_krossfold(arguments.krossfold, search, kind, file, arguments, facts["log10_gamma"])

    for done in range(arguments.repeat):
        if not arguments.only:
            runs["krossfold"].append(own("ovr"))
        for tool in arguments.only:
            if tool in refused:
                continue
            kind = TOOLS[tool].multiclass
            before = own(kind)
            if tool == "before":
                other = run_krossfold(arguments.before, search, kind, file, arguments, facts["log10_gamma"])
            elif tool == "gap":
                other = run_krossfold(arguments.krossfold, search, kind, file, arguments, facts["log10_gamma"], "--gap", GAP)
            elif tool == "liquidsvm":
                other = run_liquid(search, arguments.liquidsvm, table, arguments)
            else:
                other = run_peer(search, tool, python, file, arguments)
            after = own(kind)
            runs[own_name(tool)] += [before, after]
            runs.setdefault(tool, []).append(other)
            ratios.setdefault(tool, []).extend(other["search"] / one["search"] for one in (before, after))
            print(f"  {name}, round {done + 1}: {tool} {number(other['search'])} s, krossfold {number(before['search'])} s", file=sys.stderr, flush=True)
    runs = {tool: some for tool, some in runs.items() if some}
    return {"facts": facts, "search": search, "runs": runs, "ratios": ratios, "refused": refused}


def settings_of(arguments):
    return {"limit": arguments.limit, "grid": list(arguments.grid), "folds": arguments.folds, "tolerance": arguments.tolerance,
            "log10_c": list(arguments.log10_c), "sample": arguments.sample, "cap": arguments.cap, "repeat": arguments.repeat,
            "only": list(arguments.only)}  # fmt: skip


def run(arguments):
    """Measures, and prints a table."""
    if not os.access(arguments.krossfold, os.X_OK):
        raise UsageError(f"cannot run {arguments.krossfold} (it is not there) build it, or name it with --krossfold")
    if "liquidsvm" in arguments.only and arguments.liquidsvm is None:
        raise UsageError("liquidsvm needs its programs (they are not part of this) give --liquidsvm FOLDER, which has bin/svm-train")
    if "before" in arguments.only and arguments.before is None:
        raise UsageError("before needs an earlier krossfold (none was named) give --before FILE")
    needs = packages_of(arguments.only) or ("numpy",)
    python = sys.executable
    if needs != ("numpy",) or subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode != 0:
        python, versions = peer_python(arguments.venv, needs)
        print("; ".join(versions))
    work = (f"{len(arguments.data_set)} families, {arguments.grid[0]} x {arguments.grid[1]} cells, C 10^{arguments.log10_c[0]:g} to "
            f"10^{arguments.log10_c[1]:g}, {arguments.folds} folds, tolerance {arguments.tolerance:g}; core {arguments.core}, rounds: {arguments.repeat}")  # fmt: skip
    print(work, flush=True)
    settings = settings_of(arguments)
    families = known_families(arguments.json, settings)
    with tempfile.TemporaryDirectory(prefix="bench_peers-") as scratch:
        for name in arguments.data_set:
            if name in families:
                continue
            families[name] = family_figures(measure_family(name, arguments, python, scratch))
            if arguments.json:
                write_figures(arguments.json, settings, families)
    headings = ["family", "tool", "search, s", "ratio", "best cell, or what was measured"]
    table = [row for name in arguments.data_set for row in rows_of(name, families[name])]
    print(text_table(headings, table))
    if arguments.markdown:
        write_markdown(arguments.markdown, [work, "", markdown_table(headings, table)])


def data_sets(word):
    """The families that a list names; all: those made by code."""
    names = [name for name in NAMES if name not in FILES] if word == "all" else list(dict.fromkeys(word.split(",")))
    for name in names:
        if name not in NAMES:
            raise ValueError(f"'{name}' is no family (known: {', '.join(NAMES)}) name some of these, or all")
    return names
