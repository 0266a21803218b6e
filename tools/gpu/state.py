# SPDX-License-Identifier: BSD-3-Clause
"""What gpu_check has done so far: RESULTS/state.json, replaced whole after every step."""

import fcntl
import threading
import time

from gpu import processes
from gpu.messages import USAGE, ToolError, read_json, write_json

FORM = 1
FINAL = ("passed", "failed", "skipped", "timed out", "cut twice")
ATTEMPTS = 2  # of a step that was cut


class State:
    """The steps and what they found. All changes go through methods that hold the lock: tests run side by side."""

    def __init__(self, folder, bundle, tree):
        self.folder, self.path, self.lock = folder, folder / "state.json", threading.RLock()
        self.begun = None
        present = folder.is_dir() and any(folder.iterdir())
        if present and not self.path.exists():
            raise ToolError(f"{folder} has files of others (there is no state.json in it) name a new folder", USAGE)
        folder.mkdir(parents=True, exist_ok=True)
        self.guard = open(folder / "lock", "w", encoding="utf-8")  # noqa: SIM115 - held until the end
        try:
            fcntl.flock(self.guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ToolError(f"{folder} is in use (by another gpu_check) wait for it, or name another folder", USAGE) from error
        self.value = {"form": FORM, "bundle": bundle, "tree": tree, "calls": [], "steps": {}, "lists": {}, "tests": {}}
        if present:
            found = read_json(self.path, "another folder")
            if not isinstance(found, dict) or found.get("form") != FORM:
                raise ToolError(f"{self.path} has another form (form {FORM} is needed) name a new folder", USAGE)
            if (found["bundle"], found["tree"]) != (bundle, tree):
                raise ToolError(f"{folder} has results of another bundle or tree ({found['bundle']}, {found['tree']}) name a new folder", USAGE)
            self.value = found

    def end_left_overs(self):
        """Ends what an earlier call had running when it was killed."""
        for marked in self.value.get("running", []):
            processes.end_left_over(marked)
        self.value["running"] = []

    def started(self, marked):
        """Notes a process; saved at once, as gpu_check may be killed at any time."""
        with self.lock:
            alive = [one for one in self.value.get("running", []) if processes.mark(one[0]) == one]
            self.value["running"] = [*alive, marked]
            self.save()

    def begin_call(self, date):
        self.begun = time.monotonic()
        self.value["calls"].append({"began": date, "seconds": 0.0})

    def save(self):
        with self.lock:
            if self.begun:  # here, as a kill leaves no time for it
                self.value["calls"][-1]["seconds"] = time.monotonic() - self.begun
            write_json(self.path, self.value)

    def step(self, key):
        return self.value["steps"].get(key, {})

    def is_done(self, key):
        return self.step(key).get("status") in FINAL

    def begin(self, key, stage):
        """Whether the step may be tried; one that was cut twice is noted instead. A trial counts before it begins: gpu_check may be killed."""
        with self.lock:
            entry = self.value["steps"].setdefault(key, {"attempts": 0, "seconds": 0.0, "stage": stage})
            if entry["attempts"] >= ATTEMPTS:
                entry.update(status="cut twice", text=entry.get("text") or "it was cut twice")
            else:
                entry.update(status="running", attempts=entry["attempts"] + 1)
            self.save()
            return entry["status"] == "running"

    def end(self, key, result, seconds):
        """`result` has the status, a text and whatever the report shows. "stopped" means that the step got on: it counts as not tried."""
        with self.lock:
            entry = self.value["steps"][key]
            entry.update(result, seconds=entry["seconds"] + seconds)
            if entry["status"] == "stopped":
                entry["attempts"] = 0
            self.save()

    def forget(self, key):
        """A step that was cut before it could begin."""
        with self.lock:
            self.value["steps"][key]["attempts"] -= 1

    def count(self, *statuses):
        return sum(entry["status"] in statuses for entry in self.value["steps"].values())


class Clock:
    """The time of this call. stop() ends it at once."""

    def __init__(self, seconds):
        self.end, self.begun = time.monotonic() + seconds, time.monotonic()

    def stop(self, *_):
        self.end = 0.0

    def remaining(self):
        return self.end - time.monotonic()

    def is_over(self):
        return self.remaining() <= 0
