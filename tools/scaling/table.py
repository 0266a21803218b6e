# SPDX-License-Identifier: BSD-3-Clause
"""What a scaling study says: times, speed-up and efficiency of every formation, and what to beware of."""

import math

from scaling.intervals import median_interval


def summary(settings, rows, time="wall_seconds"):
    """One dict a formation. Speed-ups are ratios of times of the same round, so that slow drift of the machine cancels."""
    done = {(row["formation"], row["round"]): row for row in rows if row["exit_code"] == 0}
    ranks = settings["ranks"]
    table = []
    for p in ranks:
        times = {r: row[time] for (formation, r), row in done.items() if formation == p}
        base = {r: row[time] for (formation, r), row in done.items() if formation == ranks[0]}
        gain = [base[r] / times[r] for r in sorted(times) if r in base]
        speed = median_interval(gain)
        # Strong: the same work.  Weak: p / base times the work in the time t_p.
        growth = p / ranks[0]
        weak = settings["kind"] == "weak"
        table.append({"ranks": p, "runs": len(times), "failed": sum(row["formation"] == p and row["exit_code"] != 0 for row in rows),
                      "time": median_interval(list(times.values())), "study": median_interval([row["study_seconds"] for (formation, _), row in done.items() if formation == p]),
                      "speed_up": tuple(value * (growth if weak else 1) for value in speed[:3]) + speed[3:],
                      "efficiency": tuple(value / (1 if weak else growth) for value in speed[:3]) + speed[3:]})  # fmt: skip
    return table


def cell(found, factor=1.0, digits=3):
    middle, low, high = (value * factor for value in found[:3])
    if math.isnan(middle):
        return "-"
    return f"{middle:.{digits}g}" + ("" if math.isnan(low) else f" ({low:.{digits}g}-{high:.{digits}g})")


def text(settings, rows, time):
    table = summary(settings, rows, time)
    confidence = sorted({f"{100 * row['time'][3]:.1f} %" for row in table if row["runs"] > 1})
    lines = [("ranks", "runs", "process, s", "study, s", "speed-up", "efficiency, %")]
    lines += [(str(row["ranks"]), str(row["runs"]), cell(row["time"] if time == "wall_seconds" else median_interval(
        [r["wall_seconds"] for r in rows if r["formation"] == row["ranks"] and r["exit_code"] == 0])), cell(row["study"]),
        cell(row["speed_up"]), cell(row["efficiency"], 100)) for row in table]  # fmt: skip
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    said = ["  ".join(word.rjust(width) for word, width in zip(line, widths)) for line in lines]
    said.append("")
    said.append(f"medians; brackets: interval of order statistics, confidence {' to '.join(confidence) or 'unknown (one run)'}; speed-ups pair runs of a round")
    base = table[0]
    said.append(f"base case: {base['ranks']} rank{'s' * (base['ranks'] > 1)}, {base['time'][0]:.4g} s; {settings['kind']} scaling of krossfold {settings['study']}")
    return said + [f"warning: {line}" for line in warnings(settings, rows, table)]


def same_bits(settings, rows):
    """(whether results that should be equal are, what was compared)."""
    groups = {}
    for row in rows:
        if row["exit_code"] == 0:
            groups.setdefault(row["formation"] if settings["kind"] == "weak" else 0, set()).add(row["digest"])
    what = "the repeats of each formation" if settings["kind"] == "weak" else "all formations"
    return all(len(digests) == 1 for digests in groups.values()), what


def warnings(settings, rows, table):
    if table[0]["ranks"] != 1:
        yield f"the base case has {table[0]['ranks']} ranks, so speed-ups are relative to it and not to one rank"
    if crowded := [p for p in settings["ranks"] if p > settings["cores"]]:
        yield f"{', '.join(map(str, crowded))} ranks share {settings['cores']} cores"
    short = [row["ranks"] for row in table if row["time"][0] < 1]
    if short:
        yield f"runs of {', '.join(map(str, short))} ranks take under a second: the start of the program dominates"
    if len({row["build"] for row in rows if row["exit_code"] == 0}) > 1:
        yield "the runs are of several builds or kinds of processors: their times do not compare"
    for row in rows:
        if row["exit_code"] != 0:
            yield f"round {row['round'] + 1} on {row['formation']} ranks failed (exit code {row['exit_code']}: {row['reason']})"
