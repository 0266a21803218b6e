#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files that --config cannot take options from."""

import struct
import unittest

from invalid_case import InvalidCase
from krossfold_cli import models_of

STUDY = ("svm", "--data", "digits", "--limit", "150", "--grid", "2x2", "--folds", "2", "--quiet")


class Config(InvalidCase):
    def check_file(self, content, says, *options):
        (self.folder / "c").write_bytes(content if isinstance(content, bytes) else content.encode())
        return self.check_study_refused("--config", "c", *options, says=[*says])

    def test_that_is_missing_or_a_folder(self):
        self.check_study_refused("--config", "none", says=["--config none cannot be read", "No such file"])
        self.check_study_refused("--config", ".", says=["--config . cannot be read", "it is a folder"])

    def test_that_is_neither_a_result_nor_text(self):
        self.check_file(b"\x7fELF\0\0\1", ["--config c cannot be read", "neither a result file nor text"])
        self.check_file(b"\x89HDF\r\n\x1a\n" + bytes(1000), ["c cannot be read", "KROSSFLD"])
        self.check_file(bytes(512) + b"\x89HDF\r\n\x1a\n" + bytes(1000), ["c cannot be read", "KROSSFLD"])

    def test_with_an_unknown_option(self):
        self.check_file("fodls = 3\n", ["--config c, line 1: krossfold svm has no option fodls", "Did you mean folds?"])
        for name in ("version", "xyzzy"):
            self.check_file(f"{name} = 1\n", ["--config c", f"no option {name}"])
        for name in ("help", "config"):
            self.check_file(f"{name} = 1\n", ["--config c, line 1: ", f"{name} is for the command line alone"])

    def test_with_a_bad_value(self):
        self.check_file("folds = 1\n", ["--config c, line 1: ", "bad value '1' for --folds"])
        self.check_file('grid = "4"\n', ["--config c, line 1: ", "bad value '4' for --grid"])
        self.check_file("folds\n", ["--config c, line 1 cannot be read", "it has no ="])

    def test_with_a_line_that_names_no_option(self):
        self.check_file("= 10\n", ["--config c, line 1 cannot be read", "no option before its ="])

    def test_with_a_string_that_toml_does_not_know(self):
        for value, why in (('"3x2', "does not end"), (r'"a\x"', "unknown escape"), (r'"\ud800"', "unknown escape"), ('"3x2" 4', "something follows"),
                           ('""', "an empty value"), ('"""3x2"""', "three quotes")):
            with self.subTest(value):
                self.check_file(f"grid = {value}\n", ["--config c, line 1", why])

    def test_with_options_that_contradict_each_other(self):
        self.check_file('c-values = "1,2"\nlog10-c = "0:1"\n', ["--config c: --c-values does not go with --log10-c"])

    def test_with_several_values(self):
        self.check_file("folds = [3, 4]\n", ["--config c, line 1: folds has 2 values"])
        self.check_file("folds = 3\nfolds = 4\n", ["--config c, line 2: folds is set again", "line 1 sets it"])
        self.check_file("folds = 3\nseed = 1\nfolds = 4\n", ["--config c, line 3: folds is set again", "line 1 sets it"])

    def test_with_a_section_of_something_else(self):
        self.check_file("[bag]\ntrials = 3\n", ["--config c, line 1: unknown section [bag]", "[svm]"])
        self.check_file("bag.trials = 3\n", ["--config c: unknown section in bag.trials", "[svm]"])
        self.check_file("[svm]\nfolds = 3\n[bag]\nfolds = 4\n", ["--config c, line 3: unknown section [bag]"])

    def test_that_names_no_output(self):
        (self.folder / "c").write_text("folds = 3\n")
        self.check_refused("svm", "--config", "c", says=["no result file", "-o"])

    def test_a_bad_option_of_the_command_line_is_no_fault_of_the_file(self):
        message = self.check_file("folds = 3\n", ["bad value '1' for --folds"], "--folds", "1")
        self.assertNotIn("--config", message)


class ResultFile(InvalidCase):
    def setUp(self):
        super().setUp()
        self.succeed(*STUDY, "-o", "a.h5")
        self.path = self.folder / "a.h5"

    def test_of_another_kind(self):
        model = f"{models_of(self.path).name}/svm.h5"
        self.check_study_refused("--config", model, says=[f"--config {model} is not a result file", "it holds: svm-model"])

    def test_that_is_damaged_or_cut_off(self):
        whole = self.path.read_bytes()
        for content, why in ((whole[:-9], "cut off"), (whole[:100], "cut off"),
                             (whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:], "damaged")):
            self.path.write_bytes(content)
            self.check_study_refused("--config", "a.h5", says=["a.h5 cannot be read", why])

    def test_of_a_newer_version(self):
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[:8] + struct.pack("<Q", 99) + whole[16:])
        self.check_study_refused("--config", "a.h5", says=["a.h5", "format version 99"])


if __name__ == "__main__":
    unittest.main()
