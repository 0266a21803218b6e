#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Studies on a disk that is slow, and with a clock that jumps by hours (odd_machine.c): the same results, nothing lost, and ends in time."""

import os
import pathlib
import random
import shutil
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import h5py  # noqa: E402
import numpy  # noqa: E402
from krossfold_cli import DONE, STOPPED, content, difference, journal_records  # noqa: E402
from sanitizer import SLOWER  # noqa: E402
from undisturbed import UndisturbedStudies  # noqa: E402

LIBRARY = os.environ.get("KROSSFOLD_ODD_LIBRARY")
STUDIES = {
    "svm": ("svm", "--data", "digits", "--limit", "300", "--grid", "6x4", "--folds", "3"),
    "bag": ("bag", "--data", "digits", "--limit", "300", "--bootstraps", "2", "--trials", "3", "--folds", "2", "--epochs", "3"),
    "train": ("train", "mlp", "--data", "digits", "--limit", "300", "--epochs", "6", "--hidden", "8", "--workers", "2"),
}


@unittest.skipUnless(LIBRARY, "KROSSFOLD_ODD_LIBRARY does not name the library of odd_machine.c")
class OddMachine(UndisturbedStudies):
    STUDIES = STUDIES

    def odd(self, **settings):
        """The environment of a machine with these settings; nothing that was said before counts."""
        self.log = self.folder.parent / f"{self.folder.name}.log"
        self.addCleanup(self.log.unlink, missing_ok=True)
        self.log.unlink(missing_ok=True)
        return {"LD_PRELOAD": LIBRARY, "KROSSFOLD_ODD_LOG": self.log, **{f"KROSSFOLD_{name}": value for name, value in settings.items()}}

    def clear(self):
        for path in [*self.folder.iterdir()]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def said(self, what):
        return self.log.read_text(encoding="ascii").count(what) if self.log.exists() else 0

    def test_a_slow_disk_changes_nothing_but_the_time(self):
        for name, words in STUDIES.items():
            for ranks in (1, 2) if name == "svm" else (2,):
                with self.subTest(name, ranks=ranks):
                    env = self.odd(SLOW_FOLDER=self.folder, SLOW_SYNC="100")
                    self.check_result(name, self.run_command(*words, "-o", f"{name}.h5", ranks=ranks, **env))
                    self.assertGreater(self.said("s"), 3)
                    self.clear()

    def test_a_run_on_a_slow_disk_ends_in_time_and_goes_on_where_it_was(self):
        # Two seconds of work, of which each store takes 0.7 s.
        words = ("svm", "--data", "digits", "--grid", "24x8", "--tolerance", "1e-5", "-o", "r.h5")
        env = self.odd(SLOW_FOLDER=self.folder, SLOW_SYNC="700")
        records = 0
        for seconds in (1, 2, 4, 8, 16, 32):  # a machine that does much else finishes no unit in a second
            seconds *= SLOWER
            start = time.monotonic()
            result = self.run_command(*words, "--max-time", str(seconds), "--grace", "1", ranks=2, **env)
            self.assertLess(time.monotonic() - start, seconds + 20 * SLOWER, result)
            if result.code == DONE:
                break
            self.assertEqual(result.code, STOPPED, result)
            self.assertGreaterEqual(journal_records(self.folder / "r.h5.journal"), records, result)
            records = journal_records(self.folder / "r.h5.journal")
        self.assertEqual(result.code, DONE, result)
        self.succeed(*words[:-2], "--quiet", "-o", "undisturbed.h5")
        self.assertEqual(difference(content(self.folder / "undisturbed.h5"), content(self.folder / "r.h5")), [])

    def test_a_clock_that_jumps_changes_no_result_and_no_duration(self):
        for name, words in STUDIES.items():
            for ranks in (1, 2) if name == "svm" else (2,):
                with self.subTest(name, ranks=ranks):
                    began = time.monotonic()
                    env = self.odd(CLOCK_JUMP="7200")
                    self.check_result(name, self.run_command(*words, "-o", f"{name}.h5", "--max-time", "1h", ranks=ranks, **env))
                    took = time.monotonic() - began
                    self.assertGreater(self.said("c"), 0)
                    with h5py.File(self.folder / f"{name}.h5") as file:
                        for dataset in ("unit/started", "unit/seconds"):
                            seconds = file[dataset][()].ravel() if dataset in file else numpy.zeros(1)
                            self.assertTrue(((seconds >= 0) & (seconds <= took)).all(), (dataset, seconds, took))
                    self.clear()

    def test_a_clock_that_jumps_may_end_a_slurm_job_early_and_loses_nothing(self):
        words = (*STUDIES["svm"], "-o", "svm.h5")
        job = {"SLURM_JOB_ID": "7", "SLURM_JOB_END_TIME": int(time.time()) + 3000}
        for attempt in range(30):
            env = self.odd(CLOCK_JUMP=str(random.Random(attempt).choice([600, 7200])))
            result = self.run_command(*words, ranks=2, **env, **job)
            if result.code != STOPPED:
                break
        if result.code == STOPPED:
            result = self.run_command(*words, ranks=2)
        self.check_result("svm", result)


if __name__ == "__main__":
    unittest.main()
