#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does a build know which commit it is, and when it is none? Each test runs src/core/git_commit.cmake on a repository of its own."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "src/core/git_commit.cmake"


@unittest.skipIf(shutil.which("git") is None, "git is not installed")
class GitCommit(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.sources = self.folder / "sources"
        self.sources.mkdir()
        self.header = self.folder / "git_commit.hpp"

    def git(self, *words):
        options = ["-c", "user.name=test", "-c", "user.email=test", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *options, *words], cwd=self.sources, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, text):
        if not (self.sources / ".git").exists():
            self.git("init", "--quiet")
        (self.sources / "a.cpp").write_text(text, encoding="utf-8")
        self.git("add", "a.cpp")
        self.git("commit", "--quiet", "--no-verify", "--message", text)
        return self.git("rev-parse", "HEAD")

    def look_up(self, source=None, git="git"):
        subprocess.run(["cmake", "-D", f"GIT_EXECUTABLE={git}", "-D", f"SOURCE={source or self.sources}", "-D", f"OUTPUT={self.header}",
                        "-P", str(SCRIPT)], check=True, capture_output=True)
        return re.search(r'git_commit = "(.*)";', self.header.read_text(encoding="utf-8")).group(1)

    def test_is_the_commit_of_the_sources_and_tells_when_they_differ(self):
        first = self.commit("one")
        self.assertEqual(self.look_up(), first)
        (self.sources / "a.cpp").write_text("two", encoding="utf-8")
        self.assertEqual(self.look_up(), first + "-dirty")
        second = self.commit("two")
        self.assertEqual(self.look_up(), second)
        (self.sources / "notes.txt").write_text("not tracked", encoding="utf-8")
        self.assertEqual(self.look_up(), second)

    def test_a_header_that_would_be_the_same_stays_as_it_is(self):
        self.commit("one")
        self.look_up()
        before = self.header.stat().st_mtime_ns
        self.look_up()
        self.assertEqual(self.header.stat().st_mtime_ns, before)

    def test_is_unknown_without_a_commit_of_the_sources_own(self):
        self.assertEqual(self.look_up(), "unknown")
        self.commit("one")
        inner = self.sources / "inner"
        inner.mkdir()
        self.assertEqual(self.look_up(inner), "unknown")
        self.assertEqual(self.look_up(git=""), "unknown")


if __name__ == "__main__":
    unittest.main()
