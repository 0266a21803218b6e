#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold doctor: a set-up in which nothing is wrong, and many in which one thing is."""

import glob
import os
import re
import resource
import shutil
import signal
import socket
import unittest

from krossfold_cli import DONE, EXECUTABLE, FAILED, MPIRUN, ROOT, USAGE, CommandTest, Running, wait_until

PRETEND = os.environ.get("KROSSFOLD_PRETEND_LIBRARY")
FAULTS = os.environ.get("KROSSFOLD_FAULT_LIBRARY")
CHECKS = ["launch", "build", "processor", "cores", "Kokkos", "devices", "MPI", "MPI threads", "GPU-aware MPI", "shared memory",
          "memory", "BLAS", "HDF5", "output", "room", "locks", "limits", "clock", "environment", "Slurm"]
# What a test machine may lack, and a build for debugging, and the tests are not about.
OF_THE_MACHINE = {"build", "cores", "shared memory", "memory", "processor", "devices", "output", "room", "locks", "limits", "BLAS"}
LINE = re.compile(r"  (ok|slow|wrong) +(.*?)  +(\S.*)")


def findings(result):
    """{check: (verdict, found, remedy)} of the text form."""
    found, last = {}, None
    for line in result.out.splitlines()[1:]:
        if match := LINE.fullmatch(line):
            last = match[2]
            found[last] = (match[1], match[3], "")
        else:
            verdict, what, remedy = found[last]
            found[last] = (verdict, what, remedy + line.strip())
    return found


def may_mount():
    """True where a file system can be mounted that this process and its children alone see."""
    return os.geteuid() == 0 and os.system("unshare -m mount -t tmpfs none /mnt >/dev/null 2>&1") == 0


needs_mount = unittest.skipUnless(may_mount(), "only root may mount file systems for a test")


class Doctor(CommandTest):
    def examine(self, *arguments, ranks=None, **env):
        result = self.run_command("doctor", *arguments, ranks=ranks, **env)
        self.assertEqual(result.err, "" if result.code == DONE else result.err)
        return result, {} if "--json" in arguments else findings(result)

    def examine_after(self, script, *arguments, ranks=None, **env):
        """The doctor in a shell that first runs `script` in a mount namespace of its own."""
        launcher = [] if ranks is None else [MPIRUN, "-n", str(ranks)]
        words = ["unshare", "-m", "sh", "-ec", script + '\nexec "$@"', "sh", *launcher, EXECUTABLE, "doctor", *arguments]
        running = Running(arguments, ranks, self.folder, command=words, **env)
        self.addCleanup(running.kill_all)
        result = running.wait()
        return result, findings(result)

    def check(self, found, name, verdict, what, remedy):
        """One check has this verdict, and its line and its remedy have these words; no other is wrong."""
        self.assertEqual(found[name][0], verdict, found)
        self.assertRegex(found[name][1], what)
        self.assertRegex(found[name][2], remedy)
        wrong = [other for other, (of_other, _, _) in found.items() if of_other == "wrong"]
        self.assertEqual(wrong, [name] if verdict == "wrong" else [])

    def test_healthy_set_up_is_ok_line_by_line(self):
        result, found = self.examine(OMP_NUM_THREADS=1)
        self.assertEqual(result.code, DONE, result)
        self.assertEqual(list(found), CHECKS)
        for name, (verdict, what, remedy) in found.items():
            if name not in OF_THE_MACHINE:
                self.assertEqual((verdict, remedy), ("ok", ""), f"{name}: {what}")
            self.assertNotEqual(verdict, "wrong", f"{name}: {what}")
        self.assertEqual(self.files(), [])

    def test_it_says_what_the_system_says(self):
        _, found = self.examine(OMP_NUM_THREADS=1)
        self.assertIn(f"1 rank on {socket.gethostname()}", found["launch"][1])
        cores = int(re.search(r"1 rank on (\d+) core", found["cores"][1])[1])
        self.assertLessEqual(cores, len(os.sched_getaffinity(0)))
        self.assertIn(str(resource.getrlimit(resource.RLIMIT_NOFILE)[0]), found["limits"][1])
        number, unit = re.search(r"([\d.]+) (\w)i?B? free", found["room"][1]).groups()
        free = float(number) * 1024 ** " KMGT".index(unit)
        self.assertAlmostEqual(free / shutil.disk_usage(self.folder).free, 1, delta=0.1)

    def test_three_ranks_give_one_table(self):
        result, found = self.examine(ranks=3, OMP_NUM_THREADS=1)
        self.assertEqual(result.code, DONE, result)
        self.assertEqual(list(found), CHECKS)
        self.assertEqual(result.out.count("Kokkos  "), 1)
        self.assertIn("with 3 ranks on 1 host", result.out)
        self.assertEqual(found["launch"][:2], ("ok", f"3 ranks on {socket.gethostname()}"))
        cores = int(re.search(r"3 ranks on (\d+) core", found["cores"][1])[1])
        self.assertEqual(found["cores"][0], "slow" if cores < 3 else "ok")
        self.assertEqual(self.files(), [])

    def test_json_has_every_check_and_every_rank(self):
        result, _ = self.examine("--json", "--quiet", ranks=3, OMP_NUM_THREADS=1)
        report = result.report()
        self.assertEqual([check["check"] for check in report["checks"]], CHECKS)
        self.assertEqual([rank["rank"] for rank in report["ranks"]], [0, 1, 2])
        self.assertEqual({rank["host"] for rank in report["ranks"]}, {socket.gethostname()})
        order = ["ok", "slow", "wrong"]
        verdicts = [order.index(check["verdict"]) for check in report["checks"]]
        self.assertEqual(report["verdict"], order[max(verdicts)])
        self.assertEqual(result.code, FAILED if report["verdict"] == "wrong" else DONE)
        for check in report["checks"]:
            self.assertEqual(check["remedy"] == "", check["verdict"] == "ok", check)
        self.assertEqual(set(report), {"version", "verdict", "hosts", "checks", "ranks", "warnings"})

    def test_documentation_lists_every_check_and_every_key(self):
        page = (ROOT / "docs" / "doctor.md").read_text()
        table = page[page.index("| check | slow if"):page.index("What the program does")]
        self.assertEqual(re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE), CHECKS)
        report = self.run_command("doctor", "--json").report()
        keys = page[page.index("## JSON"):]
        for key in [*report, *report["checks"][0], *report["ranks"][0]]:
            self.assertRegex(keys, rf"\b{key}\b")

    def test_quiet_prints_only_what_is_not_ok(self):
        result, found = self.examine("--quiet", CUDA_LAUNCH_BLOCKING=1)
        self.assertNotIn("ok", [verdict for verdict, _, _ in found.values()])
        self.check(found, "environment", "slow", "CUDA_LAUNCH_BLOCKING=1: the host waits", "Unset CUDA_LAUNCH_BLOCKING")
        self.assertEqual(result.code, DONE)

    def test_wrong_usage(self):
        for words in (("--jsn",), ("r.h5",), ("-o",)):
            result = self.run_command("doctor", *words)
            self.assertEqual(result.code, USAGE, result)
            self.assertEqual(result.out, "")

    def test_ranks_bound_to_one_core_are_slow(self):
        command = [MPIRUN, "--bind-to", "none", "-n", "2", "taskset", "-c", str(min(os.sched_getaffinity(0))), EXECUTABLE, "doctor"]
        running = Running((), 2, self.folder, command=command)
        self.addCleanup(running.kill_all)
        found = findings(running.wait())
        self.check(found, "cores", "slow", "2 ranks on 1 core", "--bind-to none|at most 1 rank")

    def test_reference_blas_is_named_though_openblas_is_loaded_too(self):
        (reference,) = glob.glob("/usr/lib/*-linux-gnu*/blas/libblas.so.3") or [""]
        if not reference:
            self.skipTest("no reference BLAS (on Debian: libblas3)")
        _, found = self.examine(LD_LIBRARY_PATH=os.path.dirname(reference))
        self.check(found, "BLAS", "slow", "reference BLAS", "libopenblas0")

    def test_slow_blas_kernel_is_named_with_a_better_one(self):
        if "OpenBLAS" not in self.examine()[1]["BLAS"][1]:
            self.skipTest("another BLAS than OpenBLAS")
        result, found = self.examine(OPENBLAS_CORETYPE="PRESCOTT")
        if "Prescott" not in found["BLAS"][1]:
            self.skipTest("this OpenBLAS cannot choose its kernel")
        if "x86-64-v3" not in found["processor"][1] and "x86-64-v4" not in found["processor"][1]:
            self.skipTest("this processor has no better kernel")
        self.check(found, "BLAS", "slow", "OpenBLAS Prescott, .* by OPENBLAS_CORETYPE=PRESCOTT", "OPENBLAS_CORETYPE=(SKYLAKEX|HASWELL)")
        self.assertEqual(result.code, DONE)

    def test_mpi_without_threads_is_wrong(self):
        for ranks in (None, 2):
            for level, name in ((0, "SINGLE"), (1, "FUNNELED")):
                result, found = self.examine(ranks=ranks, LD_PRELOAD=PRETEND, KROSSFOLD_PRETEND_THREADS=level)
                self.assertEqual(result.code, FAILED, result)
                self.check(found, "MPI threads", "wrong", f"MPI_THREAD_{name}", "built with thread support")
        result, found = self.examine(ranks=2, LD_PRELOAD=PRETEND, KROSSFOLD_PRETEND_THREADS=2)
        self.check(found, "MPI threads", "slow", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE")
        refused = self.run_command("svm", "--limit", "150", "--grid", "2x2", "-o", "r.h5", LD_PRELOAD=PRETEND,
                                   KROSSFOLD_PRETEND_THREADS=1)
        self.assertEqual(refused.code, FAILED, "as the doctor says, a study does not run")
        self.assertIn("allows only the main thread", refused.err)

    def test_hdf5_library_of_another_version_is_wrong(self):
        result, found = self.examine(LD_PRELOAD=PRETEND, KROSSFOLD_PRETEND_HDF5=99)
        self.assertEqual(result.code, FAILED, result)
        self.check(found, "HDF5", "wrong", r"library 1\.10\.99, compiled with the headers of", "LD_LIBRARY_PATH")

    def test_processes_that_are_each_alone_are_wrong(self):
        result, found = self.examine(SLURM_STEP_NUM_TASKS=2, SLURM_PROCID=0)
        self.assertEqual(result.code, FAILED, result)
        self.check(found, "launch", "wrong", "started 2 processes, but each is alone", "srun --mpi=pmix")
        silent = self.run_command("doctor", SLURM_STEP_NUM_TASKS=2, SLURM_PROCID=1)
        self.assertEqual((silent.code, silent.out), (FAILED, ""), "the first process speaks for all")

    def test_processes_of_mpirun_that_do_not_find_each_other_give_one_table(self):
        script = self.folder / "alone"
        script.write_text("#!/bin/sh\nsize=$OMPI_COMM_WORLD_SIZE rank=$OMPI_COMM_WORLD_RANK\n"
                          "for name in $(env | grep -E '^(OMPI|PMIX)_[A-Za-z0-9_]*=' | cut -d= -f1); do unset $name; done\n"
                          "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
                          f"PMI_SIZE=$size PMI_RANK=$rank exec '{EXECUTABLE}' \"$@\"\n")
        script.chmod(0o755)
        running = Running((), 2, self.folder, command=[MPIRUN, "-n", "2", str(script), "doctor"])
        self.addCleanup(running.kill_all)
        result = running.wait()
        self.assertEqual(result.code, FAILED, result)
        self.assertEqual(result.out.count("each is alone"), 1, result)

    @needs_mount
    def test_no_shared_memory_is_slow_and_the_study_runs(self):
        script = "mount -t tmpfs -o size=64k none /dev/shm"
        result, found = self.examine_after(script, ranks=2)
        self.assertEqual(result.code, DONE, result)
        self.check(found, "shared memory", "slow", r"\d+ KiB free in /dev/shm", "--shm-size")

    @needs_mount
    def test_read_only_output_is_wrong(self):
        place = self.folder / "results"
        place.mkdir()
        script = f"mount -t tmpfs -o ro none {place}"
        for output in (place, place / "r.h5"):
            result, found = self.examine_after(script, "-o", str(output))
            self.assertEqual(result.code, FAILED, result)
            self.check(found, "output", "wrong", "Read-only file system", "in a folder that you may write to")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_output_without_permission_is_wrong(self):
        self.folder.chmod(0o555)
        result, found = self.examine()
        self.folder.chmod(0o755)
        self.assertEqual(result.code, FAILED, result)
        self.check(found, "output", "wrong", "Permission denied", "in a folder that you may write to")

    @needs_mount
    def test_full_file_system_is_wrong(self):
        place = self.folder / "results"
        place.mkdir()
        script = f"mount -t tmpfs -o size=2m none {place}\nhead -c 1900k /dev/zero > {place}/filler"
        result, found = self.examine_after(script, "-o", str(place / "r.h5"), ranks=2)
        self.assertEqual(result.code, FAILED, result)
        for name, what in (("output", "No space left on device"), ("room", r"\d+ KiB free in .*results")):
            self.assertEqual(found[name][0], "wrong")
            self.assertRegex(found[name][1], what)
            self.assertRegex(found[name][2], "another output|choose an output elsewhere")

    @needs_mount
    def test_output_in_memory_is_slow(self):
        place = self.folder / "results"
        place.mkdir()
        _, found = self.examine_after(f"mount -t tmpfs -o size=2g none {place}", "-o", str(place))
        self.check(found, "output", "slow", "on tmpfs", "on a disk")

    def test_missing_folder_is_wrong(self):
        result, found = self.examine("-o", "none/r.h5")
        self.assertEqual(result.code, FAILED, result)
        self.check(found, "output", "wrong", "the folder none does not exist", "mkdir -p")

    def test_file_system_without_locks_is_slow(self):
        place = self.folder / "results"
        place.mkdir()
        result, found = self.examine("-o", place, LD_PRELOAD=FAULTS, KROSSFOLD_FAULT_FOLDER=place.resolve(), KROSSFOLD_FAULT_KIND="locks",
                                     KROSSFOLD_FAULT_CALL=1, KROSSFOLD_FAULT_ERROR=37)
        self.check(found, "locks", "slow", r"none in .*\(No locks available\)", "-o flock")
        self.assertEqual(result.code, DONE)
        self.assertEqual(list(place.iterdir()), [])

    def test_illegal_instruction_names_the_processors_that_the_program_is_for(self):
        running = self.start("svm", "--grid", "24x8", "--tolerance", "1e-6", "-o", "r.h5")
        self.assertTrue(wait_until((self.folder / "r.h5.journal").exists))
        running.signal(signal.SIGILL)
        result = running.wait()
        self.assertEqual(result.code, -signal.SIGILL, result)
        self.assertEqual(result.err.count("krossfold: error: illegal instruction (this program was built for"), 1, result)
        self.assertIn("KROSSFOLD_ARCH", result.err)

    def test_few_open_files_are_slow(self):
        command = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh", EXECUTABLE, "doctor"]
        running = Running((), None, self.folder, command=command)
        self.addCleanup(running.kill_all)
        self.check(findings(running.wait()), "limits", "slow", "200 open files", "ulimit -n")

    def test_slurm_job_is_described_by_what_it_and_scontrol_say(self):
        program = self.folder / "bin" / "scontrol"
        program.parent.mkdir()
        program.write_text('#!/bin/sh\nif [ "$1" = show ]; then echo "JobId=77 EndTime=$(($(date +%s) + 7200))"\n'
                           'else echo "#SBATCH --signal=B:USR2@120"; fi\n')
        program.chmod(0o755)
        path = f"{program.parent}:{os.environ['PATH']}"
        job = {"PATH": path, "SLURM_JOB_ID": 77, "SLURM_NTASKS": 4, "SLURM_JOB_NUM_NODES": 1}
        _, found = self.examine(**job)
        self.check(found, "Slurm", "slow", "job 77, tasks 4, nodes 1, ends in .*, signal B:USR2@120; this is one process",
                   "srun --mpi=pmix")
        # Open MPI's mpirun, called by its path, puts its own folder first in PATH, which may have another scontrol.
        command = [MPIRUN, "-n", "2", "env", f"PATH={path}", EXECUTABLE, "doctor"]
        running = Running((), None, self.folder, command=command, **job)
        self.addCleanup(running.kill_all)
        self.check(findings(running.wait()), "Slurm", "ok", "job 77, tasks 4", "^$")


if __name__ == "__main__":
    unittest.main()
