#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The commands of the documentation run: studies with --dry-run, all others as they stand, on stand-ins for the files that they read.

A result file that a command reads is made by the study of the same page that writes it, at a small size. docs/tutorial.md, export.md and
python.md have tests of their own, which compare what is printed.
"""

import collections
import contextlib
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from krossfold_cli import EXECUTABLE, ROOT, CommandTest, environment
from page_commands import DRY, EXCLUDE, EXCLUDED, RUN, UNKNOWN, commands
from stand_in_data import NETWORKS, SMALL, write_stand_ins

OWN_TEST = ("tutorial.md", "export.md", "python.md")
PAGES = [ROOT / "README.md", ROOT / "tools/gpu/README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in OWN_TEST)]

# What makes a study small; these options replace those of the page.
SIZE = {"svm": (*SMALL, "--grid", "2x2"),
        "bag": (*SMALL, *NETWORKS),
        "train": ("--limit", "200", "--epochs", "1", "--hidden", "8"),
        "names": ("--limit", "200", "--epochs", "1", "--hidden", "8", "--layers", "1", "--workers", "1",
                  "--batch-per-worker", "20", "--rate", "0.01")}
LARGE = ("--refine", "--c-values", "--gamma-values", "--max-time")


def small(words):
    """The words of a study with the options of SIZE in the place of the page's."""
    size, kept, value_of = SIZE[words[0]], [], None
    for word in words:
        name = word.partition("=")[0]
        if name in (*size[::2], *LARGE):
            value_of = name if name == word else None
        elif value_of:
            value_of = None
        elif word != "--dry-run":
            kept.append(word)
    return [*kept, *size]


def file_of(word):
    """The file or folder that a word of a command may name: `table.csv` of csv:table.csv, names:table.csv#column and table.csv."""
    name = re.sub(r"^(?:csv|hdf5|images|names):([^:#]+).*", r"\1", word).rstrip("/")
    return name if re.fullmatch(r"\w[\w./-]*", name) else None


class Page:
    """A page of the documentation whose commands run in a folder of its own."""

    def __init__(self, text, folder, stand_ins):
        self.commands, self.folder, self.stand_ins = commands(text), folder, stand_ins
        self.program = folder / "build/release/bin/krossfold"
        self.program.parent.mkdir(parents=True)
        self.program.symlink_to(pathlib.Path(EXECUTABLE).resolve())

    def bash(self, line):
        env = environment(KROSSFOLD_DATA=self.stand_ins)
        env["PATH"] = f"{self.program.parent}:{env['PATH']}"
        return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", line], cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=100, check=False)

    def make(self, name):
        """Makes a file that a command reads: by a small form of the study of this page that writes it, or a link to a stand-in."""
        study = next((other for other in self.commands if other.kind == DRY and other.output() == name), None)
        if study:
            done = self.bash(shlex.join(["krossfold", *small(study.words())]))
            return f"{done.args[-1]}\n{done.stderr[-2000:]}" if done.returncode else None
        first = pathlib.Path(name).parts[0]
        if (self.stand_ins / first).exists() and not (self.folder / first).exists():
            for file in [self.stand_ins / first, *self.stand_ins.glob(f"{pathlib.Path(first).stem}.*.models")]:
                (self.folder / file.name).symlink_to(file)
        return None

    @contextlib.contextmanager
    def without(self, name):
        """Puts a file aside, as a dry run refuses the small form of its study that another command reads."""
        file = self.folder / name if name else None
        if file is None or not file.exists():
            yield
            return
        aside = file.with_name(f"aside-{file.name}")
        file.rename(aside)
        yield
        aside.rename(file)

    def problem(self, command):
        """What is wrong with a command, or None."""
        if command.kind in (EXCLUDE, UNKNOWN):
            return UNKNOWN if command.kind == UNKNOWN else None
        for name in filter(None, map(file_of, command.words())):
            wrong = self.make(name) if name != command.output() and not (self.folder / name).exists() else None
            if wrong:
                return f"what it reads cannot be made: {wrong}"
        with self.without(command.output() if command.kind == DRY else None):
            done = self.bash(command.shell)
        if done.returncode == 1 and command.words()[0] == "doctor" and not re.search(r"error:|Traceback", done.stderr):
            return None  # something is wrong with this machine, not with the page
        return f"exit code {done.returncode} of {command.shell}\n{done.stderr[-2000:]}" if done.returncode else None

    def problems(self):
        """(line number, command, what is wrong) of each that fails, that no rule covers, or that writes to the file of another one."""
        found, writers = [], {}
        for command in self.commands:
            wrong = self.problem(command)
            if not wrong and command.kind != EXCLUDE and command.output():
                first = writers.setdefault(command.output(), command)
                if first.words() != command.words():
                    wrong = f"line {first.number} writes something else to {command.output()}"
            if wrong:
                found.append((command.number, command.text, wrong))
        return found


class Docs(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.stand_ins = cls.share("make_stand_ins")

    def make_stand_ins(self):
        write_stand_ins(self.folder, lambda *words, ranks=None: self.succeed(*words, "--quiet", ranks=ranks))

    def run_page(self, number, text):
        folder = self.folder / str(number)
        return Page(text, folder, self.stand_ins).problems()

    def test_commands_of_all_pages_run(self):
        kinds, used = collections.Counter(), set()
        for number, path in enumerate(PAGES):
            text = path.read_text(encoding="utf8")
            for command in commands(text):
                kinds[command.kind] += 1
                used |= {reason for pattern, reason in EXCLUDED if command.kind == EXCLUDE and pattern.search(command.text)}
            for line, command, wrong in self.run_page(number, text):
                with self.subTest(f"{path.relative_to(ROOT)}, line {line}: {command}"):
                    self.fail(wrong)
        print(*(f"{count} {kind}" for kind, count in sorted(kinds.items())), sep=", ", file=sys.stderr)
        self.assertGreater(kinds[RUN], 30)
        self.assertGreater(kinds[DRY], 50)
        self.assertEqual(used, {reason for _, reason in EXCLUDED})

    def check(self, text, *expected):
        """The lines with problems, and what the message of each contains."""
        problems = self.run_page(len(list(self.folder.iterdir())), text)
        self.assertEqual([line for line, _, _ in problems], [line for line, _ in expected], problems)
        for (_, _, wrong), (_, said) in zip(problems, expected):
            self.assertIn(said, wrong)

    def test_a_command_that_fails_is_reported(self):
        self.check("# Page\n\n    krossfold report missing.h5\n    krossfold data csv:patients.csv   # is there\n", (3, "missing.h5"))
        self.check("```\nkrossfold svm --grid 8y8 -o a.h5\nkrossfold svm -o b.h5\n```\n", (2, "8y8"))
        self.check("    for n in x 50; do krossfold svm --limit $n -o $n.h5; done\n", (1, "--limit"))
        self.check("    krossfold data csv:survey.csv --weight rate --json | grep -c x\n", (1, "rate"))
        self.check("Type `krossfold svm --data csv:nothing.csv -o a.h5`, or\n`krossfold report\na.h5` of `krossfold svm` and `FILE.h5`.\n",
                   (1, "nothing.csv"), (2, "cannot be made"))
        self.check("    sbatch --ntasks=4 tools/slurm/cpu.sbatch svm --data mnist --limit none -o m.h5\n", (1, "none"))

    def test_a_command_without_a_rule_is_reported(self):
        for line in ("mpiexec krossfold svm -o a.h5", "krossfold reprot a.h5", "ls; krossfold svm", "mpirun krossfold svm", "srun krossfold 'svm"):
            self.check(f"    {line}\n", (1, UNKNOWN))

    def test_a_file_of_two_studies_is_reported(self):
        self.check("    krossfold svm --data digits -o a.h5\n\n    krossfold svm -o b.h5\n    krossfold svm -o b.h5\n    krossfold bag -o a.h5\n",
                   (5, "line 1 writes"))

    def test_what_is_shown_after_a_prompt_is_no_command(self):
        self.check("    $ krossfold svm --limit 50 \\\n        --folds 2 -o a.h5\n    krossfold: it's done\n    krossfold did it\n"
                   "    $ krossfold report \\\n      b.h5\n", (5, "b.h5"))

    def test_a_result_comes_from_the_study_of_the_page(self):
        self.check("    krossfold report a.h5 | grep '2 C x 2 gamma'\n    krossfold report a.h5 | grep '24 C'\n"
                   "    mpirun -n 64 krossfold svm --multiclass ovo --grid=24x1 -o a.h5\n", (2, "exit code 1"))


if __name__ == "__main__":
    unittest.main()
