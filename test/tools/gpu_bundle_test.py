#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/gpu_bundle: what is in a bundle of a tiny build tree, what it says is not, and what it refuses."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from gpu_case import ROOT, GpuCase
from gpu import libraries, searches, trees  # noqa: E402
from gpu.messages import ToolError

KROSSFOLD = os.environ.get("KROSSFOLD_EXECUTABLE") or ROOT / "build" / "release" / "bin" / "krossfold"
LDD = """	linux-vdso.so.1 (0x00007f46)
	libmpi.so.40 => /usr/lib/libmpi.so.40 (0x00007f46)
	libcublas.so.13 => not found
	libfoo.so.1 => not found
	libc.so.6 => /lib/libc.so.6 (0x00007f46)
	/lib64/ld-linux-x86-64.so.2 (0x00007f46)
"""


class GpuBundle(GpuCase):
    def test_holds_programs_data_of_tests_documents_and_a_manifest(self):
        bundle = self.make_bundle(one_test=["passes"])
        for name in ("run", "README.md", "reference.json", "trees/tree/bin/krossfold", "trees/tree/test/one_test", "trees/tree/bench/sizes",
                     "source/tools/gpu_check", "source/tools/gpu/stages.py", "source/python/krossfold/result_file.py", "source/docs/gpu.md", "source/docs/file-format.md",
                     "source/test/reference/nested_sklearn.csv", "source/test/own_data"):  # fmt: skip
            self.assertTrue((bundle / name).exists(), name)
        self.assertFalse((bundle / "source" / "test" / "test_main.cpp").exists())
        manifest = json.loads((bundle / "manifest.json").read_text())
        (tree,) = manifest["trees"]
        self.assertEqual(tree["tests"], [{"name": "one_test", "program": "one_test", "ranks": 0}])
        self.assertEqual(tree["benches"], ["sizes"])
        self.assertRegex(manifest["date"], r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC$")
        missing = " ".join(entry["what"] for entry in manifest["not_included"])
        for word in ("MNIST", "the search mnist-5000", "the C library"):
            self.assertIn(word, missing)
        reference = json.loads((bundle / "reference.json").read_text())
        self.assertEqual(list(reference["searches"]), ["digits"])
        self.assertEqual(reference["searches"]["digits"]["errors"], [[0, 0.25], [0, 0.25]])
        self.assertNotIn(str(self.folder), (bundle / "manifest.json").read_text() + (bundle / "reference.json").read_text())

    def test_says_size_and_what_is_missing(self):
        self.make_tree(one_test=["passes"])
        done = self.bundle("--no-reference")
        self.assertRegex(done.stdout, r"b\.tar\.xz: [\d.]+ MiB, [\d.]+ MiB unpacked, in \d+ s\n  tree: 1 tests, 1 benches")
        self.assertIn("MNIST (--data was not given", done.stdout)
        self.assertIn("figures to compare with (--no-reference)", done.stdout)

    def test_takes_mnist_and_a_reference_along(self):
        bundle = self.make_bundle(one_test=["passes"])
        reference = bundle / "reference.json"
        (self.folder / "data" / "mnist").mkdir(parents=True)
        (self.folder / "data" / "mnist" / "train-images-idx3-ubyte.gz").write_bytes(b"images")
        self.bundle("--overwrite", "--data", self.folder / "data", "--reference", reference)
        again = self.unpack()
        self.assertEqual((again / "data" / "mnist" / "train-images-idx3-ubyte.gz").read_bytes(), b"images")
        self.assertEqual(json.loads((again / "reference.json").read_text()), json.loads(reference.read_text()))

    def test_refuses_what_it_would_overwrite_or_cannot_use(self):
        self.make_tree(one_test=["passes"])
        output = self.folder / "b.tar.xz"
        output.write_text("mine")
        empty = self.folder / "empty"
        empty.mkdir()
        bad = self.folder / "bad.json"
        bad.write_text("{}")
        tree, other = self.folder / "tree", self.folder / "c.tar.xz"
        for arguments, said in (
            ([tree, "-o", output], "(it is there) name another file, or use --overwrite"),
            ([tree, "-o", self.folder / "c.zip"], "(it is to be a .tar.xz)"),
            ([tree, "-o", self.folder / "absent" / "c.tar.xz"], "(its folder is not there)"),
            ([empty, "-o", other], "is no build tree (there is no bin/krossfold in it)"),
            ([tree, tree, "-o", other], "two build trees have the same name"),
            ([tree, "-o", other, "--data", empty], "(there is no folder mnist in it)"),
            ([tree, "-o", other, "--grid", "6"], "'6' is no grid"),
            ([tree, "-o", other, "--only", "letters"], "'letters' is no search (known: digits"),
            ([tree, "-o", other, "--reference", bad], "is no reference of this form"),
            ([tree, "-o", other, "--reference", self.folder / "absent.json"], "cannot read"),
        ):
            done = self.run_tool("gpu_bundle", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
        self.assertEqual(output.read_text(), "mine")
        self.assertFalse(other.exists())

    def test_a_failing_search_leaves_no_archive(self):
        tree = self.make_tree(one_test=["passes"])
        (tree / "bin" / "krossfold").write_text("#!/bin/sh\necho no room >&2; exit 1\n")
        done = self.bundle(expect=1)
        self.assertIn("krossfold svm failed (exit code 1: no room)", done.stderr)
        self.assertFalse((self.folder / "b.tar.xz").exists())


class WhatIsTaken(unittest.TestCase):
    def test_libraries_but_those_of_the_system_and_of_cuda(self):
        self.assertEqual(libraries.parse_ldd(LDD), {"libmpi.so.40": "/usr/lib/libmpi.so.40", "libcublas.so.13": None, "libfoo.so.1": None,
                                                    "libc.so.6": "/lib/libc.so.6"})  # fmt: skip
        before = libraries.needed_by
        self.addCleanup(setattr, libraries, "needed_by", before)
        libraries.needed_by = lambda _: libraries.parse_ldd(LDD)
        taken = libraries.Libraries()
        taken.add("/x/program")
        self.assertEqual(taken.taken, {"libmpi.so.40": "/usr/lib/libmpi.so.40"})
        self.assertEqual((taken.of_cuda, taken.missing), ({"libcublas.so.13"}, {"libfoo.so.1": {"program"}}))
        for name in ("libcuda.so.1", "libcudart.so.13", "libcublasLt.so.13", "libnvidia-ml.so.1"):
            self.assertTrue(libraries.OF_CUDA.match(name), name)
        for name in ("libcurl.so.4", "libcups.so.2", "libmpi.so.40"):
            self.assertFalse(libraries.OF_CUDA.match(name) or libraries.OF_THE_SYSTEM.match(name), name)

    def test_tests_on_ranks_and_not_those_with_arguments_or_in_python(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="gpu-bundle-"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "test").mkdir()
        (folder / "test" / "farm_test").write_text("")
        (folder / "CTestTestfile.cmake").write_text(f"""
add_test(farm_test_2_ranks "/usr/bin/mpiexec" "-n" "2" "{folder}/test/farm_test")
add_test(hanging "/usr/bin/mpiexec" "-n" "3" "{folder}/test/farm_test" "unit")
add_test(broken "{folder}/test/farm_test")
set_tests_properties(broken PROPERTIES PASS_REGULAR_EXPRESSION "error")
add_test(cli "/usr/bin/python3" "cli_test.py")
add_test(absent_test "{folder}/test/absent_test")
""")
        if shutil.which("ctest") is None:
            self.skipTest("ctest is not there")
        tests, left_out = trees.tests_of_ctest(folder)
        self.assertEqual(tests, [{"name": "farm_test_2_ranks", "program": "farm_test", "ranks": 2}])
        self.assertEqual([what for what, _ in left_out], ["1 tests in Python", "hanging, broken", "absent_test"])

    def test_errors_are_told_apart_by_size(self):
        one = {"cells": [[1, 0.5]], "errors": [[0.10, 0.20]], "best": 0.15, "seconds": 10.0}
        self.assertEqual(searches.hold_against({**one, "seconds": 5.0}, one),
                         (True, {"folds": 2, "apart": 0, "largest": 0, "mean": 0, "best": 0, "times_as_fast": 2.0}))  # fmt: skip
        agrees, apart = searches.hold_against({**one, "errors": [[0.10, 0.26]], "best": 0.18}, one)
        self.assertFalse(agrees)
        self.assertEqual(apart["apart"], 1)
        with self.assertRaises(ToolError):
            searches.hold_against({**one, "cells": [[2, 0.5]]}, one)

    def test_figures_of_the_program_are_read(self):
        if not pathlib.Path(KROSSFOLD).exists():
            self.skipTest("krossfold is not built")
        with tempfile.TemporaryDirectory(prefix="gpu-bundle-") as folder:
            output = f"{folder}/r.h5"
            subprocess.run([KROSSFOLD, *searches.command("digits", "2x3"), "-o", output], check=True, capture_output=True)
            texts = [subprocess.run([KROSSFOLD, "report", output, "--format", form], check=True, capture_output=True, text=True).stdout
                     for form in ("csv", "json")]  # fmt: skip
        found = searches.figures(*texts)
        self.assertEqual((len(found["cells"]), {len(errors) for errors in found["errors"]}, found["grid"]), (6, {5}, "2x3"))
        means = [sum(errors) / 5 for errors in found["errors"]]
        self.assertAlmostEqual(min(means), found["best"], places=12)


if __name__ == "__main__":
    sys.exit(unittest.main())
