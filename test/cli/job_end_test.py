#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""In a batch job a study stops before the job ends; scontrol is a script of the test."""

import os
import pathlib
import time
import unittest

import h5py
import numpy

import krossfold_cli
from krossfold_cli import SLOW, STOPPED, CommandTest, content, difference, write_noise

# Called by its full path Open MPI's mpirun puts its own folder first in PATH, where there may be a real scontrol.
krossfold_cli.MPIRUN = pathlib.Path(krossfold_cli.MPIRUN).name

STUDY = ("svm", "--data", "digits", "--limit", "300", "--grid", "6x4", "-o", "r.h5")
UNITS = 4 * 5
KEPT = 15  # seconds of the job that are kept for writing


class JobEnd(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.reference = content(cls.share("run_study") / "r.h5")

    def run_study(self):
        self.succeed(*STUDY)

    def setUp(self):
        super().setUp()
        self.asked = self.folder / "asked"

    def job(self, end, **more):
        """The environment of job 123, of whose end scontrol says this."""
        programs = self.folder / "bin"
        programs.mkdir(exist_ok=True)
        scontrol = programs / "scontrol"
        scontrol.write_text(f"#!/bin/sh\necho \"$@\" >> {self.asked}\n"
                            f"echo 'JobId=123 JobName=x'; echo '   StartTime=1 EndTime={end} Deadline=N/A'\n")
        scontrol.chmod(0o755)
        return {"PATH": f"{programs}:{os.environ['PATH']}", "SLURM_JOB_ID": "123", "SLURM_JOB_END_TIME": "", **more}

    def computed(self):
        with h5py.File(self.folder / "r.h5") as file:
            return (file["unit/status"][()] == 1).sum()

    def check_finished(self, result):
        self.assertEqual(result.code, 0, result)
        self.assertEqual(difference(self.reference, content(self.folder / "r.h5")), [])

    def test_too_near_it_stops_at_once_and_nothing_is_lost(self):
        for end in (int(time.time()) + 5, int(time.time()) - 100):
            for ranks in (None, 2):
                with self.subTest(end=end, ranks=ranks):
                    stopped = self.run_command(*STUDY, ranks=ranks, **self.job(end))
                    self.assertEqual(stopped.code, STOPPED, stopped)
                    self.assertRegex(stopped.err, r"job 123 ends at .*\d\d:\d\d:\d\d UTC: stopping at once")
                    self.assertEqual(self.computed(), 0)
        self.assertEqual(set(self.asked.read_text().splitlines()), {"show job 123"})
        self.check_finished(self.run_command(*STUDY, **self.job("Unknown")))

    def test_units_in_flight_are_dropped_in_time_to_leave_before_it(self):
        write_noise(self.folder / "noise.csv", 6000)
        end = int(time.time()) + KEPT + 3
        stopped = self.run_command(*SLOW, "-o", "r.h5", "--grace", "1s", **self.job(end))
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertLess(time.time(), end)
        self.assertIn("UTC: stopping at ", stopped.err)
        self.assertLess(self.computed(), 2)
        self.assertEqual(self.succeed("report", "--status", "r.h5").out, "stopped\n")

    def test_far_away_it_changes_nothing(self):
        result = self.run_command(*STUDY, **self.job(int(time.time()) + 100000))
        self.check_finished(result)
        self.assertIn("job 123 ends at ", result.err)

    def test_max_time_that_is_earlier_stops_it(self):
        end = int(time.time()) + 100000
        stopped = self.run_command(*STUDY, "--max-time", "0.001", "--grace", "0", **self.job(end))
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.check_finished(self.run_command(*STUDY, **self.job(end)))

    def test_in_the_environment_nobody_is_asked(self):
        stopped = self.run_command(*STUDY, **self.job("Unknown", SLURM_JOB_END_TIME=int(time.time()) + 2))
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertFalse(self.asked.exists())

    def test_none_is_no_reason_to_stop(self):
        for end in ("Unknown", "NONE", ""):
            with self.subTest(end=end):
                (self.folder / "r.h5").unlink(missing_ok=True)
                result = self.run_command(*STUDY, **self.job(end))
                self.check_finished(result)
                self.assertNotIn("stopping", result.err)

    def test_scontrol_that_fails_is_no_reason_to_stop(self):
        environment = self.job("Unknown")
        (self.folder / "bin" / "scontrol").write_text("#!/bin/sh\necho EndTime=5\nexit 1\n")
        self.check_finished(self.run_command(*STUDY, **environment))

    def test_a_dry_run_asks_for_none(self):
        self.succeed(*STUDY, "--dry-run", **self.job(1))
        self.assertFalse(self.asked.exists())

    def test_a_set_up_that_takes_longer_than_max_time_is_given_up(self):
        random = numpy.random.default_rng(1)
        numpy.save(self.folder / "x.npy", random.integers(0, 256, (16000, 784)).astype("uint8"))
        numpy.save(self.folder / "y.npy", random.integers(0, 2, 16000))
        stopped = self.run_command("svm", "--data", "npy:x.npy,y.npy", "--grid", "1x1", "--max-time", "0.1", "--grace", "0",
                                   "-o", "big.h5", ranks=2)
        self.assertEqual(stopped.code, STOPPED, stopped)
        # A busy machine may not even have read the data by then.
        self.assertRegex(stopped.err, "nothing was computed: max-time and grace were over before the study was set up|"
                                      "max-time and grace were over before the data were read, and so nothing was computed")


if __name__ == "__main__":
    unittest.main()
