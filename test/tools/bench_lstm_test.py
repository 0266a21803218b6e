#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/bench_peers lstm: a whole run with programs made here for the real ones, and wrong arguments."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench_peers"

# Stands for the benchmark program: a step takes 2 ms.
BENCH = """
import json, re, sys
wanted = [w.partition("=")[2] for w in sys.argv if w.startswith("--benchmark_filter=")][0]
runs = [{"name": "lstm_step/64/64/manual_time", "run_type": "iteration", "real_time": 2, "cpu_time": 2, "time_unit": "ms"}]
print(json.dumps({"context": {}, "benchmarks": [run for run in runs if re.search(wanted, run["name"])]}))
"""
# Stands for the Python of the virtual environment: fused is fastest, tuning halves times.
PYTHON = """
import json, os, sys
if sys.argv[1] == "--version":
    print("Python 3.11.0")
elif sys.argv[1] == "-c":
    print("\\n".join(name + " 1.0" for name in sys.argv[3:]))
else:
    task = json.load(sys.stdin)
    time = {"default": 10, "fused": 6, "fused+flush_denormal": 7}["+".join(task["options"])]
    print(json.dumps({"median": time / (2 if "mmap_max=0" in os.environ.get("GLIBC_TUNABLES", "") else 1)}))
"""


class BenchLstm(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "venv" / "bin").mkdir(parents=True)
        self.program("bench", BENCH)
        self.program("venv/bin/python", PYTHON)

    def program(self, name, code):
        path = self.folder / name
        path.write_text(f"#!{sys.executable}\n{code}")
        path.chmod(0o755)

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
