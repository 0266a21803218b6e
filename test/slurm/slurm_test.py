#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The batch scripts of tools/slurm on a real Slurm of one node, which this test starts and ends: a study that meets the end
of its job, a signal or a kill is queued again and ends in the result of an undisturbed run."""

import atexit
import pathlib
import re
import signal
import sys
import time
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from krossfold_cli import (ENVIRONMENT, EXECUTABLE, MPIRUN, ROOT, STOPPED, USAGE, CommandTest, Running, content,  # noqa: E402
                           difference, wait_until, write_noise)
from one_node_slurm import CannotStart, Slurm  # noqa: E402

SCRIPTS = ROOT / "tools" / "slurm"
# 30 units of some tenths of a second each: together longer than a job of these tests computes.
STUDY = ("svm", "--data", "csv:noise.csv", "--grid", "8x15", "--folds", "2", "--log10-c", "-1:4", "--log10-gamma", "-2:-1",
         "--no-refit")
SMALL = ("svm", "--data", "digits", "--limit", "300", "--grid", "6x4")
# Slurm ends these jobs after a minute, of which Krossfold keeps 15 s: with this grace no unit begins after the first 5 s.
SHORT = ("--grace", "40s")
NO_DOCTOR = {"KROSSFOLD_DOCTOR": "no"}  # where seconds count

# A limit for what waits, not a time that anything should take: on a loaded machine Slurm may look at an ended job again only
# after a minute and a half.
PATIENCE = 300

slurm = Slurm()


def setUpModule():
    try:
        slurm.start()
    except CannotStart as reason:
        raise unittest.SkipTest(f"no Slurm here: {reason}")
    # Also where the tests are interrupted or told to end.
    atexit.register(slurm.stop)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))


def tearDownModule():
    slurm.stop()


class Job(CommandTest):
    @classmethod
    def setUpClass(cls):
        first = cls.share("run_studies")
        cls.reference, cls.small_reference = content(first / "r.h5"), content(first / "small.h5")

    def run_studies(self):
        self.succeed(*STUDY, "-o", "r.h5", ranks=2)
        self.succeed(*SMALL, "-o", "small.h5")

    def setUp(self):
        super().setUp()
        self.result = self.folder / "r.h5"
        write_noise(self.folder / "noise.csv", 5000)

    def submit(self, script, *arguments, options=(), **environment):
        """Submits a script of tools/slurm; its output goes to `out`."""
        wanted = ("--output=out", *options, SCRIPTS / f"{script}.sbatch", *arguments)
        number = slurm.submit(*wanted, cwd=self.folder, **{"KROSSFOLD": EXECUTABLE, **ENVIRONMENT, **environment})
        self.addCleanup(slurm.run, "scancel", number, check=False)
        return number

    def out(self, name="out"):
        path = self.folder / name
        return path.read_text() if path.exists() else "(no output)"

    def begun(self):
        """True once units are computed."""
        return re.search(r"svm search: \d+ of 30 units", self.out()) is not None

    def restarts(self, number):
        return int(slurm.job(number).get("Restarts", "0"))

    def final_state(self, number, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            slurm.hurry(number)
            state = slurm.wait_for_job(number, 1)
            if state is not None:
                return state
        return f"not ended after {seconds} s: {slurm.job(number)}"

    def check_result(self, number=None):
        if number is not None:
            self.assertEqual(self.final_state(number), "COMPLETED", self.out() + slurm.log_of(number))
        self.assertEqual(difference(self.reference, content(self.result)), [], self.out())

    def test_study_that_meets_the_end_of_its_job_is_queued_again_until_it_is_finished(self):
        number = self.submit("cpu", *STUDY, *SHORT, "-o", "r.h5", options=("--time=1", "--ntasks=2"), **NO_DOCTOR)
        self.check_result(number)
        self.assertGreaterEqual(self.restarts(number), 1, self.out())
        self.assertRegex(self.out(), rf"job {number} ends at .* UTC: stopping at \d")
        self.assertIn(f"job {number}: exit code {STOPPED}, study stopped", self.out())
        self.assertIn(f"job {number}: exit code 0, study finished", self.out())
        self.assertIn("units were computed before", self.out())

    def check_signal(self, **environment):
        """What --signal=B:USR2 sends, sent as soon as units are computed."""
        number = self.submit("cpu", *STUDY, "--grace", "1s", "-o", "r.h5", options=("--time=5", "--ntasks=2"), **environment)
        self.assertTrue(wait_until(self.begun), self.out())
        slurm.run("scancel", "--batch", "--signal=USR2", number)
        self.check_result(number)
        self.assertEqual(self.restarts(number), 1, self.out())
        self.assertIn("a second signal drops them", self.out())
        self.assertIn(f"job {number}: exit code {STOPPED}, study stopped", self.out())

    def test_signal_to_the_script_reaches_the_ranks_through_srun(self):
        self.check_signal()

    def test_signal_to_the_script_reaches_the_ranks_through_mpirun(self):
        self.check_signal(KROSSFOLD_LAUNCH=MPIRUN)

    def test_signal_that_meets_ranks_which_are_starting_is_no_failure(self):
        slow = self.folder / "slow"
        slow.write_text(f'#!/bin/sh\nif [ "$1" = svm ] && [ ! -e begun ]; then touch begun; sleep 60; fi\nexec {EXECUTABLE} "$@"\n')
        slow.chmod(0o755)
        number = self.submit("cpu", *SMALL, "-o", "small.h5", options=("--time=5", "--ntasks=1"), KROSSFOLD=slow)
        self.assertTrue(wait_until((self.folder / "begun").exists), self.out())
        slurm.run("scancel", "--batch", "--signal=USR2", number)
        self.assertEqual(self.final_state(number), "COMPLETED", self.out() + slurm.log_of(number))
        self.assertIn(f"job {number}: exit code {128 + signal.SIGUSR2}, study not begun", self.out())
        self.assertEqual(self.restarts(number), 1, self.out())
        self.assertEqual(difference(self.small_reference, content(self.folder / "small.h5")), [])

    def test_slurm_sends_the_signal_that_the_scripts_ask_for(self):
        # Slurm looks every half a minute, so the study is one that takes minutes.
        number = self.submit("cpu", *(word.replace("8x15", "8x200") for word in STUDY), "--grace", "1s", "-o", "r.h5",
                             options=("--time=1", "--ntasks=1", "--signal=B:USR2@58"), **NO_DOCTOR)
        self.assertTrue(wait_until(lambda: self.restarts(number) == 1, PATIENCE),
                        self.out() + slurm.log_of(number))
        self.assertIn("a second signal drops them", self.out())
        self.assertIn(f"job {number}: exit code {STOPPED}, study stopped", self.out())

    def test_study_whose_ranks_were_killed_is_queued_again(self):
        number = self.submit("cpu", *STUDY, "-o", "r.h5", options=("--time=5", "--ntasks=2"))
        self.assertTrue(wait_until(self.begun), self.out())
        slurm.run("scancel", "--signal=KILL", f"{number}.1")  # step 0 was krossfold doctor
        self.check_result(number)
        self.assertEqual(self.restarts(number), 1, self.out())
        self.assertIn("study running", self.out())

    def test_restarts_have_a_limit(self):
        number = self.submit("cpu", *STUDY, *SHORT, "-o", "r.h5", options=("--time=1", "--ntasks=2"), KROSSFOLD_RESTARTS="0",
                             **NO_DOCTOR)
        self.assertEqual(self.final_state(number), "FAILED", self.out())
        self.assertEqual(slurm.job(number)["ExitCode"], f"{STOPPED}:0")
        self.assertIn("not requeued", self.out())
        self.assertEqual(self.succeed("report", "--status", "r.h5").out, "stopped\n")

    def test_wrong_options_are_not_tried_again(self):
        for script in ("cpu", "chain"):
            with self.subTest(script=script):
                # Long enough that Slurm's signal, which is sent two minutes before the end, does not meet the start of the program.
                number = self.submit(script, *STUDY, "--folds", "0", "-o", "r.h5", options=("--time=15", "--ntasks=1"))
                self.assertEqual(self.final_state(number), "FAILED", self.out())
                self.assertEqual(slurm.job(number)["ExitCode"], f"{USAGE}:0")
                self.assertEqual(self.restarts(number), 0)
                self.assertTrue(wait_until(lambda: self.queue() == [], 10), self.queue())

    def queue(self):
        return slurm.run("squeue", "-h", "-o", "%i %j %T").splitlines()

    def test_array_writes_a_file_for_each_formation(self):
        number = self.submit("scaling-array", *SMALL, "-o", "s.h5", KROSSFOLD_FORMATIONS="1x1 1x2 1x3",
                             options=("--array=0-2", "--time=1", "--nodes=1", "--ntasks-per-node=3", "--cpus-per-task=1",
                                      "--output=out-%a"))
        for index in range(3):
            with self.subTest(index=index):
                self.assertEqual(self.final_state(f"{number}_{index}"), "COMPLETED",
                                 self.out(f"out-{index}") + slurm.log_of(r"\d+"))
                file = self.folder / f"s.1x{index + 1}.h5"
                self.assertTrue(file.exists(), self.out(f"out-{index}"))
                self.assertEqual(difference(self.small_reference, content(file)), [])
                self.assertEqual(self.succeed("report", file, "--format", "json").json()[0]["ranks"], index + 1)

    def scaling_study(self, *options):
        """tools/scaling_study of 1 and 2 ranks on a node; the launcher is the default of job arrays."""
        command = [sys.executable, ROOT / "tools" / "scaling_study", "svm", "--formation", "1x1,1x2", "--repeats", "3", "-o", "s.h5",
                   "--krossfold", EXECUTABLE, *options, "--", *SMALL[1:]]  # fmt: skip
        return Running([], None, self.folder, [str(word) for word in command], KROSSFOLD_LAUNCH="").wait()

    def test_scaling_array_goes_on_after_a_signal_and_is_collected(self):
        written = self.scaling_study("--sbatch", "jobs", "--sbatch-options=--time=10 --cpus-per-task=1")
        self.assertEqual(written.code, 0, written)
        number = self.submit(self.folder / "jobs" / "s", options=("--output=out-%a",))
        second = f"{number}_1"
        self.assertTrue(wait_until((self.folder / "jobs" / "s.1x2.h5").exists, PATIENCE), self.out("out-1") + slurm.log_of(r"\d+"))
        slurm.run("scancel", "--batch", "--signal=USR2", second)
        for index in range(2):
            self.assertEqual(self.final_state(f"{number}_{index}"), "COMPLETED", self.out(f"out-{index}") + slurm.log_of(r"\d+"))
        self.assertIn("are still to do", self.out("out-1"))
        self.assertEqual([self.restarts(f"{number}_{index}") for index in range(2)], [0, 1], self.out("out-1"))
        self.assertNotIn("does not let jobs requeue", self.out("out-1"))
        collected = self.scaling_study("--collect", "jobs")
        self.assertEqual(collected.code, 0, collected)
        self.assertIn("results of all formations: bitwise identical", collected.out)
        with h5py.File(self.folder / "s.h5") as file:
            runs = {name: file[f"run/{name}"].asstr()[()].tolist() for name in ("formation", "hosts", "command")}
        self.assertEqual(sorted(runs["formation"]), ["1x1"] * 3 + ["1x2"] * 3)
        self.assertEqual(len(set(runs["hosts"])), 1)
        for formation, command in zip(runs["formation"], runs["command"]):
            ranks = formation[-1]
            self.assertIn(f"srun --mpi=pmix --kill-on-bad-exit=1 --nodes=1 --ntasks={ranks} --ntasks-per-node={ranks} ", command)

    def test_chain_goes_on_until_the_study_is_finished_and_then_ends(self):
        options = ("--time=1", "--ntasks=2", "--cpus-per-task=1")
        self.submit("chain", *STUDY, *SHORT, "-o", "r.h5", options=options,
                    KROSSFOLD_SBATCH=" ".join(("--output=out", *options)), **NO_DOCTOR)
        self.assertTrue(wait_until(lambda: "study finished" in self.out() and self.queue() == [], PATIENCE),
                        self.out() + slurm.log_of(r"\d+"))
        self.check_result()
        self.assertGreaterEqual(len(re.findall(r"job \d+: exit code 75, study stopped", self.out())), 1, self.out())

    def test_gpu_scripts_start_one_rank_for_each_gpu(self):
        for script, options, ranks in (("one-gpu", (), 1),
                                       ("nodes-gpus", ("--nodes=1", "--ntasks-per-node=3", "--gpus-per-node=3"), 3)):
            with self.subTest(script=script):
                number = self.submit(script, *SMALL, "-o", f"{script}.h5", options=("--time=1", "--cpus-per-task=1", *options))
                self.assertEqual(self.final_state(number), "COMPLETED", self.out())
                file = self.folder / f"{script}.h5"
                self.assertEqual(difference(self.small_reference, content(file)), [])
                self.assertEqual(self.succeed("report", file, "--format", "json").json()[0]["ranks"], ranks)

    def test_doctor_ends_the_job_before_the_study_if_something_is_wrong(self):
        for script, words, environment, says in (
                ("cpu", ("-o", "none/r.h5"), {}, "the folder none does not exist"),
                ("chain", ("-o", "none/r.h5"), {}, "the folder none does not exist"),
                ("cpu", ("-o", "r.h5"), {"KROSSFOLD_LAUNCH": "srun --mpi=none"}, "each is alone in an MPI world")):
            with self.subTest(script=script, says=says):
                (self.folder / "out").unlink(missing_ok=True)
                number = self.submit(script, *SMALL, *words, options=("--time=15", "--ntasks=2", "--cpus-per-task=1"), **environment)
                self.assertEqual(self.final_state(number), "FAILED", self.out())
                self.assertEqual(slurm.job(number)["ExitCode"], "1:0")
                self.assertEqual(self.restarts(number), 0)
                self.assertEqual(self.out().count(says), 1, self.out())
                self.assertIn("the study was not begun", self.out())
                self.assertIn(f"job {number}: exit code 1, study not begun", self.out())
                self.assertFalse(self.result.exists())
                self.assertTrue(wait_until(lambda: self.queue() == [], 10), self.queue())

    def test_doctor_says_what_is_slow_and_the_study_goes_on(self):
        number = self.submit("cpu", *SMALL, "-o", "small.h5", options=("--time=5", "--ntasks=2"), CUDA_LAUNCH_BLOCKING="1")
        self.assertEqual(self.final_state(number), "COMPLETED", self.out() + slurm.log_of(number))
        self.assertIn("CUDA_LAUNCH_BLOCKING=1: the host waits for every kernel", self.out())
        self.assertEqual(difference(self.small_reference, content(self.folder / "small.h5")), [])

    def test_ranks_without_pmix_are_refused_with_the_line_that_works(self):
        command = ("srun", "--mpi=none", "--ntasks=2", EXECUTABLE, *SMALL, "-o", "none.h5")
        with self.assertRaisesRegex(AssertionError, "srun --mpi=pmix"):
            slurm.run(*command, cwd=self.folder, **ENVIRONMENT)
        self.assertFalse((self.folder / "none.h5").exists())

    def test_one_rank_needs_no_pmix(self):
        slurm.run("srun", "--mpi=none", "--ntasks=1", EXECUTABLE, *SMALL, "-o", "one.h5", cwd=self.folder, **ENVIRONMENT)
        self.assertEqual(difference(self.small_reference, content(self.folder / "one.h5")), [])


if __name__ == "__main__":
    unittest.main()
