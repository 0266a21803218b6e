#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The completion scripts, asked in a real bash and a real zsh what they offer for the text before the cursor."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from krossfold_cli import EXECUTABLE, CommandTest, environment

STUDIES = ("svm", "bag", "train", "names")


def script_of(shell):
    return subprocess.run([EXECUTABLE, "help", "--completion", shell], capture_output=True, text=True, env=environment(), check=True).stdout


# Calls the function as readline does: COMP_WORDS is broken at the letters of COMP_WORDBREAKS.
ASK_BASH = r"""
source completion
compopt() { echo "compopt $*" >> options; }
complete -p krossfold | grep -q -- '-F _krossfold' || exit 3
COMP_LINE=$1 COMP_POINT=${#1}
[[ $# -lt 2 ]] || COMP_WORDBREAKS=$2
_krossfold krossfold
printf '%s\n' "${COMPREPLY[@]}"
"""


class Folder(CommandTest):
    """A folder with files to complete."""

    def setUp(self):
        super().setUp()
        for name in ("table.csv", "digits.h5", "digit one.h5", "notes.txt"):
            (self.folder / name).touch()
        (self.folder / "scans").mkdir()
        (self.folder / "scans" / "a.h5").touch()


class Bash(Folder):
    def setUp(self):
        super().setUp()
        if not shutil.which("bash"):
            self.skipTest("there is no bash here")
        (self.folder / "completion").write_text(script_of("bash"))
        (self.folder / "ask").write_text(ASK_BASH)

    def offers(self, line, *breaks):
        """What the function adds to the last word, as bash sees words."""
        done = subprocess.run(["bash", "--norc", "ask", line, *breaks], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        return sorted(word for word in done.stdout.split("\n") if word)

    def test_the_script_has_no_errors_of_syntax(self):
        done = subprocess.run(["bash", "-n", "completion"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_subcommands(self):
        self.assertEqual(self.offers("krossfold s"), ["sample", "svm"])
        self.assertLessEqual({*STUDIES, "predict", "report", "help"}, set(self.offers("krossfold ")))
        self.assertEqual(self.offers("krossfold --v"), ["--version"])
        self.assertEqual(self.offers("krossfold help sv"), ["svm"])

    def test_options_of_each_subcommand_are_those_of_its_help(self):
        for name in STUDIES + ("predict", "report", "plan", "data", "sample"):
            text = self.succeed(name, "--help").out.split("\nExamples:")[0]
            shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.MULTILINE)
            self.assertEqual(self.offers(f"krossfold {name} --"), sorted(shown), name)
        self.assertEqual(self.offers("krossfold svm --grid 4x4 --fold"), ["--fold-kind", "--folds"])
        self.assertIn("--dry-run", self.offers("krossfold svm "), "a study has no arguments")

    def test_words_that_an_option_takes(self):
        self.assertEqual(self.offers("krossfold svm --fold-kind strat"), ["stratified", "stratified-shuffled"])
        self.assertEqual(self.offers("krossfold svm --fold-kind=strat"), ["stratified", "stratified-shuffled"])
        self.assertEqual((self.offers("krossfold svm --fold-kind l"), self.offers("krossfold bag --fold-kind l")), (["leave-one-out"], []))
        self.assertEqual(self.offers("krossfold data digits --format "), ["json", "text"])
        self.assertEqual(self.offers("krossfold plan x.h5 --format "), ["csv", "json", "text"])
        self.assertEqual(self.offers("krossfold train m"), ["mlp"])
        self.assertEqual(self.offers("krossfold svm --partition "), ["none", "random:", "voronoi:"])
        self.assertEqual(self.offers("krossfold svm --grid "), [], "nothing is known of it")

    def test_specs_and_the_files_after_them(self):
        self.assertEqual(self.offers("krossfold svm --data c"), ["csv:"])
        self.assertEqual(self.offers("krossfold svm --data csv:ta"), ["table.csv"])
        self.assertEqual(self.offers("krossfold svm --data=csv:ta"), ["table.csv"])
        self.assertEqual(self.offers("krossfold svm --data images:"), ["scans/"])
        self.assertEqual(self.offers("krossfold svm --data idx:notes.txt,ta"), ["notes.txt,table.csv"])
        self.assertEqual(self.offers("krossfold data verify csv:ta"), ["table.csv"])
        self.assertEqual(self.offers("krossfold data ver"), ["verify"])
        self.assertEqual(self.offers("krossfold names --data na"), ["names", "names:"])

    def test_words_that_bash_does_not_break(self):
        breaks = " \t\n\"'><;|&("
        self.assertEqual(self.offers("krossfold svm --data csv:ta", breaks), ["csv:table.csv"])
        self.assertEqual(self.offers("krossfold svm --data=csv:ta", breaks), ["--data=csv:table.csv"])
        self.assertEqual(self.offers("krossfold svm --data=csv:ta", breaks + "="), ["csv:table.csv"])

    def test_files(self):
        self.assertEqual(self.offers("krossfold report "), [r"digit\ one.h5", "digits.h5", "scans/"])
        self.assertEqual(self.offers("krossfold report digits.h5 scans/"), ["scans/a.h5"])
        self.assertEqual(self.offers(r"krossfold report digit\ "), [r"digit\ one.h5"])
        self.assertEqual(self.offers("krossfold svm -o di"), [r"digit\ one.h5", "digits.h5"])
        self.assertEqual(self.offers("krossfold svm --config no"), ["notes.txt"])
        self.assertEqual(self.offers("krossfold predict n"), [], "a model is HDF5")
        self.assertEqual(self.offers("krossfold predict digits.h5 n"), ["names", "names:", "notes.txt", "npy:", "npz:"])
        self.assertEqual(self.offers("krossfold help --write s"), ["scans/"])
        self.assertEqual(self.offers("krossfold report absent"), [])

    def test_what_follows_a_switch_or_a_value_is_no_value(self):
        self.assertEqual(self.offers("krossfold svm --dry-run --folds 5 --outpu"), ["--output"])
        self.assertEqual(self.offers("krossfold report --compare --format json di"), [r"digit\ one.h5", "digits.h5"])
        self.assertEqual(self.offers("krossfold predict --label svm di"), [r"digit\ one.h5", "digits.h5"])

    def test_no_blank_follows_what_goes_on(self):
        for line, says in (("krossfold svm --data cs", True), ("krossfold report sc", True), ("krossfold report digits", False)):
            (self.folder / "options").write_text("")
            self.offers(line)
            self.assertEqual("nospace" in (self.folder / "options").read_text(), says, line)


@unittest.skipUnless(shutil.which("zsh"), "there is no zsh here")
class Zsh(Folder):
    """A zsh on a terminal of its own: a key asks for the completion, another writes the line to a file."""

    def setUp(self):
        super().setUp()
        (self.folder / "functions").mkdir()
        (self.folder / "functions" / "_krossfold").write_text(script_of("zsh"))
        (self.folder / ".zshrc").write_text(r"""
PS1='> '
fpath=($PWD/functions $fpath)
autoload -Uz compinit && compinit -u -d $PWD/.zcompdump
unsetopt beep
show() { print -r -- "$BUFFER" >> $LINES_FILE; BUFFER= }
zle -N show
bindkey '^X' show
bindkey '^I' complete-word
print ready >> $LINES_FILE
""")
        self.lines = self.folder / "lines"
        self.lines.touch()
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-i"], {**os.environ, "ZDOTDIR": str(self.folder), "LINES_FILE": str(self.lines), "TERM": "dumb"})
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, self.terminal)
        self.wait_for_lines(1)

    def wait_for_lines(self, number):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.02)[0]:
                os.read(self.terminal, 65536)
            if len(self.lines.read_text().splitlines()) >= number:
                return self.lines.read_text().splitlines()[-1]
        self.fail(f"zsh does not answer: {self.lines.read_text()}")

    def completed(self, line):
        """The line after one completion."""
        number = len(self.lines.read_text().splitlines())
        os.write(self.terminal, f"{line}\t\x18".encode())
        return self.wait_for_lines(number + 1)

    def test_lines_are_completed(self):
        for line, expected in (
                ("krossfold sv", "krossfold svm "),
                ("krossfold svm --fold-k", "krossfold svm --fold-kind="),
                ("krossfold svm --fold-kind cont", "krossfold svm --fold-kind contiguous "),
                ("krossfold svm --fold-kind=cont", "krossfold svm --fold-kind=contiguous "),
                ("krossfold svm --dry", "krossfold svm --dry-run "),
                ("krossfold svm --no-r", "krossfold svm --no-refit "),
                ("krossfold svm --data cs", "krossfold svm --data csv:"),
                ("krossfold svm --data csv:ta", "krossfold svm --data csv:table.csv "),
                ("krossfold svm --data images:sc", "krossfold svm --data images:scans/"),
                ("krossfold svm --partition vor", "krossfold svm --partition voronoi:"),
                ("krossfold train ml", "krossfold train mlp "),
                ("krossfold predict digits", "krossfold predict digits.h5 "),
                ("krossfold predict digits.h5 note", "krossfold predict digits.h5 notes.txt "),
                ("krossfold report --compare digits.h5 digits", "krossfold report --compare digits.h5 digits.h5 "),
                ("krossfold help sv", "krossfold help svm "),
                ("krossfold plan digits.h5 --format js", "krossfold plan digits.h5 --format json ")):
            with self.subTest(line):
                self.assertEqual(self.completed(line).rstrip(), expected.rstrip())

    def test_the_script_has_no_errors_of_syntax(self):
        done = subprocess.run(["zsh", "-n", "functions/_krossfold"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Written(CommandTest):
    def test_files_lie_where_shells_and_man_look_for_them(self):
        self.succeed("help", "--write", "prefix")
        names = {str(path.relative_to(self.folder / "prefix")) for path in (self.folder / "prefix").rglob("*") if path.is_file()}
        subcommands = self.succeed("help").out.split("\nSubcommands:\n")[1].split("\n\n")[0]
        self.assertEqual(names, {"share/man/man1/krossfold.1", "share/bash-completion/completions/krossfold",
                                 "share/zsh/site-functions/_krossfold",
                                 *(f"share/man/man1/krossfold-{name}.1" for name in re.findall(r"^  (\w+) ", subcommands, re.MULTILINE))})
        self.assertEqual((self.folder / "prefix/share/bash-completion/completions/krossfold").read_text(), script_of("bash"))

    def test_a_folder_that_cannot_be_written_is_named(self):
        (self.folder / "file").touch()
        result = self.run_command("help", "--write", "file")
        self.assertEqual(result.code, 2)
        self.assertIn("cannot write file/share/", result.err)


if __name__ == "__main__":
    assert pathlib.Path(EXECUTABLE).exists()
    unittest.main()
