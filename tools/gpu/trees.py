# SPDX-License-Identifier: BSD-3-Clause
"""What a build tree is: its programs and tests, and what it was built with."""

import json
import os
import pathlib
import re
import shutil
import subprocess

from gpu.messages import ToolError

# Tests that say most about a new machine come first, for the case that the time is short.
FIRST = ("core_test", "test_kernels", "test_svm", "test_nn", "test_ensemble", "studies_svm_test", "train_executor_test", "training_test")
NO_GOOGLE_BENCHMARK = ("farm",)


def cache_of(tree):
    """The entries of CMakeCache.txt, {} without one."""
    try:
        text = (tree / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError:
        return {}
    return dict(re.findall(r"^([\w-]+):\w+=(.*)$", text, re.MULTILINE))


def kokkos_of(cache):
    """{"version", "backends", "arch"} of the Kokkos that a tree was configured with."""
    folder = pathlib.Path(cache.get("Kokkos_DIR") or "/nonexistent")
    text = ""
    for file in sorted(folder.glob("Kokkos*.cmake")):
        text += file.read_text(encoding="utf-8", errors="replace") + "\n"
    version = re.search(r'set\(PACKAGE_VERSION "([\d.]+)"\)', text, re.IGNORECASE)
    backends = re.search(r"SET\(Kokkos_DEVICES ([\w;, ]*)\)", text, re.IGNORECASE)
    arch = re.search(r"SET\(Kokkos_ARCH ([\w;, ]*)\)", text, re.IGNORECASE)
    return {
        "version": version[1] if version else "unknown",
        "backends": [word for word in re.split(r"[;, ]+", backends[1]) if word] if backends else [],
        "arch": [word for word in re.split(r"[;, ]+", arch[1]) if word] if arch else [],
    }


def compiler_of(tree):
    for file in sorted(tree.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        text = file.read_text(encoding="utf-8", errors="replace")
        name, version = (re.search(rf'set\(CMAKE_CXX_COMPILER_{word} "([^"]*)"', text) for word in ("ID", "VERSION"))
        if name and version:
            return f"{name[1]} {version[1]}"
    return "unknown"


def commit_of(source):
    """The commit of the source tree, with + where files are changed; "unknown" where there is no git."""
    if not source or shutil.which("git") is None:
        return "unknown"
    git = ["git", "-C", str(source)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if head.returncode != 0:
        return "unknown"
    changed = subprocess.run([*git, "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True, check=False)
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")


def programs_in(folder):
    if not folder.is_dir():
        return []
    return sorted(file for file in folder.iterdir() if file.is_file() and os.access(file, os.X_OK) and not file.suffix)


def tests_of_ctest(tree):
    """(tests, left out) as ctest lists them; None if the tree has no list or there is no ctest."""
    if not (tree / "CTestTestfile.cmake").exists() or shutil.which("ctest") is None:
        return None
    done = subprocess.run(["ctest", "--test-dir", str(tree), "--show-only=json-v1"], capture_output=True, text=True, check=False)
    try:
        listed = json.loads(done.stdout[done.stdout.index("{") :])["tests"]
    except ValueError:
        return None
    tests, scripts, others, missing = [], [], [], []
    for test in listed:
        command = test.get("command", [])
        ranks = 0
        if len(command) > 2 and command[1] == "-n":
            ranks, command = int(command[2]), command[3:]
        name = pathlib.Path(command[0]).name if command else ""
        if any(word.endswith(".py") for word in command):
            scripts.append(test["name"])
        elif not command:  # ctest leaves it out where the program is not there
            missing.append(test["name"])
        elif len(command) != 1 or any("REGULAR_EXPRESSION" in one["name"] for one in test.get("properties", [])):
            others.append(test["name"])
        elif not (tree / "test" / name).exists():
            missing.append(test["name"])
        else:
            tests.append({"name": test["name"], "program": name, "ranks": ranks})
    left_out = []
    if scripts:
        left_out.append((f"{len(scripts)} tests in Python", "they need the source tree, h5py and other packages"))
    if others:
        left_out.append((", ".join(others), "they are no programs of GoogleTest"))
    if missing:
        left_out.append((", ".join(missing), "they are not built"))
    return tests, left_out


def order(test):
    return FIRST.index(test["program"]) if test["program"] in FIRST else len(FIRST)


def describe(tree):
    """What the manifest says of a build tree, and [(what, why)] of what is left out of it."""
    program = tree / "bin" / "krossfold"
    if not os.access(program, os.X_OK):
        raise ToolError(f"{tree} is no build tree (there is no bin/krossfold in it) build the target krossfold, or name another folder", 2)
    cache = cache_of(tree)
    listed = tests_of_ctest(tree)
    if listed is None:
        left_out = [("numbers of ranks", "ctest lists no tests: every program in test/ is taken as one of GoogleTest, on one rank")]
        tests = [{"name": file.name, "program": file.name, "ranks": 0} for file in programs_in(tree / "test")]
    else:
        tests, left_out = listed
    benches = [file.name for file in programs_in(tree / "bench")]
    if set(benches) & set(NO_GOOGLE_BENCHMARK):
        left_out.append(("bench/farm", "it is no program of Google Benchmark"))
    about = {
        "name": tree.name,
        "commit": commit_of(cache.get("CMAKE_HOME_DIRECTORY")),
        "compiler": compiler_of(tree),
        "build_type": cache.get("CMAKE_BUILD_TYPE", "unknown"),
        "march": cache.get("KROSSFOLD_ARCH", "unknown"),
        "required_arch": cache.get("KROSSFOLD_REQUIRE_ARCH", ""),
        "kokkos": kokkos_of(cache),
        "tests": sorted(tests, key=order),
        "benches": [name for name in benches if name not in NO_GOOGLE_BENCHMARK],
    }
    return about, left_out
