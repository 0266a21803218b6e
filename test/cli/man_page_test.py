#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual pages: man shows them without a complaint, and they say what the help says."""

import pathlib
import re
import shutil
import subprocess
import unittest

from krossfold_cli import CommandTest, environment


@unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "there is no man here")
class ManPages(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.pages = sorted((cls.share("write_pages") / "share/man/man1").iterdir())

    def write_pages(self):
        self.succeed("help", "--write", ".")

    def man(self, page, *options):
        return subprocess.run(["man", *options, "-l", page], capture_output=True, text=True, check=False,
                              env=environment(LC_ALL="C.UTF-8", MANWIDTH="80", MAN_KEEP_FORMATTING="", MANPAGER="cat", PAGER="cat"))

    def shown(self, page):
        """The page as text, without the markup of terminals."""
        text = re.sub(".\x08", "", self.man(page).stdout)
        return re.sub(r"\x1b\[[0-9;]*m", "", text).replace("\N{HYPHEN}", "-")

    def test_groff_has_no_complaints(self):
        self.assertGreater(len(self.pages), 10)
        for page in self.pages:
            done = self.man(page, "--warnings", "-E", "UTF-8", "-Tutf8", "-Z")
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)
            done = subprocess.run(["groff", "-man", "-ww", "-z", "-Tutf8", page], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""), page.name)

    def test_each_page_has_the_sections_of_a_manual_page_in_their_order(self):
        for page in self.pages:
            sections = re.findall(r"^([A-Z][A-Z ]+)$", self.shown(page), re.MULTILINE)
            usual = ["NAME", "SYNOPSIS", "DESCRIPTION", "SUBCOMMANDS", "OPTIONS", "EXAMPLES", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"]
            self.assertEqual(sections, [title for title in usual if title in sections], page.name)
            self.assertLessEqual({"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"}, set(sections))

    def test_a_page_says_of_each_option_what_the_help_says(self):
        for page in self.pages:
            if page.name == "krossfold.1":
                continue
            name = page.stem.removeprefix("krossfold-")
            options = self.succeed(name, "--help").out.split("\n\n", 2)[2].split("\nExamples:")[0]
            manual = " ".join(self.shown(page).split())
            entries = re.split(r"\n(?=  ?(?:-|[A-Z])\S)", "\n" + options)
            heads = 0
            for entry in entries:
                if not entry.startswith("  "):
                    continue
                words = " ".join(re.sub(r"\n\n.*", "", entry, flags=re.DOTALL).split("\n" + " " * 28)[0].split())
                self.assertIn(words, manual, page.name)
                heads += 1
            self.assertGreaterEqual(heads, 4, page.name)

    def test_the_first_page_lists_all_others(self):
        first = self.shown(next(page for page in self.pages if page.name == "krossfold.1"))
        for page in self.pages:
            self.assertIn(f"{page.stem}(1)" if page.stem != "krossfold" else "NAME", first)

    def test_help_prints_the_same_page(self):
        for page in self.pages:
            subcommand = [page.stem.removeprefix("krossfold-")] if page.stem != "krossfold" else []
            self.assertEqual(self.succeed("help", *subcommand, "--man").out, page.read_text())

    def test_the_page_does_not_hang_on_the_day(self):
        """So that two builds of the same source are equal."""
        for page in self.pages:
            self.assertNotRegex(page.read_text(), r"20[2-9]\d")


if __name__ == "__main__":
    assert pathlib.Path(__file__).exists()
    unittest.main()
