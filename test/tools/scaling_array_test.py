#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/scaling_study --sbatch and --collect: the script that they write runs here as Slurm would run it, but without Slurm, whose own
test is in test/slurm/slurm_test.py."""

import os
import signal
import sys
import unittest

from plot_case import TOOLS, PlotCase

sys.path.insert(0, str(TOOLS.parent / "test" / "cli"))
from krossfold_cli import ENVIRONMENT, EXECUTABLE, MPIRUN, Running, wait_until  # noqa: E402
from scaling import study_file  # noqa: E402

FORMATIONS = ("1x1", "1x2")


class Array(PlotCase):
    tool = "scaling_study"

    def setUp(self):
        super().setUp()
        # Notes what a job asks of it, and refuses: a job that is queued again would wait for its end.
        self.scontrol = self.folder / "bin" / "scontrol"
        self.scontrol.parent.mkdir()
        self.scontrol.write_text(f'#!/bin/sh\necho "$@" >> {self.folder}/asked\nexit 1\n')
        self.scontrol.chmod(0o755)

    def start(self, command, **environment):
        return Running([], None, self.folder, [str(word) for word in command], PATH=f"{self.scontrol.parent}:{os.environ['PATH']}", **environment)

    def study(self, *options, repeats=2, formations=FORMATIONS, launcher=MPIRUN):
        command = [sys.executable, TOOLS / "scaling_study", "svm", "--formation", ",".join(formations), "--repeats", repeats, "-o", "s.h5",
                   "--launcher", launcher, "--krossfold", EXECUTABLE, *options, "--", "--limit", "120", "--grid", "2x2"]  # fmt: skip
        return self.start(command, **ENVIRONMENT).wait()

    def task(self, index):
        return self.start(["bash", self.folder / "jobs" / "s.sbatch"], SLURM_ARRAY_TASK_ID=index, SLURM_ARRAY_JOB_ID=7, SLURM_JOB_ID=7 if index else 8)

    def file(self, formation):
        return self.folder / "jobs" / f"s.{formation}.h5"

    def rows(self, path):
        return study_file.read(path)[1]

    def assert_done(self, result, code=0):
        self.assertEqual(result.code, code, result)
        return result

    def test_tasks_store_files_of_their_own_which_are_collected_once(self):
        said = self.assert_done(self.study("--sbatch", "jobs")).out
        self.assertIn(f"sbatch {self.folder}/jobs/s.sbatch\n", said)
        self.assertIn("--collect jobs -o s.h5", said)
        self.assert_done(self.task(0).wait())
        self.assertFalse((self.folder / "s.h5").exists())
        some = self.assert_done(self.study("--collect", "jobs"), code=75)
        self.assertIn("2 runs are still to do (2 of 1x2)", some.err)
        self.assertIn("2 of 2 runs of 1x2 are in", self.assert_done(self.task(1).wait()).out)
        all_of_them = self.assert_done(self.study("--collect", "jobs"))
        self.assertIn("2 runs taken from jobs", all_of_them.err)
        self.assertIn("results of all formations: bitwise identical", all_of_them.out)
        rows = self.rows(self.folder / "s.h5")
        self.assertEqual([(row["round"], row["formation"]) for row in rows], [(0, "1x1"), (0, "1x2"), (1, "1x1"), (1, "1x2")])
        self.assertEqual({str(row) for row in rows}, {str(row) for name in FORMATIONS for row in self.rows(self.file(name))})
        before = (self.folder / "s.h5").read_bytes()
        self.assertIn("0 runs taken", self.assert_done(self.study("--collect", "jobs")).err)
        self.assertEqual((self.folder / "s.h5").read_bytes(), before)

    def test_a_killed_task_goes_on_when_it_is_submitted_again(self):
        self.assert_done(self.study("--sbatch", "jobs", repeats=8))
        task = self.task(0)
        self.assertTrue(wait_until(self.file("1x1").exists))
        task.kill_all()
        task.wait()
        kept = self.rows(self.file("1x1"))
        self.assertLess(len(kept), 8)
        self.assert_done(self.task(0).wait())
        rows = self.rows(self.file("1x1"))
        self.assertEqual(str(rows[: len(kept)]), str(kept))
        self.assertEqual([row["round"] for row in rows], list(range(8)))

    def test_a_task_that_is_told_of_its_end_finishes_its_run_and_is_queued_again(self):
        self.assert_done(self.study("--sbatch", "jobs", repeats=20))
        task = self.task(1)
        self.assertTrue(wait_until(self.file("1x2").exists))
        task.signal(signal.SIGUSR2)
        said = self.assert_done(task.wait(), code=75)
        self.assertIn("runs are still to do", said.err)
        self.assertIn("requeue 7_1\n", (self.folder / "asked").read_text())
        self.assertEqual({row["exit_code"] for row in self.rows(self.file("1x2"))}, {0})

    def test_nothing_is_overwritten(self):
        self.assert_done(self.study("--sbatch", "jobs", repeats=1))
        self.assert_done(self.study("--sbatch", "jobs", repeats=1))
        refused = self.assert_done(self.study("--sbatch", "jobs", repeats=3), code=2)
        self.assertIn("s.sbatch is there and differs", refused.err)
        for index in range(2):
            self.assert_done(self.task(index).wait())
        self.assert_done(self.study("--collect", "jobs", repeats=1))
        before = (self.folder / "s.h5").read_bytes()
        self.file("1x2").unlink()
        self.assert_done(self.task(1).wait())
        refused = self.assert_done(self.study("--collect", "jobs", repeats=1), code=2)
        self.assertIn("hold different runs of round 1 on 1x2", refused.err)
        self.assertEqual((self.folder / "s.h5").read_bytes(), before)

    def test_files_of_other_studies_are_refused(self):
        self.assertIn("jobs has no files of this study", self.assert_done(self.study("--collect", "jobs"), code=2).err)
        (self.folder / "jobs").mkdir()
        settings = {"version": 2, "study": "bag"}
        study_file.write(self.file("1x1"), settings, [])
        self.assertIn("1x1.h5 is of another study (its study is bag, not svm)", self.assert_done(self.study("--collect", "jobs"), code=2).err)

    def test_the_script_asks_for_the_largest_formation(self):
        said = self.assert_done(self.study("--sbatch", "jobs", "--sbatch-options=--partition=gpu --time=1:00:00", formations=("1x4", "3x2", "2x4"))).out
        script = (self.folder / "jobs" / "s.sbatch").read_text().splitlines()
        for line in ("--array=0-2", "--nodes=3", "--ntasks-per-node=4", "--partition=gpu", "--time=1:00:00"):
            self.assertIn(f"#SBATCH {line}", script)
        self.assertLess(script.index("#SBATCH --time=04:00:00"), script.index("#SBATCH --time=1:00:00"))  # the last one counts
        self.assertIn("formations=(1x4 3x2 2x4)", script)
        for k, nodes in enumerate((1, 3, 2)):
            self.assertIn(f"sbatch --array={k} --nodes={nodes} {self.folder}/jobs/s.sbatch", said)

    def test_ranks_cannot_be_placed_by_any_launcher(self):
        refused = self.assert_done(self.study("--sbatch", "jobs", launcher="aprun"), code=2)
        self.assertIn("cannot place ranks on nodes with aprun", refused.err)
        self.assertFalse((self.folder / "jobs").exists())


if __name__ == "__main__":
    unittest.main()
