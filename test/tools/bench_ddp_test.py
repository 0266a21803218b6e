#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/bench_peers ddp: whole runs with programs made here for the real ones, and wrong arguments."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from stand_ins import peer_python, write_program

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "bench_peers"

# Stands for mpirun: runs the program once, which learns how many ranks there would be.
MPIRUN = """
import os, sys
os.execve(sys.argv[5], sys.argv[5:], {**os.environ, "RANKS": sys.argv[2]})
"""
# Stands for krossfold: an epoch of two ranks takes 0.3 s, of one rank 0.5 s, the first one more; a fifth is the exchange.
KROSSFOLD = """
import json, os, pathlib, sys
words = sys.argv[1:]
if words[0] == "train":
    data = words[words.index("--data") + 1]
    samples = len(pathlib.Path(data.partition(":")[2]).read_text().splitlines())
    file = words[words.index("-o") + 1]
    epochs = int(words[words.index("--epochs") + 1])
    epoch = 0.3 if os.environ["RANKS"] == "2" else 0.5
    seconds = [9.0] + [epoch] * (epochs - 1)
    run = {"seconds": seconds, "comm_seconds": [time / 5 for time in seconds]}
    pathlib.Path(file).write_text(json.dumps([{"data": {"train": samples * 4 // 5}, "runs": [run]}]))
else:
    print(pathlib.Path(words[1]).read_text())
"""
# Stands for the Python of the virtual environment: fused is fastest, one rank takes 30 ms more.
PYTHON = peer_python("""\
    time = {"default": 80, "fused": 60, "fused+flush_denormal": 70}["+".join(task["options"])]
    print(json.dumps({"median": time + 30 * (task["ranks"] == 1)}))
""")


class BenchDdp(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, code in (("mpirun", MPIRUN), ("krossfold", KROSSFOLD), ("venv/bin/python", PYTHON)):
            write_program(self.folder / name, code)

    def run_tool(self, *words):
        programs = {"--venv": "venv", "--krossfold": "krossfold", "--mpirun": "mpirun"}
        command = [TOOL, "ddp", *(part for name, file in programs.items() for part in (name, self.folder / file)), *words]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "two ranks take a core each")
    def test_sets_ranks_beside_one_rank_and_the_peer(self):
        table = self.folder / "table.md"
        for network in ("mlp", "cnn"):
            done = self.run_tool("--trainings", f"{network}@64", "--epochs", "3", "--repeat", "2", "--markdown", table)
            self.assertEqual(done.returncode, 0, done.stderr)
            # 20 steps: 15 ms against 25; of PyTorch 60 against 90.
            self.assertIn(f"| {network} | 64 | 2 | 15.0 (15.0-15.0) | 20.0 % | 1.67 | 60.0 (60.0-60.0) | 1.50 | 4.00 | fused |",
                          table.read_text())  # fmt: skip
            self.assertIn("options tried, ms: default 80.0; fused 60.0; fused+flush_denormal 70.0", done.stdout)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "two ranks take a core each")
    def test_names_have_ten_steps(self):
        done = self.run_tool("--trainings", "lstm@128", "--epochs", "2", "--repeat", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"lstm +128 +2 +30\.0")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "two ranks take a core each")
    def test_a_program_that_fails_is_named(self):
        write_program(self.folder / "krossfold", "import sys\nsys.exit('no memory')\n")
        done = self.run_tool("--quick")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed (exit code 1: no memory)", done.stderr)

    def test_wrong_arguments_are_refused(self):
        for words in (["--trainings", "svm@64"], ["--trainings", "mlp"], ["--ranks", "1"], ["--ranks", "64"],
                      ["--epochs", "1"]):  # fmt: skip
            self.assertEqual(self.run_tool(*words).returncode, 2, words)


if __name__ == "__main__":
    unittest.main()
