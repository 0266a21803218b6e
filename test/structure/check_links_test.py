#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does check_links.py find what it is there to find? Each test makes a small tree in a temporary folder."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_links  # noqa: E402


class CheckLinks(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.write("README.md", "# Title\n\n[data](docs/data.md) ![picture](docs/images/a.png)\n")
        self.write("docs/data.md", "# Data\n\n## Folders of images\n\nSee [above](#data).\n")
        self.write("docs/images/a.png", "")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def problems(self):
        return list(check_links.problems(self.root))

    def assert_one_problem(self, *fragments):
        found = self.problems()
        self.assertEqual(len(found), 1, found)
        for fragment in fragments:
            self.assertIn(fragment, found[0])

    def test_a_tree_without_faults_has_none(self):
        self.assertEqual(self.problems(), [])

    def test_finds_a_missing_file_with_its_line(self):
        self.write("CONTRIBUTING.md", "Text.\n\nSee [the\nglossary](docs/glossary.md).\n")
        self.assert_one_problem("CONTRIBUTING.md:3: docs/glossary.md leads to no file")

    def test_finds_a_missing_picture_and_a_link_out_of_the_tree(self):
        self.write("a.md", "![x](docs/images/b.png)\n")
        self.assert_one_problem("b.png leads to no file")
        self.write("a.md", "[x](../outside.md)\n")
        (self.root.parent / "outside.md").touch()
        self.addCleanup((self.root.parent / "outside.md").unlink)
        self.assert_one_problem("../outside.md leads to no file")

    def test_finds_a_missing_heading_of_this_page_and_of_another(self):
        self.write("a.md", "# A\n\n[x](#b)\n")
        self.assert_one_problem("a.md:3: #b: a.md has no such heading")
        self.write("a.md", "[x](docs/data.md#folders)\n")
        self.assert_one_problem("docs/data.md has no such heading")

    def test_anchors_are_those_of_github(self):
        text = "# `krossfold svm`: a search\n## C & gamma\n## [Link](x.md), etc.\n## Same\n## Same\n```\n# no heading\n```\n"
        self.assertEqual(check_links.anchors(text), {"krossfold-svm-a-search", "c--gamma", "link-etc", "same", "same-1"})

    def test_code_holds_no_links(self):
        self.write("a.md", "`[x](none.md)`\n\n    [y](none.md)\n\n```\n[z](none.md)\n```\n[w](https://example.org/none.md)\n")
        self.assertEqual(self.problems(), [])

    def test_finds_links_in_lists_tables_and_around_pictures(self):
        for text in ("- a\n    - [b](none.md)\n", "| [b](none.md) |\n|---|\n", "[![b](docs/images/a.png)](none.md)\n"):
            self.write("a.md", text)
            self.assert_one_problem("none.md leads to no file")

    def test_finds_pages_and_pictures_that_nothing_leads_to(self):
        self.write("docs/lost.md", "[itself](lost.md)\n")
        self.assert_one_problem("docs/lost.md: no page links to it")
        (self.root / "docs/lost.md").unlink()
        self.write("docs/images/lost.png", "")
        self.assert_one_problem("docs/images/lost.png: no page links to it")


if __name__ == "__main__":
    unittest.main()
