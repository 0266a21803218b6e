# SPDX-License-Identifier: BSD-3-Clause
"""bench_peers cnn: training and inference of the bagged networks, against PyTorch."""

import json
import os
import pathlib
import re
import sys

from peers.cnn_tables import long_table, peers_table, tried_lines
from peers.cnn_work import OWN, SAMPLES, TOOLS, candidates_of, joined, options_text
from peers.google_benchmark import long_times, milliseconds
from peers.measure import (
    BenchError,
    UsageError,
    markdown_table,
    number,
    peer_python,
    run_pinned,
    text_table,
    write_markdown,
)
from peers.mnist import idx_file, mnist_folder

PACKAGES = ("torch", "numpy")


def run_own(row, part, arguments):
    """Milliseconds of one run of krossfold's benchmark; of the long one (first, last)."""
    name = row.benchmark(part)
    command = [arguments.bench, f"--benchmark_filter=^{name}(/|$)", "--benchmark_format=json"]
    command += [f"--benchmark_min_time={arguments.seconds:g}"] if part != "long" else []
    environment = {"KROSSFOLD_DATA": str(arguments.data.resolve())} if arguments.data else {}
    _, out = run_pinned(command, arguments.core, environment=environment)
    try:
        document = json.loads(out) if out.strip() else {}
    except json.JSONDecodeError as error:
        raise BenchError(f"{arguments.bench} printed no JSON ({error.msg}) is it a benchmark program?") from error
    if part == "long":
        return long_times(document, name)
    return milliseconds(document, name, arguments.clock)


def run_torch(row, part, tool, options, arguments, python, mnist, quick=False):
    """The answer of torch_cnn.py. Options: words joined by +; for inference (batch, words)."""
    batch, words = options if part == "infer" else (row.batch, options)
    samples = min(SAMPLES, max(batch, 500)) if quick else SAMPLES
    task = {
        "work": part,
        "shape": row[:3],
        "batch": batch,
        "options": words.split("+"),
        "seconds": arguments.seconds / 4 if quick else arguments.seconds,
        "steps": arguments.steps,
        "samples": samples,
        "images": idx_file(mnist, "train-images-idx3-ubyte") if mnist else None,
        "labels": idx_file(mnist, "train-labels-idx1-ubyte") if mnist else None,
    }
    environment = {**TOOLS[tool][1], **({"THP_MEM_ALLOC_ENABLE": "1"} if "huge_pages" in words else {})}
    script = pathlib.Path(__file__).with_name("torch_cnn.py")
    _, out = run_pinned([python, "-W", "ignore", script], arguments.core, json.dumps(task), environment)
    answer = json.loads(out.strip().splitlines()[-1])
    if part == "infer":
        for clock in ("wall", "cpu"):
            answer[clock] *= SAMPLES / samples
    return answer


def peers_of(arguments):
    return [tool for tool in arguments.only if tool != OWN]


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def screen(row, part, tool, arguments, python, mnist):
    """The fastest options, and what was found: {options: milliseconds, or the reason why they do not work}."""
    candidates = (arguments.options if part == "train" else None) or candidates_of(part, tool)
    if len(candidates) == 1:
        return candidates[0], {}
    found = {}

    def attempt(options):
        try:
            answer = run_torch(row, part, tool, options, arguments, python, mnist, quick=True)
            which = "median" if part == "train" and arguments.clock == "wall" else arguments.clock
            found[options] = answer[which]
        except UsageError:
            raise
        except BenchError as error:
            found[options] = str(error)
        value = found[options]
        shown = value if isinstance(value, str) else f"{number(value)} ms"
        say(f"{row.text()} {part} {TOOLS[tool][0]}, {options_text(options)}: {shown}")

    def worked():
        return {options: value for options, value in found.items() if not isinstance(value, str)}

    for options in candidates:
        attempt(options)
    together = joined(worked()) if part == "train" else None
    if together and together not in found:
        attempt(together)
    if not worked():
        raise BenchError(f"PyTorch does not run {row.text()} with any options ({next(iter(found.values()))})")
    return min(worked(), key=worked().get), found


class Measured:
    """Runs and ratios by (part, row, tool)."""

    def __init__(self):
        self.runs, self.ratios, self.options, self.tried = {}, {}, {}, {}

    def add(self, key, value):
        self.runs.setdefault(key, []).append(value)

    def add_between(self, key, before, value, after):
        """A run of a peer between two of krossfold: two ratios."""
        self.add(key, value)
        self.ratios.setdefault(key, []).extend([value / before, value / after])


def measure_round(measured, part, row, arguments, python, mnist):
    """krossfold before and after each peer, the peers with the options that were found fastest."""

    def own():
        value = run_own(row, part, arguments)
        measured.add((part, row, OWN), value)
        say(f"{row.text()} batch {row.batch} {part} {OWN}: {number(value)} ms")
        return value

    with_own = OWN in arguments.only
    before = own() if with_own else None
    for tool in peers_of(arguments):
        key = (part, row, tool)
        value = run_torch(row, part, tool, measured.options[key], arguments, python, mnist)[arguments.clock]
        say(f"{row.text()} batch {row.batch} {part} {TOOLS[tool][0]}: {number(value)} ms")
        if with_own:
            after = own()
            measured.add_between(key, before, value, after)
            before = after
        else:
            measured.add(key, value)


def measure_long(measured, row, arguments, python, mnist):
    """Pairs (first, last) of every tool; PyTorch's with and without denormals flushed."""
    for tool in arguments.only:
        if tool == OWN:
            found = {OWN: run_own(row, "long", arguments)}
        else:
            found = {}
            for words in ("fused", "fused+flush_denormal"):
                answer = run_torch(row, "long", tool, words, arguments, python, mnist)
                found[f"{TOOLS[tool][0]}, {words}"] = tuple(answer[end][arguments.clock] for end in ("first", "last"))
        for title, pair in found.items():
            measured.add(("long", row, title), pair)
            say(f"{row.text()} {title}: first {number(pair[0])} ms, last {number(pair[1])} ms a step")


def available_memory():
    """Bytes that processes can still have; None where the system does not say."""
    try:
        text = pathlib.Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"^MemAvailable:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def fitting(rows, arguments):
    """The rows for which memory suffices; says which do not. krossfold alone needs less."""
    available = available_memory()
    if available is None or arguments.only == [OWN]:
        return list(rows)
    kept = [row for row in rows if row.bytes() <= available]
    for row in rows:
        if row not in kept:
            print(
                f"bench_peers: {row.text()} is left out (PyTorch needs {row.bytes() / 2**30:.1f} GiB to train it, "
                f"{available / 2**30:.1f} GiB are available)",
                file=sys.stderr,
            )
    return kept


def find_mnist(arguments):
    """MNIST's folder; None where it is not there and --data does not ask for it."""
    try:
        folder = mnist_folder(arguments.data)
    except UsageError:
        if arguments.data:
            raise
        return None
    arguments.data = folder.parent
    return folder


def check_own(arguments, items):
    """Throws unless krossfold's program has all the benchmarks; better now than after an hour."""
    if not os.access(arguments.bench, os.X_OK):
        raise UsageError(
            f"cannot run {arguments.bench} (it is not there) build it, name it with --bench, or leave it out with "
            f"--only {','.join(TOOLS)}"
        )
    _, out = run_pinned([arguments.bench, "--benchmark_list_tests=true"], arguments.core)
    for part, row in items:
        name = row.benchmark(part)
        if not any((line + "/").startswith(name + "/") for line in out.split()):
            raise UsageError(f"{arguments.bench} has no benchmark {name} (it lists others) use other --rows or --parts")


def measure(measured, arguments, items, python, mnist):
    """All runs of the (part, row)s."""
    for part, row in items:
        for tool in peers_of(arguments) if part != "long" else []:
            key = (part, row, tool)
            measured.options[key], measured.tried[key] = screen(row, part, tool, arguments, python, mnist)
    for done in range(arguments.repeat):
        print(f"round {done + 1} of {arguments.repeat}", file=sys.stderr)
        for part, row in items:
            if part == "long":
                measure_long(measured, row, arguments, python, mnist)
            else:
                measure_round(measured, part, row, arguments, python, mnist)


def run(arguments):
    """Measures, and prints the tables."""
    mnist = find_mnist(arguments)
    rows = fitting(arguments.rows, arguments)
    shapes = list({row[:3]: row for row in rows}.values())
    long = fitting([row for row in arguments.long if "long" in arguments.parts], arguments)
    parts = {"train": rows, "infer": shapes, "long": long}
    items = [(part, row) for part in arguments.parts for row in parts[part]]
    if OWN in arguments.only:
        check_own(arguments, items)
    python, versions = peer_python(arguments.venv, PACKAGES) if peers_of(arguments) else (None, [])
    clock = "by the clock" if arguments.clock == "wall" else "of processor time"
    head = [
        "; ".join(versions),
        f"{'MNIST' if mnist else 'random images'}; core {arguments.core}, one thread; ms {clock}, rounds: "
        f"{arguments.repeat}, at least {arguments.seconds:g} s each; median (smallest-largest); "
        f"load average {os.getloadavg()[0]:.1f}",
    ]
    head = [line for line in head if line]
    print("\n".join(head), flush=True)
    measured, problem = Measured(), None
    try:
        measure(measured, arguments, items, python, mnist)
    except BenchError as error:
        problem = error  # what was measured before it is shown all the same
    tables = [peers_table(measured, part, parts[part], arguments.only) for part in ("train", "infer")]
    tables = [table for table in [*tables, long_table(measured, arguments.steps // 10)] if table[1]]
    notes = list(tried_lines(measured))
    print("\n\n".join([*(text_table(*table) for table in tables), *(["\n".join(notes)] if notes else [])]))
    if arguments.markdown:
        lines = [text for line in head for text in (line, "")]
        lines += [text for table in tables for text in (markdown_table(*table), "")]
        write_markdown(arguments.markdown, [*lines, *(f"- {note}" for note in notes)])
    if problem:
        raise problem
