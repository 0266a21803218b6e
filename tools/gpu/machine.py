# SPDX-License-Identifier: BSD-3-Clause
"""What the machine is, and whether the program really runs on a GPU of it."""

import os
import pathlib
import platform
import re
import shutil

from gpu.messages import STAND_IN, processor

QUERY = ("name", "memory.total", "driver_version", "compute_cap", "pcie.link.gen.max")


def first_match(path, pattern):
    try:
        found = re.search(pattern, pathlib.Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        return ""
    return found[1].strip() if found else ""


def glibc_here():
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").split(" ")[-1]
    except (OSError, ValueError):
        return ""


def is_older(version, wanted):
    numbers = [tuple(map(int, re.findall(r"\d+", word))) for word in (version, wanted)]
    return bool(numbers[0] and numbers[1]) and numbers[0] < numbers[1]


def cards(context):
    """([{name, memory.total, ...}], what nvidia-smi said or why it did not)."""
    if shutil.which("nvidia-smi") is None:
        return [], "nvidia-smi is not there"
    ended = context.run(["nvidia-smi", "--query-gpu=" + ",".join(QUERY), "--format=csv,noheader"], 30)
    if ended.how != "ended" or ended.code != 0:
        return [], f"nvidia-smi failed: {ended.last_words()}"
    found = [dict(zip(QUERY, map(str.strip, line.split(",")))) for line in ended.out.splitlines() if line.strip()]
    return found, "" if found else "nvidia-smi lists no card"


def describe(context):
    """The machine as gpu.json has it. "kind" is "GPU" only where a card is there and the program says that it runs on one."""
    found, why = cards(context)
    cuda = ""
    if found:
        text = context.run(["nvidia-smi"], 30).out
        cuda = (re.search(r"CUDA Version: ([\d.]+)", text) or ["", ""])[1]
    name, vector = processor()
    memory = first_match("/proc/meminfo", r"^MemTotal:\s+(\d+) kB")
    machine = {
        "cards": found,
        "cuda_of_driver": cuda,
        "processor": name,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory) / (1 << 20), 1) if memory else 0,
        "glibc": glibc_here(),
        "python": platform.python_version(),
        "notes": [why] if why else [],
    }
    wanted = context.manifest["glibc"]
    if is_older(machine["glibc"], wanted):
        machine["notes"].append(f"glibc {machine['glibc']} is older than the {wanted} that the bundle needs")
    absent = sorted(set(context.manifest["processor"]["vector"]) - set(vector))
    if absent and context.tree_about["march"] == "native":
        machine["notes"].append(f"the build is for the processor that made it (-march=native), and this one lacks {' '.join(absent)}: SIGILL may follow")
    start = context.run([*context.program, "svm", "--data", "digits", "--grid", "2x2", "--dry-run", "-o", context.folder / "dry.h5"], 60)
    line = re.search(r"^devices\s+[^:]*:\s*(.*)$", start.out, re.MULTILINE)
    machine["device"] = line[1] if line else ""
    machine["problem"] = "" if start.how == "ended" and start.code == 0 and line else f"the program does not start ({start.last_words()})"
    on_card = re.search(r"\bdevice \d+", machine["device"]) is not None
    if found and not on_card:
        machine["notes"].append("the program does not run on the card" + (f": {machine['problem']}" if machine["problem"] else ": it is built for CPUs"))
    machine["kind"] = "GPU" if found and on_card else STAND_IN
    return machine
