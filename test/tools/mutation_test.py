#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/mutation: which changes it makes, and what it finds in a small project with one strict and one lax test."""
import functools
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
BUILD = os.environ.get("KROSSFOLD_BUILD")

from mutants.operators import mutants_of  # noqa: E402
from mutants.parts import PARTS, in_random_order  # noqa: E402
from mutants.summary import latest, wilson  # noqa: E402

SMALL = """\
cmake_minimum_required(VERSION 3.22)
project(small CXX)
enable_testing()
add_library(sums sums.cpp shares.cpp)
foreach(name strict lax)
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} sums)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
"""
FILES = {
    "CMakeLists.txt": SMALL,
    ".gitignore": "/build/\n",
    "sums.cpp": "int sum(int a, int b) {\n  return a + b;\n}\n",
    "shares.cpp": "int share(int a, int b) {\n  return a - b;\n}\n",
    "strict.cpp": "int sum(int, int);\nint main() { return sum(2, 3) == 5 ? 0 : 1; }\n",
    "lax.cpp": "int share(int, int);\nint main() { share(2, 3); }\n",
}
DRIVER = """
import importlib.machinery, importlib.util, pathlib, sys
sys.path.insert(0, {tools!r})
loader = importlib.machinery.SourceFileLoader("mutation", {tools!r} + "/mutation")
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutation", loader))
loader.exec_module(tool)
sys.modules["mutants.trial"].BUILD_LIMIT = {build_limit}
Part = tool.PARTS["farm"].__class__
parts = {{"sums": Part(("sums.cpp",), (("strict", ("strict",)),)), "shares": Part(("shares.cpp",), (("lax", ("lax",)),))}}
tool.main(pathlib.Path({root!r}), parts, ["-DCMAKE_BUILD_TYPE=Debug"], sys.argv[1:])
"""


def changed(line):
    return {mutant.after for mutant in mutants_of("a.cpp", line)}


class Operators(unittest.TestCase):
    def test_a_small_source_has_the_expected_mutants(self):
        found = [(m.line, m.operator, m.after) for m in mutants_of("a.cpp", "int f(int a) {\n  if (a < 7) g(a);\n  return a;\n}\n")]
        self.assertEqual(found, [(2, "relation", "  if (a <= 7) g(a);"), (2, "relation", "  if (a >= 7) g(a);"),
                                 (2, "number", "  if (a < 8) g(a);"), (2, "number", "  if (a < 6) g(a);"),
                                 (2, "condition", "  if (!(a < 7)) g(a);"), (3, "return", "  return {};")])

    def test_comments_strings_and_includes_are_left_alone(self):
        for line in ("// a + b", "#include <a + b>", "/* x == 1 */", '  const char* s = "1 + 2 == true";', "template <class T>"):
            self.assertEqual(changed(line), set(), line)
        self.assertEqual(changed('  if (word == "a + 1") {  // x < 2'),
                         {'  if (word != "a + 1") {  // x < 2', '  if (!(word == "a + 1")) {  // x < 2'})

    def test_brackets_of_templates_pointers_and_references_are_no_operators(self):
        self.assertEqual(changed("  auto&& item = get<T>(p->next, *q);") - {"  ;"}, set())

    def test_a_statement_is_deleted_whole_or_not_at_all(self):
        self.assertIn("  ;", changed("  values.push_back(a);"))
        self.assertIn("  ;", changed("  held[k] = a;"))
        self.assertNotIn("      ;", changed("      other(b));"))
        self.assertNotIn("  ;", changed("  const int a = b;"))

    def test_a_mutant_keeps_its_name_when_lines_move(self):
        before = mutants_of("a.cpp", "x = a + b;\ny = a + b;\nx = a + b;")
        after = mutants_of("a.cpp", "\n// new\nx = a + b;\ny = a + b;\nx = a + b;")
        self.assertEqual([m.name for m in before], [m.name for m in after])
        self.assertEqual(len({m.name for m in before}), len(before))


class Sample(unittest.TestCase):
    def test_all_mutants_come_once_and_lines_repeat_only_when_every_line_was_there(self):
        mutants = mutants_of("a.cpp", "\n".join(f"  f({k} + a, b < c);" for k in range(20)))
        order = in_random_order(mutants, 5, "farm")
        self.assertEqual(sorted(m.name for m in order), sorted(m.name for m in mutants))
        self.assertEqual(len({m.line for m in order[:20]}), 20)
        self.assertEqual(order, in_random_order(mutants, 5, "farm"))
        self.assertNotEqual(order, in_random_order(mutants, 6, "farm"))

    def test_every_pattern_names_sources(self):
        for part in PARTS.values():
            for pattern in part.sources:
                self.assertTrue(list(ROOT.glob(pattern)), pattern)

    @unittest.skipUnless(BUILD, "needs the build folder: KROSSFOLD_BUILD")
    def test_every_test_is_one_of_ctest_and_runs_its_target(self):
        listing = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
        commands = {test["name"]: test["command"] for test in json.loads(listing)["tests"] if "command" in test}
        for part in PARTS.values():
            for target, tests in part.tests:
                for test in tests:
                    self.assertIn(test, list(commands))
                    self.assertIn(target, [pathlib.Path(word).name for word in commands[test]], test)

    def test_interval_is_that_of_wilson(self):
        # The roots of (p - x)^2 = z^2 x (1 - x) / n, which define it.
        for hits, trials in ((85, 100), (0, 7), (12, 12)):
            for root in wilson(hits, trials):
                self.assertAlmostEqual((hits / trials - root) ** 2, 1.96**2 * root * (1 - root) / trials, 12)


class SmallProject(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="krossfold-mutation-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in FILES.items():
            (self.root / name).write_text(text)
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "small")

    def git(self, *words):
        return subprocess.run(["git", "-C", self.root, *words], check=True, capture_output=True, text=True).stdout

    def start(self, *words, build_limit=100, preexec_fn=None):
        code = DRIVER.format(tools=str(ROOT / "tools"), root=str(self.root), build_limit=build_limit)
        return subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                preexec_fn=preexec_fn)  # fmt: skip

    def tool(self, *words, code=0, **options):
        process = self.start(*words, **options)
        output = process.communicate(timeout=100)[0]
        self.assertEqual(process.returncode, code, output)
        return output

    def records(self):
        results = self.root / "tools/mutants/outcomes.jsonl"
        return [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []

    def test_strict_test_kills_lax_test_lets_live_and_the_same_command_goes_on(self):
        self.tool("--count", "2")
        self.assertEqual({(r["part"], r["outcome"], r["by"]) for r in self.records()},
                         {("sums", "killed", "strict"), ("shares", "survived", None)})
        output = self.tool("--count", "4")  # both of each file: a + b and return {}
        self.assertEqual(len(self.records()), 4)
        self.assertEqual(len({r["name"] for r in self.records()}), 4)
        self.assertIn("| sums | 2 | 0 | 0 | 0 | 100 % (34 to 100) |", output)
        self.assertIn("| shares | 0 | 2 | 0 | 0 | 0 % (0 to 66) |", output)
        self.assertIn("shares.cpp:2", output)
        self.assertEqual(self.git("status", "--porcelain", "-uall"), "?? tools/mutants/outcomes.jsonl\n")

        # A better test, once committed, kills the survivors when they are tried again.
        (self.root / "lax.cpp").write_text("int share(int, int);\nint main() { return share(2, 3) == -1 ? 0 : 1; }\n")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "better")
        self.tool("--count", "4", "--again")
        self.assertEqual({r["outcome"] for r in latest(self.records())}, {"killed"})

    def test_a_line_that_was_cut_is_left_out_and_its_mutant_tried_again(self):
        self.tool("--count", "1", "sums")
        results = self.root / "tools/mutants/outcomes.jsonl"
        whole = results.read_bytes()
        results.write_bytes(whole + whole[:40])
        self.assertIn("| sums | 1 | 0 |", self.tool("--report"))
        self.assertEqual(results.read_bytes(), whole + whole[:40])  # another run may be writing it
        self.assertIn("was cut", self.tool("--count", "2", "sums"))
        self.assertEqual(len({r["name"] for r in self.records()}), 2)
        results.write_bytes(whole[:-1])
        self.assertIn("| sums | 1 | 0 |", self.tool("--count", "1", "sums"))
        self.assertEqual([r["outcome"] for r in self.records()], ["killed"])

    def test_mutants_of_lines_that_are_gone_do_not_count(self):
        self.tool("--count", "2", "shares")
        (self.root / "shares.cpp").write_text("// moved\n" + FILES["shares.cpp"])
        output = self.tool("--report", "shares")
        self.assertIn("| shares | 0 | 2 |", output)
        self.assertIn("shares.cpp:3", output)
        (self.root / "shares.cpp").write_text("int share(int a, int b) {\n  return -b + a;\n}\n")
        self.assertIn("| shares | 0 | 0 |", self.tool("--report", "shares"))
        (self.root / "shares.cpp").unlink()
        output = self.tool("--report")
        self.assertIn("| all | 0 | 0 |", output)
        self.assertNotIn("shares.cpp", output)

    def fail_to_compile(self, *words):
        """Mutants of sums.cpp, or all sources after the first of them, are refused by the compiler with these words."""
        compiler = f"if ! grep -q 'a + b;' {self.root}/build/mutation/copy-0/tree/sums.cpp; then {' '.join(words)}; exit 1; fi"
        (self.root / "compiler").write_text(f"if [ -e '{self.root}/build/full' ]; then exit 1; fi\n{compiler}\nexec \"$@\"\n")
        (self.root / "CMakeLists.txt").write_text(SMALL.replace("enable", f"set(CMAKE_CXX_COMPILER_LAUNCHER sh {self.root}/compiler)\nenable", 1))
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--allow-empty", "-qam", "compiler")

    def test_a_mutant_that_does_not_compile_is_replaced(self):
        self.fail_to_compile("echo 'sums.cpp:2:1: error: no'")
        self.assertIn("| sums | 0 | 0 | 0 | 2 | - |", self.tool("--count", "1", "sums"))

    def test_a_disk_that_was_full_or_a_build_without_end_is_no_outcome(self):
        for words in (["echo 'fatal error: error writing to /tmp/a.s: No space left on device' >&2"], ["sleep 60"]):
            with self.subTest(words=words):
                self.fail_to_compile(*words)
                output = self.tool("--count", "1", "sums", build_limit=8 if words == ["sleep 60"] else 100)
                self.assertEqual(output.count("no outcome"), 2, output)
                self.assertEqual(self.records(), [])

    def test_a_machine_that_no_longer_builds_ends_the_run_without_an_outcome(self):
        self.fail_to_compile(f"touch {self.root}/build/full")
        self.assertIn("--target strict failed (", self.tool("--count", "2", "sums", code=1))
        self.assertEqual(self.records(), [])

    def test_numbers_and_limits_of_the_shell(self):
        for option in ("--jobs", "--count"):
            for number in ("0", "-1", "x"):
                self.assertIn("no number from 1 on", self.tool(f"{option}={number}", code=2))
        hard = 6_000_000_000
        limit = functools.partial(resource.setrlimit, resource.RLIMIT_AS, (hard, hard))
        self.assertIn("| sums | 1 | 0 |", self.tool("--count", "1", "sums", preexec_fn=limit))

    def test_two_at_once_do_not_share_a_copy(self):
        folder = self.root / "build/mutation"
        folder.mkdir(parents=True)
        first = self.start("--count", "2", "sums")
        ends = time.monotonic() + 60
        while not (folder / "copy-0").exists() and time.monotonic() < ends:
            time.sleep(0.05)
        self.assertIn("in use (another tools/mutation runs)", self.tool("--count", "2", "shares", code=1))
        self.tool("--report")
        self.assertIn("| sums | 2 | 0 |", first.communicate(timeout=100)[0])
        self.assertEqual({r["part"] for r in self.records()}, {"sums"})

    def test_interruption_leaves_the_working_tree_and_no_outcome(self):
        (self.root / "lax.cpp").write_text("// not committed\n" + FILES["lax.cpp"])
        (self.root / "strict.cpp").write_text(
            "int sum(int, int);\n#include <unistd.h>\nint main() { while (sum(2, 3) != 5) sleep(1); }\n")
        self.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "hangs", "strict.cpp")
        before = self.git("status", "--porcelain"), (self.root / "lax.cpp").read_text()
        process = self.start("--count", "1", "sums")  # the mutant hangs in the test for 20 s
        mutated = self.root / "build/mutation/copy-0/tree/sums.cpp"
        ends = time.monotonic() + 60
        while not (mutated.exists() and mutated.read_text() not in ("", FILES["sums.cpp"])) and time.monotonic() < ends:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        self.assertIn("goes on", process.communicate(timeout=30)[0])
        self.assertEqual(self.records(), [])
        self.assertEqual(mutated.read_text(), FILES["sums.cpp"])
        self.assertEqual((self.git("status", "--porcelain"), (self.root / "lax.cpp").read_text()), before)


if __name__ == "__main__":
    unittest.main()
