#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Limits of the shell, names that are not harmless, and options that would have no effect: each is refused or shown for what it is."""

import os
import resource
import shutil
import signal
import sys
import unittest

import numpy

from krossfold_cli import MPIRUN, STOPPED, USAGE, CommandTest, Running, command_line, models_of, wait_until
from png_file import png
from sanitizer import SANITIZER, needs_plain_memory

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
        self.refused("report", "--status", "--format", "json", "r.h5", why="--status with --format json")
        self.assertIn("--invert and --background have no effect", self.succeed("predict", "r.h5", "digits", "--invert", "yes").err)
        (self.folder / "t.csv").write_text("".join(f"{k % 7},{k % 5},{k % 2}\n" for k in range(60)))
        tested = self.succeed("svm", "--data", "csv:t.csv", "--test", "csv:t.csv", "--test-part", "0.3", "--grid", "2x2", "--folds", "2", "-o", "t.h5")
        self.assertIn("--test-part 0.3 has no effect", tested.err)

    def test_options_that_an_action_on_data_would_ignore_are_refused(self):
        self.refused("data", "list", "--seed", "3", why="--seed is not for krossfold data list (it reads no data)")
        self.refused("data", "list", "--label", "a", why="--label is not for krossfold data list")
        for option, value in (("seed", "1"), ("limit", "100"), ("test", "digits"), ("test-part", "0.25")):
            self.refused("data", "convert", "digits", "-o", "d.h5", f"--{option}", value, why=f"--{option} is not for krossfold data convert")
        self.refused("data", "verify", "digits", "--overwrite", why="--overwrite is for krossfold data convert")
        self.refused("data", "digits", "-o", "d.h5", why="--output is for krossfold data convert")
        self.refused("data", "digits", "--quiet", "--verbose", why="--quiet and --verbose contradict each other")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_label_that_is_not_finite_is_refused_with_its_place(self):
        (self.folder / "t.csv").write_text("a,b,kind\n" + "".join(f"{k % 7},{k % 5},{'-Infinity' if k == 5 else k % 2}\n" for k in range(60)))
        self.refused("svm", "--data", "csv:t.csv", "-o", "r.h5", why=["t.csv, line 7, column 3 (kind): '-Infinity' is no label (it is not finite)"])

    def test_a_folder_that_holds_the_result_under_the_name_of_a_model_is_refused(self):
        self.succeed(*SMALL, "-o", "svm.h5")
        self.refused("predict", ".", "digits", why="svm.h5 is the result of a study, not a model")

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

    def test_report_of_a_bag_says_that_its_models_are_gone(self):
        self.succeed("bag", "--data", "digits", "--limit", "60", "--bootstraps", "2", "--trials", "1", "--folds", "2", "--epochs", "1", "--quiet", "-o", "b.h5")
        (models_of(self.folder / "b.h5") / "bootstrap_00.h5").unlink()
        again = self.succeed("bag", "--data", "digits", "--limit", "60", "--bootstraps", "2", "--trials", "1", "--folds", "2", "--epochs", "1", "-o", "b.h5")
        self.assertRegex(again.out, r"warning: the model b\..*bootstrap_00\.h5 is not there")

    def test_data_that_never_come_are_waited_for_no_longer_than_asked(self):
        os.mkfifo(self.folder / "never.csv")
        words = ("svm", "--data", "csv:never.csv", "-o", "r.h5")
        for ranks in (None, 2):
            with self.subTest(ranks=ranks):
                self.assertEqual(self.run_command(*words, "--max-time", "0.1", "--grace", "0.1", ranks=ranks).code, STOPPED)
                waiting = self.start(*words, ranks=ranks)
                wait_until(lambda: "rank 0" in waiting.said())
                waiting.signal(signal.SIGTERM)
                stopped = waiting.wait()
                self.assertIn(stopped.code, [STOPPED] if ranks is None else [STOPPED, 1], stopped)  # mpirun that was told to end says 1
                self.assertIn("stopped while the data were read", stopped.err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["never.csv"])

    def test_pictures_that_never_end_are_refused_by_name(self):
        for kind in ("a", "b"):
            (self.folder / "set" / kind).mkdir(parents=True)
            for k in range(4):
                (self.folder / "set" / kind / f"{k}.png").write_bytes(png(numpy.full((4, 4), (90 if kind == "a" else 20) + k)))
        self.succeed("svm", "--data", "images:set", "--test", "images:set", "--grid", "1x1", "--folds", "2", "-o", "r.h5")
        os.mkfifo(self.folder / "set" / "a" / "pipe.png")
        (self.folder / "set" / "b" / "zero.png").symlink_to("/dev/zero")
        self.refused("data", "images:set", why=["set/a/pipe.png", "not a regular file"])
        self.refused("predict", "r.h5", "set/b", why=["set/b/zero.png", "not a regular file"])

    def test_a_report_that_nobody_can_read_is_an_error(self):
        arguments = (*SMALL, "-o", "r.h5")
        command = ["sh", "-c", '"$@" <&- >&-', "sh", *command_line(arguments, None)]
        closed = Running(arguments, None, self.folder, command=command).wait()
        self.assertEqual(closed.code, 1, closed)
        self.assertIn("the output is not complete", closed.err)

    def test_no_time_at_all_is_enough_for_one_unit(self):
        self.assertEqual(self.run_command(*SMALL, "-o", "r.h5", "--max-time", "0").code, STOPPED)
        self.succeed(*SMALL, "-o", "r.h5")

    def test_a_configuration_cannot_ask_for_help(self):
        (self.folder / "c.toml").write_text("help = true\n")
        self.refused("svm", "--config", "c.toml", "-o", "r.h5", why="help is for the command line alone")

    def test_a_value_that_is_missing_is_not_taken_from_the_next_word_nor_left_out(self):
        self.refused(*SMALL, "-o", "r.h5", "--json-log=", "--probability", why="--json-log needs a value")
        self.refused(*SMALL, "--json-log", "log.jsonl", "-o", "--probability", why=["--output needs a value", "--probability, is an option"])
        for option in ("--group", "--weight", "--test", "--label", "--config", "--scale", "--image", "--delimiter", "--output", "--c-values"):
            self.refused(*SMALL, option, "", why=f"{option} needs a value")
        self.refused("predict", "r.h5", "digits", "-o", "", why="--output needs a value")
        self.refused("predict", "r.h5", "digits", "--label=", "base.csv", why="--label needs a value")
        self.refused("predict", "r.h5", "", why="INPUT needs a value")
        self.refused(*SMALL, "-o", "r.h5", "--dry-run=", why="--dry-run has a value (it is a switch)")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_configuration_is_read_as_it_stands_or_refused_with_its_line(self):
        def config(text):
            (self.folder / "c.toml").write_bytes(text.encode())
            return (*SMALL, "--config", "c.toml", "-o", "r.h5")
        self.refused(*config("seed = 3\n\nfolds =\n"), why=["c.toml, line 3", "no value after its ="])
        self.refused(*config("seed = 3\n3\n"), why=["c.toml, line 2", "it has no ="])
        self.refused(*config("seed = 3\ndata = \"\"\n"), why="data has an empty value")
        self.refused(*config("# x\ntolerance = much\n"), why=["c.toml, line 2", "--tolerance"])
        self.refused(*config("# x\n\nfold = 3\n"), why=["c.toml, line 3", "no option fold"])
        self.refused(*config("seed = \"\"\"\n3\n\"\"\"\n"), why=["c.toml, line 1", "three quotes"])
        self.refused(*config("seed = 3\n" + "# much ado\n" * 100_000), why="more than 1 MiB")
        with open(self.folder / "big.toml", "wb") as file:
            file.truncate(3 << 30)
        for path in ("big.toml", "/dev/zero"):
            words = (*SMALL, "--config", path, "-o", "r.h5")
            result = self.run_command(*words) if SANITIZER else self.limited(resource.RLIMIT_AS, 2 << 30, *words)
            self.assertEqual(result.code, USAGE, result.err)
            self.assertIn("neither a result file nor text", result.err)
        self.refused(*config('seed = 3\ngrid = [2, 2]\n'), why="c.toml, line 2: grid has 2 values")
        self.assertFalse((self.folder / "r.h5").exists())
        self.succeed(*config("\ufeffseed = 3\r\n[ svm ] # of a search\r\ntolerance = 1e-3 # as usual\r\n"))

    def test_an_empty_value_undoes_what_a_configuration_says(self):
        (self.folder / "t.csv").write_text("a,b,kind,day\n" + "".join(f"{k % 7},{k % 5},{k % 2},{k % 9}\n" for k in range(60)))
        words = ("svm", "--grid", "2x2", "--folds", "2")
        grouped = self.succeed(*words, "--data", "csv:t.csv", "--label", "kind", "--group", "day", "-o", "g.h5")
        self.assertIn("9 groups", grouped.err)
        self.assertIn("9 groups", self.succeed(*words, "--config", "g.h5", "-o", "h.h5").err)
        self.assertNotIn("9 groups", self.succeed(*words, "--config", "g.h5", "--group", "", "-o", "i.h5").err)

    def test_data_beyond_the_memory_are_refused_by_name(self):
        needs_plain_memory()
        with open(self.folder / "big.csv", "wb") as file:
            file.truncate(3 << 30)
        for words in (("data", "csv:big.csv"), ("svm", "--data", "csv:big.csv", "-o", "r.h5"), ("data", "names:big.csv"),
                      ("data", "convert", "csv:big.csv", "-o", "r.h5")):
            result = self.limited(resource.RLIMIT_AS, 2 << 30, *words)
            self.assertEqual(result.code, 1, result.err)
            self.assertRegex(result.err, rf"error: cannot {'convert' if 'convert' in words else 'read'} (csv|names):big.csv \(it needs more memory")

    def test_names_of_files_stay_on_the_line_of_their_message(self):
        forged = "a\nkrossfold: error: fire.h5"
        for words in (("report", forged), ("predict", forged, "digits"), ("data", f"csv:{forged}"), ("svm", "--data", f"csv:{forged}", "-o", "r.h5")):
            lines = self.run_command(*words).err.splitlines()
            self.assertEqual([line for line in lines if line.startswith("krossfold: error: fire")], [], lines)
            self.assertTrue(any(r"a\x0akrossfold" in line for line in lines), lines)

    def test_ranks_that_read_another_configuration_are_refused(self):
        for number in (0, 1):
            (self.folder / f"{number}").mkdir()
            (self.folder / f"{number}" / "s.toml").write_text(f"seed = {number}\n")
        in_own_folder = 'cd $OMPI_COMM_WORLD_RANK; exec "$@"'
        command = [MPIRUN, "-n", "2", "bash", "-c", in_own_folder, "bash", *command_line((*SMALL, "--config", "s.toml", "-o", "../r.h5"), None)]
        result = Running((), None, self.folder, command=command).wait()
        self.assertEqual(result.code, USAGE, result)
        self.assertIn("rank 1 read another --config s.toml than rank 0", result.err)
        self.assertFalse((self.folder / "r.h5").exists())

    def test_ranks_with_other_folders_store_their_models_with_the_result(self):
        words = ("train", "cnn", "--limit", "64", "--channels", "2", "--hidden", "8", "--epochs", "1", "--strategy", "model-parallel", "-o", "r.h5")
        for number in (0, 1):
            (self.folder / f"{number}").mkdir()
        command = [MPIRUN, "-n", "2", "bash", "-c", 'cd $OMPI_COMM_WORLD_RANK; exec "$@"', "bash", *command_line(words, None)]
        result = Running((), None, self.folder, command=command).wait()
        self.assertEqual(result.code, 0, result)
        self.assertEqual(sorted(path.name for path in models_of(self.folder / "0" / "r.h5").iterdir()), ["network-0of2.h5", "network-1of2.h5"])
        self.assertEqual(list((self.folder / "1").iterdir()), [])

    def test_ranks_with_other_words_are_refused(self):
        first, other = (command_line((*SMALL, "--seed", seed, "-o", "r.h5"), None) for seed in (1, 2))
        result = Running((), None, self.folder, command=[MPIRUN, "-n", "1", *first, ":", "-n", "1", *other]).wait()
        self.assertEqual(result.code, USAGE, result)
        self.assertIn("rank 1 was started with other words than rank 0", result.err)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
