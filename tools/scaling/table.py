# SPDX-License-Identifier: BSD-3-Clause
"""What a scaling study says: times, speed-up and efficiency of every formation, where it ran, and what to beware of."""

import math

from scaling import formations
from scaling.intervals import median_interval


def summary(settings, rows, time="wall_seconds"):
    """One dict a formation. Speed-ups are ratios of times of the same round, so that slow drift of the machine cancels."""
    done = {(row["formation"], row["round"]): row for row in rows if row["exit_code"] == 0}
    names = settings["formations"]
    table = []
    for name in names:
        its = {r: row for (formation, r), row in done.items() if formation == name}
        base = {r: row[time] for (formation, r), row in done.items() if formation == names[0]}
        speed = median_interval([base[r] / its[r][time] for r in sorted(its) if r in base])
        # Strong: the same work.  Weak: p / base times the work in the time t_p.
        growth = formations.ranks(name) / formations.ranks(names[0])
        weak = settings["kind"] == "weak"
        table.append({"formation": name, "ranks": formations.ranks(name), "runs": len(its), "hosts": hosts_of(its.values()),
                      "failed": sum(row["formation"] == name and row["exit_code"] != 0 for row in rows),
                      "time": median_interval([row[time] for row in its.values()]), "process": median_interval([row["wall_seconds"] for row in its.values()]),
                      "study": median_interval([row["study_seconds"] for row in its.values()]),
                      "speed_up": tuple(value * (growth if weak else 1) for value in speed[:3]) + speed[3:],
                      "efficiency": tuple(value / (1 if weak else growth) for value in speed[:3]) + speed[3:]})  # fmt: skip
    return table


def hosts_of(rows):
    """The nodes of some runs, each once."""
    return list(dict.fromkeys(host for row in rows for host in row["hosts"].split()))


def listed(hosts, most=3):
    if len(hosts) > most:
        return f"{', '.join(hosts[: most - 1])} and {len(hosts) - most + 1} more"
    return ", ".join(hosts) or "unknown"


def number(value, digits=3):
    return f"{value:.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def cell(found, factor=1.0):
    middle, low, high = (value * factor for value in found[:3])
    if math.isnan(middle):
        return "-"
    return number(middle) + ("" if math.isnan(low) else f" ({number(low)}-{number(high)})")


def text(settings, rows, time):
    table = summary(settings, rows, time)
    confidence = sorted({f"{100 * row['time'][3]:.1f} %" for row in table if row["runs"] > 1})
    lines = [("formation" if any("x" in row["formation"] for row in table) else "ranks", "runs", "process, s", "study, s", "speed-up", "efficiency, %", "nodes")]
    lines += [(row["formation"], str(row["runs"]), cell(row["process"]), cell(row["study"]), cell(row["speed_up"]), cell(row["efficiency"], 100),
               listed(row["hosts"])) for row in table]  # fmt: skip
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]) - 1)]
    said = ["  ".join([*(word.rjust(width) for word, width in zip(line, widths)), line[-1]]) for line in lines]
    said.append("")
    said.append(f"medians; brackets: interval of order statistics, confidence {' to '.join(confidence) or 'unknown (one run)'}; speed-ups pair runs of a round")
    base = table[0]
    seconds = f"{base['time'][0]:.4g} s" if base["runs"] else "no run of it ended well"
    said.append(f"base case: {formations.described(base['formation'])}, {seconds}; {settings['kind']} scaling of krossfold {settings['study']}")
    return said + [f"warning: {line}" for line in warnings(settings, rows, table)]


def same_bits(settings, rows):
    """Whether results that should be equal are, in words, and False if they are not."""
    groups = {}
    for row in rows:
        if row["exit_code"] == 0:
            groups.setdefault(row["formation"] if settings["kind"] == "weak" else 0, []).append(row["digest"])
    what = "the repeats of each formation" if settings["kind"] == "weak" else "all formations"
    if any(len(set(digests)) > 1 for digests in groups.values()):
        return f"results of {what}: NOT the same bits (train: give --workers, see docs/training.md)", False
    compared = any(len(digests) > 1 for digests in groups.values())
    return f"results of {what}: {'bitwise identical' if compared else 'not compared (there are no two of them)'}", True


def differing_hosts(settings, done):
    """The distinct (formation, nodes), unless of each two sets of nodes one holds the other, as where a study grows within one allocation."""
    sets = list(dict.fromkeys((name, tuple(sorted(row["hosts"].split()))) for name in settings["formations"] for row in done
                              if row["formation"] == name and row["hosts"]))  # fmt: skip
    nested = all(set(one) <= set(other) or set(other) <= set(one) for _, one in sets for _, other in sets)
    return [] if nested else sets


def warnings(settings, rows, table):
    done = [row for row in rows if row["exit_code"] == 0]
    if table[0]["ranks"] != 1:
        yield f"the base case has {table[0]['ranks']} ranks, so speed-ups are relative to it and not to one rank"
    if differ := differing_hosts(settings, done):
        shown = "; ".join(f"{formations.described(name)} on {listed(hosts)}" for name, hosts in differ[:6])
        yield f"the formations ran on different nodes, which may differ in speed: {shown}{'; ...' if len(differ) > 6 else ''}"
    crowded = {(row["formation"], row["cores"]) for row in done if math.ceil(formations.ranks(row["formation"]) / max(1, len(row["hosts"].split()))) > row["cores"]}
    for name in settings["formations"]:
        if cores := [str(cores) for formation, cores in sorted(crowded) if formation == name]:
            yield f"{formations.described(name)} had fewer cores than ranks on a node ({', '.join(cores)})"
    if len(cores := sorted({row["cores"] for row in done})) > 1:
        yield f"the runs could use {' or '.join(map(str, cores))} cores of a node: their times do not compare"
    if short := [formations.described(row["formation"]) for row in table if row["time"][0] < 1]:
        yield f"runs of {', '.join(short)} take under a second: the start of the program dominates"
    if len({row["build"] for row in done}) > 1:
        yield "the runs are of several builds or kinds of processors: their times do not compare"
    for row in rows:
        if row["exit_code"] != 0:
            yield f"round {row['round'] + 1} on {formations.described(row['formation'])} failed (exit code {row['exit_code']}: {row['reason']})"
