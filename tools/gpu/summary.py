# SPDX-License-Identifier: BSD-3-Clause
"""RESULTS/gpu.json and RESULTS/gpu.md. Where there is no GPU both say so first, and nothing in them claims one."""

import statistics

from gpu import gtests
from gpu.messages import STAND_IN, write_json, write_whole

COLUMNS = ("passed", "failed", "skipped", "timed out", "crashed", "not run")
SHOWN = 30  # failures with their messages
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in line) + " |" for line in lines] + [""]


def digits(value):
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def percent(value):
    return f"{100 * value:.2f} %"


def status_of(entry):
    """A step that is running when its call is over was cut by a kill."""
    return "cut" if entry["status"] == "running" else entry["status"]


def tests_table(value, tests):
    """(rows, failures): one row a test of ctest, and [(test, name, status, message)]."""
    rows, failures, total = [], [], dict.fromkeys(COLUMNS, 0)
    seconds = 0.0
    for test in tests:
        name = test["name"]
        found, listed = value["tests"].get(name, {}), value["lists"].get(name)
        if listed is None:
            continue
        found = {one: found.get(one, ["not run", 0.0]) for one in listed}
        counts, took = gtests.count(found)
        seconds += took
        for column in COLUMNS:
            total[column] += counts.get(column, 0)
        rows.append([name, len(listed), *(counts.get(column, 0) for column in COLUMNS), f"{took:.1f}"])
        messages = {}
        for key, entry in value["steps"].items():
            if key.startswith(f"1 test {name} "):
                messages.update(entry.get("messages", {}))
        failures += [(name, one, status, messages.get(one, "")) for one, (status, _) in found.items() if status in ("failed", "timed out", "crashed")]
    rows.append(["all", sum(row[1] for row in rows), *total.values(), f"{seconds:.1f}"])
    return rows, failures


def milliseconds(runs):
    times = [run["real_time"] * UNITS[run["time_unit"]] for run in runs if run.get("run_type", "iteration") == "iteration" and "real_time" in run]
    return statistics.median(times) if times else None


def rates(runs):
    """The counters of a benchmark: whatever Google Benchmark does not write itself."""
    own = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit",
           "family_index", "per_family_instance_index", "label"}  # fmt: skip
    return ", ".join(f"{key} {digits(number)}" for key, number in runs[0].items() if key not in own and isinstance(number, (int, float))) if runs else ""


def of_stage(value, word):
    return [(key.split(" ", 2)[2], entry) for key, entry in value["steps"].items() if key.split(" ")[1] == word]


def head(context, value):
    about, machine, manifest = context.tree_about, value["machine"], context.manifest
    kokkos = about["kokkos"]
    if machine["kind"] == STAND_IN:
        lines = [f"# {STAND_IN}", "", f"**{STAND_IN}.** All figures are of {machine['device'] or 'a program that does not start'}, on a processor.", ""]
    else:
        lines = [f"# Krossfold on {machine['cards'][0]['name']}", ""]
    rows = [["commit", about["commit"]], ["bundle", f"{manifest['id']} of {manifest['date']}"]]
    rows += [["build", f"{about['name']}, {about['compiler']}, Kokkos {kokkos['version']} with {' and '.join(kokkos['backends']) or 'unknown backends'}"]]
    for card in machine["cards"]:
        rows.append(["card", f"{card['name']}, {card['memory.total']}, compute capability {card['compute_cap']}, driver {card['driver_version']}"])
    if machine["cuda_of_driver"]:
        rows.append(["CUDA of the driver", machine["cuda_of_driver"]])
    rows += [["the program runs on", machine["device"] or "nothing"]]
    rows += [["processor", f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB"]]
    rows += [["system", f"glibc {machine['glibc']}, Python {machine['python']}"]]
    rows += [["calls", "; ".join(f"{call['began']}: {call['seconds']:.0f} s" for call in value["calls"])]]
    rows += [["note", note] for note in machine["notes"]]
    if machine["problem"]:
        rows += [["ended", machine["problem"]]]
    return lines + table(["what", "value"], rows)


def tests_part(context, value):
    rows, failures = tests_table(value, context.tree_about["tests"])
    if len(rows) == 1:
        return []
    lines = ["## Tests", "", *table(["test", "tests", *COLUMNS, "seconds"], rows)]
    for test, name, status, message in failures[:SHOWN]:
        lines += [f"- `{test}`: `{name}` {status}", "", *("      " + line for line in message.splitlines()[:12]), ""]
    if len(failures) > SHOWN:
        lines += [f"{len(failures) - SHOWN} more are in gpu.json.", ""]
    return lines


def searches_part(context, value):
    rows = []
    for name, entry in of_stage(value, "search"):
        if "apart" not in entry:
            rows.append([name, status_of(entry), "", "", "", "", "", entry.get("text", "")])
            continue
        found, apart = entry["found"], entry["apart"]
        rows.append([f"{name}, {found['grid']}", status_of(entry), f"{digits(found['seconds'])} s", f"{digits(entry['wanted']['seconds'])} s",
                     f"{percent(found['best'])} ({percent(entry['wanted']['best'])})", f"{apart['apart']} of {apart['folds']}",
                     percent(apart["largest"]), entry.get("text", "")])  # fmt: skip
    if not rows:
        return []
    reference = context.reference or {}
    lines = ["## Searches", "", *table(["search", "result", "time", "CPU build", "best error (CPU build)", "fold errors apart", "largest", "note"], rows)]
    return lines + [f"The CPU build ran on {reference.get('processor', 'an unknown processor')}, one rank, commit {reference.get('commit', 'unknown')}.", ""]


def benches_part(value):
    rows = []
    for name, entry in of_stage(value, "bench"):
        time = milliseconds(entry.get("runs", []))
        rows.append([name.replace("/manual_time", ""), digits(time) if time is not None else status_of(entry), rates(entry.get("runs", [])) or entry.get("text", "")])
    return ["## Benchmarks", "", *table(["benchmark", "ms", "counters"], rows)] if rows else []


def peers_part(value):
    rows = []
    for name, entry in of_stage(value, "peer"):
        rows += [[name, line["what"], digits(line["ms"]), line["where"]] for line in entry.get("lines", [])] or [[name, status_of(entry), "", entry.get("text", "")]]
    return ["## Other programs", "", *table(["program", "what", "ms", "where, or why not"], rows)] if rows else []


def others_part(value):
    """Steps that have no table of their own and did not pass, the sanitizers, and what was cut."""
    rows = []
    for key, entry in value["steps"].items():
        word = key.split(" ")[1]
        if word in ("memcheck", "racecheck", "synccheck", "ncu"):
            rows.append([key[2:], status_of(entry), entry.get("text", "")])
        elif word not in ("search", "peer") and status_of(entry) != "passed":
            rows.append([key[2:], status_of(entry), entry.get("text", "")])
    return ["## Sanitizers, profiles, and steps that did not pass", "", *table(["step", "result", "note"], rows)] if rows else []


def study_part(value):
    study, plan = value["steps"].get("3 study"), value["steps"].get("3 plan", {})
    if not study:
        return []
    lines = ["## All of MNIST", "", f"Search of 24x24 cells and 5 folds: {status_of(study)}, {study.get('text', '')}.", ""]
    if plan.get("plan"):
        lines += ["`krossfold plan` says of it:", "", *("    " + line for line in plan["plan"].splitlines()), ""]
    return lines


def write(context):
    """Both files, from the state alone."""
    with context.state.lock:
        value = context.state.value
        parts = [head(context, value), tests_part(context, value), searches_part(context, value), benches_part(value), peers_part(value),
                 study_part(value), others_part(value)]  # fmt: skip
        write_whole(context.folder / "gpu.md", "\n".join(line for part in parts for line in part).rstrip("\n") + "\n")
        write_json(context.folder / "gpu.json", {"kind": value["machine"]["kind"], "manifest": context.manifest, **value})
