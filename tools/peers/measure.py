# SPDX-License-Identifier: BSD-3-Clause
"""What the comparisons of bench_peers share: errors, pinned processes, the virtual environment, tables."""

import math
import os
import signal
import statistics
import subprocess
import sys
import time

ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS")}


class BenchError(Exception):
    """A message in the form PROBLEM (WHY) SUGGESTION."""


class UsageError(BenchError):
    """One that other arguments would avoid."""


def run_pinned(command, core, stdin="", environment=None):
    """(seconds of the whole process, its stdout); throws BenchError if it fails. Core None: wherever it likes."""
    start = time.perf_counter()
    try:
        process = subprocess.run(
            [str(word) for word in command],
            input=stdin,
            env={**os.environ, **ONE_THREAD, **(environment or {})},
            capture_output=True,
            text=True,
            preexec_fn=None if core is None else lambda: os.sched_setaffinity(0, {core}),
            check=False,
        )
    except OSError as error:
        raise UsageError(f"cannot start {command[0]} ({error.strerror}) was it built or installed?") from error
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        said = process.stderr.strip().splitlines()[-3:]
        if process.returncode == -signal.SIGKILL:
            said.append("killed, as when memory runs out")
        raise BenchError(f"{command[0]} failed (exit code {process.returncode}: {' '.join(said)}) see its message")
    return seconds, process.stdout


def peer_python(folder, packages):
    """(Python of the virtual environment, lines with the versions); it is made and filled where it is not there."""
    python = folder / "bin" / "python"
    steps = []
    if not python.exists():
        steps.append(("make a virtual environment in " + str(folder), [sys.executable, "-m", "venv", folder]))
    code = "import importlib.metadata as m, sys; [print(p, m.version(p)) for p in sys.argv[1:]]"
    find = [python, "-c", code, *packages]
    if not python.exists() or subprocess.run(find, capture_output=True, check=False).returncode != 0:
        steps.append((f"install {' '.join(packages)}", [python, "-m", "pip", "install", "--quiet", *packages]))
    for what, command in steps:
        print(f"bench_peers: {what}", file=sys.stderr)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            why = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
            raise BenchError(
                f"cannot {what} ({why[0]}) check the network and pip's configuration, or make one elsewhere yourself "
                "and name it with --venv"
            )
    versions = []
    for command in ([python, "--version"], find):
        versions += subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return python, versions


def number(value):
    """Three digits, more only before the point."""
    return f"{value:.{max(0, 2 - int(math.floor(math.log10(value))))}f}" if 0 < value < 1000 else f"{value:.0f}"


def range_text(values):
    """ "412 (405-420)": median, smallest and largest; one value by itself."""
    text = number(statistics.median(values))
    return text if len(values) == 1 else f"{text} ({number(min(values))}-{number(max(values))})"


def text_table(headings, rows):
    widths = [max(len(row[k]) for row in [headings, *rows]) for k in range(len(headings))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in [headings, *rows])


def markdown_table(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def show_table(head, headings, rows, notes, markdown):
    """Prints a table with its notes, and writes both below their head to the file `markdown`, if one is named."""
    print("\n" + text_table(headings, rows) + "\n\n" + "\n".join(notes))
    if markdown:
        lines = [text for line in head for text in (line, "")]
        write_markdown(markdown, [*lines, markdown_table(headings, rows), "", *notes])


def write_markdown(path, lines):
    try:
        path.write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")
    except OSError as error:
        raise BenchError(f"cannot write {path} ({error.strerror}) give another --markdown") from error
