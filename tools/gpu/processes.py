# SPDX-License-Identifier: BSD-3-Clause
"""Runs one program within a time, and leaves none of its processes behind."""

import contextlib
import os
import pathlib
import signal
import subprocess
import threading
import time
from typing import NamedTuple

KEPT = 200_000  # characters of an output


class Ended(NamedTuple):
    how: str  # "ended", "limit" (of the whole program), "idle" (no line for its time) or "stop" (gpu_check has to end)
    code: int
    seconds: float
    out: str
    err: str

    def last_words(self):
        return (" / ".join((self.err.strip() or self.out.strip()).splitlines()[-2:]) or "no message")[:400]


def descendants(process):
    """All processes that a process started, and those that they did, as far as they have not been handed to init."""
    children = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            parent = int((folder / "stat").read_text(errors="replace").rsplit(")", 1)[1].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    found, open_ones = [], [process]
    while open_ones:
        more = children.get(open_ones.pop(), [])
        found += more
        open_ones += more
    return found


def end(process):
    """First asks, as mpirun then ends its ranks, then kills what is left."""
    below = descendants(process.pid)
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(2)
    for one in [*below, *descendants(process.pid)]:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(one, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    process.wait()


def mark(process):
    """What tells a process from a later one with its number, also after a start of the machine."""
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text(errors="replace")
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text()
        return [process, stat.rsplit(")", 1)[1].split()[19], boot.strip()]
    except (OSError, IndexError):
        return [process, "", ""]


def end_left_over(marked):
    """Ends a program that a killed gpu_check left behind, and what it started."""
    if marked[1] and mark(marked[0]) == list(marked):
        for one in [*descendants(marked[0]), marked[0]]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)


def run(command, limit, stopped, idle=None, on_line=None, merge=False, folder=None, on_start=None):
    """Runs a command for at most `limit` seconds, or until no line has come for `idle`, or stopped() says so."""
    begun = time.monotonic()
    texts, last = {"out": [], "err": []}, [begun]
    try:
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else subprocess.PIPE, text=True, errors="replace", cwd=folder,
            start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        return Ended("ended", 127, 0.0, "", f"cannot start {command[0]} ({error.strerror})")

    if on_start:
        on_start(mark(process.pid))

    def read(stream, name):
        kept = 0
        for line in stream:
            last[0] = time.monotonic()
            if on_line and name == "out":
                on_line(line)
            if kept < KEPT:
                texts[name].append(line)
                kept += len(line)

    readers = [threading.Thread(target=read, args=(process.stdout, "out"), daemon=True)]
    if not merge:
        readers.append(threading.Thread(target=read, args=(process.stderr, "err"), daemon=True))
    for reader in readers:
        reader.start()
    how = "ended"
    while process.poll() is None:
        now = time.monotonic()
        how = "stop" if stopped() else "limit" if now - begun >= limit else "idle" if idle and now - last[0] >= idle else "ended"
        if how != "ended":
            end(process)
            break
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
    for reader in readers:
        reader.join(3)
    return Ended(how, process.returncode, time.monotonic() - begun, "".join(texts["out"]), "".join(texts["err"]))
