#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/bench_peers cnn: arguments, its arithmetic, and whole runs with programs made here for the real ones."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from stand_ins import peer_python, write_program

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "bench_peers"
sys.path.insert(0, str(TOOL.parent))
from peers import cnn, cnn_work, google_benchmark, measure  # noqa: E402

# Stands for the benchmark program: a step takes 2 ms, inference 100 ms.
BENCH = """
import json, re, sys
times = {"train_step/13/8/227/10/real_time": 2000, "train_step/13/8/227/100/real_time": 7, "infer/13/8/227": 1e5}
runs = [{"name": name, "run_type": "iteration", "real_time": time, "cpu_time": time / 2, "time_unit": "us"}
        for name, time in times.items()]
runs.append({"name": "train_long/13/8/227/10/iterations:1", "run_type": "iteration", "real_time": 1, "cpu_time": 1,
             "time_unit": "s", "first_ms": 2.0, "last_ms": 2.5})
wanted = [w.partition("=")[2] for w in sys.argv if w.startswith("--benchmark_filter=")]
if "--benchmark_list_tests=true" in sys.argv:
    print("\\n".join(run["name"] for run in runs))
else:
    print(json.dumps({"context": {}, "benchmarks": [run for run in runs if re.search(wanted[0], run["name"])]}))
"""
# Stands for the Python of the virtual environment: flushing denormals is fastest, compile fails, tuning halves times.
PYTHON = peer_python("""\
    if "compile" in task["options"]:
        sys.exit("no compiler")
    if "channels_last" in task["options"] or "keep_gradients" in task["options"]:
        time = 20
    else:
        time = 6 if task["options"] == ["fused", "flush_denormal"] else 8
    if task["work"] == "infer":
        time = (1000 if task["batch"] == 100 else 2000) * task["samples"] / 10000
    if "mmap_max=0" in os.environ.get("GLIBC_TUNABLES", ""):
        time /= 2
    times = {"wall": time, "cpu": time / 4}
    slow = {name: 3 * value for name, value in times.items()}
    print(json.dumps({**times, "median": time, "first": times, "last": slow}))
""")


def run_of(name, time, unit="ms", **more):
    return {"name": name, "run_type": "iteration", "real_time": time, "cpu_time": time / 2, "time_unit": unit, **more}


class BenchCnn(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-cnn-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_tool(self, *arguments):
        command = [sys.executable, TOOL, "cnn", *map(str, arguments)]
        environment = {**os.environ, "KROSSFOLD_DATA": str(self.folder), "XDG_CACHE_HOME": str(self.folder)}
        return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=environment)

    def run_with_stand_ins(self, *arguments):
        bench = write_program(self.folder / "cnn", BENCH)
        write_program(self.folder / "venv/bin/python", PYTHON)
        return self.run_tool("--bench", bench, "--venv", self.folder / "venv", "--rows", "13x8x227", *arguments)

    def test_names_what_is_wrong_with_an_argument(self):
        for arguments, said in (
            (["--rows", "13x8"], "'13x8' is no network (channels, kernel up to 28, hidden are needed)"),
            (["--rows", "13x8x227,13x29x1"], "'13x29x1' is no network"),
            (["--rows", "13x8x227@0"], "'13x8x227@0' is no network"),
            (["--only", "tensorflow"], "'tensorflow' is no tool (known: torch, torch-tuned, krossfold)"),
            (["--parts", "train,sleep"], "'sleep' is no part (known: train, infer, long)"),
            (["--options", "fused+turbo"], "'turbo' is no option (known: channels_last"),
            (["--seconds", "nan"], "'nan' is no time"),
            (["--core", "100000"], "core 100000 is not there"),
            (["--bench", self.folder / "absent"], "absent (it is not there) build it, name it with --bench"),
            (["--data", self.folder], "cannot find MNIST"),
        ):
            result = self.run_tool(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(said, result.stderr)
            self.assertEqual(result.stdout, "")

    def test_refuses_a_program_without_the_benchmarks_before_it_measures(self):
        result = self.run_with_stand_ins("--rows", "13x8x227,100x5x500", "--parts", "train")
        self.assertEqual(result.returncode, 2)
        self.assertIn("has no benchmark train_step/100/5/500/10 ", result.stderr)

    def test_compares_the_fastest_options_with_the_runs_beside_them(self):
        table = self.folder / "table.md"
        result = self.run_with_stand_ins("--repeat", 2, "--markdown", table)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Python 3.11.0; torch 1.0; numpy 1.0", result.stdout)
        self.assertIn("random images; ", result.stdout)
        lines = table.read_text().splitlines()
        ours, theirs = "2.00 (2.00-2.00)", "6.00 (6.00-6.00) | 3.00 (3.00-3.00)"
        tuned = "3.00 (3.00-3.00) | 1.50 (1.50-1.50)"
        best = "fused+flush_denormal"
        self.assertIn(f"| (13,8,227) | 10 | {ours} | {theirs} | {best} | {tuned} | {best} |", lines)
        theirs, tuned = "1000 (1000-1000) | 10.0 (10.0-10.0)", "500 (500-500) | 5.00 (5.00-5.00)"
        best = "batch 100, default"
        self.assertIn(f"| (13,8,227) | 100 (100-100) | {theirs} | {best} | {tuned} | {best} |", lines)
        ratio = "3.00 (3.00-3.00)"
        times = "6.00 (6.00-6.00) | 18.0 (18.0-18.0)"
        self.assertIn(f"| (13,8,227) | 10 | PyTorch, fused+flush_denormal | {times} | {ratio} |", lines)
        self.assertIn(f"| (13,8,227) | 10 | krossfold | {ours} | 2.50 (2.50-2.50) | 1.25 (1.25-1.25) |", lines)
        self.assertIn("fused+flush_denormal+compile failed: ", result.stdout)
        self.assertEqual(result.stderr.count("(13,8,227) batch 10 train krossfold: 2.00 ms"), 6)

    def test_measures_a_peer_alone_by_processor_time_and_with_given_options(self):
        arguments = ["--only", "torch", "--parts", "train", "--options", "foreach", "--clock", "cpu"]
        result = self.run_with_stand_ins(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr.count("train PyTorch: 2.00 ms"), 3)
        self.assertNotIn("ratio", result.stdout)
        self.assertNotIn("options tried", result.stdout)

    def test_says_when_no_options_work(self):
        result = self.run_with_stand_ins("--only", "torch", "--parts", "train", "--options", "compile,fused+compile")
        self.assertEqual(result.returncode, 1)
        self.assertIn("PyTorch does not run (13,8,227) with any options (", result.stderr)

    def test_shows_what_was_measured_before_a_program_fails(self):
        bench = write_program(self.folder / "cnn", BENCH + "if any('infer' in word for word in sys.argv): sys.exit(7)\n")
        result = self.run_tool("--bench", bench, "--only", "krossfold", "--rows", "13x8x227", "--repeat", 1)
        self.assertEqual(result.returncode, 1)
        self.assertIn("(exit code 7: ", result.stderr)
        self.assertRegex(result.stdout, r"\(13,8,227\)  10 +2\.00")

    def test_reads_networks(self):
        self.assertEqual(cnn_work.parse_row("253x4x1769"), (253, 4, 1769, 10))
        self.assertEqual(cnn_work.parse_row("1x28x1@5"), (1, 28, 1, 5))
        for wrong in ("", "1x2", "1x0x3", "1x29x3", "1x2x3@", "1x2x3@0", "-1x2x3", "1x2x3x4"):
            self.assertIsNone(cnn_work.parse_row(wrong), wrong)
        row = cnn_work.Row(13, 8, 227, 5)
        self.assertEqual([row.benchmark(part) for part in cnn_work.PARTS],
                         ["train_step/13/8/227/5", "infer/13/8/227", "train_long/13/8/227/5"])

    def test_counts_huge_pages_with_the_tuned_allocator(self):
        for part in ("train", "infer"):
            plain, tuned = (set(cnn_work.candidates_of(part, tool)) for tool in ("torch", "torch-tuned"))
            self.assertEqual([str(options).count("huge_pages") for options in tuned - plain], [1])
            self.assertFalse(plain - tuned)

    def test_tries_together_what_is_faster_by_itself(self):
        base = cnn_work.BASE
        times = {"fused": 1, base: 8, f"{base}+channels_last": 7, f"{base}+compile": 9, f"{base}+huge_pages": 6}
        self.assertEqual(cnn_work.joined(times), f"{base}+channels_last+huge_pages")
        del times[f"{base}+huge_pages"]
        self.assertIsNone(cnn_work.joined(times))
        self.assertIsNone(cnn_work.joined({}))

    def test_finds_the_milliseconds_of_a_benchmark_among_others(self):
        name = "train_step/13/8/227/10"
        document = {"benchmarks": [
            run_of(name + "0", 1), run_of(name + "/min_time:3.000/real_time", 3000, "us"), run_of(name + "_x", 1),
            run_of(name, 5e6, "ns"), run_of(name + "/repeats:3", 0.004, "s"),
            {**run_of(name + "_mean", 9), "run_type": "aggregate"}, {**run_of(name, 9), "run_type": "aggregate"}]}
        self.assertAlmostEqual(google_benchmark.milliseconds(document, name, "wall"), 4)
        self.assertAlmostEqual(google_benchmark.milliseconds(document, name, "cpu"), 2)

    def test_names_the_benchmark_that_is_missing_or_failed(self):
        with self.assertRaisesRegex(measure.BenchError, "no benchmark infer/1/2/3"):
            google_benchmark.milliseconds({"benchmarks": [run_of("infer/1/2/30", 1)]}, "infer/1/2/3", "wall")
        failed = {"benchmarks": [run_of("infer/1/2/3", 0, error_occurred=True, error_message="no memory")]}
        with self.assertRaisesRegex(measure.BenchError, "infer/1/2/3 failed .no memory."):
            google_benchmark.milliseconds(failed, "infer/1/2/3", "wall")
        with self.assertRaisesRegex(measure.BenchError, "no counters first_ms and last_ms"):
            google_benchmark.long_times({"benchmarks": [run_of("train_long/1/2/3/4", 1)]}, "train_long/1/2/3/4")

    def test_a_ratio_is_to_each_neighbour(self):
        measured = cnn.Measured()
        measured.add_between("key", 2.0, 6.0, 3.0)
        measured.add_between("key", 3.0, 9.0, 4.5)
        self.assertEqual(measured.runs["key"], [6.0, 9.0])
        self.assertEqual(measured.ratios["key"], [3.0, 2.0, 3.0, 2.0])
        self.assertEqual(measure.range_text(measured.ratios["key"]), "2.50 (2.00-3.00)")

    def test_leaves_out_what_does_not_fit_in_memory(self):
        with mock.patch.object(cnn, "available_memory", return_value=12 * 10**8), mock.patch("sys.stderr"):
            kept = cnn.fitting(cnn_work.ROWS, argparse.Namespace(only=["torch"]))
            self.assertEqual([row[:4] for row in kept], [(13, 8, 227, 10), (100, 5, 500, 10), (100, 5, 500, 5)])
            self.assertEqual(cnn.fitting(cnn_work.ROWS, argparse.Namespace(only=["krossfold"])), cnn_work.ROWS)


if __name__ == "__main__":
    unittest.main()
