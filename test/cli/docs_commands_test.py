#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of krossfold in the documentation name options that it has, and studies there name their result file."""

import functools
import re
import subprocess
import unittest

from krossfold_cli import EXECUTABLE, ROOT, environment
from page_commands import OTHERS, STUDIES

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "python" / "README.md", ROOT / "examples" / "README.md"]
SUBCOMMANDS = (*STUDIES, *OTHERS)
# Up to what ends a command: code, a cell of a table, another command, a comment.
COMMAND = re.compile(rf"(?:\bkrossfold|\.sbatch) ({'|'.join(SUBCOMMANDS)})\b([^`|;&#]*)")
LINE = re.compile(rf"^ {{4,}}(?:\$ )?(?:(?:mpirun|srun|sbatch)\b.*?)?(?:\S*krossfold|\S+\.sbatch) (?:{'|'.join(STUDIES)})\b")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")


@functools.cache
def known_options(subcommand):
    done = subprocess.run([EXECUTABLE, subcommand, "--help"], capture_output=True, text=True, env=environment(), check=True)
    found = set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", done.stdout, re.MULTILINE))
    return found | {f"--no-{name[2:]}" for name in found}


def unknown_options(line):
    """(subcommand, option) for each option that the command's help does not show."""
    return [(command[1], option) for command in COMMAND.finditer(line) for option in OPTION.findall(command[2])
            if option not in known_options(command[1])]


def lacks_output(line):
    """True for a line of code that runs a study, but names no result file."""
    return bool(LINE.match(line)) and not re.search(r" (-o|--output|--dry-run)\b", line.partition(" # ")[0])


class Commands(unittest.TestCase):
    def lines(self):
        """(place, line) of every page, continued lines joined."""
        for page in PAGES:
            text = page.read_text(encoding="utf8").replace("\\\n", " ")
            for number, line in enumerate(text.splitlines(), 1):
                yield f"{page.relative_to(ROOT)}, line {number} or later: {line.strip()}", line

    def test_options_are_those_of_the_help(self):
        commands = 0
        for place, line in self.lines():
            commands += len(COMMAND.findall(line))
            self.assertEqual(unknown_options(line), [], place)
        self.assertGreater(commands, 150)

    def test_studies_name_their_result_file(self):
        studies = 0
        for place, line in self.lines():
            studies += bool(LINE.match(line))
            self.assertFalse(lacks_output(line), place)
        self.assertGreater(studies, 40)

    def test_what_is_wrong_is_seen(self):
        self.assertEqual(unknown_options("see `krossfold svm --grids 8x8 --seed 1` and `krossfold plan r.h5 --seed 1`"),
                         [("svm", "--grids"), ("plan", "--seed")])
        self.assertEqual(unknown_options("    krossfold svm --no-refit -o r.h5 # unlike --that"), [])
        for line in ("    krossfold svm --data digits", "    $ mpirun -n 2 krossfold bag", "    sbatch -n 4 tools/slurm/cpu.sbatch svm --grid 2x2 # -o"):
            self.assertTrue(lacks_output(line), line)
        self.assertFalse(lacks_output("    krossfold svm --data digits -o r.h5"))
        self.assertFalse(lacks_output("`krossfold svm` searches"))


if __name__ == "__main__":
    unittest.main()
