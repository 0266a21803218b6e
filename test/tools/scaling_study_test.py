#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/scaling_study on 1 and 2 ranks, and its statistics, rules and formations."""

import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time
import unittest

from plot_case import TOOLS, PlotCase, load_tool, names

sys.path.insert(0, str(TOOLS.parent / "test" / "cli"))
import krossfold_cli  # noqa: E402
from scaling import formations, rules, runs, study_file, table  # noqa: E402
from scaling.intervals import coverage, median_interval  # noqa: E402

plot_scaling = load_tool("plot_scaling")


def run_of(formation, number, seconds, hosts="a", **more):
    return {"formation": formation, "round": number, "exit_code": 0, "wall_seconds": seconds, "study_seconds": seconds, "setup_seconds": 0.0,
            "started": "2026-01-01T00:00:00+00:00", "host": hosts.split()[0], "hosts": hosts, "cores": 8, "command": "c", "digest": "d", "build": "b",
            "reason": "", **more}  # fmt: skip


def settings_of(*names, kind="strong"):
    return {"version": study_file.VERSION, "study": "svm", "kind": kind, "formations": list(names), "options": [], "launcher": "srun", "program_sha256": "0"}


class Statistics(unittest.TestCase):
    def test_coverages_are_those_of_the_tables(self):
        """The well-known confidence of [smallest, largest] for 5 and 6 values, and of the 2nd to 8th of 9 and 2nd to 9th of 10."""
        for n, k, known in ((5, 1, 0.9375), (6, 1, 0.96875), (9, 2, 0.9609375), (10, 2, 0.978515625)):
            self.assertAlmostEqual(coverage(n, k), known, places=12)
        self.assertEqual(median_interval([3, 1, 2, 9, 8, 7, 4, 6, 5])[:3], (5, 2, 8))

    def test_intervals_hold_the_median_as_often_as_they_say(self):
        draw, count = random.Random(4), 4000
        hits = sum(low <= 1 <= high for _, low, high, _ in (median_interval([2 ** draw.gauss(0, 1) for _ in range(6)]) for _ in range(count)))
        self.assertAlmostEqual(hits / count, 0.96875, delta=4 * (0.97 * 0.03 / count) ** 0.5)

    def test_drift_common_to_a_round_leaves_the_speed_up(self):
        rows = [run_of(name, r, (1 + r) * 6 / formations.ranks(name)) for r in range(6) for name in ("1", "3")]
        found = table.summary({"formations": ["1", "3"], "kind": "strong"}, rows)[1]
        self.assertEqual((found["speed_up"][:3], found["efficiency"][0]), ((3, 3, 3), 1))


    def test_bits_are_compared_only_where_two_runs_are_done(self):
        said = [table.same_bits(settings_of("1", "2", kind=kind), rows) for kind, rows in (
            ("strong", [run_of("1", 0, 1, exit_code=1), run_of("2", 0, 1, exit_code=1)]), ("strong", [run_of("1", 0, 1)]),
            ("weak", [run_of("1", 0, 1), run_of("2", 0, 1, digest="other")]), ("strong", [run_of("1", 0, 1), run_of("2", 0, 1)]),
            ("strong", [run_of("1", 0, 1), run_of("2", 0, 1, digest="other")]))]  # fmt: skip
        self.assertEqual(["not compared" in words for words, _ in said], [True, True, True, False, False])
        self.assertEqual(["bitwise identical" in words for words, _ in said], [False, False, False, True, False])
        self.assertEqual([good for _, good in said], [True, True, True, True, False])


class StudyFile(PlotCase):
    def test_a_file_of_anyone_under_a_temporary_name_stays(self):
        path, precious = self.folder / "s.h5", self.folder / "precious"
        precious.write_text("mine")
        for name in ("s.h5.new", ".s.h5.lock"):
            (self.folder / name).symlink_to(precious)
        study_file.write(path, settings_of("1"), [run_of("1", 0, 1.5, command="krossfold caf\udce9.csv")])
        self.assertRaisesRegex(Exception, "cannot write beside", study_file.held(path).__enter__)
        self.assertEqual(precious.read_text(), "mine")
        self.assertFalse(path.is_symlink())
        self.assertEqual(study_file.read(path)[1][0]["wall_seconds"], 1.5)
        self.assertEqual(sorted(one.name for one in self.folder.iterdir()), [".s.h5.lock", "precious", "s.h5", "s.h5.new"])

    def test_a_signal_ends_the_run_and_all_its_processes(self):
        marker = self.folder / "child"
        script = self.folder / "run"
        script.write_text(f"#!/bin/sh\nsleep 300 & echo $! > {marker}.new; mv {marker}.new {marker}; wait\n")
        script.chmod(0o755)

        def raise_interrupt(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, raise_interrupt)
        try:
            while not marker.exists():
                signal.setitimer(signal.ITIMER_REAL, 0.5)
                with self.assertRaises(KeyboardInterrupt):
                    runs.run([str(script)])
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        child = int(marker.read_text())
        for _ in range(100):
            state = pathlib.Path(f"/proc/{child}/stat")
            if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
                return
            time.sleep(0.05)
        self.fail(f"process {child} goes on")


class Formations(unittest.TestCase):
    def test_launchers_get_nodes_and_ranks(self):
        self.assertEqual(formations.launch("srun --mpi=pmix", "4"), ["srun", "--mpi=pmix", "-n", "4"])
        self.assertEqual(formations.launch("srun --mpi=pmix", "2x4"), ["srun", "--mpi=pmix", "--nodes=2", "--ntasks=8", "--ntasks-per-node=4"])
        self.assertEqual(formations.launch("/opt/bin/mpirun -x A", "2x4"), ["/opt/bin/mpirun", "-x", "A", "-n", "8", "--map-by", "ppr:4:node"])
        self.assertEqual(formations.launch("aprun", "3"), ["aprun", "-n", "3"])
        self.assertRaisesRegex(rules.RuleError, "cannot place ranks on nodes with aprun", formations.launch, "aprun", "2x4")

        self.assertEqual(formations.launch("'my launcher' -x", "3"), ["my launcher", "-x", "-n", "3"])
        self.assertRaisesRegex(rules.RuleError, "launcher is empty", formations.launch, " ", "3")
        self.assertRaisesRegex(rules.RuleError, "is no command", formations.launch, "mpirun 'x", "3")

    def test_they_are_ordered_by_ranks_then_nodes(self):
        self.assertEqual(formations.ordered(["16x2", "2x4", "1x8", "1x1", "2x4"]), ["1x1", "1x8", "2x4", "16x2"])

    def test_efficiency_counts_ranks_on_all_nodes(self):
        found = table.summary(settings_of("1x2", "4x2"), [run_of("1x2", 0, 8), run_of("4x2", 0, 2.5, "a b c d")])
        self.assertEqual((found[1]["ranks"], found[1]["speed_up"][0], found[1]["efficiency"][0]), (8, 3.2, 0.8))
        self.assertEqual([row["hosts"] for row in found], [["a"], ["a", "b", "c", "d"]])

    def warnings(self, *rows):
        settings = settings_of(*formations.ordered(row["formation"] for row in rows))
        return "\n".join(table.warnings(settings, rows, table.summary(settings, rows)))

    def test_different_nodes_are_warned_of(self):
        within = [run_of("1x2", 0, 8, "b"), run_of("2x2", 0, 4, "a b"), run_of("4x2", 0, 2, "d a c b")]
        self.assertNotIn("different nodes", self.warnings(*within))
        self.assertIn("different nodes, which may differ in speed: 1x2 on b; 2x2 on a, c", self.warnings(within[0], run_of("2x2", 0, 4, "a c")))
        self.assertIn("1x2 on a; 1x2 on b", self.warnings(run_of("1x2", 0, 8, "a"), run_of("1x2", 1, 8, "b")))

    def test_cores_are_those_of_a_node(self):
        rows = [run_of("1x1", 0, 8, cores=2), run_of("2x2", 0, 4, "a b", cores=2), run_of("2x4", 0, 4, "a b", cores=2)]
        self.assertIn("2x4 had fewer cores than ranks on a node (2)", self.warnings(*rows))
        self.assertNotIn("2x2 had fewer", self.warnings(*rows))
        self.assertIn("could use 2 or 8 cores", self.warnings(*rows, run_of("2x4", 1, 4, "a b")))


class Files(PlotCase):
    def test_rows_come_back(self):
        path, settings, rows = self.folder / "s.h5", settings_of("1x1", "2x4"), [run_of("1x1", 0, 8), run_of("2x4", 0, 4, "a b", exit_code=1, reason="why")]
        study_file.write(path, settings, rows)
        found = study_file.read(path)
        self.assertEqual(found, (settings, [{name: row[name] for name in found[1][0]} for row in rows]))

    def test_version_1_is_read(self):
        """It had the ranks as numbers, the cores among the settings and no nodes of the ranks."""
        path, rows = self.folder / "s.h5", [run_of("4", 0, 8.5), run_of("12", 0, 4.5)]
        forms = {**{name: form for name, (_, _, form) in study_file.COLUMNS.items() if name not in ("hosts", "cores")}, "formation": int}
        content = {f"run/{name}": [form(row[name]) for row in rows] for name, form in forms.items()}
        settings = {**settings_of(), "version": 1, "ranks": [4, 12], "cores": 3}
        del settings["formations"]
        self.write("s.h5", {name: names(*column) if isinstance(column[0], str) else column for name, column in content.items()}, kind="scaling",
                   settings=json.dumps(settings))  # fmt: skip
        known, found = study_file.read(path)
        self.assertEqual(known, settings_of("4", "12"))
        self.assertEqual([(row["formation"], row["wall_seconds"], row["hosts"], row["cores"]) for row in found], [("4", 8.5, "", 3), ("12", 4.5, "", 3)])

    def test_two_writers_exclude_each_other(self):
        script = "import sys, pathlib; sys.path.insert(0, sys.argv[1]); from scaling import study_file\nwith study_file.held(pathlib.Path(sys.argv[2])): pass"
        command = [sys.executable, "-c", script, str(TOOLS), str(self.folder / "s.h5")]
        with study_file.held(self.folder / "s.h5"):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertIn("another scaling_study writes", done.stderr)
        self.assertEqual(subprocess.run(command, check=False).returncode, 0)

    def test_plots_name_formations_and_nodes(self):
        rows = [run_of(name, r, (1 + 0.01 * r) * 30 / formations.ranks(name) ** 0.9, " ".join(f"node{k}" for k in range(int(name[0])))) for r in range(6)
                for name in ("1x4", "2x4", "4x4", "8x4")]  # fmt: skip
        figure = plot_scaling.draw(settings_of("1x4", "2x4", "4x4", "8x4"), rows, "wall_seconds")
        for axes in figure.axes:
            self.assertEqual([label.get_text() for label in axes.get_xticklabels()], ["1x4", "2x4", "4x4", "8x4"])
            self.assertEqual(axes.get_xlabel(), "formation (nodes x ranks a node)")
        self.assertIn("on node0, node1 and 6 more", figure._suptitle.get_text())
        self.assert_readable(figure)


class Rules(unittest.TestCase):
    def test_work_is_multiplied(self):
        self.assertEqual(rules.grown("svm", ["--limit", "9"], 3), ["--limit", "9", "--repeats", "3"])
        self.assertEqual(rules.grown("bag", ["--bootstraps=4"], 2), ["--bootstraps", "8"])
        self.assertEqual(rules.grown("train", ["mlp", "--batch", "5", "--epochs", "2"], 4), ["mlp", "--batch", "20", "--epochs", "8"])
        for options in (["mlp"], ["mlp", "--batch", "5", "--epochs", "2", "--strategy", "single"]):
            self.assertRaises(rules.RuleError, rules.grown, "train", options, 2)
        self.assertRaisesRegex(rules.RuleError, "--config has no weak scaling", rules.grown, "svm", ["--config", "my.toml"], 1)

    def test_what_may_differ_is_what_the_tests_of_the_program_say(self):
        self.assertEqual(runs.TIMES_AND_PLACES.pattern, krossfold_cli.TIMES_AND_PLACES.pattern)
        self.assertEqual(runs.RUN_ATTRIBUTES, krossfold_cli.RUN_ATTRIBUTES)


class Study(PlotCase):
    tool = "scaling_study"

    def study(self, *options, repeats=1, more=("--ranks", "1,2"), launcher=krossfold_cli.MPIRUN, kind="svm", work=("--grid", "2x2"), file="s.h5"):
        command = [sys.executable, str(TOOLS / "scaling_study"), kind, "--repeats", str(repeats), "-o", file, *more,
                   "--launcher", launcher, "--krossfold", krossfold_cli.EXECUTABLE, "--", *work, "--limit", "120", *options]  # fmt: skip
        return subprocess.run(command, cwd=self.folder, env={**os.environ, **krossfold_cli.ENVIRONMENT}, capture_output=True, text=True, timeout=100)

    def test_goes_on_refuses_others_and_finds_equal_bits(self):
        first = self.study()
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("results of all formations: bitwise identical", first.stdout)
        _, before = study_file.read(self.folder / "s.h5")
        self.assertEqual(self.study(repeats=2).returncode, 0)
        settings, rows = study_file.read(self.folder / "s.h5")
        self.assertEqual(str(rows[:2]), str(before))
        self.assertEqual([(row["round"], row["formation"]) for row in rows], [(0, "1"), (0, "2"), (1, "2"), (1, "1")])
        self.assertEqual({row["hosts"].split(".")[0] for row in rows}, {socket.gethostname().split(".")[0]})
        other = self.study("--seed", "3")
        self.assertEqual(other.returncode, 2)
        self.assertIn("is of another study (its options", other.stderr)
        self.assert_readable(plot_scaling.draw(settings, rows, "wall_seconds"))
        for command in ("report", "plan"):
            done = subprocess.run([krossfold_cli.EXECUTABLE, command, "s.h5"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, "Show it with tools/plot_scaling" in done.stderr), (2, True), done.stderr)

    def test_bags_and_trainings_scale_strongly_and_weakly(self):
        bag = ("--bootstraps", "1", "--trials", "2", "--folds", "2", "--epochs", "2", "--channels", "4", "--kernel", "3", "--hidden", "8")
        train = ("mlp", "--hidden", "8", "--batch", "8", "--epochs", "2", "--workers", "2")
        for kind, work, said in (("bag", bag, "--bootstraps 2"), ("train", train, "--batch 16 --epochs 4")):
            for scaling, bits in (("strong", "all formations"), ("weak", "the repeats of each formation")):
                with self.subTest(kind=kind, scaling=scaling):
                    file = f"{kind}_{scaling}.h5"
                    more = ("--ranks", "1,2", "--kind", scaling)
                    done = self.study(kind=kind, work=work, more=more, file=file, repeats=2 if scaling == "weak" else 1)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(f"results of {bits}: bitwise identical", done.stdout)
                    settings, rows = study_file.read(self.folder / file)
                    self.assertEqual(settings["kind"], scaling)
                    command = next(row["command"] for row in rows if row["formation"] == "2")
                    self.assertEqual(said in command, scaling == "weak", command)
                    self.assert_readable(plot_scaling.draw(settings, rows, "wall_seconds"))

    def test_ranks_are_placed_on_nodes(self):
        done = self.study(more=("--nodes", "1", "--ranks-per-node", "2"))
        self.assertEqual(done.returncode, 0, done.stderr)
        (row,) = study_file.read(self.folder / "s.h5")[1]
        self.assertEqual(row["formation"], "1x2")
        self.assertIn("-n 2 --map-by ppr:2:node", row["command"])

    @unittest.skipIf(subprocess.run(["unshare", "--uts", "true"], capture_output=True, check=False).returncode, "no host names of its own")
    def test_nodes_of_the_ranks_are_stored_and_shown(self):
        """Two host names on this machine stand for two nodes."""
        launcher = self.folder / "mpirun"
        launcher.write_text('#!/bin/sh\neach=${4#ppr:}; each=${each%:node}; shift 4\n'
                            f'exec {krossfold_cli.MPIRUN} -n $each unshare --uts sh -c \'hostname nodea && exec "$@"\' - "$@" : '
                            '-n $each unshare --uts sh -c \'hostname nodeb && exec "$@"\' - "$@"\n')  # fmt: skip
        launcher.chmod(0o755)
        done = self.study(more=("--formation", "2x1,2x2"), launcher=str(launcher))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = study_file.read(self.folder / "s.h5")[1]
        self.assertEqual([(row["formation"], row["hosts"]) for row in rows], [("2x1", "nodea nodeb"), ("2x2", "nodea nodeb")])
        self.assertRegex(done.stdout, r"2x2 +1 .* nodea, nodeb\n")

    def test_the_reason_is_the_line_that_says_most(self):
        self.assertEqual(runs.reason_of(["-----", "There are not enough slots", "Hint: more", "-----"]), "There are not enough slots")
        self.assertEqual(runs.reason_of(["launcher: started", "krossfold: no data", "launcher: exit 2"]), "krossfold: no data")
        self.assertEqual(runs.reason_of(["---"]), "no message")

    def test_a_run_on_other_nodes_than_asked_for_counts_as_failed(self):
        launcher = self.folder / "mpirun"  # knows neither ranks nor nodes
        launcher.write_text('#!/bin/sh\nshift 4\nexec "$@"\n')
        launcher.chmod(0o755)
        done = self.study(more=("--formation", "1x1,2x1"), launcher=str(launcher))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("round 1 on 2x1 failed (exit code -1: the ranks ran as 1x1", done.stdout)
        self.assertEqual([row["exit_code"] for row in study_file.read(self.folder / "s.h5")[1]], [0, -1])

    def stopping_launcher(self, runs):
        """Stands for an mpirun whose job ends after so many runs: Krossfold then exits with 75."""
        launcher = self.folder / "mpirun"
        launcher.write_text(f'#!/bin/sh\necho >> begun\n[ $(wc -l < begun) -gt {runs} ] && exit 75\nexec {krossfold_cli.MPIRUN} "$@"\n')
        launcher.chmod(0o755)
        return str(launcher)

    def test_a_run_that_its_job_stopped_is_no_failure_and_is_repeated(self):
        launcher = self.stopping_launcher(runs=1)
        done = self.study(launcher=launcher)
        self.assertEqual(done.returncode, 75, done.stderr)
        self.assertIn("1 runs are still to do (1 of 2 ranks)", done.stderr)
        self.assertEqual([row["exit_code"] for row in study_file.read(self.folder / "s.h5")[1]], [0])
        (self.folder / "begun").unlink()
        self.assertEqual(self.study(launcher=launcher).returncode, 0)

    def test_a_job_too_short_for_one_run_is_not_tried_for_ever(self):
        done = self.study(launcher=self.stopping_launcher(runs=0))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("give the job more time", done.stderr)

    def test_failures_are_kept_and_named(self):
        done = self.study("--folds", "100000")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("round 1 on 2 ranks failed (exit code 2", done.stdout)
        self.assertEqual([row["exit_code"] for row in study_file.read(self.folder / "s.h5")[1]], [2, 2])


if __name__ == "__main__":
    unittest.main()
