#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The launcher of packages (src/launcher) starts the highest level that is installed and that the processor has. Scripts stand
for the programs; what the processor has is read from /proc/cpuinfo."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

LAUNCHER = pathlib.Path(os.environ["KROSSFOLD_LAUNCHER"])
# Flags of /proc/cpuinfo by level, from the x86-64 psABI; abm is LZCNT.
NEEDS = {"v2": {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"},
         "v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
         "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}  # fmt: skip
PROGRAM = '#!/bin/sh\nfor word; do echo "$word"; done\necho {level}\nexit 75\n'


def levels_here():
    flags = next(line for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags"))
    have = set(flags.split(":")[1].split())
    here = []
    for level, needs in NEEDS.items():
        if not needs <= have:
            break
        here.append(level)
    return here


HERE = levels_here()


class Launcher(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kf-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.launcher = self.folder / "bin" / "krossfold"
        self.launcher.parent.mkdir()
        shutil.copy2(LAUNCHER, self.launcher)
        self.programs = self.folder / "libexec" / "krossfold"
        self.programs.mkdir(parents=True)

    def install(self, *levels):
        for level in levels:
            program = self.programs / f"krossfold-{level}"
            program.write_text(PROGRAM.format(level=level))
            program.chmod(0o755)

    def start(self, *arguments, level=None, before=(), program=None):
        environment = {name: value for name, value in os.environ.items() if name != "KROSSFOLD_LEVEL"}
        if level is not None:
            environment["KROSSFOLD_LEVEL"] = level
        return subprocess.run([*before, program or self.launcher, *arguments], env=environment, capture_output=True, text=True, check=False)

    def check_refused(self, done, code, *says):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done)
        self.assertRegex(done.stderr, r"\Akrossfold: error: .* \(.*\) .*\n\Z")
        for words in says:
            self.assertIn(words, done.stderr)

    @unittest.skipUnless(HERE, "the processor is below x86-64-v2")
    def test_starts_the_highest_level_of_the_processor_with_the_arguments_and_its_exit_code(self):
        self.install(*NEEDS)
        done = self.start("svm", "--data", "a file", "")
        self.assertEqual(done.stdout.split("\n"), ["svm", "--data", "a file", "", HERE[-1], ""])
        self.assertEqual(done.returncode, 75)

    @unittest.skipUnless(len(HERE) > 1, "the processor has one level")
    def test_starts_the_highest_level_installed(self):
        self.install(*NEEDS)
        (self.programs / f"krossfold-{HERE[-1]}").unlink()
        self.assertEqual(self.start().stdout.strip(), HERE[-2])

    @unittest.skipUnless(len(HERE) > 1, "the processor has one level")
    def test_a_level_can_be_forced(self):
        self.install(*NEEDS)
        for level in HERE:
            self.assertEqual(self.start(level=level).stdout.strip(), level)
        self.assertEqual(self.start(level="").stdout.strip(), HERE[-1])

    @unittest.skipUnless(HERE, "the processor is below x86-64-v2")
    def test_works_through_links_and_after_a_move(self):
        self.install("v2")
        link = self.folder / "link"
        link.symlink_to(self.launcher)
        self.assertEqual(self.start(program=link).stdout.strip(), "v2")
        (self.folder / "bin").rename(self.folder / "bin2")
        self.assertEqual(self.start(program=self.folder / "bin2" / "krossfold").stdout.strip(), "v2")

    def test_an_unknown_level_is_refused_with_those_installed(self):
        self.install("v2", "v3")
        self.check_refused(self.start(level="v5"), 2, "v5", "installed: v3, v2")

    def test_an_empty_package_is_refused(self):
        self.check_refused(self.start(), 1, "no program", "libexec/krossfold")

    @unittest.skipIf("v4" in HERE, "the processor has every level")
    def test_a_forced_level_that_the_processor_lacks_is_refused(self):
        self.install(*NEEDS)
        self.check_refused(self.start(level="v4"), 2, "KROSSFOLD_LEVEL=v4", "AVX-512")

    @unittest.skipUnless(shutil.which("qemu-x86_64"), "no qemu-x86_64 (Debian: qemu-user)")
    def test_older_processors_get_their_level_or_words(self):
        self.install("v3", "v4")
        nehalem = ("qemu-x86_64", "-cpu", "Nehalem")
        self.check_refused(self.start(before=nehalem), 1, "AVX2", "tools/setup")
        self.check_refused(self.start(before=nehalem, level="v3"), 2, "KROSSFOLD_LEVEL=v3", "AVX2")
        self.install("v2")
        self.assertEqual(self.start(before=nehalem).stdout.strip(), "v2")


if __name__ == "__main__":
    unittest.main()
