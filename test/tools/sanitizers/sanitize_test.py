#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/sanitize: what it runs, finds, keeps and leaves out, in a small project; what tools/check_cppcheck checks; every suppression is explained."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

from sanitizers.cases import Case  # noqa: E402
from sanitizers.outcomes import Outcomes  # noqa: E402

PROJECT = """\
cmake_minimum_required(VERSION 3.22)
project(small NONE)
enable_testing()
add_test(NAME good COMMAND sh -c "test $KROSSFOLD_SANITIZER = address && echo good >>${CMAKE_SOURCE_DIR}/ran")
add_test(NAME bad COMMAND sh -c "test -e ${CMAKE_SOURCE_DIR}/mended")
add_test(NAME odd COMMAND sh -c "exit 77")
add_test(NAME leaky COMMAND sh -c "echo 'ERROR: a leak of 7 bytes' >\\"\\${ASAN_OPTIONS#*log_path=}.1\\"")
add_test(NAME undefined COMMAND sh -c "echo 'a.cpp:3:4: runtime error: overflow'")
add_test(NAME slow COMMAND sleep 60)
add_test(NAME first COMMAND sh -c "echo first >>${CMAKE_SOURCE_DIR}/ran")
add_test(NAME second COMMAND sh -c "echo second >>${CMAKE_SOURCE_DIR}/ran")
add_test(NAME other COMMAND true)
set_tests_properties(odd PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(first PROPERTIES FIXTURES_SETUP made)
set_tests_properties(second PROPERTIES FIXTURES_REQUIRED made PROCESSORS 4)
"""
PRESETS = {
    "version": 3,
    "configurePresets": [{"name": name, "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}
                         for name in ("asan-ubsan", "memcheck")],
    "buildPresets": [{"name": name, "configurePreset": name} for name in ("asan-ubsan", "memcheck")],
    "testPresets": [{"name": "asan-ubsan", "configurePreset": "asan-ubsan", "filter": {"exclude": {"name": "^other$"}},
                     "environment": {"KROSSFOLD_SANITIZER": "address", "ASAN_OPTIONS": "exitcode=99$penv{KROSSFOLD_REPORTS}"}}],
}
DRIVER = """
import importlib.machinery, importlib.util, pathlib, sys
sys.path.insert(0, {tools!r})
loader = importlib.machinery.SourceFileLoader("sanitize", {tools!r} + "/sanitize")
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("sanitize", loader))
loader.exec_module(tool)
sys.exit(tool.main(pathlib.Path({root!r}), sys.argv[1:]))
"""
# Writes a report for `report`, as if something were lost there; runs the program for everything else.
VALGRIND = """\
#!/bin/sh
for word; do
  case $word in
    --log-file=*) log=${word#--log-file=} ;;
    -*) ;;
    *) break ;;
  esac
  shift
done
: >"$(echo "$log" | sed s/%p/$$/)"
if [ "$2" = report ]; then echo '7 bytes are definitely lost' >"$(echo "$log" | sed s/%p/$$/)"; exit 99; fi
exec "$@"
"""


class Small(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in {"CMakeLists.txt": PROJECT, "CMakePresets.json": json.dumps(PRESETS), ".gitignore": "/build/\n/ran\n",
                           "tools/sanitizers/kept": ""}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        self.git("init", "-q")
        self.commit()
        self.results = self.root / "tools/sanitizers/outcomes.jsonl"

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "one")

    def start(self, *arguments, **env):
        driver = DRIVER.format(tools=str(ROOT / "tools"), root=str(self.root))
        return subprocess.Popen([sys.executable, "-c", driver, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env={**os.environ, **env})

    def run_tool(self, *arguments, **env):
        started = self.start(*arguments, **env)
        out = started.communicate()[0]
        return started.returncode, out

    def outcomes(self):
        return {record["test"]: record["outcome"] for record in map(json.loads, self.results.read_text().splitlines())}

    def listed(self, *arguments):
        code, out = self.run_tool("address", "--list", "--no-build", *arguments)
        self.assertEqual(code, 0, out)
        return out.split()


class Sanitize(Small):
    ALL = ("address", "-R", "^(?!slow)", "--jobs", "2")

    def test_passes_fail_or_have_findings_and_only_these_are_due_again(self):
        code, out = self.run_tool(*self.ALL)
        self.assertEqual(code, 1, out)
        self.assertEqual(self.outcomes(), {"good": "passed", "bad": "failed", "odd": "skipped", "leaky": "findings", "undefined": "findings",
                                           "first": "passed", "second": "passed"})
        self.assertIn("a leak of 7 bytes", out)
        self.assertIn("a.cpp:3:4: runtime error: overflow", out)
        self.assertIn("7 of 7 tests ran, 3 of them failed or with findings; 0 had passed before", out)
        self.assertEqual((self.root / "ran").read_text().split().count("good"), 1)
        self.assertEqual(sorted(self.listed("-R", "^(?!slow)")), ["bad", "leaky", "undefined"])
        (self.root / "mended").write_text("")
        code, out = self.run_tool("address", "--no-build", "-R", "^(bad|good)$")
        self.assertEqual(code, 0, out)
        self.assertIn("1 of 1 tests ran, 0 of them failed or with findings; 1 had passed before", out)
        code, out = self.run_tool("--report")
        self.assertIn("| address | 4 | 1 | 0 | 2 |", out)
        self.assertIn("address: leaky: findings at ", out)

    def test_another_commit_begins_anew_unless_since_says_otherwise(self):
        code, out = self.run_tool("address", "-R", "good|second")
        self.assertEqual(code, 0, out)
        self.assertEqual(self.listed("-R", "good|second"), [])
        self.assertEqual(self.listed("-R", "good|second", "--again"), ["good", "second"])
        self.commit()
        self.assertEqual(self.listed("-R", "good|second"), ["good", "second"])
        self.assertEqual(self.listed("-R", "good|second", "--since", "HEAD~1"), [])
        code, out = self.run_tool("address", "--since", "nothing")
        self.assertIn("there is no commit nothing", out)
        self.assertEqual(code, 1)

    def test_a_pass_of_a_changed_tree_counts_for_nothing_and_in_one_all_are_due(self):
        def edit(text):
            (self.root / "CMakeLists.txt").write_text(PROJECT + text)

        def changed():
            return [json.loads(line)["changed"] for line in self.results.read_text().splitlines()]

        edit("# changed\n")
        code, out = self.run_tool("address", "-R", "^good$")
        self.assertEqual(code, 0, out)
        self.assertIn("tracked files differ from commit ", out)
        self.assertEqual(changed(), [True])
        self.assertRegex(self.run_tool("--report")[1], r"\| address \| 1 \|.* [0-9a-f]{8}\+ \|")
        self.assertEqual(self.listed("-R", "^good$"), ["good"], "still changed")
        edit("")
        self.assertEqual(self.listed("-R", "^good$"), ["good"], "the commit itself has not passed")
        code, out = self.run_tool("address", "-R", "^good$")
        self.assertNotIn("differ", out)
        self.assertEqual(changed(), [True, False])
        self.assertEqual(self.listed("-R", "^good$"), [])
        edit("# changed again\n")
        self.assertEqual(self.listed("-R", "^good$"), ["good"])
        self.git("add", "-A", ".")
        self.assertEqual(self.listed("-R", "^good$"), ["good"], "what is staged differs, too")

    def test_the_records_are_no_change_but_an_edit_while_tests_run_is_one(self):
        self.run_tool("address", "-R", "^good$")
        self.commit()
        self.run_tool("address", "-R", "^(good|odd)$")
        self.assertIn("tools/sanitizers/outcomes.jsonl", subprocess.run(["git", "status", "--porcelain"], cwd=self.root, capture_output=True,
                                                                        check=True, text=True).stdout)
        self.assertEqual(self.listed("-R", "^(good|odd)$"), [])
        outcomes = Outcomes(self.root, self.results)
        outcomes.add("address", "first", "passed", 1)
        (self.root / "tools/sanitizers/kept").write_text("edited")
        outcomes.add("address", "second", "passed", 1)
        (self.root / "tools/sanitizers/kept").write_text("")
        outcomes.add("address", "other", "passed", 1)
        self.assertEqual(Outcomes(self.root, self.results).due("address", ["first", "second", "other"], "HEAD"), ["second", "other"])

    def test_no_test_begins_after_the_time_and_what_failed_comes_first_afterwards(self):
        self.run_tool("address", "-R", "^bad$")
        code, out = self.run_tool("address", "-R", "^(bad|good)$", "--max-time", "0")
        self.assertIn("0 of 2 tests ran", out)
        self.assertIn("2 are left", out)
        self.assertEqual(code, 0)
        self.assertEqual(self.listed("-R", "^(bad|good)$"), ["bad", "good"])

    def test_a_case_that_fits_does_not_wait_behind_one_that_needs_more_processors(self):
        loader = importlib.machinery.SourceFileLoader("sanitize", str(ROOT / "tools" / "sanitize"))
        tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("sanitize", loader))
        loader.exec_module(tool)
        long, both, short, last = Case("long"), Case("both", processors=4), Case("short", alone=True), Case("last", alone=True)
        queue = tool.Queue([long, both, short, last], jobs=2)
        self.assertEqual([queue.take().name for _ in range(2)], ["long", "short"])
        queue.give_back(short)
        self.assertEqual(queue.take().name, "last")
        queue.give_back(last)
        queue.give_back(long)
        self.assertEqual((queue.take().name, queue.take()), ("both", None))

    def test_stopped_it_records_nothing_of_what_ran_and_a_cut_line_is_passed_over(self):
        self.run_tool("address", "-R", "^good$")
        with self.results.open("a") as file:
            file.write('{"checker": "addr')
        running = self.start("address", "--no-build", "-R", "^slow$")
        time.sleep(2)
        running.send_signal(signal.SIGTERM)
        began = time.monotonic()
        out = running.communicate()[0]
        self.assertLess(time.monotonic() - began, 30)
        self.assertNotEqual(running.returncode, 0)
        self.assertIn("stopped; the same command goes on", out)
        self.run_tool("address", "--no-build", "-R", "^odd$")
        lines = self.results.read_text().splitlines()
        self.assertEqual([json.loads(line)["test"] for line in (lines[0], lines[-1])], ["good", "odd"])
        self.assertEqual(self.listed("-R", "^(good|odd|slow)$"), ["slow"])

    def test_runs_under_valgrind_have_findings_where_a_report_is_not_empty(self):
        program = self.root / "build/memcheck/bin/krossfold"
        for path, text in ((program, "#!/bin/sh\ntouch r.h5\n"), (self.root / "build/path/valgrind", VALGRIND)):
            path.parent.mkdir(parents=True)
            path.write_text(text)
            path.chmod(0o755)
        path = f"{self.root / 'build/path'}:{os.environ['PATH']}"
        code, out = self.run_tool("valgrind", "--no-build", "-R", "^(data|svm|report_svm)$", "--jobs", "1", PATH=path)
        self.assertEqual(code, 1, out)
        self.assertEqual(self.outcomes(), {"data": "passed", "svm": "passed", "report_svm": "findings"})
        self.assertIn("7 bytes are definitely lost", out)

    def test_a_build_that_fails_is_said(self):
        (self.root / "CMakeLists.txt").write_text("message(FATAL_ERROR nonsense)\n")
        code, out = self.run_tool("address")
        self.assertEqual(code, 1)
        self.assertIn("tools/sanitize: cmake --preset asan-ubsan failed", out)
        self.assertIn("nonsense", out)


# Prints the files and folders that it is to check.
CPPCHECK = """\
#!/bin/sh
if [ "$1" = --version ]; then echo Cppcheck 2.10; fi
while [ $# -gt 0 ]; do
  case $1 in
    -I | -j) shift ;;
    -*) ;;
    *) echo "$1" ;;
  esac
  shift
done
"""


class Cppcheck(unittest.TestCase):
    FILES = {
        "include/krossfold/nn/layer.hpp": "", "src/nn/layer.cpp": '#include "krossfold/nn/layer.hpp"\n',
        "include/krossfold/svm/box.hpp": "", "src/svm/path/box.cpp": "",
        "include/krossfold/nn/plain.hpp": "", "fuzz/plain_target.cpp": '#include "krossfold/nn/plain.hpp"\n',
        "src/nn/state.hpp": "", "src/nn/state.cpp": "",
        "src/nn/part_of.hpp": "", "src/nn/pieces.hpp": '#include "part_of.hpp"\n', "src/nn/first.cpp": '#include "pieces.hpp"\n',
        "bench/second.cpp": '#include "nn/part_of.hpp"\n', "bench/third.cpp": '#include "not_part_of.hpp"\n',
        "bench/rates.hpp": "", "bench/fourth.cpp": '#include "bench/rates.hpp"\n',
        "fuzz/nowhere.hpp": "",
    }

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in {**self.FILES, "cppcheck": CPPCHECK}.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "cppcheck").chmod(0o755)
        (self.root / "tools").mkdir()
        shutil.copy(ROOT / "tools/check_cppcheck", self.root / "tools")
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root, check=True, capture_output=True)

    def checked(self, changed, argument="HEAD"):
        for name in changed:
            (self.root / name).write_text(self.FILES[name] + "// changed\n")
        done = subprocess.run([self.root / "tools/check_cppcheck", argument], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, env={**os.environ, "CPPCHECK": str(self.root / "cppcheck")})
        self.assertEqual(done.returncode, 0, done.stdout)
        for name in changed:
            (self.root / name).write_text(self.FILES[name])
        return sorted(done.stdout.splitlines())

    def test_checks_the_source_of_a_changed_header_or_those_that_include_it(self):
        for header, sources in {"include/krossfold/nn/layer.hpp": ["src/nn/layer.cpp"], "include/krossfold/svm/box.hpp": ["src/svm/path/box.cpp"],
                                "include/krossfold/nn/plain.hpp": ["fuzz/plain_target.cpp"], "src/nn/state.hpp": ["src/nn/state.cpp"],
                                "src/nn/part_of.hpp": ["bench/second.cpp", "src/nn/first.cpp"], "bench/rates.hpp": ["bench/fourth.cpp"]}.items():
            self.assertEqual(self.checked([header]), sources, header)
        self.assertEqual(self.checked(["src/nn/state.hpp", "src/nn/state.cpp", "bench/rates.hpp"]), ["bench/fourth.cpp", "src/nn/state.cpp"])

    def test_checks_nothing_where_no_source_changed_and_all_folders_with_all(self):
        for changed in ([], ["fuzz/nowhere.hpp"]):
            self.assertEqual(self.checked(changed), ["tools/check_cppcheck: skipped (no source differs from HEAD)"])
        self.assertEqual(self.checked([], "--all"), ["bench", "fuzz", "src"])


class Suppressions(unittest.TestCase):
    def test_each_stands_below_its_reason(self):
        for name in ("lsan.supp", "tsan.supp", "valgrind.supp"):
            lines = (ROOT / "tools/sanitizers" / name).read_text().splitlines()
            begins = [number for number, line in enumerate(lines) if (line == "{" if name.startswith("valgrind") else re.match(r"\w+:", line))]
            self.assertGreater(len(begins), 0, name)
            for number in begins:
                self.assertRegex(lines[number - 1], r"^# .*\.$", f"{name}, line {number + 1}")

    def test_of_cppcheck_are_explained_too(self):
        lines = (ROOT / ".cppcheck").read_text().splitlines()
        known = [number for number, line in enumerate(lines) if line and not line.startswith("#")]
        self.assertGreater(len(known), 5)
        for number in known:
            before, kind = lines[number - 1], lines[number].partition(":")[0]
            self.assertTrue(before.startswith("# ") or before.startswith(f"{kind}:"), f"line {number + 1}")

    def test_the_presets_name_the_files(self):
        presets = (ROOT / "CMakePresets.json").read_text()
        for name in ("lsan.supp", "tsan.supp"):
            self.assertIn(f"${{sourceDir}}/tools/sanitizers/{name}", presets)


if __name__ == "__main__":
    unittest.main()
