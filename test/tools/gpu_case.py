# SPDX-License-Identifier: BSD-3-Clause
"""Build trees and bundles of scripts for the tests of gpu_bundle and gpu_check."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

from stand_ins import write_program

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))

PROGRAM = """
import json, pathlib, sys
if sys.argv[1] == "--version":
    print("krossfold 9.8.7")
elif "--dry-run" in sys.argv:
    print("units    4\\ndevices  here: rank 0 on DEVICE")
elif sys.argv[1] == "svm":
    pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text("result")
elif sys.argv[1] == "report" and sys.argv[-1] == "csv":
    print("file,gamma,C,fold,error,unit_seconds,unit_status")
    for fold in range(2):
        for c in (1, 10):
            print(f"r,0.5,{c},{fold},{0.25 * fold},1,done")
elif sys.argv[1] == "report":
    best = {"error": 0.125, "C": 1, "gamma": 0.5}
    units = {"done": 3, "all": 9}
    print(json.dumps([{"best": best, "data": {"train": 100}, "fits": {"not_converged": 0}, "seconds": 2.0, "ranks": 1, "units": units,
                       "options": {"grid": "2x1"}}]))
elif sys.argv[1] == "plan":
    print("makespan 12 s")
"""

# A program of GoogleTest: the names of its tests say what they do. It notes each start in the file STARTS.
TESTS = """
import os, sys, time
names = NAMES
if "--gtest_list_tests" in sys.argv:
    print("Suite.  # a comment")
    for name in names:
        print("  " + name)
    sys.exit()
wanted = [word for word in sys.argv if word.startswith("--gtest_filter=")][0].split("=")[1].split(":")
bad = 0
for name in names:
    if "Suite." + name not in wanted:
        continue
    print(f"[ RUN      ] Suite.{name}", flush=True)
    with open(STARTS, "a") as file:
        file.write(name + "\\n")
    if name.startswith("slow"):
        time.sleep(0.7)
    if name.startswith("hangs"):
        time.sleep(1000)
    if name.startswith("crashes"):
        os.kill(os.getpid(), 11)
    if name.startswith("fails"):
        bad = 1
        print("file.cpp:7: Failure\\nExpected: 1\\n  Actual: 2")
    word = "[  FAILED  ]" if name.startswith("fails") else "[  SKIPPED ]" if name.startswith("skips") else "[       OK ]"
    print(f"{word} Suite.{name} (3 ms)", flush=True)
print("[  FAILED  ] Suite.what_the_summary_says" if bad else "[  PASSED  ] all")
sys.exit(bad)
"""

BENCH = """
import json, sys
options = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:])
if "benchmark_list_tests" in options:
    print("product/8/manual_time")
else:
    run = {"name": "product/8/manual_time", "run_type": "iteration", "real_time": 250.0, "cpu_time": 1, "time_unit": "us", "GFlops": 77.0}
    open(options["benchmark_out"], "w").write(json.dumps({"benchmarks": [run]}))
"""


class GpuCase(unittest.TestCase):
    """A folder for each test."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="gpu-check-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.starts = self.folder / "starts"

    def make_tree(self, device="Serial", **tests):
        """A build tree in which each test program has these tests."""
        tree = self.folder / "tree"
        write_program(tree / "bin" / "krossfold", PROGRAM.replace("DEVICE", device))
        for name, names in tests.items():
            write_program(tree / "test" / name, TESTS.replace("NAMES", repr(names)).replace("STARTS", repr(str(self.starts))))
        write_program(tree / "bench" / "sizes", BENCH)
        return tree

    def bundle(self, *arguments, expect=0):
        output = self.folder / "b.tar.xz"
        done = self.run_tool("gpu_bundle", self.folder / "tree", "-o", output, *arguments)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def unpack(self):
        with tarfile.open(self.folder / "b.tar.xz") as archive:
            archive.extractall(self.folder)
        return self.folder / "krossfold-gpu"

    def make_bundle(self, device="Serial", **tests):
        self.make_tree(device, **tests)
        self.bundle()
        return self.unpack()

    def environment(self, **more):
        """Without the tools of CUDA, should this machine have them."""
        hidden = self.folder / "path"
        hidden.mkdir(exist_ok=True)
        names = ("sh", "id", "sed", "dirname", "python3", "ldd", "strip", "readelf", "ompi_info", "git", "bash", "cat", "ctest")
        for name in names:
            found = shutil.which(name)
            if found and not (hidden / name).exists():
                (hidden / name).symlink_to(found)
        return {**os.environ, "PATH": str(hidden), **more}

    def run_tool(self, name, *arguments, **environment):
        command = [sys.executable, "-B", TOOLS / name, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=self.environment(**environment))

    def check(self, *arguments, expect, bundle=None, **environment):
        bundle = bundle or self.folder / "krossfold-gpu"
        done = self.run_tool("gpu_check", bundle, "-o", self.folder / "results", *arguments, **environment)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def results(self):
        """(gpu.json, gpu.md)"""
        folder = self.folder / "results"
        return json.loads((folder / "gpu.json").read_text()), (folder / "gpu.md").read_text()

    def started(self):
        return self.starts.read_text().split() if self.starts.exists() else []
