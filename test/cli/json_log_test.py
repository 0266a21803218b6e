#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The lines of --json-log: all are what docs/json-log.schema.json says, and they tell of every unit and epoch."""

import contextlib
import json
import os
import select
import unittest

import h5py
import jsonschema

from krossfold_cli import ROOT, STOPPED, USAGE, CommandTest, wait_until

SCHEMA = jsonschema.Draft7Validator(json.loads((ROOT / "docs/json-log.schema.json").read_text()))
SVM = ("svm", "--limit", 200, "--grid", "2x2", "--folds", 2, "-o", "s.h5")
BAG = ("bag", "--limit", 200, "--bootstraps", 2, "--trials", 2, "--folds", 2, "--channels", "1:3", "--hidden", "4:9",
       "--epochs", 3, "-o", "b.h5")
TRAIN = ("train", "cnn", "--limit", 200, "--channels", 2, "--hidden", 8, "--epochs", 3, "-o", "t.h5")
NAMES = ("names", "--limit", 200, "--workers", "1,2", "--batch-per-worker", "20,40", "--rate", ".01", "--epochs", 2,
         "--layers", 1, "--hidden", 8, "-o", "n.h5")


class JsonLog(CommandTest):
    def lines(self):
        found = [json.loads(line) for line in (self.folder / "log.jsonl").read_text().splitlines()]
        for line in found:
            SCHEMA.validate(line)
        return found

    def of_event(self, lines, event):
        return [line for line in lines if line["event"] == event]

    def test_every_study_tells_of_its_units_and_ends(self):
        for words, kind, units, ranks in ((SVM, "svm", 7, 1), (BAG, "bag", 10, 2), (TRAIN, "train", 1, 2), (NAMES, "names", 4, 2)):
            with self.subTest(kind):
                self.succeed(*words, "--json-log", "log.jsonl", ranks=ranks)
                lines = self.lines()
                self.assertEqual([lines[0]["event"], lines[-1]["event"]], ["begin", "end"])
                self.assertEqual((lines[0]["kind"], lines[0]["ranks"], lines[0]["units_before"]), (kind, ranks, 0))
                self.assertEqual(lines[0]["config"]["limit"], {"value": "200", "default": False})
                found = [tuple([line["unit"]["kind"], *line["unit"]["index"]]) for line in self.of_event(lines, "unit")]
                self.assertEqual((len(found), len(set(found))), (units, units))
                self.assertEqual(lines[-1]["status"], "finished")
                (self.folder / "log.jsonl").unlink()

    def test_epochs_are_those_of_the_result_file(self):
        self.succeed(*NAMES, "--json-log", "log.jsonl", ranks=2)
        epochs = self.of_event(self.lines(), "epoch")
        self.assertEqual(len(epochs), 4 * 2)
        with h5py.File(self.folder / "n.h5") as file:
            for line in epochs:
                run, epoch = line["unit"]["index"][0], line["epoch"] - 1
                for name in ("loss", "held_out_loss", "seconds", "comm_seconds"):
                    self.assertEqual(line[name], file["training/" + name][run, epoch])
                self.assertIsNone(line["held_out_error"])

    def test_run_that_goes_on_adds_to_the_log(self):
        stopped = self.run_command(*BAG, "--json-log", "log.jsonl", "--max-time", "0.001")
        self.assertEqual(stopped.code, STOPPED, stopped)
        before = self.lines()
        self.assertEqual(before[-1]["status"], "stopped")
        self.succeed(*BAG, "--json-log", "log.jsonl")
        after = self.lines()
        self.assertEqual(after[:len(before)], before)
        units = len(self.of_event(before, "unit"))
        self.assertEqual(after[len(before)]["units_before"], units)
        self.assertEqual(len(self.of_event(after, "unit")), 10)

    def test_log_that_cannot_be_written_is_refused(self):
        refused = self.run_command(*TRAIN, "--json-log", "missing/log.jsonl")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("cannot write json-log missing/log.jsonl", refused.err)
        self.assertEqual(self.files(), [])

    def test_a_pipe_is_not_waited_for(self):
        """Without a reader it is refused; one that goes or does not read loses lines, and the study nothing."""
        pipe = self.folder / "log.fifo"
        os.mkfifo(pipe)
        refused = self.run_command(*SVM, "--json-log", pipe)
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("no process reads this pipe", refused.err)
        for reads in (True, False):
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            if not reads:
                filler = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
                with contextlib.suppress(BlockingIOError):
                    while True:
                        os.write(filler, b"x" * 4096)
                os.close(filler)
            running = self.start(*SVM, "--json-log", pipe)
            if reads:
                self.assertTrue(wait_until(lambda: select.select([reader], [], [], 0)[0]))
                os.close(reader)
            done = running.wait()
            self.assertEqual(done.code, 0, done)
            self.assertIn("lacks lines (" + ("Broken pipe" if reads else "its reader does not read"), done.err)
            if not reads:
                os.close(reader)
            self.assertEqual(self.succeed("report", "--status", "s.h5").out, "finished\n")
            (self.folder / "s.h5").unlink()

    def test_log_over_another_file_is_refused_and_leaves_it_as_it_was(self):
        self.succeed(*SVM)
        (self.folder / "data.csv").write_text("1,2,a\n")
        before = {name: (self.folder / name).read_bytes() for name in ("s.h5", "data.csv")}
        for name, content in before.items():
            refused = self.run_command(*TRAIN, "--json-log", name)
            self.assertEqual(refused.code, USAGE, refused)
            self.assertIn(f"json-log {name} exists and is not an event log", refused.err)
            self.assertEqual((self.folder / name).read_bytes(), content)

    def test_log_that_would_stop_another_study_is_refused(self):
        for name in ("j.h5.journal", "j.h5", "j.h5.lock"):
            refused = self.run_command(*TRAIN, "--json-log", name)
            self.assertEqual(refused.code, USAGE, refused)
            self.assertIn(f"json-log {name} names a file of a study", refused.err)
            self.assertEqual(self.files(), [])

    def test_log_that_would_be_a_file_of_the_output_is_refused(self):
        for name in ("t.h5", "./t.h5", "t.h5.journal"):
            refused = self.run_command(*TRAIN, "--json-log", name)
            self.assertEqual(refused.code, USAGE, refused)
            self.assertIn(f"json-log {name} names a file of the output", refused.err)
            self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
