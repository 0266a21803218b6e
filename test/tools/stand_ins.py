# SPDX-License-Identifier: BSD-3-Clause
"""Programs that stand for the real ones in tests of tools/bench_peers."""

import sys


def write_program(path, code):
    """An executable Python script; the folder is made where it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{code}")
    path.chmod(0o755)
    return path


def peer_python(work):
    """Code of a Python of the virtual environment, whose packages all have version 1.0; `work`, indented, does a task. A script with
    arguments is run by this Python."""
    return f"""
import json, os, sys
if sys.argv[1] == "--version":
    print("Python 3.11.0")
elif sys.argv[1] == "-c":
    print("\\n".join(name + " 1.0" for name in sys.argv[3:]))
elif sys.argv[1].endswith(".py"):
    os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])
else:
    task = json.load(sys.stdin)
{work}"""
