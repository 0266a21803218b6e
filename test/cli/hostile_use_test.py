#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Limits of the shell, names that are not harmless, and options that would have no effect: each is refused or shown for what it is."""

import resource
import shutil
import sys
import unittest

from krossfold_cli import USAGE, CommandTest, Running, command_line, models_of
from sanitizer import needs_plain_memory

SMALL = ("svm", "--data", "digits", "--limit", "60", "--grid", "2x2", "--folds", "2", "--quiet")


class HostileUse(CommandTest):
    def refused(self, *arguments, why, code=USAGE):
        result = self.run_command(*arguments)
        self.assertEqual(result.code, code, result.err)
        for words in [why] if isinstance(why, str) else why:
            self.assertIn(words, result.err)

    def limited(self, limit, bytes_, *arguments):
        """The command under a limit of the shell."""
        script = ("import os, resource, sys; resource.setrlimit(int(sys.argv[1]), (int(sys.argv[2]),) * 2); os.execvp(sys.argv[3], sys.argv[3:])")
        command = [sys.executable, "-c", script, str(limit), str(bytes_), *command_line(arguments, None)]
        return Running(arguments, None, self.folder, command=command).wait()

    def test_a_file_beyond_the_limit_of_the_shell_is_an_error_with_its_name(self):
        for arguments in ((*SMALL, "-o", "r.h5"), ("data", "convert", "digits", "-o", "d.h5")):
            result = self.limited(resource.RLIMIT_FSIZE, 20_000, *arguments)
            self.assertEqual(result.code, 1, result.err)
            self.assertRegex(result.err, r"krossfold: error: cannot write .*File too large")
            self.assertEqual([path.name for path in self.folder.iterdir() if path.name.endswith(".tmp")], [])
        self.succeed(*SMALL, "-o", "r.h5")

    def test_an_address_space_in_which_blas_would_wait_for_ever_is_refused(self):
        needs_plain_memory()
        result = self.limited(resource.RLIMIT_AS, 400 << 20, *SMALL, "-o", "r.h5")
        self.assertEqual(result.code, 1, result.err)
        self.assertIn("the address space of a process is limited to 400 MiB", result.err)

    def test_names_cannot_pretend_to_be_messages_or_move_the_cursor(self):
        rows = "".join(f'{k % 7},{k % 5},"{"one" if k % 2 else chr(10) + "krossfold: error: fire"}"\n' for k in range(40))
        (self.folder / "l.csv").write_text("a,b,kind\n" + rows)
        result = self.succeed("svm", "--data", "csv:l.csv", "--grid", "2x2", "--folds", "2", "-o", "l.h5")
        for line in (result.out + result.err).splitlines():
            self.assertFalse(line.startswith("krossfold: error"), line)
        self.assertIn(r"\x0akrossfold: error: fire", result.err)
        shutil.copy(self.folder / "l.csv", self.folder / "e\x1b[31m.csv")
        self.assertIn(r"e\x1b[31m.csv: 40", self.succeed("data", "verify", "csv:e\x1b[31m.csv").out)
        self.assertIn(r"e\x1b[31m.npz", self.succeed("export", "l.h5", "-o", "e\x1b[31m.npz").out)

    def test_a_name_for_whose_neighbours_the_file_system_has_no_room_is_refused_at_once(self):
        name = "x" * 240 + ".h5"
        self.refused(*SMALL, "-o", name, why="its name has 243 bytes")
        self.refused(*SMALL, "-o", name, "--dry-run", why="its name has 243 bytes")

    def test_a_scale_that_leaves_nothing_to_learn_is_refused(self):
        self.refused(*SMALL, "-o", "r.h5", "--scale", "0:1e-39", why="makes features too large")
        self.refused(*SMALL, "-o", "r.h5", "--scale", "1e30:1", why="makes all features equal")

    def test_options_without_an_effect_are_refused(self):
        self.refused(*SMALL, "-o", "r.h5", "--c-values", "1e308", why=["bad value 1e+308 for --c-values"])
        self.refused(*SMALL, "-o", "r.h5", "--outer", "1", why="--outer 1")
        self.succeed(*SMALL, "-o", "r.h5")
        self.refused("report", "--status", "--compare", "r.h5", "r.h5", why="--status with --compare")

    def test_conversion_replaces_no_file_of_another_format(self):
        self.succeed(*SMALL, "-o", "r.h5")
        self.succeed("export", "r.h5", "-o", "m.npz")
        before = (self.folder / "m.npz").read_bytes()
        self.refused("data", "convert", "digits", "-o", "m.npz", "--overwrite", why=["m.npz is not replaced", "no HDF5 file"])
        self.assertEqual((self.folder / "m.npz").read_bytes(), before)

    def test_report_says_that_a_model_is_gone(self):
        self.succeed(*SMALL, "-o", "r.h5")
        self.assertNotIn("is not there", self.succeed("report", "r.h5").out)
        shutil.rmtree(models_of(self.folder / "r.h5"))
        self.assertRegex(self.succeed("report", "r.h5").out, r"warning: the model r\..*svm\.h5 is not there; move this result away")


if __name__ == "__main__":
    unittest.main()
