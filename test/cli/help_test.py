#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What krossfold says of itself: overview, help of each subcommand, suggestions."""

import functools
import os
import re
import shlex
import subprocess
import unittest

from krossfold_cli import EXECUTABLE, ROOT, USAGE, CommandTest, digits, environment, write_csv

STUDIES = ("svm", "bag", "train", "names")


@functools.cache
def help_of(*words):
    done = subprocess.run([EXECUTABLE, *words], capture_output=True, text=True, env=environment(), check=True)
    assert done.stderr == "", done.stderr
    return done.stdout


@functools.cache
def subcommands():
    """{name: summary} from the overview."""
    block = help_of("--help").split("\nSubcommands:\n")[1].split("\n\n")[0]
    return dict(re.findall(r"^  (\w+) +(.+)$", block, re.MULTILINE))


def groups_of(name):
    """{heading: [option heading]}"""
    groups, heading = {}, None
    for line in help_of(name, "--help").split("\nExamples:\n")[0].splitlines():
        if re.fullmatch(r"[A-Z0-9][^:]*:", line):
            heading = line[:-1]
            groups[heading] = []
        elif heading and re.match(r"  (-|[A-Z])\S", line):
            groups[heading].append(re.split(r"  +", line[2:])[0])
    return groups


def options_of(name):
    """{"--grid": "the text of the option in one line"}; of arguments the key is their name."""
    found, key = {}, None
    for line in help_of(name, "--help").split("\nExamples:\n")[0].splitlines():
        match = re.match(r"  (?:-\w, )?(--[\w-]+|[A-Z][\w.]*)( |$)", line)
        if match:
            key = match.group(1)
            assert key not in found, f"{name} {key} twice"
            found[key] = line
        elif key and line.startswith("     "):
            found[key] += " " + line.strip()
        else:
            key = None
    return {key: re.sub(r"\s+", " ", text) for key, text in found.items()}


def examples_of(name):
    """The commands of the examples, each in one line."""
    text = help_of(name, "--help").split("\nExamples:\n")[1].split("\n\n")[0]
    return re.findall(r"^    (\S.*)$", text.replace(" \\\n      ", " "), re.MULTILINE)


class Help(CommandTest):
    def test_help_is_on_stdout_and_names_the_subcommands_and_exit_codes(self):
        result = self.succeed("--help")
        for word in ("mpirun", "srun", "75", "docs/tutorial.md"):
            self.assertIn(word, result.out)
        self.assertEqual(result.err, "")
        self.assertEqual(list(subcommands())[:9], [*STUDIES, "predict", "sample", "report", "plan", "data"])

    def test_only_studies_can_be_stopped_and_continued(self):
        for name in subcommands():
            text = help_of(name, "--help").split("\nExit codes:\n")[1].split("\n\n")[0]
            codes = re.findall(r"^  (\d+)  ", text, re.MULTILINE)
            self.assertEqual(codes, ["0", "1", "2", *(["75"] if name in STUDIES else [])], name)
            page = help_of("help", name, "--man").split(".SH EXIT STATUS\n")[1].split(".SH")[0]
            self.assertEqual(re.findall(r"\\fB(\d+)\\fR", page), codes, name)

    def test_help_of_a_subcommand_is_the_same_by_both_ways(self):
        self.assertEqual(help_of("help"), help_of("--help"))
        for name in subcommands():
            self.assertEqual(help_of("help", name), help_of(name, "--help"))
            self.assertEqual(help_of(name, "-h"), help_of(name, "--help"))

    def test_help_of_a_network_shows_its_options_alone(self):
        result = self.succeed("report", "--help")  # no word restricts this one
        self.assertEqual(help_of("report", "r.h5", "--help"), result.out)
        for network, has, lacks in (("lstm", "--window", "--momentum"), ("cnn", "--kernel", "--window"), ("mlp", "--momentum", "--kernel")):
            text = help_of("train", network, "--help")
            self.assertEqual(help_of("help", "train", network), text)
            self.assertIn(has, text)
            self.assertNotIn(lacks, text)
            self.assertNotIn("cnn, mlp: ", text)
        self.assertIn("cnn, mlp: momentum", help_of("train", "--help").replace("\n", " "))
        self.assertEqual(help_of("train", "lsmt", "--help"), help_of("train", "--help"))
        for words, says in (("train lsmt", "unknown word 'lsmt' after train. Did you mean lstm?"), ("svm lstm", "unknown word 'lstm' after svm.")):
            result = self.run_command("help", *words.split())
            self.assertEqual(result.code, USAGE)
            self.assertIn(says, result.err)

    def test_no_line_is_longer_than_a_terminal_or_ends_in_blanks(self):
        for words in (("--help",), *((name, "--help") for name in subcommands())):
            for line in help_of(*words).splitlines():
                self.assertLessEqual(len(line), 80, line)
                self.assertEqual(line, line.rstrip())

    def test_nothing_of_the_parser_shows(self):
        for name in subcommands():
            for leak in ("{false}", "{true}", "TEXT", "INT", "FLOAT", "UINT", "Excludes", "Needs", "REQUIRED", "Print this help", "[]", ":{"):
                self.assertNotIn(leak, help_of(name, "--help"), name)

    def test_each_option_of_a_study_is_there_once(self):
        """The option tables are those that a result file keeps."""
        self.succeed("svm", "--grid", "1x1", "--limit", "100", "--no-refit", "-o", "r.h5")
        known = self.succeed("report", "r.h5", "--format", "json").report()["options"]
        shown = options_of("svm")  # fails if one is there twice
        for option in known:
            self.assertTrue(f"--{option}" in shown or f"--no-{option}" in shown, option)

    def test_every_option_of_a_study_that_the_help_shows_is_known(self):
        for name in STUDIES:
            for option, text in options_of(name).items():
                if not option.startswith("--") or option in ("--help", "--dry-run"):
                    continue
                words = ["cnn"] if name == "train" else []
                flag = not re.match(r"(?:-\w, )?--\S+ [A-Z]", text.strip())
                result = self.run_command(name, *words, option, *([] if flag else ["x"]), "--unheard-of", "-o", "r.h5")
                self.assertEqual(result.code, USAGE, result)
                self.assertNotIn(f"unknown option '{option}'", result.err)

    def test_options_stand_in_groups_and_each_has_one_group_everywhere(self):
        where = {}
        for name in subcommands():
            groups = groups_of(name)
            self.assertGreaterEqual(len(groups), 2, name)
            self.assertNotIn("Options", groups, name)
            for heading, options in groups.items():
                self.assertTrue(options, f"{name}: {heading} is empty")
                for option in options:
                    word = re.search(r"--(?:no-)?[\w-]+|^\S+", option).group()
                    where.setdefault(word, {}).setdefault(heading, []).append(name)
        for name in STUDIES:
            for heading in ("Data", "Folds and random numbers", "Ranks, memory and devices", "Time and interruption", "Output", "General"):
                self.assertIn(heading, groups_of(name), name)
        # What a study searches is fixed in another; of sample the seed draws names.
        searched = {"--channels", "--kernel", "--hidden", "--workers", "--rate"}
        for option, headings in where.items():
            if option not in searched | {"--seed", "--schedule"}:
                self.assertEqual(len(headings), 1, f"{option}: {headings}")

    def test_help_shows_the_defaults_of_the_study(self):
        shown = options_of("svm")
        for option, default in (("--grid", "24x24"), ("--log10-c", "-3:6"), ("--folds", "5"), ("--tolerance", "0.001"),
                                ("--fold-kind", "stratified-shuffled"), ("--test-part", "random"), ("--grace", "30s"), ("--data", "digits"),
                                ("--stall-timeout", "30m"), ("--schedule", "dynamic"), ("--label", "the last")):
            self.assertIn(f"(default: {default})", shown[option])

    def test_defaults_that_the_help_spells_are_those_of_the_parameters(self):
        seconds = {"s": 1, "m": 60, "h": 3600}
        for name, option, header, variable in (("svm", "--grace", "run/run_params.hpp", "grace"),
                                               ("svm", "--grace", "parallel/task_farm.hpp", "grace"),
                                               ("svm", "--checkpoint-every", "run/run_params.hpp", "checkpoint_every"),
                                               ("svm", "--stall-timeout", "run/run_params.hpp", "stall_timeout"),
                                               ("plan", "--latency", "planning/link_model.hpp", "latency"),
                                               ("plan", "--bandwidth", "planning/link_model.hpp", "bandwidth")):
            with self.subTest(option=option, header=header):
                held = re.search(rf"double {variable} = ([\d.e-]+);", (ROOT / "include/krossfold" / header).read_text()).group(1)
                number, unit = re.search(r"\(default: (?:as measured, else )?([\d.e-]+)([smh]?)\)", options_of(name)[option]).groups()
                self.assertEqual(float(number) * seconds.get(unit, 1), float(held))

    def test_every_word_that_an_option_lists_is_taken(self):
        """With the wrong data it may be refused, but not as an unknown word; of bag no fold may be a single sample."""
        self.assertIn("leave-one-out", words_of("svm", "--fold-kind"))
        self.assertNotIn("leave-one-out", words_of("bag", "--fold-kind"))
        listed = {"svm": ("--fold-kind", "--kernel-function", "--multiclass", "--missing", "--categorical", "--select-by", "--part-cell",
                          "--test-part", "--delimiter", "--header", "--schedule", "--class-weight", "--scale"),
                  "bag": ("--fold-kind",), "train": ("--activation", "--strategy")}
        for name, options in listed.items():
            for option in options:
                words = words_of(name, option)
                self.assertGreaterEqual(len(words), 1, option)
                for word in words:
                    with self.subTest(option=option, word=word):
                        network = ["cnn"] if name == "train" else []
                        result = self.run_command(name, *network, option, word, "--dry-run", "--data", "digits", "--limit", "100")
                        self.assertNotRegex(result.err, r"unknown|bad value|expected", result)

    def test_version_is_that_of_the_project(self):
        version = re.search(r"project\(\s*\w+\s+VERSION\s+([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        result = self.succeed("--version")
        self.assertRegex(result.out, rf"\Akrossfold {re.escape(version)}( \(x86-64-v\d\))?\n\Z")
        self.assertEqual(result.err, "")

    def test_two_ranks_say_it_once(self):
        self.assertEqual(self.succeed("--version", ranks=2).out.count("krossfold"), 1)

    def test_pages_that_the_help_names_exist(self):
        for name in subcommands():
            pages = re.findall(r"(?:docs/[\w-]+|README)\.md", help_of(name, "--help").split("\nRead on:")[1])
            self.assertTrue(pages, name)
            for page in pages:
                self.assertTrue((ROOT / page).is_file(), f"{name}: {page}")


def words_of(name, option):
    """The words below an option: a list with meanings, or the words alone."""
    lines = help_of(name, "--help").splitlines()
    first = next(k for k, line in enumerate(lines) if re.match(rf"  (-\w, )?{option} ", line))
    found = []
    for line in lines[first + 1:]:
        if not line.startswith("     "):
            break
        match = re.match(r" {28}(\S+)(  |$)", line)
        if match:
            found.append(match.group(1))
        elif re.fullmatch(r" {28}\w+(, \w+)+", line):
            found += line.strip().split(", ")
    return found


class Suggestions(CommandTest):
    def message(self, *words):
        result = self.run_command(*words)
        self.assertEqual(result.code, USAGE, result)
        self.assertEqual(result.out, "")
        return result.err

    def test_krossfold_alone_lists_the_subcommands(self):
        message = self.message()
        self.assertIn("no subcommand given", message)
        for name in subcommands():
            self.assertRegex(message, rf"(?m)^  {name} ")

    def test_typing_errors_get_the_nearest_word(self):
        self.assertIn("Did you mean svm?", self.message("smv"))
        self.assertIn("Did you mean report?", self.message("help", "reprot"))
        self.assertIn("Did you mean --fold-kind?", self.message("svm", "--fold-knd", "group"))
        self.assertIn("Did you mean --folds?", self.message("svm", "-folds", "3", "-o", "r.h5"))
        self.assertIn("Did you mean --max-time?", self.message("bag", "--maxtime=1h", "-o", "r.h5"))
        self.assertIn("Did you mean --overwrite?", self.message("data", "convert", "digits", "-o", "x.h5", "--overwite"))
        self.assertIn("Did you mean bash?", self.message("help", "--completion", "bsh"))


class Examples(CommandTest):
    """The commands that the help shows, in a folder with the files that they name."""

    def prepare(self):
        pixels, labels = digits()
        header = [[*(f"p{k}" for k in range(pixels.shape[1])), "outcome"]]
        rows = [[*row, label] for row, label in zip(pixels.tolist(), labels.tolist())]
        write_csv(self.folder / "table.csv", header + rows[:200])
        write_csv(self.folder / "new.csv", pixels[:9].tolist())
        (self.folder / "pets.csv").write_text("name,kind\nRex,dog\nMimi,cat\nBello,dog\nLuna,cat\nTom,cat\nAda,dog\n" * 5)
        self.succeed("svm", "--grid", "2x2", "--limit", "200", "-o", "digits.h5")
        self.succeed("svm", "--grid", "2x2", "--limit", "200", "-o", "again.h5")
        self.succeed("train", "cnn", "--limit", "100", "--epochs", "1", "--channels", "2", "--hidden", "4", "-o", "cnn.h5")
        self.succeed("svm", "--grid", "1x1", "--limit", "200", "--probability", "--log10-c=0:0", "--log10-gamma=-2:-2", "-o", "sure.h5")
        self.succeed("train", "lstm", "--limit", "200", "--epochs", "1", "--hidden", "8", "--layers", "1", "-o", "names.h5")
        self.succeed("bag", "--bootstraps", "1", "--trials", "1", "--epochs", "1", "--channels", "1:2", "--hidden", "4:8", "--kernel", "3:3",
                     "--limit", "100", "--folds", "2", "-o", "bag.h5")
        self.succeed("svm", "--grid", "1x1", "--limit", "200", "--multiclass", "ovo", "-o", "pairs.h5")
        self.succeed("export", "pairs.h5", "-o", "svm.model")
        from png_file import png
        (self.folder / "scans").mkdir()
        (self.folder / "three.png").write_bytes(png(pixels[3].reshape(8, 8) * 15))
        (self.folder / "scans" / "four.png").write_bytes(png(pixels[4].reshape(8, 8) * 15))

    def test_examples_of_every_subcommand_run(self):
        folder = self.share("prepare")
        for name in subcommands():
            commands = examples_of(name)
            self.assertGreaterEqual(len(commands), 2, name)
            for command in commands:
                with self.subTest(command):
                    words = command.replace("~", str(self.folder)).split("krossfold ", 1)
                    if "<(" in command or " | " in command:
                        continue  # shell syntax: completion_test.py and man_page_test.py
                    options, dry = shlex.split(words[1]), ["--dry-run"] if name in STUDIES else []
                    if dry and "-o" in options:  # which names a small study of another example, and is not needed for a dry run
                        del options[options.index("-o") : options.index("-o") + 2]
                    ranks = int(shlex.split(words[0])[2]) if words[0].startswith("mpirun -n ") else None
                    self.assertTrue(ranks or not words[0], command)
                    self.folder = folder
                    result = self.run_command(*options, *dry, ranks=ranks)
                    self.assertEqual(result.code, 0, result)


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    unittest.main()
