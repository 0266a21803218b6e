# SPDX-License-Identifier: BSD-3-Clause
"""One run of the program with its ranks: time, result, and a digest of every value that the number of ranks must not change."""

import datetime
import hashlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

from scaling import formations, h5py, np
from krossfold.result_file import ResultFileError, open_result, text, values

# As in test/cli/krossfold_cli.py, whose test compares both.
TIMES_AND_PLACES = re.compile(r"(part/)?(unit|final)/(seconds|rank|started)|part/(out_of_fold|refit)_seconds|refine/\d+/seconds|"
                              r"(out_of_fold|outer)/(test_)?seconds|training/(comm_)?seconds|(training|run)/ranks")  # fmt: skip
RUN_ATTRIBUTES = {"command_line", "devices", "finished", "formation", "hosts", "ranks", "refit_seconds", "run_id", "schedule", "seconds",
                  "setup_seconds", "started", "utilisation"}  # fmt: skip


def digest(file):
    """SHA-256 of all datasets and attributes but times and places."""
    found = {}

    def add(name, item):
        if isinstance(item, h5py.Dataset) and not TIMES_AND_PLACES.fullmatch(name):
            found[name] = f"{item.shape} {item.dtype} ".encode() + item[()].tobytes()

    file.visititems(add)
    found |= {f"@{name}": str(value).encode() for name, value in file.attrs.items() if name not in RUN_ATTRIBUTES}
    total = hashlib.sha256()
    for name in sorted(found):
        total.update(name.encode() + b"\0" + hashlib.sha256(found[name]).digest())
    return total.hexdigest()


def study_seconds(file, study):
    """Wall time of the study itself: of the steps of a training, of units and refit otherwise (which begin after the set-up)."""
    if study == "train":
        return float(np.nansum(values(file, "/training/seconds")))
    return float(file.attrs["seconds"])


def reason_of(said):
    """The line of stderr that says most: the program's, else the first with letters (launchers draw frames around their messages)."""
    words = [line for line in said if any(letter.isalpha() for letter in line)]
    return next((line for line in words if "krossfold" in line), words[0] if words else "no message")


def run(command):
    """(exit code, lines of stderr). All its processes are ended with this one, by whatever signal raises here."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, errors="replace",
                          env={"OPENBLAS_NUM_THREADS": "1", **os.environ}, start_new_session=True) as child:  # fmt: skip
        try:
            said = child.communicate()[1]
        except BaseException:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
            raise
    return child.returncode, said.strip().splitlines()


def measure(launcher, formation, program, study, options):
    """A row of the study file."""
    row = {"formation": formation, "started": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
           "host": socket.gethostname(), "hosts": "", "cores": len(os.sched_getaffinity(0)), "study_seconds": np.nan, "setup_seconds": np.nan,
           "digest": "", "build": "", "reason": ""}  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="scaling-", dir=os.getcwd()) as folder:  # a disk that the nodes share
        output = pathlib.Path(folder) / "r.h5"
        command = [*formations.launch(launcher, formation), program, study, *options, "--quiet", "-o", str(output)]
        row["command"] = " ".join(command)
        begin = time.perf_counter()
        try:
            row["exit_code"], said = run(command)
        except OSError as error:
            row["exit_code"], said = -1, [f"cannot start {command[0]} ({error.strerror})"]
        row["wall_seconds"] = time.perf_counter() - begin
        if row["exit_code"] != 0:
            row["reason"] = reason_of(said)
            return row
        try:
            with open_result(output, study=study) as file:
                row |= {"study_seconds": study_seconds(file, study), "setup_seconds": float(file.attrs["setup_seconds"]),
                        "digest": digest(file), "build": text(file, "build"), "hosts": text(file, "hosts")}  # fmt: skip
                placed = text(file, "formation").rpartition("x")[0]
        except (ResultFileError, KeyError) as error:
            return row | {"exit_code": -1, "reason": str(error)}
    if formations.nodes(formation) is not None and placed != formation:
        row |= {"exit_code": -1, "reason": f"the ranks ran as {placed} (the launcher did not place them as asked) see its nodes and slots"}
    return row
