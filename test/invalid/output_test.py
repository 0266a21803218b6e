#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that cannot be written or continued, and result files that cannot be read."""

import os
import struct
import subprocess
import unittest

from invalid_case import InvalidCase
from krossfold_cli import EXECUTABLE, FAILED, STOPPED, environment, models_of

STUDY = ("svm", "--data", "digits", "--limit", "150", "--grid", "2x2", "--folds", "2", "--quiet")


class Output(InvalidCase):
    def study(self, *options, name="r.h5"):
        self.succeed(*STUDY, *options, "-o", name)

    def path(self, name="r.h5"):
        return self.folder / name

    def test_dry_run_looks_at_the_output_as_the_study_would(self):
        self.assertNotIn("output ", self.succeed(*STUDY, "--dry-run", "-o", "r.h5").out)
        self.assertFalse(self.path().exists())
        self.check_refused(*STUDY, "--dry-run", "-o", "none/r.h5", says=["the folder none does not exist"])
        self.assertEqual(self.run_command(*STUDY, "-o", "r.h5", "--max-time", "0.001s").code, STOPPED)
        self.assertIn("output   r.h5 holds this study, unfinished", self.succeed(*STUDY, "--dry-run", "-o", "r.h5").out)
        self.study()
        before = self.path().read_bytes()
        dry = self.succeed(*STUDY, "--dry-run", "-o", "r.h5").out
        self.assertIn("output   r.h5 holds this study, finished: nothing would be computed", dry)
        self.check_refused(*STUDY, "--dry-run", "--fold-kind", "contiguous", "-o", "r.h5",
                           says=["r.h5 exists and is of another study", "and is now contiguous"])
        self.check_refused("bag", "--dry-run", "--data", "digits", "-o", "r.h5", says=["r.h5 exists and is not of this study (it holds: svm)"])
        self.assertEqual(self.path().read_bytes(), before)

    def test_folder_that_does_not_exist(self):
        self.check_refused(*STUDY, "-o", "none/r.h5", says=["cannot write none/r.h5", "the folder none does not exist"])

    def test_output_that_is_a_folder(self):
        self.path("out").mkdir()
        self.check_refused(*STUDY, "-o", "out", says=["cannot write out", "it is a folder"])
        self.check_refused(*STUDY, "-o", "out/", says=["cannot write out/"])

    def test_output_that_is_a_device(self):
        self.check_refused(*STUDY, "-o", "/dev/null", says=["cannot write /dev/null", "not a regular file"])

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_folder_that_is_read_only(self):
        self.path("locked").mkdir()
        self.path("locked").chmod(0o555)
        self.check_refused(*STUDY, "-o", "locked/r.h5", says=["cannot write locked/r.h5", "Permission denied"])

    def test_predictions_to_a_folder_that_does_not_exist(self):
        self.study()
        self.check_refused("predict", "r.h5", "digits", "-o", "none/p.h5", says=["the folder none does not exist"])

    def test_predictions_over_anything_but_predictions(self):
        self.study()
        self.path("notes.txt").write_text("my precious notes\n" * 100)
        self.path("empty").touch()
        for name, why in (("notes.txt", "not a readable file of Krossfold"), ("empty", "not a readable file of Krossfold"),
                          ("other.h5", "it holds: svm")):
            if name == "other.h5":
                self.study(name=name)
            self.check_refused("predict", "r.h5", "digits", "-o", name,
                               says=[f"{name} exists and holds no predictions", why, "another -o"])

    def test_printing_to_a_full_disk(self):
        self.study()
        for words in (("report", "r.h5"), ("report", "r.h5", "--format", "json"), ("predict", "r.h5", "digits", "--format", "csv"),
                      ("plan", "r.h5"), ("doctor",), ("help",), ("svm", "--help"), (*STUDY, "-o", "r.h5")):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                command = [EXECUTABLE, *words]
                done = subprocess.run(command, cwd=self.folder, env=environment(), stdin=subprocess.DEVNULL, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=100, check=False)  # fmt: skip
                self.assertEqual(done.returncode, FAILED, done.stderr)
                self.assertIn("the output is not complete (standard output takes no more", done.stderr)

    def test_predictions_over_the_model(self):
        self.study()
        self.path("link.h5").symlink_to("r.h5")
        folder = models_of(self.path()).name
        for model in ("r.h5", folder, f"{folder}/svm.h5"):
            self.check_refused("predict", model, "digits", "-o", f"{folder}/svm.h5", says=["would overwrite the model"])
        self.check_refused("predict", "r.h5", "digits", "-o", "link.h5",
                           says=["-o link.h5 would overwrite the model", "same file as r.h5"])

    def test_output_whose_links_go_in_a_circle(self):
        self.path("a.h5").symlink_to("b.h5")
        self.path("b.h5").symlink_to("a.h5")
        self.check_refused(*STUDY, "-o", "a.h5", says=["cannot write a.h5", "its symbolic links lead nowhere"])

    def test_lock_that_is_a_link(self):
        self.path("mine").write_text("mine")
        self.path("r.h5.lock").symlink_to("mine")
        for options in ((), ("--break-lock",)):
            self.check_refused(*STUDY, *options, "-o", "r.h5", says=["cannot read the lock r.h5.lock", "it is a symbolic link", "Delete the link"])

    def test_model_that_is_a_link(self):
        stopped = self.run_command(*STUDY, "-o", "r.h5", "--max-time", "0.001")
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.path("mine").write_text("mine")
        model = models_of(self.path()) / "svm.h5"
        model.parent.mkdir(exist_ok=True)
        model.symlink_to("../mine")
        failed = self.run_command(*STUDY, "-o", "r.h5")
        self.assertEqual(failed.code, FAILED, failed)
        self.assertRegex(failed.err, r"cannot write \S*/r\.[0-9a-f]{8}\.models/svm\.h5 \(it is a symbolic link.*Delete the link")
        self.assertEqual(self.path("mine").read_text(), "mine")
        model.unlink()
        self.succeed(*STUDY, "-o", "r.h5")

    def test_predictions_over_an_input(self):
        self.study()
        self.path("x.csv").write_text(",".join("0" * 64) + "\n")
        for given in ("x.csv", "csv:x.csv", "./x.csv"):
            self.check_refused("predict", "r.h5", given, "-o", "x.csv", says=["-o x.csv would overwrite an input"])

    def test_existing_file_that_is_not_hdf5(self):
        self.path().write_text("my precious notes\n" * 100)
        self.check_refused(*STUDY, "-o", "r.h5", says=["r.h5 cannot be read", "KROSSFLD"])
        self.check_refused("report", "r.h5", says=["r.h5 cannot be read", "not a result or model file of Krossfold"])

    def test_existing_file_that_is_empty(self):
        self.path().touch()
        self.check_refused(*STUDY, "-o", "r.h5", says=["r.h5 cannot be read"])

    def test_existing_file_of_another_kind(self):
        self.study()
        model = f"{models_of(self.path()).name}/svm.h5"
        self.check_refused(*STUDY, "-o", model, says=[model, "it holds: svm-model"])
        for command in ("report", "plan"):
            self.check_refused(command, model, says=["is not a result file", "it holds: svm-model"])

    def test_plan_of_a_study_that_has_no_times_yet(self):
        study = ("svm", "--grid", "24x24", "--quiet", "-o", "r.h5", "--max-time", "0.0001", "--grace", "0")
        self.assertEqual(self.run_command(*study).code, STOPPED)
        self.check_refused("plan", "r.h5", says=["r.h5 has no times to plan from", "max-time"])

    def test_finished_study_of_other_options_names_the_difference(self):
        self.study()
        for option, before, now in (("--seed", "0", "5"), ("--tolerance", "0.001", "0.01"),
                                    ("--fold-kind", "stratified-shuffled", "shuffled")):
            self.check_refused(*STUDY, option, now, "-o", "r.h5",
                               says=["r.h5 exists and is of another study", f"({option[2:]} was {before} and is now {now}"])

    def test_file_of_other_data_under_the_same_name(self):
        lines = [f"{i},{i * i % 7},{i % 2}\n" for i in range(40)]
        study = ("svm", "--data", "csv:d.csv", "--grid", "2x2", "--folds", "2", "--quiet", "-o", "r.h5")
        self.path("d.csv").write_text("".join(lines))
        self.succeed(*study)
        self.path("d.csv").write_text("".join(lines[:-1]) + "39,9,1\n")
        self.check_refused(*study, says=["r.h5 exists and is of another study", "the data set differs"])

    def stopped_study(self):
        stopped = self.run_command("svm", "--limit", "700", "--max-time", "0.05", "--grace", "0", "-o", "r.h5")
        self.assertEqual(stopped.code, STOPPED, stopped)

    def test_unfinished_study_of_other_options_names_the_difference(self):
        self.stopped_study()
        self.check_refused("svm", "--limit", "700", "--folds", "10", "-o", "r.h5",
                           says=["r.h5 exists and is of another study", "folds was 5 and is now 10"])
        self.path().unlink()  # as after a kill: the journal alone
        self.check_refused("svm", "--limit", "700", "--folds", "10", "-o", "r.h5",
                           says=["r.h5.journal", "folds was 5 and is now 10"])

    def test_unfinished_study_without_its_journal(self):
        self.stopped_study()
        self.path("r.h5.journal").unlink()
        self.check_refused("svm", "--limit", "700", "-o", "r.h5",
                           says=["r.h5 cannot be continued", "r.h5.journal is missing"])

    def test_output_in_use_on_another_host(self):
        owner = "host = node7\npid = 41\nprocess_start = 9\nboot_id = x\njob = \nsince = 2026-01-31T12:00:00Z\n"
        self.path("r.h5.lock").write_text(owner)
        self.check_refused(*STUDY, "-o", "r.h5", says=["r.h5 is in use by another run", "process 41 on node7",
                                                       "since 2026-01-31T12:00:00Z", "break-lock"])
        result = self.succeed(*STUDY, "-o", "r.h5", "--break-lock")
        self.assertIn("taken over with break-lock", result.err)
        self.assertFalse(self.path("r.h5.lock").exists())

    def test_lock_that_names_nobody(self):
        self.path("r.h5.lock").write_text("?")
        self.check_refused(*STUDY, "-o", "r.h5", says=["r.h5 is in use by another run", "r.h5.lock", "break-lock"])

    def test_journal_that_is_none(self):
        self.path("r.h5.journal").write_text("notes of somebody\n" * 10)
        self.check_refused(*STUDY, "-o", "r.h5", says=["r.h5.journal is not a journal"])

    def test_unfinished_study_has_no_model(self):
        self.stopped_study()
        self.check_refused("predict", "r.h5", "digits", says=["r.h5 has no model", "the study is not finished"])


class Damage(InvalidCase):
    def setUp(self):
        super().setUp()
        self.succeed(*STUDY, "-o", "r.h5")
        self.path = self.folder / "r.h5"
        self.whole = self.path.read_bytes()

    def test_one_bad_file_among_good_ones_and_nothing_is_printed(self):
        for options in ((), ("--format", "json"), ("--format", "csv"), ("--status",)):
            self.check_refused("report", "r.h5", "none.h5", *options, says=["cannot read none.h5"])

    def test_missing_file(self):
        self.check_refused("report", "none.h5", says=["cannot read none.h5", "No such file"])

    def damage(self, at):
        damaged = bytearray(self.whole)
        damaged[at] ^= 1
        self.path.write_bytes(damaged)

    def test_a_flipped_bit_anywhere_is_noticed(self):
        for at in (30, 100, 512, 700, len(self.whole) // 2, len(self.whole) - 1):
            self.damage(at)
            self.check_refused("report", "r.h5", says=["r.h5 cannot be read", "damaged", "unverified"])

    def test_a_damaged_file_is_not_taken_for_a_model_nor_for_a_finished_study(self):
        self.damage(len(self.whole) // 2)
        for command in (("predict", "r.h5", "digits"), (*STUDY, "-o", "r.h5")):
            self.check_refused(*command, says=["r.h5 cannot be read", "damaged"])

    def test_what_is_left_of_a_damaged_file_is_read_with_unverified(self):
        report = self.succeed("report", "r.h5").out
        self.damage(30)
        self.assertEqual(self.succeed("report", "--unverified", "r.h5").out, report)
        self.path.write_bytes(self.whole + b"more")
        self.assertEqual(self.succeed("report", "--unverified", "r.h5").out, report)

    def test_unverified_still_refuses_values_that_hdf5_knows_to_be_wrong(self):
        for at in range(1000, len(self.whole), len(self.whole) // 10):
            self.damage(at)
            result = self.run_command("report", "--unverified", "r.h5")
            self.assertIn(result.code, (0, 2), result)
            if result.code == 2:
                self.assertIn("r.h5 cannot be read", result.err)

    def test_a_file_that_was_cut_off_or_went_on(self):
        for content, word in ((self.whole[:-1], "cut off"), (self.whole[:600], "cut off"),
                              (self.whole[:100], "cut off"), (self.whole + b"x", "too long")):
            self.path.write_bytes(content)
            self.check_refused("report", "r.h5", says=["r.h5 cannot be read", word])

    def test_the_advice_on_a_file_that_was_cut_off_works(self):
        self.path.write_bytes(self.whole[:-9])
        self.check_refused("report", "r.h5", says=["Copy it again", "its models are files of their own", ".models"])
        (model,) = self.folder.glob("r.*.models/svm.h5")
        self.succeed("predict", model.relative_to(self.folder), "digits")
        stopped = self.run_command(*STUDY, "-o", "cut.h5", "--max-time", "0.001")
        self.assertEqual(stopped.code, STOPPED, stopped)
        cut = self.folder / "cut.h5"
        cut.write_bytes(cut.read_bytes()[:-9])
        self.check_refused("report", "cut.h5", says=["move it away and run its command again", "cut.h5.journal"])
        cut.rename(self.folder / "away.h5")
        self.assertRegex(self.succeed(*STUDY[:-1], "-o", "cut.h5").err, r"continuing cut.h5: [1-9]\d* units were computed before")

    def test_a_newer_version_of_the_format_is_refused(self):
        self.path.write_bytes(self.whole[:8] + struct.pack("<Q", 99) + self.whole[16:])
        for options in ((), ("--unverified",)):
            self.check_refused("report", "r.h5", *options, says=["format version 99", "Use a newer Krossfold"])
        self.check_refused(*STUDY, "-o", "r.h5", says=["format version 99"])


if __name__ == "__main__":
    unittest.main()
