#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/gpu_check on bundles of scripts: what it reports, that it goes on where it was cut, and that it claims no GPU."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from gpu_case import TOOLS, GpuCase
from stand_ins import write_program
from gpu import gtests

LIST = """Running main() from file.cc
Plain.
  one
  DISABLED_two
Shapes/Typed/0.  # TypeParam = float
  three/1  # GetParam() = (2, 3)
DISABLED_Suite.
  four
"""
SMI = """
import sys
print("FirstCard 80GB, 81559 MiB, 580.1, 9.0, 5" if len(sys.argv) > 1 else "| NVIDIA-SMI   CUDA Version: 13.0 |")
"""
SANITIZER = """
import sys
print("========= ERROR SUMMARY: 2 errors" if "racecheck" in sys.argv else "========= ERROR SUMMARY: 0 errors")
sys.exit(99 if "racecheck" in sys.argv else 0)
"""


class GpuCheck(GpuCase):
    def test_all_that_passes_is_done_in_one_call_and_not_again(self):
        self.make_bundle(a_test=["passes", "skips"], b_test=["passes_too"])
        done = self.check(expect=0)
        self.assertIn("all steps are done", done.stdout)
        value, text = self.results()
        self.assertEqual(value["tests"], {"a_test": {"Suite.passes": ["passed", 0.003], "Suite.skips": ["skipped", 0.003]},
                                          "b_test": {"Suite.passes_too": ["passed", 0.003]}})  # fmt: skip
        self.assertEqual(value["steps"]["2 search digits"]["apart"]["apart"], 0)
        self.assertIn("| all | 3 | 2 | 0 | 1 | 0 | 0 | 0 | 0.0 |", text)
        self.assertIn("| sizes product/8 | 0.25 | GFlops 77 |", text)
        self.assertRegex(text, r"\| digits, 2x1 \| passed \| 2 s \| 2 s \| 12\.50 % \(12\.50 %\) \| 0 of 4 \| 0\.00 % \|")
        starts = self.started()
        self.check(expect=0)
        self.assertEqual(self.started(), starts)
        self.assertEqual(len(self.results()[0]["calls"]), 2)

    def test_without_a_gpu_every_output_says_stand_in_and_none_claims_one(self):
        self.make_bundle(a_test=["passes"])
        done = self.check(expect=0)
        for line in done.stdout.splitlines() + done.stderr.splitlines():
            self.assertTrue(line.startswith("gpu_check (no GPU: stand-in): "), line)
        value, text = self.results()
        self.assertEqual(value["kind"], "no GPU: stand-in")
        self.assertTrue(text.startswith("# no GPU: stand-in\n\n**no GPU: stand-in.**"))
        self.assertNotRegex(text.replace("no GPU: stand-in", ""), r"GPU|\b[Cc]ard\b|CUDA of")

    def test_says_what_the_machine_lacks(self):
        self.make_bundle(a_test=["passes"])
        done = self.check(expect=0)
        self.assertIn("nvidia-smi is not there", done.stderr)
        value, text = self.results()
        self.assertIn("| note | nvidia-smi is not there |", text)
        self.assertIn("| memcheck test_svm | skipped | compute-sanitizer is not there |", text)
        self.assertIn("| ncu svm smo_steps/4000/manual_time | skipped | ncu is not there |", text)
        self.assertIn("| mnist-5000 | skipped |", text)
        self.assertEqual(value["steps"]["3 study"]["text"], "MNIST is not in the bundle")

    def test_a_failing_test_is_reported_with_its_message_and_exit_code_1(self):
        self.make_bundle(a_test=["passes", "fails", "passes_after"])
        self.check(expect=1)
        value, text = self.results()
        self.assertEqual({name: found[0] for name, found in value["tests"]["a_test"].items()},
                         {"Suite.passes": "passed", "Suite.fails": "failed", "Suite.passes_after": "passed"})  # fmt: skip
        self.assertIn("- `a_test`: `Suite.fails` failed\n", text)
        self.assertIn("Actual: 2", text)

    def test_a_hanging_test_and_a_crash_are_cut_and_cost_no_other_test(self):
        self.make_bundle(a_test=["passes", "hangs", "passes_between", "crashes", "passes_last"])
        begun = time.monotonic()
        self.check("--test-limit", "1s", expect=1)
        self.assertLess(time.monotonic() - begun, 40)
        value, text = self.results()
        self.assertEqual({name: found[0] for name, found in value["tests"]["a_test"].items()},
                         {"Suite.passes": "passed", "Suite.hangs": "timed out", "Suite.passes_between": "passed",
                          "Suite.crashes": "crashed", "Suite.passes_last": "passed"})  # fmt: skip
        self.assertEqual(self.started(), ["passes", "hangs", "passes_between", "crashes", "passes_last"])
        self.assertIn("`Suite.hangs` timed out", text)
        self.assertIn("ended by signal SIGSEGV", text)

    def test_goes_on_where_it_stopped(self):
        names = [f"slow_{number}" for number in range(12)]
        self.make_bundle(a_test=names)
        for _ in range(5):  # a busy machine may take long to begin
            stopped = self.check("--max-time", "4s", "--jobs", 1, expect=75)
            self.assertIn("stopped, call it again", stopped.stdout)
            before = self.started()
            if before:
                break
        self.assertTrue(0 < len(before) < 12, before)
        self.assertIn("| not run |", self.results()[1])
        self.check(expect=0)
        again = [name for name in self.started() if self.started().count(name) > 1]
        self.assertLessEqual(set(again), {before[-1]})  # the one that was cut
        self.assertEqual(set(self.started()), set(names))

    def test_goes_on_after_a_kill_and_notes_what_was_cut_twice(self):
        self.make_bundle(a_test=["passes"], z_test=["hangs"])
        for _ in range(2):
            before = self.started().count("hangs")
            command = [sys.executable, "-B", TOOLS / "gpu_check", self.folder / "krossfold-gpu", "-o", self.folder / "results", "--jobs", "1"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment(), start_new_session=True)
            end = time.monotonic() + 60
            while self.started().count("hangs") == before and time.monotonic() < end:
                time.sleep(0.05)
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.check("--only", "1", expect=1)
        self.assertEqual(self.started(), ["passes", "hangs", "hangs"])
        value, text = self.results()
        self.assertEqual(value["steps"]["1 test z_test 0"]["status"], "cut twice")
        self.assertIn("| test z_test 0 | cut twice |", text)
        self.assertEqual(len(value["calls"]), 3)
        self.assertTrue(all(call["seconds"] > 0 for call in value["calls"]), value["calls"])
        self.assertEqual(self.left_overs(), [])  # the next call ended what the killed one had running

    def test_goes_on_after_a_kill_in_any_stage(self):
        self.make_bundle(a_test=["passes"])
        self.check(expect=0)
        path = self.folder / "results" / "state.json"
        whole = json.loads(path.read_text())
        kinds = {key.split(" ")[1]: key for key in whole["steps"]}
        for key in kinds.values():  # as begin() leaves a step, and end() does not come
            state = json.loads(json.dumps(whole))
            state["steps"][key] = {"attempts": 1, "seconds": 0.0, "stage": 1, "status": "running"}
            path.write_text(json.dumps(state))
            self.check("--only", "1" if key[0] != "1" else "2", expect=0)
            self.assertNotIn("| running |", self.results()[1])
            self.check(expect=0)
            self.assertIn(json.loads(path.read_text())["steps"][key]["status"], ("passed", "skipped"), key)

    def left_overs(self):
        """Command lines of programs of this test's bundle."""
        found = []
        for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                found.append(file.read_text())
        return [words for words in found if str(self.folder / "krossfold-gpu" / "trees") in words]

    def test_a_stop_by_signal_keeps_what_is_done(self):
        self.make_bundle(a_test=["passes"], z_test=["hangs"])
        command = [sys.executable, "-B", TOOLS / "gpu_check", self.folder / "krossfold-gpu", "-o", self.folder / "results"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self.environment())
        end = time.monotonic() + 60
        while "hangs" not in self.started() and time.monotonic() < end:
            time.sleep(0.05)
        process.terminate()
        self.assertIn("stopped", process.communicate(timeout=20)[0])
        self.assertEqual(process.returncode, 75)
        self.assertEqual(self.results()[0]["tests"]["a_test"]["Suite.passes"][0], "passed")

    def test_names_a_card_only_where_the_program_runs_on_it(self):
        for device, kind in (("Serial", "no GPU: stand-in"), ("device 0 at 0000:01:00.0, Cuda", "GPU")):
            with self.subTest(device):
                self.make_tree(device, test_svm=["passes"])
                self.bundle("--overwrite", "--no-reference")
                self.unpack()
                path = self.environment()["PATH"]
                write_program(self.folder / "path" / "nvidia-smi", SMI)
                write_program(self.folder / "path" / "compute-sanitizer", SANITIZER)
                done = self.run_tool("gpu_check", self.folder / "krossfold-gpu", "-o", self.folder / kind[:3], "--only", "1", PATH=path)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)  # racecheck finds something
                text = (self.folder / kind[:3] / "gpu.md").read_text()
                self.assertIn("| racecheck test_svm | failed | ERROR SUMMARY: 2 errors |", text)
                self.assertIn("| memcheck test_svm | passed | ERROR SUMMARY: 0 errors |", text)
                self.assertEqual(text.startswith("# Krossfold on FirstCard 80GB"), kind == "GPU")
                self.assertEqual("the program does not run on the card" in text, kind != "GPU")
                self.assertEqual(json.loads((self.folder / kind[:3] / "gpu.json").read_text())["kind"], kind)

    def test_ends_at_once_if_the_program_does_not_start(self):
        bundle = self.make_bundle(a_test=["passes"])
        (bundle / "trees" / "tree" / "bin" / "krossfold").write_text("#!/bin/sh\necho libcublas.so.13: not found >&2; exit 127\n")
        done = self.check(expect=1)
        self.assertIn("the program does not start (libcublas.so.13: not found)", done.stderr)
        self.assertIn("| ended | the program does not start (libcublas.so.13: not found) |", self.results()[1])
        self.assertEqual(self.started(), [])

    def test_says_which_instructions_the_processor_lacks(self):
        bundle = self.make_bundle(a_test=["passes"])
        manifest = json.loads((bundle / "manifest.json").read_text())
        manifest["processor"]["vector"].append("avx9000")
        for march, said in (("native", True), ("x86-64-v3", False)):
            manifest["trees"][0]["march"] = march
            (bundle / "manifest.json").write_text(json.dumps(manifest))
            done = self.check("--only", "3", expect=0)
            self.assertEqual("this one lacks avx9000: SIGILL may follow" in done.stderr, said)

    def test_errors_far_from_the_reference_fail(self):
        bundle = self.make_bundle(a_test=["passes"])
        reference = json.loads((bundle / "reference.json").read_text())
        reference["searches"]["digits"]["errors"][1][0] += 0.1
        (bundle / "reference.json").write_text(json.dumps(reference))
        self.check("--only", "2", expect=1)
        self.assertIn("the errors are too far from those of the CPU build", self.results()[1])

    def test_keeps_results_in_one_file_and_begins_with_it(self):
        self.make_bundle(a_test=["passes"])
        archive = self.folder / "r.tar.gz"
        self.check("--archive", archive, "--only", "1", expect=0)
        (self.folder / "results").rename(self.folder / "elsewhere")
        self.check("--archive", archive, expect=0)
        self.assertEqual(self.started(), ["passes"])

    def test_refuses_folders_of_others(self):
        bundle = self.make_bundle(a_test=["passes"])
        results = self.folder / "results"
        results.mkdir()
        (results / "mine").write_text("")
        self.assertIn("has files of others (there is no state.json in it)", self.check(expect=2).stderr)
        (results / "mine").unlink()
        self.check("--only", "3", expect=0)
        manifest = json.loads((bundle / "manifest.json").read_text())
        (bundle / "manifest.json").write_text(json.dumps({**manifest, "id": "another"}))
        self.assertIn("has results of another bundle or tree", self.check(expect=2).stderr)
        self.assertIn("give the folder that the archive", self.check(expect=2, bundle=self.folder).stderr)
        self.assertIn("the bundle has no tree 'x'", self.check("--tree", "x", expect=2).stderr)
        self.assertIn("'5d' is no duration", self.check("--max-time", "5d", expect=2).stderr)

    def test_run_says_that_python_is_missing(self):
        bundle = self.make_bundle(a_test=["passes"])
        path = self.folder / "bare"
        path.mkdir()
        for name in ("sh", "id", "sed", "dirname"):
            (path / name).symlink_to(f"/bin/{name}" if os.path.exists(f"/bin/{name}") else f"/usr/bin/{name}")
        done = subprocess.run([bundle / "run", "check", "x"], capture_output=True, text=True, env={"PATH": str(path)}, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("(there is no python3 on this machine)", done.stderr)

    def test_run_sets_paths_relative_to_itself(self):
        bundle = self.make_bundle(a_test=["passes"])
        moved = self.folder / "a folder"
        bundle.rename(moved)
        done = subprocess.run([moved / "run", "env"], capture_output=True, text=True, check=True)
        found = dict(re.findall(r"^(\w+)=(.*)$", done.stdout, re.MULTILINE))
        self.assertEqual(found["OPAL_PREFIX"], str(moved / "mpi"))
        self.assertTrue(found["PATH"].startswith(f"{moved}/bin:"))
        self.assertEqual(found["LD_LIBRARY_PATH"].split(":")[0], f"{moved}/lib")
        done = subprocess.run([moved / "run", "krossfold", "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "krossfold 9.8.7\n")


class GoogleTestText(unittest.TestCase):
    def test_lists_are_read_without_disabled_tests(self):
        self.assertEqual(gtests.parse_list(LIST), ["Plain.one", "Shapes/Typed/0.three/1"])

    def test_output_is_followed_through_other_text(self):
        follower = gtests.Follower()
        for line in ("[ RUN      ] A.b/0\n", "noise[  FAILED  ] A.b/0, where GetParam() = (1, 2) (12 ms)\n", "[  FAILED  ] A.b/0, where GetParam() = 1\n",
                     "[ RUN      ] A.c\n"):  # fmt: skip
            follower.line(line)
        self.assertEqual((follower.found, follower.running), ({"A.b/0": ["failed", 0.012]}, "A.c"))


if __name__ == "__main__":
    sys.exit(unittest.main())
