# SPDX-License-Identifier: BSD-3-Clause
"""What gpu_bundle and gpu_check share: errors, times in words, files that are replaced whole."""

import argparse
import json
import os
import pathlib
import re

STAND_IN = "no GPU: stand-in"
FAILED, USAGE, STOPPED = 1, 2, 75


class ToolError(Exception):
    """A message in the form PROBLEM (WHY) SUGGESTION, and the exit code."""

    def __init__(self, message, code=FAILED):
        super().__init__(message)
        self.code = code


def duration(word):
    """Seconds of 540, 540s, 9m or 1h."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|h|)", word)
    if not found or float(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"'{word}' is no duration (a number above 0 with s, m or h is needed) write 540s, say")
    return float(found[1]) * {"h": 3600, "m": 60}.get(found[2], 1)


def processor():
    """(its name, the vector instructions that it has) as /proc/cpuinfo says."""
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    name, flags = (re.search(rf"^{word}\s*:\s*(.*)$", text, re.MULTILINE) for word in ("model name", "flags"))
    vector = [flag for flag in (flags[1].split() if flags else []) if re.fullmatch(r"(avx|fma|bmi|amx|f16c|sse4).*", flag)]
    return name[1].strip() if name else "unknown", sorted(vector)


def write_whole(path, text):
    """Replaces a file by another name, so that it is never there in part, and syncs it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with open(draft, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(draft, path)


def write_json(path, value):
    write_whole(path, json.dumps(value, indent=1) + "\n")


def read_json(path, what):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ToolError(f"cannot read {path} ({error.strerror}) give {what}", USAGE) from error
    except ValueError as error:
        raise ToolError(f"cannot read {path} (it is no JSON: {error}) give {what}", USAGE) from error
