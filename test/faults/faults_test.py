#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever call on a file fails, nothing is lost and the command says what failed.

A study runs again and again, each time with the next call that changes its files made to fail (fail_call.c). By
default each call fails in one or two ways; with KROSSFOLD_LONG_TESTS=1 in every way.
"""

import concurrent.futures
import errno
import itertools
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from krossfold_cli import DONE, FAILED, USAGE, CommandTest, Running, content  # noqa: E402
from krossfold_cli import difference, digits, journal_records, models_of, wait_until, without_run_id, write_csv  # noqa: E402
from sanitizer import needs_preload  # noqa: E402

LIBRARY = os.environ.get("KROSSFOLD_FAULT_LIBRARY")
LONG = bool(os.environ.get("KROSSFOLD_LONG_TESTS"))
STUDY = ("svm", "--data", "digits", "--limit", "150", "--grid", "2x2", "--folds", "2", "-o", "r.h5")
RESULTS = ["r.h5", "r.models", "r.models/svm.h5"]
JOURNAL = "r.h5.journal"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.ESTALE)  # the last: of a network file system whose server lost the file
MOST_CALLS = 300


def fault(folder, number, error, kind):
    """The environment in which that call on a file below the folder fails."""
    return {"LD_PRELOAD": LIBRARY, "KROSSFOLD_FAULT_FOLDER": folder, "KROSSFOLD_FAULT_CALL": number,
            "KROSSFOLD_FAULT_ERROR": error, "KROSSFOLD_FAULT_KIND": kind, "KROSSFOLD_FAULT_LOG": f"{folder}.log"}


def calls_of(folder):
    """What the faulty run called, as lists [number, call, path, "failed"?]."""
    return [line.split() for line in pathlib.Path(f"{folder}.log").read_text().splitlines()]


def run_in(folder, words, **env):
    return Running(words, None, folder, **env).wait()


def files(folder):
    return sorted(without_run_id(str(path.relative_to(folder))) for path in folder.rglob("*"))


@unittest.skipUnless(LIBRARY, "KROSSFOLD_FAULT_LIBRARY does not name the library of fail_call.c")
class Faults(CommandTest):
    STUDY = STUDY

    @classmethod
    def setUpClass(cls):
        needs_preload()
        cls.shared = cls.share("run_study")
        cls.reference = content(cls.shared / "r.h5")

    def run_study(self):
        """The undisturbed result, and in begun/ a study of which two units are done."""
        self.succeed(*self.STUDY)
        begun = self.folder / "begun"
        begun.mkdir()
        # The last rename puts the finished result in its place.
        run_in(begun, self.STUDY, **fault(begun, 0, 0, "once"))
        last = max(int(call[0]) for call in calls_of(begun) if call[1] == "rename")
        shutil.rmtree(begun)
        begun.mkdir()
        stopped = run_in(begun, self.STUDY, **fault(begun, last, errno.EIO, "once"))
        self.assertEqual(stopped.code, FAILED, stopped)
        journal = (begun / JOURNAL).read_bytes()
        records = [match.start() for match in re.finditer(b"KROSSREC", journal)]
        (begun / JOURNAL).write_bytes(journal[:records[2]])
        shutil.rmtree(models_of(begun / "r.h5"))

    def check_message(self, result, call, error):
        self.assertEqual(result.err.count("krossfold: error:"), 1, result)
        message = next(line for line in result.err.splitlines() if line.startswith("krossfold: error:"))
        self.assertIn(os.strerror(error), message, (call, str(result)))
        self.assertRegex(message, r"r\.h5|r\.[0-9a-f]{8}\.models", (call, str(result)))

    def check_files(self, folder, before, call, result):
        """After a failure: no temporary file, and a result that is the old or a valid one."""
        left = {name for name in files(folder) if not name.endswith(".part")} - {*RESULTS, JOURNAL}
        if call[1] == "unlink":  # what cannot be deleted stays; the next run deletes it
            left -= {without_run_id(str(pathlib.Path(call[2]).relative_to(folder)))}
            left -= {name for name in left if name.endswith(".tmp")}
        self.assertEqual(left, set(), (call, str(result)))
        path = folder / "r.h5"
        if path.exists() and path.read_bytes() != before:
            report = run_in(folder, ("report", "--status", "r.h5"))
            self.assertEqual(report.code, DONE, (call, str(report)))
        self.assertTrue(path.exists() or before is None, (call, str(result)))

    def check_fault(self, scenario, number, error, kind):
        """Runs the study with that call failing and then again. Returns the call, or None if there were fewer."""
        folder = self.folder / f"{scenario}-{number}-{error}-{kind}"
        if scenario == "begun":
            shutil.copytree(self.shared / "begun", folder)
        else:
            folder.mkdir()
        before = (folder / "r.h5").read_bytes() if (folder / "r.h5").exists() else None
        kept = journal_records(folder / JOURNAL)
        result = run_in(folder, self.STUDY, **fault(folder, number, error, kind))
        failed = [call for call in calls_of(folder) if call[-1] == "failed"]
        if not failed:
            self.assertEqual(result.code, DONE, result)
            return None
        call = failed[0]
        self.assertIn(result.code, (DONE, FAILED, USAGE), (call, str(result)))
        if result.code == DONE:
            self.assertEqual(difference(self.reference, content(folder / "r.h5")), [], (call, str(result)))
        else:
            self.check_message(result, call, error)
        self.check_files(folder, before, call, result)
        records = journal_records(folder / JOURNAL)
        if (folder / JOURNAL).exists():
            self.assertGreaterEqual(records, kept, (call, str(result)))
        again = run_in(folder, self.STUDY)
        self.assertEqual(again.code, DONE, (call, str(result), str(again)))
        self.assertNotIn("torn or damaged", again.err, (call, str(result), str(again)))
        said = re.search(r"(\d+) units were computed before", again.err)
        if (said or records) and "finished already" not in again.err:
            self.assertEqual(int(said.group(1)), records, (call, str(result), str(again)))
        self.assertEqual(difference(self.reference, content(folder / "r.h5")), [], (call, str(result), str(again)))
        self.assertEqual(files(folder), RESULTS, (call, str(result), str(again)))
        shutil.rmtree(folder)
        return [call[1], "harmless" if result.code == DONE else "fatal"]

    def ways(self, scenario, number):
        """The errors and kinds of fault for a call."""
        if LONG:
            yield from itertools.product((*ERRORS, errno.ENOLCK), ("once", "full", "short"))
        else:
            yield ERRORS[(number + number // 4) % 4], "once"
            if (number % 2 == 0) == (scenario == "new"):
                yield ERRORS[(number + number // 4 + 1) % 4], "short" if number % 4 < 2 else "full"

    def check_every_call(self, scenario):
        harmless, seen = set(), set()

        def check(number):
            outcomes = [self.check_fault(scenario, number, *way) for way in self.ways(scenario, number)]
            for outcome in filter(None, outcomes):
                seen.add(outcome[0])
                if outcome[1] == "harmless":
                    harmless.add(outcome[0])
            return any(outcomes)

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for first in range(1, MOST_CALLS, 8):
                if not any(list(pool.map(check, range(first, first + 8)))):
                    break
            else:
                self.fail(f"more than {MOST_CALLS} calls")
        self.assertGreater(first, 30)
        self.assertLessEqual({"open", "pwrite", "fsync", "rename", "unlink", "close", "lock"}, seen)
        # A file that was only read or is synced; a temporary file that the next run deletes; a lock that cannot be had.
        self.assertLessEqual(harmless, {"close", "unlink", "lock", "link"})

    def test_in_a_new_study_is_said_and_loses_nothing(self):
        self.check_every_call("new")

    def test_in_a_continued_study_is_said_and_loses_nothing(self):
        self.check_every_call("begun")

    def test_a_file_system_without_locks_is_said_and_works(self):
        for error in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL):
            folder = self.folder / str(error)
            folder.mkdir()
            result = run_in(folder, self.STUDY, **fault(folder, 0, error, "locks"))
            self.assertEqual(result.code, DONE, result)
            self.assertIn(f"the file system of r.h5.journal does not support locks ({os.strerror(error)})", result.err)
            self.assertEqual(difference(self.reference, content(folder / "r.h5")), [])
            # Only the journal's: HDF5 locks no file of ours.
            locked = {call[2] for call in calls_of(folder) if call[1] == "lock"}
            self.assertEqual(locked, {str(folder / JOURNAL)})

    def test_without_locks_a_second_run_is_refused_and_after_kill_9_it_goes_on(self):
        folder = self.folder / "x"
        folder.mkdir()
        study = ("svm", "--data", "digits", "--grid", "24x8", "--tolerance", "1e-5", "-o", "r.h5")
        no_locks = fault(folder, 0, errno.ENOLCK, "locks")
        first = Running(study, None, folder, **no_locks)
        self.addCleanup(first.kill_all)
        self.assertTrue(wait_until(lambda: journal_records(folder / JOURNAL) >= 2))
        before = (folder / "r.h5.lock").read_text()
        for option in ((), ("--break-lock",)):
            second = run_in(folder, (*study, *option), **no_locks)
            self.assertEqual(second.code, USAGE, second)
            self.assertIn("r.h5 is in use by another run", second.err)
            self.assertIn(f"process {first.process.pid} on ", second.err)
        self.assertEqual((folder / "r.h5.lock").read_text(), before)
        first.kill_all()
        first.wait()
        self.assertTrue((folder / "r.h5.lock").exists())
        third = Running(study, None, folder, **no_locks).wait()
        self.assertEqual(third.code, DONE, third)
        self.assertIn("units were computed before", third.err)
        self.assertEqual(files(folder), RESULTS)


@unittest.skipUnless(LIBRARY, "KROSSFOLD_FAULT_LIBRARY does not name the library of fail_call.c")
class FaultsWhereUnitsStoreWhatTheyHaveFound(Faults):
    """The same while every unit stores what it has found after each of its three problems."""

    test_in_a_continued_study_is_said_and_loses_nothing = None
    test_a_file_system_without_locks_is_said_and_works = None
    test_without_locks_a_second_run_is_refused_and_after_kill_9_it_goes_on = None

    @classmethod
    def setUpClass(cls):
        data = tempfile.TemporaryDirectory()
        cls.addClassCleanup(data.cleanup)
        pixels, labels = digits()
        table = pathlib.Path(data.name) / "three.csv"
        write_csv(table, [[*row, label] for row, label in zip(pixels, labels) if label < 3][:90])
        cls.STUDY = ("svm", "--data", f"csv:{table}", "--grid", "1x1", "--folds", "2", "--checkpoint-every", "0",
                     "--log10-c", "1:1", "--log10-gamma=-3:-3", "-o", "r.h5")
        super().setUpClass()

    def ways(self, scenario, number):
        return super().ways(scenario, number) if LONG else [(ERRORS[(number + number // 4) % 4], "once")]

    def run_study(self):
        self.succeed(*self.STUDY)


if __name__ == "__main__":
    unittest.main()
