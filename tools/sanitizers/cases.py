# SPDX-License-Identifier: BSD-3-Clause
"""The tests of a build tree by ctest, and short runs of the program under valgrind."""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
FOUND = 99  # exit code of a process in which valgrind or a sanitizer found something
MOST_OUTPUT = 50_000_000  # bytes of a test's output that are searched
LIMIT = 3600  # seconds of a run under valgrind
UNDEFINED = re.compile(r"^.*: runtime error: .*$", re.MULTILINE)  # UBSan beside ASan always writes to stderr

# That there is not so much memory is no fault: the program gets std::bad_alloc, as it does without ASan.
REFUSED = re.compile(r"^==\d+==WARNING: AddressSanitizer failed to allocate .*\n?", re.MULTILINE)

# Sets what every run of the program under MPI needs as root, in containers and with more ranks than cores (tools/mpi_environment).
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "HWLOC_HIDE_ERRORS": "2", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Ended:
    outcome: str  # passed, skipped, failed or findings
    seconds: float
    text: str = ""  # what a person should read


@dataclass(frozen=True)
class Case:
    """Something that runs under a checker: a test of ctest, or commands of the program."""

    name: str
    processors: int = 1
    alone: bool = False  # not beside others that are: they share files
    ranks: int = 0  # of a run under valgrind; 0: without mpirun
    prepare: str = ""  # a command of the program, without valgrind
    command: str = ""  # of the program


class Stopped(Exception):
    """The case was ended before it had an outcome."""


class Processes:
    """Runs commands in sessions of their own, so that Ctrl-C reaches them through stop() alone."""

    def __init__(self):
        self.running, self.lock, self.stopped = set(), threading.Lock(), False

    def run(self, command, cwd, environment, limit=None):
        """(exit code, or None if it took more than `limit` seconds; stdout and stderr)."""
        with self.lock:
            if self.stopped:
                raise Stopped
            process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
            self.running.add(process)
        try:
            text = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None, process.communicate()[0]
        finally:
            with self.lock:
                self.running.remove(process)
        if self.stopped:
            raise Stopped
        return process.returncode, text

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGTERM)


def reports_in(folder, most=60):
    """The first lines of all reports that the processes of a case wrote."""
    reports = [REFUSED.sub("", path.read_text(errors="replace")).splitlines() for path in sorted(folder.iterdir())]
    return "\n".join("\n".join(lines[:most]) for lines in [lines for lines in reports if lines][:3])


def emptied(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def tests_of(root, preset):
    """The tests that a test preset selects."""
    listed = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=root, check=True, capture_output=True, text=True).stdout
    for test in json.loads(listed[listed.index("{"):])["tests"]:
        of = {one["name"]: one["value"] for one in test.get("properties", [])}
        if not of.get("DISABLED"):
            yield Case(test["name"], int(of.get("PROCESSORS", 1)), alone=any(name.startswith("FIXTURES") for name in of))


def run_test(processes, root, preset, case, reports):
    """Runs a test with its fixtures. Its processes write their reports into a folder of their own."""
    folder = emptied(reports / case.name)
    result = reports / f"{case.name}.xml"
    result.unlink(missing_ok=True)
    command = ["ctest", "--preset", preset, "-R", f"^{re.escape(case.name)}$", "--output-on-failure", "--output-junit", result,
               "--test-output-size-passed", str(MOST_OUTPUT), "--test-output-size-failed", str(MOST_OUTPUT)]
    began = time.monotonic()
    code, text = processes.run(command, root, {**os.environ, **ENVIRONMENT, "KROSSFOLD_REPORTS": f":log_path={folder / 'report'}"})
    seconds = time.monotonic() - began
    cases = list(xml.parse(result).getroot().iter("testcase")) if result.exists() else []
    undefined = [line for one in cases for line in UNDEFINED.findall(one.findtext("system-out", ""))]
    found = reports_in(folder) + "\n".join(undefined[:20])
    if found:
        return Ended("findings", seconds, found)
    own = next((one for one in cases if one.get("name") == case.name), None)
    if code != 0 or own is None:
        return Ended("failed", seconds, "\n".join(text.splitlines()[-40:]))
    return Ended("skipped" if own.find("skipped") is not None else "passed", seconds)


SVM = "svm --data digits --limit 100 --grid 2x2 --folds 2 --quiet -o r.h5"
BAG = ("bag --data digits --limit 60 --bootstraps 2 --trials 2 --folds 2 --epochs 2 --channels 1:2 --hidden 2:3 --kernel 2:3 --quiet -o r.h5")
MLP = "train mlp --data digits --limit 60 --epochs 2 --batch 10 --hidden 8 --quiet -o r.h5"
CNN = "train cnn --data digits --limit 60 --epochs 2 --batch 10 --channels 2 --kernel 3 --hidden 8 --quiet -o r.h5"
LSTM = "train lstm --data names --limit 40 --epochs 1 --batch 10 --hidden 8 --layers 1 --quiet -o r.h5"
SHORT_RUNS = (
    Case("data", command="data digits"),
    Case("svm", command=SVM),
    Case("svm_one_vs_one", command=f"{SVM} --multiclass ovo --probability"),
    Case("svm_parts", command=f"{SVM} --partition voronoi:60"),
    Case("svm_2_ranks", 2, ranks=2, command=SVM),
    Case("bag", command=BAG),
    Case("bag_2_ranks", 2, ranks=2, command=BAG),
    Case("train_mlp", command=MLP),
    Case("train_cnn", command=CNN),
    Case("train_lstm", command=LSTM),
    Case("train_mlp_2_ranks", 2, ranks=2, command=f"{MLP} --strategy ddp"),
    Case("report_svm", prepare=SVM, command="report r.h5"),
    Case("report_bag", prepare=BAG, command="report r.h5 --format json"),
    Case("predict_svm", prepare=SVM, command="predict r.h5 digits"),
    Case("predict_bag", prepare=BAG, command="predict r.h5 digits --format csv"),
    Case("export_svm", prepare=SVM, command="export r.h5 -o m.npz"),
    Case("plan", prepare=SVM, command="plan r.h5 --formation 1x2"),
)


def memcheck(folder, program, words):
    """The words that run a command of the program under valgrind; files in `folder` are empty unless something was found."""
    return ["valgrind", "-q", "--trace-children=yes", "--trace-children-skip=*/orted,*/mpirun", "--leak-check=full", "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite", f"--error-exitcode={FOUND}", "--num-callers=40", "--keep-debuginfo=yes",
            f"--suppressions={FOLDER / 'valgrind.supp'}", f"--log-file={folder}/report.%p", str(program), *words]


def run_short(processes, program, case, reports):
    """Runs a command of the program under valgrind, in a temporary folder."""
    folder = emptied(reports / case.name)
    environment = {**os.environ, **ENVIRONMENT}
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="krossfold-valgrind-") as place:
        launcher = [os.environ.get("KROSSFOLD_MPIRUN", "mpirun"), "-n", str(case.ranks)] if case.ranks else []
        commands = [[str(program), *shlex.split(case.prepare)]] if case.prepare else []
        commands.append([*launcher, *memcheck(folder, program, shlex.split(case.command))])
        for command in commands:
            code, text = processes.run(command, place, environment, LIMIT)
            seconds, found = time.monotonic() - began, reports_in(folder)
            if found or code == FOUND:
                return Ended("findings", seconds, found or text[-2000:])
            if code != 0:
                what = f"takes more than {LIMIT} s" if code is None else f"ended with {code}"
                return Ended("failed", seconds, f"{shlex.join(command)} {what}\n{text[-2000:]}")
    return Ended("passed", time.monotonic() - began)
