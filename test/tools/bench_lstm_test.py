#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/bench_peers lstm: a whole run with programs made here for the real ones, and wrong arguments."""

import pathlib
import subprocess
import tempfile
import unittest

from stand_ins import peer_python, write_program

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench_peers"

# Stands for the benchmark program: a step takes 2 ms.
BENCH = """
import json, re, sys
wanted = [w.partition("=")[2] for w in sys.argv if w.startswith("--benchmark_filter=")][0]
runs = [{"name": "lstm_step/64/64/manual_time", "run_type": "iteration", "real_time": 2, "cpu_time": 2, "time_unit": "ms"}]
print(json.dumps({"context": {}, "benchmarks": [run for run in runs if re.search(wanted, run["name"])]}))
"""
# Stands for the Python of the virtual environment: fused is fastest, tuning halves times.
PYTHON = peer_python("""\
    time = {"default": 10, "fused": 6, "fused+flush_denormal": 7}["+".join(task["options"])]
    print(json.dumps({"median": time / (2 if "mmap_max=0" in os.environ.get("GLIBC_TUNABLES", "") else 1)}))
""")


class BenchLstm(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        write_program(self.folder / "bench", BENCH)
        write_program(self.folder / "venv/bin/python", PYTHON)

    def run_tool(self, *words):
        command = [TOOL, "lstm", "--venv", self.folder / "venv", "--bench", self.folder / "bench", *words]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)

    def test_ratios_are_those_of_the_fastest_options(self):
        table = self.folder / "table.md"
        done = self.run_tool("--quick", "--repeat", "2", "--markdown", table)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| 64 | 2.00 (2.00-2.00) | PyTorch | 6.00 (6.00-6.00) | 3.00 | fused |", table.read_text())
        self.assertIn("| PyTorch, tuned allocator | 3.00 (3.00-3.00) | 1.50 | fused |", table.read_text())
        self.assertIn("options tried, ms: default 10.0; fused 6.00; fused, flush_denormal 7.00",
                      done.stdout.replace("+", ", "))

    def test_a_batch_that_the_program_does_not_have_is_named(self):
        done = self.run_tool("--batches", "32", "--repeat", "1", "--seconds", "0.1")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("there is no benchmark lstm_step/32/32", done.stderr)

    def test_wrong_arguments_are_refused(self):
        for words in (["--batches", "64,x"], ["--repeat", "0"], ["--seconds", "nan"]):
            self.assertEqual(self.run_tool(*words).returncode, 2)


if __name__ == "__main__":
    unittest.main()
