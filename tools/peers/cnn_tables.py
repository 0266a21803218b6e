# SPDX-License-Identifier: BSD-3-Clause
"""The tables of bench_peers cnn."""

from peers.cnn_work import OWN, SAMPLES, TOOLS, options_text
from peers.measure import number, range_text


def peers_table(measured, part, rows, tools):
    """Headings and rows of the training or inference table."""
    unit = "ms a step" if part == "train" else f"ms, {SAMPLES} images"
    headings = ["network", "batch"] if part == "train" else ["network"]
    headings += [f"krossfold, {unit}"] if OWN in tools else []
    peers = [tool for tool in tools if tool != OWN]
    for tool in peers:
        headings += [f"{TOOLS[tool][0]}, {unit}", *(["ratio"] if OWN in tools else []), "its options"]
    lines = []
    for row in rows:
        if not all((part, row, tool) in measured.runs for tool in tools):
            continue
        line = [row.text(), str(row.batch)] if part == "train" else [row.text()]
        if OWN in tools:
            line.append(range_text(measured.runs[part, row, OWN]))
        for tool in peers:
            key = (part, row, tool)
            line.append(range_text(measured.runs[key]))
            line += [range_text(measured.ratios[key])] if OWN in tools else []
            line.append(options_text(measured.options[key]))
        lines.append(line)
    return headings, lines


def long_table(measured, part):
    """Headings and rows of the long runs; `part` steps are a tenth."""
    headings = ["network", "batch", "tool", f"first {part} steps, ms a step", f"last {part}", "last / first"]
    lines = []
    for (kind, row, title), pairs in measured.runs.items():
        if kind == "long":
            ends = [list(end) for end in zip(*pairs)]
            texts = map(range_text, [*ends, [last / first for first, last in pairs]])
            lines.append([row.text(), str(row.batch), title, *texts])
    return headings, lines


def tried_lines(measured):
    """A line for each screening."""
    for (part, row, tool), found in measured.tried.items():
        texts = [
            f"{options_text(options)} {'failed: ' + value if isinstance(value, str) else number(value)}"
            for options, value in found.items()
        ]
        if texts:
            batch = f", batch {row.batch}" if part == "train" else ""
            yield f"{TOOLS[tool][0]}, {part} {row.text()}{batch}, options tried, ms: {'; '.join(texts)}"
