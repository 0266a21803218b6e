#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""From a fresh clone to a figure of one's own table: three commands in a bare Debian system. KROSSFOLD_LONG_TESTS=1 selects it; as
root. It prints the minutes of each command, which docs/install.md has."""

import csv
import os
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "cli"))

from bare_system import BareSystem, megabytes, skip_without, take_source, timed  # noqa: E402

COMMANDS = (
    "tools/setup --target krossfold",
    "build/release/bin/krossfold svm --data csv:penguins.csv --label species --drop id --categorical onehot --missing median -o penguins.h5",
    "tools/plot_svm penguins.h5",
)


def setUpModule():
    skip_without("a quarter of an hour")


def write_table(path):
    """A table as people have it: an identifier, names with blanks, a column of words, gaps."""
    draw = random.Random(4)
    middle = {"Adelie": (38.8, 18.3, 190, 3700), "Chinstrap": (48.8, 18.4, 196, 3730), "Gentoo": (47.5, 15.0, 217, 5080)}
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "bill length (mm)", "bill depth (mm)", "flipper length (mm)", "body mass (g)", "island", "species"])
        for row in range(340):
            species = draw.choice(list(middle))
            values = [f"{draw.gauss(m, m / 25):.1f}" for m in middle[species]]
            if row % 50 == 7:
                values[row % 4] = ""
            table.writerow([f"N{row}", *values, draw.choice(["Biscoe", "Dream", "Torgersen"]), species])


class FirstFigure(unittest.TestCase):
    def test_of_ones_own_table(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="kf-first-"))
        self.addCleanup(shutil.rmtree, folder, True)
        with timed("bare Debian"):
            system = BareSystem(folder / "system")
        self.addCleanup(system.close)
        take_source(system, "/krossfold")  # what git clone would bring
        tree = system.folder / "krossfold"
        write_table(tree / "penguins.csv")
        system.open()
        with timed("all commands"):
            for command in COMMANDS:
                with timed(command):
                    out = system.run(f"cd /krossfold; {command}")[1]
                if command.startswith("build/"):
                    print(out, file=sys.stderr)
                    self.assertRegex(out, r"finished: \d+ of \d+ units, 0 failed")
        print(f"the system grew to {megabytes(system.folder)} MB", file=sys.stderr)
        self.assertEqual((tree / "penguins_heatmap.png").read_bytes()[:4], b"\x89PNG")
        kept = os.environ.get("KROSSFOLD_KEEP_FIGURE")
        if kept:
            shutil.copy(tree / "penguins_heatmap.png", kept)


if __name__ == "__main__":
    unittest.main()
