#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/bench_peers without the peers: arguments, what it makes of counts, and krossfold alone on images made here."""

import gzip
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "bench_peers"
KROSSFOLD = os.environ.get("KROSSFOLD_EXECUTABLE") or ROOT / "build" / "release" / "bin" / "krossfold"
sys.path.insert(0, str(TOOL.parent))
from peers import measure, svm  # noqa: E402


def write_mnist(folder, samples):
    """Four IDX files in which a bright row tells the class, mostly."""
    random.seed(11)
    folder.mkdir()
    for part in ("train", "t10k"):
        labels = [i % 10 for i in range(samples)]
        pixels = bytearray()
        for label in labels:
            image = bytearray(random.randrange(200) for _ in range(28 * 28))
            shown = label if random.random() < 0.9 else random.randrange(10)
            image[56 * shown : 56 * shown + 28] = bytes([255]) * 28
            pixels += image
        for name, head, content in (
            ("images-idx3", struct.pack(">IIII", 0x803, samples, 28, 28), bytes(pixels)),
            ("labels-idx1", struct.pack(">II", 0x801, samples), bytes(labels)),
        ):
            (folder / f"{part}-{name}-ubyte.gz").write_bytes(gzip.compress(head + content))


class BenchPeers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-peers-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def run_tool(self, *arguments):
        command = [sys.executable, TOOL, "svm", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)

    def test_names_what_is_wrong_with_an_argument(self):
        for arguments, said in (
            (["--grid", "6"], "'6' is no grid (two numbers are needed) write NCxNG"),
            (["--only", "svmlight"], "'svmlight' is no peer (known: sklearn-ovr"),
            (["--limit", "1e3"], "'1e3' does not fit (a whole number is needed) use 20 to 60000"),
            (["--tolerance", "0"], "'0' is no tolerance (it must lie between 0 and 1)"),
            (["--core", "100000"], "core 100000 is not there"),
            (["--data", self.folder], "cannot find MNIST (looked for mnist/train-images-idx3-ubyte.gz in"),
        ):
            result = self.run_tool(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(said, result.stderr)
            self.assertEqual(result.stdout, "")

    def test_says_which_program_is_missing(self):
        write_mnist(self.folder / "mnist", 20)
        result = self.run_tool("--data", self.folder, "--krossfold", self.folder / "absent")
        self.assertEqual(result.returncode, 2)
        self.assertIn("absent (it is not there) build it, or name it with --krossfold", result.stderr)

    def test_measures_krossfold_alone(self):
        write_mnist(self.folder / "mnist", 200)
        table = self.folder / "table.md"
        result = self.run_tool(
            *("--only", "krossfold", "--data", self.folder, "--krossfold", KROSSFOLD, "--grid", "1x3", "--limit", 150),
            *("--folds", 4, "--repeat", 2, "--markdown", table),
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("first 150 of MNIST, 1 x 3 cells, 4 folds, tolerance 0.001", result.stdout)
        for kind in ("ovr", "ovo"):
            self.assertEqual(result.stderr.count(f"krossfold {kind} "), 2, result.stderr)
            self.assertIn(f"| krossfold --multiclass {kind} | ", table.read_text())

    def test_reads_counts_from_the_report_of_krossfold(self):
        search = svm.Search(limit=10, grid=(2, 2), folds=3, tolerance=1e-3)
        self.assertEqual(search.bounds, [0, 3, 7, 10])
        lines = ["file,gamma,C,fold,error,seconds,status"]
        for g, gamma in enumerate((1e-06, 0.01)):
            for c, cost in enumerate((0.001, 1000000)):
                for fold, held in enumerate((3, 4, 3)):
                    lines.append(f"r.h5,{gamma},{cost},{fold},{(g + c + fold) % held / held},1,done")
        wrong = svm.wrong_from_csv("\n".join(lines), search)
        self.assertEqual(wrong, [[[0, 1, 2], [1, 2, 0]], [[1, 2, 0], [2, 3, 1]]])
        with self.assertRaises(measure.BenchError):
            svm.wrong_from_csv("\n".join(lines[:-1]), search)
        with self.assertRaises(measure.BenchError):
            svm.wrong_from_csv("\n".join(lines).replace("1000000", "100"), search)

    def test_one_value_is_the_middle_of_its_range(self):
        self.assertEqual(svm.spread((-6, -2), 1), [1e-4])
        self.assertEqual(svm.spread((-6, -2), 3), [1e-6, 1e-4, 1e-2])

    def test_best_cell_is_that_of_the_smallest_c_then_gamma(self):
        search = svm.Search(limit=40, grid=(2, 2), folds=2, tolerance=1e-3)
        self.assertEqual(search.best([[[3, 3], [1, 3]], [[2, 2], [3, 1]]]), (1, 0))
        self.assertEqual(search.best([[[3, 3], [1, 3]], [[2, 3], [3, 1]]]), (0, 1))

    def test_counts_cells_that_are_more_than_one_sample_apart_in_a_fold(self):
        search = svm.Search(limit=40, grid=(2, 2), folds=2, tolerance=1e-3)
        mine, other = [[[3, 3], [1, 3]], [[2, 2], [3, 1]]], [[[2, 4], [1, 3]], [[2, 4], [6, 1]]]
        self.assertEqual(search.apart(mine, other), {(1, 0): 2, (1, 1): 3})

    def test_numbers_have_three_digits(self):
        self.assertEqual([measure.number(x) for x in (0.01234, 1.005, 9.996, 45.67, 123.4, 4321.0)],
                         ["0.0123", "1.00", "10.00", "45.7", "123", "4321"])
        self.assertEqual(measure.range_text([2.0, 1.0, 4.0]), "2.00 (1.00-4.00)")


if __name__ == "__main__":
    unittest.main()
