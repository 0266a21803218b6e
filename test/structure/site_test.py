#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The documentation builds as a web site without a warning, and every link in it leads somewhere."""

import html.parser
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Page(html.parser.HTMLParser):
    """The links, pictures and anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}


def builds_sites():
    program = shutil.which("sphinx-build")
    if not program:
        return "there is no sphinx-build here (python3-sphinx)"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder)
        (source / "conf.py").write_text('extensions = ["myst_parser"]\nroot_doc = "index"\n')
        (source / "index.md").write_text("# Title\n")
        done = subprocess.run([program, "-q", source, source / "out"], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else "sphinx has no myst_parser here (python3-myst-parser)"


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = builds_sites()
        if reason:
            print(f"skipped: {reason}", file=sys.stderr)
            raise unittest.SkipTest(reason)
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.site = pathlib.Path(temporary.name) / "site"
        cls.done = subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-c", ROOT / "docs" / "site", ROOT, cls.site],
                                  capture_output=True, text=True, check=False)
        cls.pages = {path: Page(path.read_text(encoding="utf-8")) for path in cls.site.rglob("*.html")}

    def test_there_are_no_warnings(self):
        """Sphinx warns of pages that are in no list, of missing files and of unknown headings."""
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))

    def test_every_page_of_the_documentation_is_there(self):
        for page in [*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")]:
            self.assertIn((self.site / page.relative_to(ROOT)).with_suffix(".html"), self.pages)

    def test_every_link_leads_to_a_file_and_an_anchor(self):
        self.assertGreater(len(self.pages), 25)
        checked = 0
        for path, page in self.pages.items():
            for link in page.links:
                address = urllib.parse.urlsplit(link)
                if address.scheme or address.netloc:
                    continue
                target = (path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else path
                self.assertTrue(target.exists(), f"{path.name}: {link}")
                if address.fragment and target in self.pages:
                    self.assertIn(urllib.parse.unquote(address.fragment), self.pages[target].anchors, f"{path.name}: {link}")
                checked += 1
        self.assertGreater(checked, 500)


if __name__ == "__main__":
    unittest.main()
