# SPDX-License-Identifier: BSD-3-Clause
"""Processes of this machine, as /proc shows them."""

import contextlib
import os
import pathlib


def state_of(process):
    """One letter, as ps prints it; Z, too, if there is no such process any more."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return "Z"


def program_of(process):
    try:
        return os.readlink(f"/proc/{process}/exe")
    except OSError:
        return ""


def has_in_environment(process, entry):
    try:
        return entry.encode() in pathlib.Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def all_processes():
    return [int(folder.name) for folder in pathlib.Path("/proc").glob("[0-9]*")]


def send(process, number):
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, number)


def all_gone(processes):
    return all(state_of(process) == "Z" for process in processes)
