#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which run may have an output that another one left behind: on this host, on another one, in another Slurm job."""

import os
import unittest

from krossfold_cli import DONE, USAGE, CommandTest, Running, journal_records, wait_until

STUDY = ("svm", "--limit", "150", "--grid", "2x2", "--folds", "2", "--quiet", "-o", "r.h5")
LONG_STUDY = ("svm", "--grid", "24x8", "--tolerance", "1e-5", "-o", "r.h5")


class Lock(CommandTest):
    def setUp(self):
        super().setUp()
        self.lock = self.folder / "r.h5.lock"

    def leave_owner(self, **more):
        owner = {"host": "node7", "pid": 41, "process_start": 9, "boot_id": "x", "job": 77, **more}
        self.lock.write_text("".join(f"{name} = {value}\n" for name, value in owner.items()))

    def run_beside(self, scontrol, *options, **env):
        """The study where `scontrol show job 77` is this shell script."""
        program = self.folder / "bin" / "scontrol"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\n[ "$*" = "show job 77" ] || exit 9\n{scontrol}\n')
        program.chmod(0o755)
        path = f"{program.parent}:{os.environ['PATH']}"
        return Running((*STUDY, *options), None, self.folder, PATH=path, **env).wait()

    def test_says_who_works_on_the_output_and_is_gone_after_it(self):
        running = self.start(*LONG_STUDY)
        self.assertTrue(wait_until(lambda: journal_records(self.folder / "r.h5.journal") >= 1))
        said = dict(line.split(" = ", 1) for line in self.lock.read_text().splitlines())
        self.assertEqual(int(said["pid"]), running.process.pid)
        self.assertEqual(said["host"], os.uname().nodename)
        self.assertEqual(running.wait().code, DONE)
        self.assertFalse(self.lock.exists())

    def test_of_a_killed_run_of_this_host_is_taken_over_silently(self):
        running = self.start(*LONG_STUDY)
        self.assertTrue(wait_until(lambda: journal_records(self.folder / "r.h5.journal") >= 1))
        running.kill_all()
        running.wait()
        self.assertTrue(self.lock.exists())
        said = self.succeed(*LONG_STUDY).err.splitlines()
        warnings = [line for line in said if "warning" in line and "was torn" not in line]  # the kill may have met it writing a record
        self.assertEqual(warnings, [])
        self.assertFalse(self.lock.exists())

    def test_of_a_job_that_has_ended_is_taken_over_with_a_message(self):
        for answer in ("echo JobId=77 JobState=TIMEOUT Reason=TimeLimit",
                       "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"):
            self.leave_owner()
            result = self.run_beside(answer)
            self.assertEqual(result.code, DONE, result)
            self.assertIn("r.h5 was taken over from a job that has ended", result.err)
            self.assertIn("(process 41 on node7, Slurm job 77)", result.err)
            self.assertFalse(self.lock.exists())
            (self.folder / "r.h5").unlink()

    def test_of_a_job_that_runs_or_cannot_be_asked_for_is_respected(self):
        for answer in ("echo JobId=77 JobState=RUNNING", "echo JobId=77 JobState=PENDING", "exit 1",
                       "echo 'Unable to contact slurm controller' >&2; exit 1"):
            self.leave_owner()
            before = self.lock.read_text()
            result = self.run_beside(answer)
            self.assertEqual(result.code, USAGE, result)
            for words in ("r.h5 is in use by another run", "process 41 on node7", "Slurm job 77", "break-lock"):
                self.assertIn(words, result.err)
            self.assertEqual(self.lock.read_text(), before)
        broken = self.run_beside("echo JobId=77 JobState=RUNNING", "--break-lock")
        self.assertEqual(broken.code, DONE, broken)
        self.assertIn("taken over with break-lock", broken.err)

    def test_of_the_same_job_before_its_requeue_is_taken_over(self):
        self.leave_owner(restart="")
        result = self.run_beside("echo JobId=77 JobState=RUNNING", SLURM_JOB_ID=77, SLURM_RESTART_COUNT=1)
        self.assertEqual(result.code, DONE, result)
        self.assertIn("taken over from an earlier run of this job", result.err)


if __name__ == "__main__":
    unittest.main()
