#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Processes that a launcher started together but that are each alone in an MPI world of their own."""

import pathlib
import unittest

from invalid_case import InvalidCase
from krossfold_cli import EXECUTABLE, MPIRUN, Running


class Launcher(InvalidCase):
    STUDY = ("svm", "--limit", "150", "--grid", "2x2", "-o", "r.h5")

    def test_srun_without_pmix(self):
        # What srun sets in each of two processes when MPI_Init cannot find the other.
        self.check_refused(*self.STUDY, SLURM_STEP_NUM_TASKS=2, SLURM_PROCID=0,
                           says=["2 processes", "SLURM_STEP_NUM_TASKS=2", "srun --mpi=pmix"])

    def test_mpirun_of_another_mpi_library(self):
        self.check_refused(*self.STUDY, PMI_SIZE=4, PMI_RANK=0, says=["4 processes", "PMI_SIZE=4", "mpirun"])

    def test_mpirun_whose_processes_do_not_find_each_other(self):
        # Open MPI's own variables are what its processes find each other by; OMPI_COMM_WORLD_SIZE alone stays.
        script = self.folder / "alone"
        script.write_text("#!/bin/sh\nsize=$OMPI_COMM_WORLD_SIZE\n"
                          "for name in $(env | grep -E '^(OMPI|PMIX)_[A-Za-z0-9_]*=' | cut -d= -f1); do\n"
                          "  unset $name\ndone\n"
                          "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
                          f"OMPI_COMM_WORLD_SIZE=$size exec '{EXECUTABLE}' \"$@\"\n")
        script.chmod(0o755)
        running = Running(self.STUDY, 2, self.folder)
        self.addCleanup(running.kill_all)
        self.assertEqual(running.wait().code, 0)  # with its variables it is one world
        (self.folder / "r.h5").unlink()
        command = [MPIRUN, "-n", "2", str(script), *self.STUDY]
        running = Running(self.STUDY, 2, self.folder, command=command)
        self.addCleanup(running.kill_all)
        result = running.wait()
        self.assertEqual(result.code, 2, result)
        self.assertIn("the launcher started 2 processes, but each is alone", result.err)
        self.assertFalse((self.folder / "r.h5").exists())

    def test_an_error_of_one_rank_alone_ends_every_rank(self):
        for order in (0, 1):
            limits = ["--memory-limit", "1K"], []
            command = [MPIRUN]
            for rank in range(2):
                command += ([":"] if rank else []) + ["-n", "1", EXECUTABLE, *self.STUDY, *limits[(rank + order) % 2]]
            running = Running(self.STUDY, 2, self.folder, command=command)
            self.addCleanup(running.kill_all)
            result = running.wait()
            self.assertEqual(result.code, 2, result)
            self.assertEqual(result.err.count("krossfold: error: the study needs"), 1, result.err)
            self.assertFalse((self.folder / "r.h5").exists())

    def test_one_process_in_an_allocation_of_many_is_no_error(self):
        # sbatch -n 8 and then the program alone, without srun: it is one on purpose.
        self.succeed(*self.STUDY, SLURM_NTASKS=8, SLURM_NPROCS=8, SLURM_JOB_NUM_NODES=2)
        self.assertTrue(pathlib.Path(self.folder / "r.h5").exists())


if __name__ == "__main__":
    unittest.main()
