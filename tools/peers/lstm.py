# SPDX-License-Identifier: BSD-3-Clause
"""bench_peers lstm: training steps of the character LSTM, against PyTorch."""

import json
import os
import pathlib
import statistics
import sys

from peers.cnn_work import OWN, TOOLS, options_text
from peers.google_benchmark import milliseconds
from peers.measure import BenchError, number, peer_python, range_text, run_pinned, show_table

OPTIONS = ("default", "fused", "fused+flush_denormal")
HEADINGS = ["batch", f"{OWN}, ms a step", "tool", "ms a step", "ratio", "its options"]


def run_own(batch, arguments):
    """Milliseconds of a step, windows computed `part` at a time."""
    name = f"lstm_step/{batch}/{min(batch, 128)}"
    command = [arguments.bench, f"--benchmark_filter=^{name}(/|$)", "--benchmark_format=json",
               f"--benchmark_min_time={arguments.seconds:g}"]  # fmt: skip
    _, out = run_pinned(command, arguments.core)
    try:
        document = json.loads(out) if out.strip() else {}
    except json.JSONDecodeError as error:
        raise BenchError(f"{arguments.bench} printed no JSON ({error.msg}) is it a benchmark program?") from error
    return milliseconds(document, name, "wall")


def run_torch(batch, tool, options, arguments, python):
    task = {"batch": batch, "options": options.split("+"), "seconds": arguments.seconds}
    script = pathlib.Path(__file__).with_name("torch_lstm.py")
    _, out = run_pinned([python, "-W", "ignore", script], arguments.core, json.dumps(task), TOOLS[tool][1])
    return json.loads(out.strip().splitlines()[-1])["median"]


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def measure(batch, arguments, python):
    """Rows of the table: each round runs krossfold before and after each tool with its fastest options."""
    chosen, tried = {}, {}
    for tool in TOOLS:
        tried[tool] = {options: run_torch(batch, tool, options, arguments, python) for options in OPTIONS}
        chosen[tool] = min(tried[tool], key=tried[tool].get)
        say(f"batch {batch}, {TOOLS[tool][0]}: {options_text(chosen[tool])} is its fastest")
    own, times, ratios = [run_own(batch, arguments)], {tool: [] for tool in TOOLS}, {tool: [] for tool in TOOLS}
    for done in range(arguments.repeat):
        for tool in TOOLS:
            times[tool].append(run_torch(batch, tool, chosen[tool], arguments, python))
            own.append(run_own(batch, arguments))
            ratios[tool] += [times[tool][-1] / own[-2], times[tool][-1] / own[-1]]
            say(f"batch {batch}, round {done + 1}: {TOOLS[tool][0]} {number(times[tool][-1])} ms, {OWN} {number(own[-1])} ms")
    rows = [[str(batch), range_text(own), TOOLS[tool][0], range_text(times[tool]), number(statistics.median(ratios[tool])),
             options_text(chosen[tool])] for tool in TOOLS]  # fmt: skip
    notes = [f"batch {batch}, {TOOLS[tool][0]}, options tried, ms: "
             + "; ".join(f"{options_text(options)} {number(value)}" for options, value in found.items())
             for tool, found in tried.items()]  # fmt: skip
    return rows, notes


def run(arguments):
    """Measures, and prints the table."""
    if not os.access(arguments.bench, os.X_OK):
        raise BenchError(f"cannot run {arguments.bench} (it is not there) build it, or name it with --bench")
    python, versions = peer_python(arguments.venv, ("torch", "numpy"))
    head = [
        "; ".join(versions),
        f"torch.nn.LSTM(31, 128, 4, dropout=0.1), windows of 8, Adam; core {arguments.core}, one thread; rounds: "
        f"{arguments.repeat}, at least {arguments.seconds:g} s each; median (smallest-largest), of ratios the median; "
        f"load average {os.getloadavg()[0]:.1f}",
    ]
    print("\n".join(head), flush=True)
    rows, notes = [], []
    for batch in arguments.batches:
        found, tried = measure(batch, arguments, python)
        rows += found
        notes += tried
    show_table(head, HEADINGS, rows, notes, arguments.markdown)
