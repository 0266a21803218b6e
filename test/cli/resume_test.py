#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A study that was stopped or killed goes on where it was, and ends in the same result."""

import json
import re
import shutil
import signal
import struct
import time
import unittest

import h5py
import numpy as np

from krossfold_cli import SLOW, STOPPED, CommandTest, content, difference, journal_records, models_of, wait_until, write_noise

STUDY = ("svm", "--data", "digits", "--grid", "24x8", "--tolerance", "1e-5", "-o", "r.h5")
UNITS = 8 * 5


class Resume(CommandTest):
    @classmethod
    def setUpClass(cls):
        # The result of the study when nothing disturbs it.
        folder = cls.share("run_study")
        cls.reference = content(folder / "r.h5")
        cls.model = (models_of(folder / "r.h5") / "svm.h5").read_bytes()

    def run_study(self):
        self.succeed(*STUDY)

    def setUp(self):
        super().setUp()
        self.result, self.journal = self.folder / "r.h5", self.folder / "r.h5.journal"

    def start_and_await(self, records, *options, ranks=None):
        """The study in the background, with at least so many records in its journal, and far from its end."""
        running = self.start(*STUDY, *options, ranks=ranks)
        self.assertTrue(wait_until(lambda: journal_records(self.journal) >= records), "no records in the journal")
        return running

    def check_is_the_undisturbed_result(self):
        self.assertEqual(difference(self.reference, content(self.result)), [])
        self.assertEqual((models_of(self.folder / "r.h5") / "svm.h5").read_bytes(), self.model)
        self.assertEqual(self.files(), ["r.h5", "r.models", "r.models/svm.h5"])

    def taken_over(self, journal):
        """The number of units in the result whose start and duration are those in the bytes of a journal."""
        with h5py.File(self.result) as file:
            times = zip(file["unit/started"][()].ravel(), file["unit/seconds"][()].ravel())
            return sum(struct.pack("<2d", *pair) in journal for pair in times)

    def continue_and_check(self, ranks=None):
        """Runs the command again; every unit in the journal must be taken over as it is."""
        before = self.journal.read_bytes()
        records = journal_records(self.journal)
        result = self.succeed(*STUDY, ranks=ranks)
        said = re.search(r"(\d+) units were computed before", result.err)
        said = int(said.group(1)) if said else 0
        self.assertIn(said, (records, records - 1), result)  # the last one may have been torn
        self.assertEqual(self.taken_over(before), min(said, UNITS))  # units after the grid have no times in the result
        self.check_is_the_undisturbed_result()

    def test_after_kill_9_on_two_ranks_it_goes_on_with_one_two_or_three(self):
        running = self.start_and_await(5, ranks=2)
        running.kill_all()
        running.wait()
        # The file from the start of the run is still there and says that the study is not finished.
        self.assertEqual(self.succeed("report", self.result, "--status").out, "running\n")
        self.assertGreaterEqual(journal_records(self.journal), 5)
        saved = self.journal.read_bytes()
        for ranks in (None, 2, 3):
            with self.subTest(ranks=ranks):
                shutil.rmtree(models_of(self.result), ignore_errors=True)
                self.result.unlink(missing_ok=True)
                self.journal.write_bytes(saved)
                self.continue_and_check(ranks)

    def test_on_another_kind_of_processor_it_goes_on_and_the_result_says_so(self):
        """Here by the BLAS kernels of two kinds."""
        def cut(kernel):
            running = self.start(*STUDY, OPENBLAS_CORETYPE=kernel)
            records = journal_records(self.journal) if self.journal.exists() else 0
            self.assertTrue(wait_until(lambda: journal_records(self.journal) >= records + 3), "no records in the journal")
            running.signal(signal.SIGTERM)
            self.assertEqual(running.wait().code, STOPPED)
        cut("Nehalem")
        cut("Haswell")
        result = self.succeed(*STUDY, OPENBLAS_CORETYPE="Nehalem")
        self.assertRegex(result.err, "units may have been computed by another build .*OpenBLAS Haswell; now .*OpenBLAS Nehalem")
        self.assertRegex(self.succeed("report", "r.h5").out, "warning: units may have been computed by another build .*OpenBLAS Haswell")
        with h5py.File(self.result) as file:
            self.assertRegex(file.attrs["earlier_builds"], "^krossfold .*OpenBLAS Haswell$")
            self.assertRegex(file.attrs["build"], "OpenBLAS Nehalem$")
            errors = file["fold_error"][()]
        undisturbed = np.frombuffer(self.reference["fold_error"][2], errors.dtype).reshape(errors.shape)
        np.testing.assert_allclose(errors, undisturbed, atol=0.01)  # three of 300 samples

    def test_a_training_goes_on_from_its_state_on_another_kind_of_processor(self):
        log = self.folder / "log.jsonl"
        words = ("train", "mlp", "--hidden", "1024,1024", "--epochs", "400", "--checkpoint-every", "0", "--json-log", log, "-o", "t.h5")
        def epochs():
            lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
            return [line["epoch"] for line in lines if line["event"] == "epoch"]
        for kernel in ("Nehalem", "Haswell"):
            before = len(epochs())
            running = self.start(*words, OPENBLAS_CORETYPE=kernel)
            self.assertTrue(wait_until(lambda: len(epochs()) >= before + 3))
            running.signal(signal.SIGTERM)
            self.assertEqual(running.wait().code, STOPPED)
        found = epochs()
        self.assertLessEqual(found.count(1), 1, found)
        self.assertEqual(sorted(set(found)), list(range(1, max(found) + 1)))

    def test_killed_again_and_again_it_loses_nothing(self):
        kept = 0
        for _ in range(3):
            running = self.start_and_await(kept + 4)
            running.kill_all()
            running.wait()
            now = journal_records(self.journal)
            self.assertGreaterEqual(now, kept + 4)
            kept = now
        self.continue_and_check()

    def test_after_max_time_it_says_stopped_and_goes_on(self):
        stopped = self.run_command(*STUDY, "--max-time", "0.15", "--grace", "0", ranks=2)
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertIn("the same command continues", stopped.err)
        self.assertEqual(self.succeed("report", "--status", "r.h5").out, "stopped\n")
        with h5py.File(self.result) as file:
            self.assertEqual(file.attrs["status"], "stopped")
            status, error = file["unit/status"][()], file["fold_error"][()]
            self.assertEqual((status == 1).sum(), journal_records(self.journal))
            self.assertLess((status == 1).sum(), UNITS)
            # NaN exactly where nothing was computed.
            self.assertTrue(((error == error).all(axis=1) == (status == 1)).all())
        self.continue_and_check()

    def test_a_unit_that_was_stopped_goes_on_where_it_was(self):
        study = ("svm", "--data", "digits", "--grid", "24x1", "--tolerance", "1e-6", "--folds", "2", "-o", "r.h5")
        self.succeed(*study[:-1], "whole.h5")
        parts = set()
        for attempt in range(300):
            # Longer from round to round: on a busy machine a start alone takes longer than the first of them.
            seconds = 0.02 * (1 + attempt % 9) * (1 + attempt // 18)
            result = self.run_command(*study, "--max-time", f"{seconds}", "--grace", "0", "--quiet")
            if result.code != STOPPED:
                break
            parts |= {name for name in self.files() if name.endswith(".part")}
        self.assertEqual(result.code, 0, result)
        self.assertTrue(parts, "no unit was stopped half-way")
        self.assertEqual(difference(content(self.folder / "whole.h5"), content(self.result)), [])
        self.assertEqual([name for name in self.files() if name.endswith(".part")], [])

    def test_with_a_grace_the_units_in_flight_are_finished(self):
        stopped = self.run_command(*STUDY, "--max-time", "0.15")
        self.assertEqual(stopped.code, STOPPED, stopped)
        with h5py.File(self.result) as file:
            self.assertGreaterEqual((file["unit/status"][()] == 1).sum(), 1)
        self.continue_and_check()

    def test_in_many_short_runs_it_comes_to_the_same_end(self):
        # Each run finishes the units that it began. On a loaded machine the set-up takes all of a short time: it gets longer.
        self.stop_until_done(*STUDY, "--quiet", seconds=0.1, growth=1.05, ranks=(2,), runs=2 * UNITS)
        self.check_is_the_undisturbed_result()

    def check_stops_by(self, number, ranks):
        running = self.start_and_await(3, "--grace", "0", ranks=ranks)
        running.signal(number)
        stopped = running.wait()
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertEqual(self.succeed("report", "--status", "r.h5").out, "stopped\n")
        self.continue_and_check()

    def test_sigterm_stops_it_cleanly(self):
        self.check_stops_by(signal.SIGTERM, None)

    def test_sigint_stops_it_cleanly(self):
        self.check_stops_by(signal.SIGINT, None)

    def test_sigusr2_stops_it_cleanly(self):
        self.check_stops_by(signal.SIGUSR2, None)

    def test_second_signal_loses_nothing(self):
        for ranks in (None, 2):
            with self.subTest(ranks=ranks):
                shutil.rmtree(models_of(self.result), ignore_errors=True)
                for file in (self.result, self.journal):
                    file.unlink(missing_ok=True)
                running = self.start_and_await(3, "--grace", "1000s", ranks=ranks)
                for _ in range(2):
                    running.signal(signal.SIGUSR2)
                stopped = running.wait()
                self.assertEqual(stopped.code, STOPPED, stopped)
                self.assertEqual(self.succeed("report", "--status", "r.h5").out, "stopped\n")
                self.continue_and_check()

    def test_second_signal_drops_units_that_have_all_the_time_left(self):
        write_noise(self.folder / "noise.csv", 6000)
        running = self.start(*SLOW, "-o", "r.h5", "--grace", "1000s")
        self.assertTrue(wait_until(lambda: "0 of 2 units" in running.said()))
        running.signal(signal.SIGTERM)
        time.sleep(0.5)
        self.assertIsNone(running.process.poll(), "no unit was in flight: the test shows nothing")
        running.signal(signal.SIGTERM)
        stopped = running.wait()
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertIn("a second signal drops them", stopped.err)
        with h5py.File(self.result) as file:
            self.assertEqual((file["unit/status"][()] == 1).sum(), 0)

    def test_sigusr2_to_mpirun_stops_all_ranks_cleanly(self):
        self.check_stops_by(signal.SIGUSR2, 2)

    def test_sigterm_to_mpirun_loses_nothing(self):
        # Open MPI's mpirun kills its ranks a second later, whatever they do, and returns 1.
        running = self.start_and_await(3, ranks=2)
        running.signal(signal.SIGTERM)
        self.assertNotEqual(running.wait().code, 0)
        if self.journal.exists():
            self.continue_and_check(2)
        self.check_is_the_undisturbed_result()  # it may also have ended in that second

    def test_killed_after_the_result_was_written_it_only_tidies_up(self):
        running = self.start_and_await(3)
        running.kill_all()
        running.wait()
        saved = self.journal.read_bytes()
        self.succeed(*STUDY)
        self.journal.write_bytes(saved)  # as if the kill had come between the result and the end of the journal
        self.assertIn("finished already", self.succeed(*STUDY).err)
        self.check_is_the_undisturbed_result()

    def test_a_second_run_with_the_same_output_is_refused_and_the_first_goes_on(self):
        running = self.start_and_await(1)
        running.signal(signal.SIGSTOP)  # so that it cannot end while the second starts
        second, breaking = self.run_command(*STUDY), self.run_command(*STUDY, "--break-lock")
        running.signal(signal.SIGCONT)
        first = running.wait()
        self.assertEqual(first.code, 0, first)
        for refused in (second, breaking):
            self.assertEqual(refused.code, 2, refused)
            self.assertIn("r.h5.journal is in use", refused.err)
            self.assertIn(f"process {running.process.pid} on ", refused.err)
        self.check_is_the_undisturbed_result()


if __name__ == "__main__":
    unittest.main()
