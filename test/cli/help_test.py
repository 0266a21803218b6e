#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What krossfold says of itself."""

import re
import unittest

from krossfold_cli import ROOT, CommandTest


class Help(CommandTest):
    def test_help_is_on_stdout_and_names_the_subcommands_and_exit_codes(self):
        result = self.succeed("--help")
        for word in ("svm", "bag", "predict", "report", "plan", "data", "mpirun", "75"):
            self.assertIn(word, result.out)
        self.assertEqual(result.err, "")

    def test_every_subcommand_has_help_of_its_own(self):
        for command, option in (("svm", "--log10-gamma"), ("bag", "--channels"), ("predict", "MODEL"), ("report", "--status"),
                                ("plan", "--deadline"), ("export", ".onnx"), ("import", "--range"), ("data", "verify SPEC"),
                                ("doctor", "--json")):
            result = self.succeed(command, "--help")
            self.assertIn(option, result.out, result)
            self.assertEqual(result.err, "")

    def test_help_shows_the_defaults_of_the_study(self):
        out = self.succeed("svm", "--help").out
        for option, default in (("--grid", "24x24"), ("--log10-c", "-3:6"), ("--folds", "5"), ("--tolerance", "0.001"),
                                ("--fold-kind", "stratified-shuffled"), ("--test-part", "random"), ("--grace", "30s"), ("--data", "digits")):
            line = next(line for line in out.splitlines() if option in line)
            self.assertIn(default, line)

    def test_version_is_that_of_the_project(self):
        version = re.search(r"project\(\s*\w+\s+VERSION\s+([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        result = self.succeed("--version")
        self.assertRegex(result.out, rf"\Akrossfold {re.escape(version)}( \(x86-64-v\d\))?\n\Z")
        self.assertEqual(result.err, "")

    def test_two_ranks_say_it_once(self):
        self.assertEqual(self.succeed("--version", ranks=2).out.count("krossfold"), 1)


if __name__ == "__main__":
    unittest.main()
