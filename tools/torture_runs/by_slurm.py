# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the program as jobs of a Slurm of one node, which tools/torture kills and which go back into the queue."""

import os
import pathlib
import re
import shutil
import signal
import sys
import time

from krossfold_cli import ENVIRONMENT, wait_until
from one_node_slurm import Slurm

from torture_runs.processes import all_gone, all_processes, has_in_environment, program_of, send, state_of

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "slurm" / "cpu.sbatch"
PATIENCE = 300  # seconds in which Slurm must notice the end of a job on a loaded machine
FINAL = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY")


class SlurmRun:
    """A job from one start to its end, or until it is queued again."""

    def __init__(self, slurm, job, program, out, begin):
        self.slurm, self.job, self.program, self.out, self.begin = slurm, job, program, out, begin
        self.restarts = self.facts()[0]

    def facts(self):
        """(restarts so far, state)"""
        job = self.slurm.job(self.job)
        return int(job.get("Restarts", "0")), job.get("JobState", "")

    def processes(self, program=""):
        mark = f"SLURM_JOB_ID={self.job}"
        return [p for p in all_processes() if (program_of(p) == program if program else state_of(p) != "Z") and has_in_environment(p, mark)]

    def ranks(self):
        return self.processes(self.program)

    def ended(self):
        restarts, state = self.facts()
        return restarts > self.restarts or state in FINAL

    def kill(self, random):
        """SIGKILL to a rank or to srun, or the job is put back into the queue by `scontrol requeue`."""
        victim = random.choice(("rank", "srun", "requeue"))
        found = self.ranks() if victim == "rank" else [p for p in self.processes() if program_of(p).endswith("/srun")]
        if self.ended():
            return None
        if not found:
            victim = "requeue"
        instant = time.monotonic()
        if victim == "requeue":
            try:
                self.slurm.run("scontrol", "requeue", self.job)
            except AssertionError as refused:  # Slurm's: the job may be ending
                print(f"torture: {refused}", file=sys.stderr)
                return None
        else:
            for process in [random.choice(found)] if victim == "rank" else found:  # srun is two processes
                send(process, signal.SIGKILL)
        if wait_until(self.ended, PATIENCE) and wait_until(lambda: all_gone(self.processes()), PATIENCE):
            return victim, instant, []
        return victim, instant, self.processes()

    def said(self):
        if not self.out.exists():
            return ""
        with open(self.out, "rb") as file:
            file.seek(self.begin)
            return file.read().decode(errors="replace")

    def result(self):
        """(exit code, what it said)."""
        if not wait_until(self.ended, 4 * PATIENCE):
            return "took too long", self.said()
        codes = re.findall(r"^job \d+: exit code (\d+),", self.said(), re.MULTILINE)
        return (int(codes[-1]) if codes else "none"), self.said()


class SlurmJobs:
    """Submits the batch script for CPUs once for each study; each further run of it is a restart of the job."""

    victims = {"rank": "of a rank", "srun": "of srun", "requeue": "requeues"}
    files = {"out"}

    def __init__(self, program, folder, ranks):
        """Throws CannotStart where no Slurm can be started."""
        self.program, self.folder, self.job = program, folder, None
        self.slurm = Slurm(cpus=ranks)
        self.slurm.start()

    def start(self, words, ranks):
        out = self.folder / "out"
        begin = out.stat().st_size if out.exists() else 0
        (self.folder / "tmp").mkdir(exist_ok=True)
        if self.job is None or self.slurm.job(self.job).get("JobState", "") in FINAL:  # killed before there was a file to continue
            environment = {"KROSSFOLD": self.program, "KROSSFOLD_RESTARTS": "1000000", "TMPDIR": str(self.folder / "tmp"), **ENVIRONMENT}
            if ranks > len(os.sched_getaffinity(0)):  # srun does not notice, as mpirun does, that ranks which wait take the cores of others
                environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
            options = ("--output=out", f"--ntasks={ranks}", "--time=UNLIMITED")
            self.job = self.slurm.submit(*options, SCRIPT, *words, cwd=self.folder, **environment)
        end = time.monotonic() + PATIENCE
        while self.slurm.job(self.job).get("JobState", "") not in ("RUNNING", *FINAL) and time.monotonic() < end:
            self.slurm.hurry(self.job)
            time.sleep(0.2)
        return SlurmRun(self.slurm, self.job, self.program, out, begin)

    def clean(self):
        shutil.rmtree(self.folder / "tmp", ignore_errors=True)

    def end_study(self):
        if self.job is not None:  # a requeue may have met a job whose study was finished
            self.slurm.run("scancel", self.job, check=False)
            wait_until(lambda: self.slurm.job(self.job).get("JobState", "") in FINAL, PATIENCE)
        self.job = None
        (self.folder / "out").unlink(missing_ok=True)

    def stop(self):
        self.slurm.stop()
