#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds links in Markdown files that lead nowhere: check_links.py [ROOT]

Every relative link and image must name a file of the tree, and what follows a # a heading of the page, spelt as GitHub spells anchors.
Also finds docs/*.md that no other page links to, and images that no page shows. Prints one line for each problem; exit code 1 if there
is any.
"""

import pathlib
import re
import sys

from tree_check import run

FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:\A|\n[ \t]*\n)((?: {4}.*(?:\n|\Z)|[ \t]*\n)+)")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$", re.MULTILINE)
SKIPPED = {"build", ".git", "node_modules", ".venv"}


def markdown_files(root):
    for path in sorted(root.rglob("*.md")):
        if not SKIPPED & set(path.relative_to(root).parts):
            yield path


def without_code(text):
    """The text with code blanked out, line by line, so that line numbers stay."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    for pattern in (FENCE, INDENTED):
        text = pattern.sub(blank, text)
    return CODE.sub(blank, text)


def anchors(text):
    """The anchors of a page's headings: lower case, without punctuation, blanks as hyphens, repetitions numbered."""
    found = set()
    for match in HEADING.finditer(FENCE.sub("", text)):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(2)).replace("`", "")
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        name, number = slug, 0
        while name in found:
            number += 1
            name = f"{slug}-{number}"
        found.add(name)
    return found


def links(text):
    """Yields (line number, target) of every link that is no address."""
    for match in LINK.finditer(without_code(text)):
        target = match.group(1)
        if not re.match(r"[a-z][a-z0-9+.-]*:", target):
            yield text.count("\n", 0, match.start()) + 1, target


def problems(root):
    """Yields a line for each broken link, and for each page or picture of docs/ that nothing leads to."""
    root = root.resolve()
    texts = {path: path.read_text(encoding="utf-8") for path in markdown_files(root)}
    reached = set()
    for path, text in texts.items():
        for line, target in links(text):
            name, _, anchor = target.partition("#")
            place = (path.parent / name).resolve() if name else path
            where = f"{path.relative_to(root)}:{line}: "
            if root not in (place, *place.parents) or not place.exists():
                yield f"{where}{target} leads to no file"
                continue
            if place != path:
                reached.add(place)
            if anchor and anchor not in anchors(texts.get(place, "")):
                yield f"{where}{target}: {place.relative_to(root)} has no such heading"
    for path in [*sorted((root / "docs").glob("*.md")), *sorted((root / "docs" / "images").glob("*"))]:
        if path not in reached:
            yield f"{path.relative_to(root)}: no page links to it"


if __name__ == "__main__":
    sys.exit(run(problems, sys.argv[1:]))
