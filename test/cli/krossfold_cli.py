# SPDX-License-Identifier: BSD-3-Clause
"""Runs the krossfold command as a user would; for the tests of test/cli and test/invalid."""

import atexit
import contextlib
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import h5py
import numpy
from sanitizer import SLOWER, needs_plain_memory, needs_preload

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXECUTABLE = os.environ.get("KROSSFOLD_EXECUTABLE") or shutil.which("krossfold") or str(ROOT / "build/bin/krossfold")
MPIRUN = os.environ.get("KROSSFOLD_MPIRUN") or "mpirun"
LIMIT = 100 * SLOWER  # seconds: a command that takes longer hangs

# Open MPI starts nothing as root and nothing beyond the cores unless told so.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C"}

# What commands and mpirun make in TMPDIR.
PLACE = tempfile.mkdtemp(prefix="kf-")
atexit.register(shutil.rmtree, PLACE, ignore_errors=True)

DONE, FAILED, USAGE, STOPPED = 0, 1, 2, 75


class Result:
    """What became of a command."""

    def __init__(self, command, code, out, err):
        self.command, self.code, self.out, self.err = command, code, out, err

    def __str__(self):
        shown = " ".join(str(word) for word in self.command)
        return f"$ {shown}\n-> {self.code}\nstdout:\n{self.out}\nstderr:\n{self.err}"

    def json(self):
        return json.loads(self.out)

    def report(self):
        """What `report` or `plan` says of its only file."""
        (report,) = self.json()
        return report


def command_line(arguments, ranks=None):
    """The command; without a number of ranks it is started without mpirun."""
    launcher = [] if ranks is None else [MPIRUN, "-n", str(ranks)]
    return launcher + [EXECUTABLE] + [str(word) for word in arguments]


def environment(**more):
    if "LD_PRELOAD" in more:
        needs_preload()
    return {**os.environ, **ENVIRONMENT, "TMPDIR": PLACE, **{name: str(value) for name, value in more.items()}}


class Running:
    """A command that runs in the background, in a process group of its own."""

    def __init__(self, arguments, ranks, cwd, command=None, **env):
        self.command = command or command_line(arguments, ranks)
        self.out, self.err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self.command, cwd=cwd, env=environment(**env), stdin=subprocess.DEVNULL,
                                        stdout=self.out, stderr=self.err, start_new_session=True)

    def signal(self, number):
        """To the started process alone: to mpirun, which passes it on as it sees fit."""
        self.process.send_signal(number)

    def said(self):
        """What is on its stderr so far."""
        return os.pread(self.err.fileno(), 2**20, 0).decode(errors="replace")

    def kill_all(self):
        """kill -9 for all that the command started, if it still runs: mpirun's ranks are in groups of their own."""
        if self.process.poll() is not None:
            return
        for process in [self.process.pid] + descendants(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def wait(self):
        try:
            code = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.kill_all()
            self.process.wait()
            code = "took too long"
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return Result(self.command, code, *texts)


def descendants(parent):
    """The process numbers of all children, their children, and so on."""
    children = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    found, todo = [], [parent]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def wait_until(condition, seconds=60 * SLOWER):
    """True as soon as the condition holds; False if it never does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.005)
    return False


def journal_records(path):
    """The number of records in a journal, as far as they are there."""
    with contextlib.suppress(FileNotFoundError):
        return path.read_bytes().count(b"KROSSREC")
    return 0


class CommandTest(unittest.TestCase):
    """A test with a temporary folder of its own, in which the commands run."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="krossfold-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    @classmethod
    def share(cls, prepare):
        """Calls the method `prepare` once for all tests of the class, which only read its folder; returns that."""
        first = cls(prepare)
        first.setUp()
        cls.addClassCleanup(first.doCleanups)
        getattr(first, prepare)()
        return first.folder

    def start(self, *arguments, ranks=None, **env):
        running = Running(arguments, ranks, self.folder, **env)
        self.addCleanup(running.kill_all)
        return running

    def run_command(self, *arguments, ranks=None, **env):
        return self.start(*arguments, ranks=ranks, **env).wait()

    def succeed(self, *arguments, ranks=None, **env):
        result = self.run_command(*arguments, ranks=ranks, **env)
        self.assertEqual(result.code, DONE, result)
        return result

    def peak_mebibytes(self, words):
        """The most that a command had in memory."""
        needs_plain_memory()
        code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        measured = self.run_command(command=[sys.executable, "-S", "-c", code, *command_line(words)])
        self.assertEqual(measured.code, DONE, measured)
        return int(measured.out.split()[-1]) / 1024

    def stop_until_done(self, *arguments, seconds=0.01, growth=1, ranks=(None,), runs=100):
        """Runs a study again and again, stopped after `seconds`, on `ranks` in turn, until it ends, in at most so many runs; returns how often it
        was stopped. With `growth` the time grows, as on a busy machine, or under a sanitizer, a start alone may take longer."""
        if SLOWER > 1:
            growth = max(growth, 1.2)
        for stops in range(runs):
            result = self.run_command(*arguments, "--max-time", f"{seconds * growth**stops:.3f}", ranks=ranks[stops % len(ranks)])
            if result.code != STOPPED:
                self.assertEqual(result.code, DONE, result)
                self.assertGreater(stops, 0, "it was never stopped")
                return stops
        self.fail(f"it did not end in {runs} runs")

    def files(self):
        """All files and folders below the test's folder, hidden ones too; folders of models without their run id."""
        return sorted(without_run_id(str(path.relative_to(self.folder))) for path in self.folder.rglob("*"))


def models_of(result):
    """The folder of the models that a result file names, without their random run id if there is no such file."""
    with contextlib.suppress(OSError):
        with h5py.File(result) as file:
            return result.with_name(f"{result.stem}.{file.attrs['run_id']}.models")
    return result.with_name(result.stem + ".models")


def without_run_id(name):
    """r.models/svm.h5 for r.0123abcd.models/svm.h5."""
    return re.sub(r"\.[0-9a-f]{8}\.models", ".models", name)


def digits():
    """Pixels (1797, 64) and labels of the digits, read without krossfold."""
    with gzip.open(ROOT / "data" / "digits.csv.gz", "rt") as file:
        table = numpy.loadtxt(file, delimiter=",")
    return table[:, :-1].astype(int), table[:, -1].astype(int)


def held_out_digits():
    """The last fifth, which the digits' test error is about."""
    pixels, labels = digits()
    train = round(0.8 * len(labels))
    return pixels[train:], labels[train:]


def write_csv(path, rows):
    path.write_text("".join(",".join(str(value) for value in row) + "\n" for row in rows))


def write_noise(path, samples):
    """Two classes that nothing tells apart: with large C every fit is long."""
    random = numpy.random.default_rng(1)
    features = random.normal(size=(samples, 8)).round(3)
    write_csv(path, [[*row, label] for row, label in zip(features.tolist(), random.integers(0, 2, samples).tolist())])


# A study of noise.csv in two units; with 6,000 samples each takes seconds.
SLOW = ("svm", "--data", "csv:noise.csv", "--grid", "12x1", "--folds", "2", "--log10-c", "-1:5", "--log10-gamma", "-1.5:-1.4",
        "--no-refit")


# What may differ between two computations of the same study: when, where and how fast.
TIMES_AND_PLACES = re.compile(r"(part/)?(unit|final)/(seconds|rank|started)|part/(out_of_fold|refit)_seconds|"
                              r"refine/\d+/seconds|(out_of_fold|outer)/(test_)?seconds|"
                              r"training/(comm_)?seconds|(training|run)/ranks")
RUN_ATTRIBUTES = {"command_line", "devices", "finished", "formation", "hosts", "ranks", "refit_seconds", "run_id",
                  "schedule", "seconds",
                  "setup_seconds", "started", "utilisation"}


def content(path):
    """Everything in a result file that must not depend on how it was computed: {name: bytes}."""
    found = {}

    def add(name, item):
        if isinstance(item, h5py.Dataset) and not TIMES_AND_PLACES.fullmatch(name):
            found[name] = (item.shape, str(item.dtype), item[()].tobytes())

    with h5py.File(path, "r") as file:
        file.visititems(add)
        for name, value in file.attrs.items():
            if name not in RUN_ATTRIBUTES:
                found["@" + name] = value
    return found


def difference(left, right):
    """The names under which two contents differ."""
    names = sorted(set(left) | set(right))
    return [name for name in names if left.get(name) != right.get(name)]
