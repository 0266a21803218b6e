#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/bench_tables on tables made here; the export from R only where Rscript is installed."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "bench_tables"


def load_tool():
    loader = importlib.machinery.SourceFileLoader("bench_tables", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_tables", loader))
    loader.exec_module(module)
    return module


class BenchTables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.listed = self.folder / "tables.txt"

    def run_tool(self, *arguments):
        command = [sys.executable, TOOL, "--tables", self.listed, "--folder", self.folder, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)

    def write_samples(self, name, count):
        """Two classes apart by 3 in one feature; words tell nothing."""
        choose = random.Random(name)
        lines = ["x,word,class"]
        for k in range(count):
            lines.append(f"{choose.gauss(3 * (k % 2), 1):.4f},{choose.choice(['NA', 'left', 'right'])},{'ab'[k % 2]}")
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def test_compares_by_the_samples_that_one_alone_has_wrong(self):
        tool = load_tool()
        one, other = {"wrong": [1, 1, 1, 0, 0, 1]}, {"wrong": [0, 0, 1, 0, 1, 0]}
        self.assertEqual(tool.compare(one, other), (3, 1, 1.0))
        self.assertEqual(tool.compare(one, one), (0, 0, 0.0))
        with self.assertRaises(ValueError):
            tool.compare(one, {"wrong": [1]})
        lines = tool.table_of({"t": {"krossfold": one, "other": other}, "gone": {"krossfold": {"failed": "why"}}}, ["krossfold", "other"])
        self.assertIn("| t | 6 | 66.67 | 33.33 (-1.0) |", lines)
        self.assertIn("| gone | | why | |", lines)
        self.assertIn("1 tables: mean error 66.67 and 33.33 %; wrong alone 3 and 1 test samples; 0 tables with |z| > 2", lines[-1])

    @unittest.skipUnless("KROSSFOLD_EXECUTABLE" in os.environ, "needs the program")
    def test_runs_krossfold_and_its_variants_and_goes_on_where_it_was(self):
        self.listed.write_text("# comment\nmade|p|o|class||\nother|p|o|class||\n")
        self.write_samples("made.train.csv", 60)
        self.write_samples("made.test.csv", 40)
        words = ("--only", "made", "--no-peer", "--krossfold", os.environ["KROSSFOLD_EXECUTABLE"], "--json", self.folder / "f.json",
                 "--variant", "linear=--kernel-function linear", "--variant", "wrong=--no-such-option 3")  # fmt: skip
        done = self.run_tool(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        figures = json.loads((self.folder / "f.json").read_text())["made"]
        for name in ("krossfold", "linear"):
            self.assertEqual(len(figures[name]["wrong"]), 40)
            self.assertLess(sum(figures[name]["wrong"]), 12)
        self.assertIn("no-such-option", figures["wrong"]["failed"])
        self.assertRegex(done.stdout, r"\| made \| 40 \| [\d.]+ \| [\d.]+ \([+-][\d.]+\) \| failed \|")
        figures["krossfold"]["wrong"] = [1] * 40
        (self.folder / "f.json").write_text(json.dumps({"made": figures}))
        self.assertIn("| made | 40 | 100.00 |", self.run_tool(*words).stdout)
        other = [*words[:-4], "--variant", "linear=--kernel-function polynomial"]
        self.assertEqual(self.run_tool(*other).returncode, 0)
        self.assertEqual(json.loads((self.folder / "f.json").read_text())["made"]["linear"]["options"], ["--kernel-function", "polynomial"])
        (self.folder / "f.json").write_text('{"made": ')
        cut = self.run_tool(*words)
        self.assertEqual((cut.returncode, "cannot read" in cut.stderr), (1, True), cut.stderr)

    def test_unknown_tables_and_variants_are_refused(self):
        self.listed.write_text("made|p|o|class||\n")
        refused = self.run_tool("--only", "made,maid")
        self.assertEqual((refused.returncode, "maid is in no line of" in refused.stderr), (1, True), refused.stderr)
        self.assertEqual(self.run_tool("--variant", "ovo").returncode, 2)

    @unittest.skipUnless(shutil.which("Rscript"), "needs R")
    def test_exports_tables_of_r(self):
        self.listed.write_text("iris|datasets|iris|Species|60|Petal.Width\nair|datasets|airquality|Month||\nnone|no.such.package|x|y||\n")
        done = self.run_tool("--no-peer", "--krossfold", "/bin/false")
        self.assertEqual(done.returncode, 0, done.stderr)
        train, test = ((self.folder / f"iris.{part}.csv").read_text().splitlines() for part in ("train", "test"))
        self.assertEqual(train[0], '"Sepal.Length","Sepal.Width","Petal.Length","Species"')
        self.assertEqual((len(train), len(test)), (61, 46))
        self.assertEqual([sum("setosa" in line for line in part) for part in (train, test)], [20, 15])
        self.assertFalse(set(train[1:]) == set(test[1:]))
        self.assertTrue((self.folder / "air.train.csv").exists())
        self.assertIn("package no.such.package is not installed", done.stderr)


if __name__ == "__main__":
    unittest.main()
