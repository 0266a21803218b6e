#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The number of ranks changes the time and nothing else."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time
import unittest

import h5py

from krossfold_cli import ENVIRONMENT, EXECUTABLE, MPIRUN, CommandTest, content, descendants, difference, journal_records, models_of, wait_until
from sanitizer import SLOWER

STUDY = ("svm", "--data", "digits", "--limit", "300", "--grid", "6x6", "--quiet")


def environment_of(process):
    with contextlib.suppress(OSError):
        settings = pathlib.Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
        return dict(setting.split("=", 1) for setting in settings if "=" in setting)
    return {}


class Ranks(CommandTest):
    def test_one_to_four_ranks_give_the_same_bits(self):
        self.succeed(*STUDY, "-o", "alone.h5")
        reference = content(self.folder / "alone.h5")
        model = (models_of(self.folder / "alone.h5") / "svm.h5").read_bytes()
        for ranks in (1, 2, 3, 4):
            name = f"r{ranks}"
            self.succeed(*STUDY, "-o", f"{name}.h5", ranks=ranks)
            self.assertEqual(difference(reference, content(self.folder / f"{name}.h5")), [], f"{ranks} ranks")
            self.assertEqual(model, (models_of(self.folder / f"{name}.h5") / "svm.h5").read_bytes(), f"{ranks} ranks")
            with h5py.File(self.folder / f"{name}.h5") as file:
                self.assertEqual(file.attrs["ranks"], ranks)
                self.assertLess(file["unit/rank"][()].max(), ranks)

    def test_ranks_that_compute_in_different_ways_are_warned_of(self):
        """Here with another BLAS kernel; on nodes of different processors it is the processor."""
        by_rank = 'if [[ $OMPI_COMM_WORLD_RANK == 1 ]]; then export OPENBLAS_CORETYPE=Haswell; else export OPENBLAS_CORETYPE=Nehalem; fi; exec "$@"'
        words = ["bash", "-c", by_rank, "bash", EXECUTABLE, *STUDY, "-o", "r.h5"]
        done = subprocess.run([MPIRUN, "-n", "2", *words], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env={**os.environ, **ENVIRONMENT})
        self.assertEqual(done.returncode, 0, done)
        self.assertRegex(done.stderr, r"warning: rank 1 computes with .*Haswell, and rank 0 with .*Nehalem: the last bits of results depend")
        self.assertIn("rank 1 computes with", self.succeed("report", "r.h5").out)

    def test_a_run_without_mpirun_needs_no_folder_of_open_mpi(self):
        """Where its name is that of every other such run, one that ends deletes it under one that starts."""
        self.succeed("svm", "--data", "digits", "--dry-run", TMPDIR="/dev/null/none")

    def test_the_ranks_share_the_units(self):
        self.succeed("svm", "--limit", "600", "--grid", "8x8", "--quiet", "-o", "r.h5", ranks=2)
        with h5py.File(self.folder / "r.h5") as file:
            rank = file["unit/rank"][()]
        for number in (0, 1):
            self.assertGreaterEqual((rank == number).sum(), rank.size // 10, f"rank {number} of {rank.tolist()}")

    def test_every_schedule_gives_the_same_bits_and_splits_the_units_as_it_says(self):
        self.succeed(*STUDY, "-o", "alone.h5")
        reference = content(self.folder / "alone.h5")
        for schedule in ("dynamic", "static", "shuffled", "node-static"):
            self.succeed(*STUDY, "-o", f"{schedule}.h5", "--schedule", schedule, ranks=2)
            self.assertEqual(difference(reference, content(self.folder / f"{schedule}.h5")), [], schedule)
            with h5py.File(self.folder / f"{schedule}.h5") as file:
                self.assertEqual(file.attrs["schedule"], schedule)
                rank = file["unit/rank"][()].ravel()
            if schedule == "static":
                self.assertEqual(rank.tolist(), sorted(rank.tolist()))
            if schedule in ("static", "shuffled"):
                self.assertEqual(rank.sum(), (rank.size + 1) // 2)

    def test_a_killed_rank_ends_the_job_with_its_name_and_host_and_nothing_is_lost(self):
        study = ("svm", "--grid", "24x8", "--tolerance", "1e-5", "--no-refit", "-o", "r.h5")
        running = self.start(*study, ranks=3)
        journal = self.folder / "r.h5.journal"
        self.assertTrue(wait_until(lambda: journal_records(journal) >= 5), "no records in the journal")
        rank = next(p for p in descendants(running.process.pid)
                    if environment_of(p).get("OMPI_COMM_WORLD_RANK") == "2")
        os.kill(rank, signal.SIGKILL)
        killed = time.monotonic()
        result = running.wait()
        self.assertLess(time.monotonic() - killed, 10 * SLOWER)
        self.assertNotEqual(result.code, 0, result)
        self.assertRegex(result.err, rf"process rank 2 .* node {socket.gethostname()} .*signal 9")
        self.succeed("report", "r.h5")
        kept = journal_records(journal)
        self.assertGreaterEqual(kept, 5)
        self.assertRegex(self.succeed(*study).err, rf"({kept}|{kept - 1}) units were computed before")

    def test_the_report_is_printed_once_and_every_rank_is_on_the_map(self):
        result = self.succeed(*STUDY[:-1], "-o", "r.h5", ranks=3)
        self.assertEqual(result.out.count("best cell "), 1)
        self.assertEqual(result.err.count("ranks 0-2 on "), 1, result)

    def test_errors_are_printed_once(self):
        for arguments in (("--data", "csv:nothing.csv"), ("--folds", "1"), ("--fodls", "3")):
            result = self.run_command("svm", *arguments, "-o", "r.h5", ranks=3)
            self.assertEqual(result.code, 2, result)
            self.assertEqual(result.err.count("krossfold: error:"), 1, result)


if __name__ == "__main__":
    unittest.main()
