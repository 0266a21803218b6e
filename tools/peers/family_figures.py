# SPDX-License-Identifier: BSD-3-Clause
"""The figures of bench_peers svm --data-set: what is kept of its runs, the file of --json, and the rows of its table.

{"form": 2, "settings", "families": {family: {"samples", "features", "classes", "tools": {tool: figures}}}}. Figures: "seconds" of every
round; "ratios" of them to krossfold's before and after; "bound": whether fits were ended at the cap, which makes both lower bounds;
"note"; "apart": the folds with more than one wrong sample more or less than krossfold's, as {"C", "gamma", "fold", "wrong",
"krossfold"}; "compared" cells, "different": those with any other count. A peer that cannot do the work has "refused": why.
"""

import json
import re

from peers.family_tools import BINARY_ONLY, own_name
from peers.measure import BenchError, UsageError, range_text

FORM = 2


def refusal(tool, classes):
    """Why a tool cannot do the work, None if it can."""
    return "binary only" if tool in BINARY_ONLY and classes > 2 else None


def compare(search, own, other):
    """{"apart", "compared", "different"} of the cells of which every fold ended."""
    apart, compared, different = [], 0, 0
    for (g, c), counts in zip(other["cells"], other["wrong"]):
        if None in counts:
            continue
        pairs = list(zip(counts, own["wrong"][g][c]))
        compared += 1
        different += any(a != b for a, b in pairs)
        apart += [{"C": search.c[c], "gamma": search.gamma[g], "fold": fold, "wrong": a, "krossfold": b}
                  for fold, (a, b) in enumerate(pairs) if abs(a - b) > 1]  # fmt: skip
    return {"apart": apart, "compared": compared, "different": different}


def cells_apart(found):
    return len({(fold["C"], fold["gamma"]) for fold in found["apart"]})


def best_text(search, wrong):
    best = search.best(wrong)
    return f"{search.name(best)}: {100 * search.error(wrong, best):.2f} %"


def table_of(search, counts):
    """wrong[gamma][C][fold] of {(gamma, C): wrong[fold]}; every sample is wrong in the cells that are missing."""
    everything = [b - a for a, b in zip(search.bounds, search.bounds[1:])]
    return [[counts.get((g, c), everything) for c in range(len(search.c))] for g in range(len(search.gamma))]


def largest_difference(search, one, other):
    """The largest difference of a cell's mean error."""
    cells = [(g, c) for g in range(len(search.gamma)) for c in range(len(search.c))]
    return max(abs(search.error(one["wrong"], cell) - search.error(other["wrong"], cell)) for cell in cells)


def peer_note(tool, run, found, search):
    """What a peer that does cells of its choice did."""
    cells, total = len(run["cells"]), len(search.c) * len(search.gamma)
    if tool != "torchkm":
        note = f"{cells} of {total} cells measured, {run['capped']} fits ended at the cap"
    else:
        note = f"its own stopping rule, {run['open']} of {total} cells not converged, {run['capped']} of {len(search.gamma)} paths ended at the cap"
        done = {tuple(cell): counts for cell, counts in zip(run["cells"], run["wrong"]) if None not in counts}
        if done:
            note = f"{best_text(search, table_of(search, done))}; {note}"
    return f"{note}; {cells_apart(found)} of {found['compared']} cells apart"


def tool_figures(search, tool, found):
    """The figures of one tool out of found = {"runs": {tool: [run]}, "ratios": {tool: [ratio]}}."""
    runs = found["runs"][tool]
    first = runs[0]
    figures = {"seconds": [run["search"] for run in runs], "ratios": found["ratios"].get(tool, []),
               "bound": any(run.get("capped") for run in runs)}  # fmt: skip
    if "cells" in first:
        figures |= compare(search, found["runs"][own_name(tool)][0], first)
        figures["note"] = peer_note(tool, first, figures, search)
    elif "wrong" in first:  # krossfold in one of its forms
        figures["note"] = best_text(search, first["wrong"]) + (f"; {first['open']} fits not converged" if first["open"] else "")
        if tool == "gap":
            most = 100 * largest_difference(search, found["runs"]["krossfold"][0], first)
            figures["note"] += f"; cells differ by {most:.2f} % at most"
    else:
        figures["note"] = "its own stopping rule, no offset"
    return figures


def family_figures(found):
    """The figures of a family out of {"facts", "search", "runs", "ratios", "refused": {tool: why}}."""
    tools = {tool: tool_figures(found["search"], tool, found) for tool in found["runs"]}
    tools |= {tool: {"seconds": [], "ratios": [], "bound": False, "note": why, "refused": why} for tool, why in found["refused"].items()}
    return {**{name: found["facts"][name] for name in ("samples", "features", "classes")}, "tools": tools}


def rows_of(name, family):
    """Rows of the table: family, tool, seconds, ratio, note."""
    rows = []
    for tool, figures in family["tools"].items():
        bound = ">= " if figures["bound"] else ""
        texts = [bound + range_text(figures[what]) if figures[what] else "-" for what in ("seconds", "ratios")]
        rows.append([name, tool, texts[0], "1" if tool.startswith("krossfold") else texts[1], figures["note"]])
    return rows


def read_figures(path):
    """(settings, families) of a file of --json."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {path} ({error}) name a file that bench_peers svm --data-set wrote with --json") from error
    if not isinstance(stored, dict) or stored.get("form") != FORM or not {"settings", "families"} <= stored.keys():
        earlier = isinstance(stored, dict) and "rows" in stored
        why = "an earlier bench_peers wrote it, as texts" if earlier else "it has no figures of families in this form"
        raise UsageError(f"cannot use {path} ({why}) measure again with bench_peers svm --data-set --json and another name")
    return stored["settings"], stored["families"]


def known_families(path, settings):
    """The families of a file of --json with the same settings, {} if there is none."""
    if path is None or not path.exists():
        return {}
    theirs, families = read_figures(path)
    if theirs != settings:
        raise UsageError(f"{path} has figures of other settings (they would be mixed) name another file with --json")
    return families


def write_figures(path, settings, families):
    text = json.dumps({"form": FORM, "settings": settings, "families": families}, indent=1)
    text = re.sub(r"[\[{][^\[\]{}]*[\]}]", lambda found: " ".join(found[0].split()), text)  # lists of numbers and folds: one line each
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise BenchError(f"cannot write {path} ({error.strerror}) give another --json") from error
