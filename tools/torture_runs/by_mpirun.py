# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the program that mpirun starts and tools/torture kills."""

import shutil
import signal
import time

from krossfold_cli import MPIRUN, Running, descendants, wait_until

from torture_runs.processes import all_gone, program_of, send, state_of


class MpirunRun:
    def __init__(self, running, program):
        self.running, self.program = running, program

    def ranks(self):
        return [process for process in descendants(self.running.process.pid) if program_of(process) == self.program]

    def ended(self):
        return self.running.process.poll() is not None

    def kill(self, random):
        """SIGKILL to a rank, or to mpirun and its ranks. (whom, when, those that live on after 20 s), or None if the run has ended."""
        mpirun, ranks = self.running.process.pid, self.ranks()
        victim = "rank" if ranks and random.random() < 0.5 else "mpirun"
        if self.ended():
            return None
        processes = descendants(mpirun)
        if victim == "mpirun":  # it must not start any more ranks meanwhile
            send(mpirun, signal.SIGSTOP)
            wait_until(lambda: state_of(mpirun) in "TZ", 1)
            processes = descendants(mpirun)
        instant = time.monotonic()
        for process in [random.choice(ranks)] if victim == "rank" else [mpirun, *processes]:
            send(process, signal.SIGKILL)
        everything = {mpirun, *processes, *descendants(mpirun)}
        if wait_until(self.ended, 20) and wait_until(lambda: all_gone(everything), 5):
            return victim, instant, []
        return victim, instant, [process for process in everything | set(descendants(mpirun)) if state_of(process) != "Z"]

    def result(self):
        """(exit code, what it said)."""
        result = self.running.wait()
        return result.code, result.err


class Mpirun:
    """Starts runs in a folder."""

    victims, files = {"rank": "of a rank", "mpirun": "of mpirun with its ranks"}, set()

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def start(self, words, ranks):
        # What a killed job leaves behind goes where it is deleted with the rest.
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        places = {f"OMPI_MCA_{name}_backing_directory": temporary for name in ("btl_vader", "osc_sm")}
        more = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "TMPDIR": temporary, **places}
        running = Running(words, ranks, self.folder, command=[MPIRUN, "-n", str(ranks), self.program, *words], **more)
        return MpirunRun(running, self.program)

    def clean(self):
        """After a run."""
        shutil.rmtree(self.folder / "tmp", ignore_errors=True)

    def end_study(self):
        """After the last run of a study."""

    def stop(self):
        """After all."""
