#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every relative link in a Markdown file leads to a file that exists. Exit code 1 if one does not."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def broken_links(root):
    """(file, target) of every relative link below root that leads nowhere."""
    broken = []
    for file in sorted(root.rglob("*.md")):
        if "build" in file.relative_to(root).parts:
            continue
        for target in LINK.findall(file.read_text(encoding="utf-8")):
            if "://" in target or target.startswith("#"):
                continue
            if not (file.parent / target.split("#")[0]).exists():
                broken.append((file.relative_to(root), target))
    return broken


if __name__ == "__main__":
    found = broken_links(ROOT)
    for file, target in found:
        print(f"{file}: broken link {target}", file=sys.stderr)
    sys.exit(1 if found else 0)
