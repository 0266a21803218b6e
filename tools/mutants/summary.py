# SPDX-License-Identifier: BSD-3-Clause
"""How many mutants were killed, and which were not."""
import math


def wilson(hits, trials, z=1.96):
    """The 95 % confidence interval of a share (E. B. Wilson, JASA 22, 1927)."""
    if trials == 0:
        return 0.0, 1.0
    share, square = hits / trials, z * z
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    half = z / (1 + square / trials) * math.sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    return max(0.0, middle - half), min(1.0, middle + half)


def latest(records):
    """The last record of each mutant: one that is tried again counts once."""
    return list({record["name"]: record for record in records}.values())


def row(part, records, equivalent):
    count = {what: 0 for what in ("killed", "survived", "not compiled")}
    same = 0
    for record in records:
        if record["outcome"] == "survived" and record["name"] in equivalent:
            same += 1
        else:
            count[record["outcome"]] += 1
    trials = count["killed"] + count["survived"]
    low, high = wilson(count["killed"], trials)
    share = f"{100 * count['killed'] / trials:.0f} % ({100 * low:.0f} to {100 * high:.0f})" if trials else "-"
    return f"| {part} | {count['killed']} | {count['survived']} | {same} | {count['not compiled']} | {share} |"


def summary(records, equivalent, there):
    """Markdown: a table of the parts, then every survivor that is not explained as a diff.

    there: the mutants of each part by their names. Records of lines that are gone do not count.
    """
    records = [record for record in latest(records) if record["name"] in there.get(record["part"], {})]
    lines = ["| part | killed | survived | equivalent | not compiled | share killed (95 % interval) |", "|---|---|---|---|---|---|"]
    lines += [row(part, [record for record in records if record["part"] == part], equivalent) for part in there]
    lines.append(row("all", records, equivalent))
    for record in records:
        if record["outcome"] == "survived" and record["name"] not in equivalent:
            lines += ["", f"{record['part']} {there[record['part']][record['name']].diff()}"]
    return "\n".join(lines)
