# SPDX-License-Identifier: BSD-3-Clause
"""Times out of the JSON that programs with Google Benchmark print."""

import statistics

from peers.measure import BenchError

UNIT = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}


def milliseconds(document, name, clock):
    """Of an iteration of one benchmark in the JSON of Google Benchmark; the median of its repetitions."""
    wanted = {"wall": "real_time", "cpu": "cpu_time"}[clock]
    return statistics.median(entry[wanted] * UNIT[entry["time_unit"]] for entry in entries_of(document, name))


def entries_of(document, name):
    """The runs of a benchmark, whose name may go on with /min_time:... and the like; at least one."""
    entries = [
        entry
        for entry in document.get("benchmarks", [])
        if (entry["name"] + "/").startswith(name + "/") and entry.get("run_type", "iteration") == "iteration"
    ]
    for entry in entries:
        if entry.get("error_occurred"):
            raise BenchError(f"benchmark {name} failed ({entry.get('error_message', 'no message')}) see its message")
    if not entries:
        raise BenchError(f"there is no benchmark {name} (the program is another one?) build it anew, or use --parts")
    return entries


def long_times(document, name):
    """(first, last) from the counters first_ms and last_ms: means of a step, by the clock."""
    entry = entries_of(document, name)[0]
    if not {"first_ms", "last_ms"} <= entry.keys():
        raise BenchError(f"benchmark {name} has no counters first_ms and last_ms (an old program?) build it anew")
    return entry["first_ms"], entry["last_ms"]
