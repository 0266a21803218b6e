#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Proves from its text that all work on a device is labelled: check_labels.py [ROOT]

Every Kokkos::parallel_for, parallel_reduce and parallel_scan of include/ and src/ begins with a literal label
"krossfold::<layer>::<what>" that names the layer whose folder it lies in (ranges nested in a team take none), no fence is
without a label, and every other label names its layer too. Prints one line for each problem; exit code 1 if there is any.
"""

import pathlib
import re
import sys

from tree_check import run

# Literals first, so that a comment sign within one does not count.
LITERAL_OR_COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\])')|//[^\n]*|/\*.*?\*/""", re.DOTALL)
LAUNCH = re.compile(r"\b(parallel_(?:for|reduce|scan))\s*(?:<[^;(]*>\s*)?\(\s*")
NESTED = re.compile(r"(?:Kokkos\s*::\s*)?(?:TeamThread|TeamVector|ThreadVector)(?:MD)?Range\b")
FENCE = re.compile(r"\bfence\s*\(\s*\)")
LABEL = re.compile(r'"krossfold::[^"\n]*"')
FIRST_ARGUMENT = re.compile(LABEL.pattern + r"\s*,")
FENCE_OF_OLD_KOKKOS = "include/krossfold/core/kokkos_compat.hpp"  # the one place that may fence without a label

# They define parallel_for and the others, and fence, for an execution space.
PATTERNS_THEMSELVES = ("include/krossfold/core/fibre_space.hpp", "src/core/fibre_space.cpp")


def without_comments(text):
    """The text with its comments blanked, line for line."""
    blank = lambda match: match.group(1) or re.sub(r"[^\n]", " ", match.group(0))  # noqa: E731
    return LITERAL_OR_COMMENT.sub(blank, text)


def check_file(root, path, layer):
    text = without_comments(path.read_text(encoding="utf-8"))
    name = path.relative_to(root).as_posix()
    if name in PATTERNS_THEMSELVES:
        return
    well_formed = re.compile(rf'"krossfold::{layer}::[a-z0-9_]+"')

    def at(position):
        return f"{name}:{text.count(chr(10), 0, position) + 1}"

    for match in LAUNCH.finditer(text):
        if not NESTED.match(text, match.end()) and not FIRST_ARGUMENT.match(text, match.end()):
            yield f'{at(match.start())}: {match.group(1)} has no label - begin with "krossfold::{layer}::<what>"'
    for match in LABEL.finditer(text):
        if not well_formed.fullmatch(match.group()):
            yield f'{at(match.start())}: label {match.group()} - here it must read "krossfold::{layer}::<what>"'
    if name != FENCE_OF_OLD_KOKKOS:
        for match in FENCE.finditer(text):
            yield f'{at(match.start())}: fence without a label - fence(exec, "krossfold::{layer}::<what>")'


def problems(root):
    """Every problem of the tree at `root`, one line each."""
    root = pathlib.Path(root).resolve()
    for tree in (root / "include" / "krossfold", root / "src"):
        for path in sorted(tree.rglob("*")):
            if path.suffix in (".hpp", ".cpp"):
                yield from check_file(root, path, path.relative_to(tree).parts[0])


if __name__ == "__main__":
    sys.exit(run(problems, sys.argv[1:]))
