#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that are links to their place, and outputs in folders in which everyone may replace them."""

import pathlib
import unittest

import h5py

from krossfold_cli import STOPPED, CommandTest

STUDY = ("svm", "--data", "digits", "--limit", "150", "--grid", "2x2", "--folds", "2")
WARNING = "everyone may write to the folder"


class OutputPlace(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.done = cls.share("run_study")

    def run_study(self):
        self.succeed(*STUDY, "-o", "r.h5")
        self.succeed("export", "r.h5", "-o", "r.npz")

    def commands(self, place):
        """One command for each way to write a file into the folder `place`."""
        yield (*STUDY, "-o", f"{place}/s.h5")
        yield ("predict", self.done / "r.h5", "digits", "-o", f"{place}/p.h5")
        yield ("data", "convert", "digits", "-o", f"{place}/d.h5")
        yield ("export", self.done / "r.h5", "-o", f"{place}/e.npz")
        yield ("import", self.done / "r.npz", "-o", f"{place}/i.h5")

    def test_every_command_warns_of_a_folder_in_which_everyone_may_replace_its_output(self):
        for name, mode in (("open", 0o777), ("sticky", 0o1777), ("mine", 0o755)):
            (self.folder / name).mkdir()
            (self.folder / name).chmod(mode)
            for command in self.commands(name):
                with self.subTest(command=command, mode=oct(mode)):
                    warned = [line for line in self.succeed(*command).err.splitlines() if WARNING in line]
                    self.assertEqual(len(warned), 1 if name == "open" else 0, warned)
                    self.assertTrue(all(f"{WARNING} {name}," in line for line in warned), warned)

    def link(self, name):
        """The file in scratch/ to which a new link of that name leads."""
        target = self.folder / "scratch" / name
        target.parent.mkdir(exist_ok=True)
        (self.folder / name).symlink_to(pathlib.Path("scratch") / name)
        return target

    def kind_of(self, path):
        self.assertFalse(path.is_symlink())
        with h5py.File(path) as file:
            return file.attrs["kind"]

    def test_a_study_whose_output_is_a_link_goes_on_and_ends_where_that_leads(self):
        target = self.link("s.h5")
        stopped = self.run_command(*STUDY, "-o", "s.h5", "--max-time", "0.001")
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertTrue(target.exists())
        self.assertTrue((self.folder / "s.h5.journal").exists())
        self.succeed(*STUDY, "-o", "s.h5")
        self.assertEqual(self.succeed("report", "--status", "s.h5").out.strip(), "finished")
        self.assertTrue((self.folder / "s.h5").is_symlink())
        self.assertEqual(self.kind_of(target), "svm")
        self.assertEqual(self.files(), ["s.h5", "s.models", "s.models/svm.h5", "scratch", "scratch/s.h5"])

    def test_predictions_and_data_are_written_where_links_lead_and_replaced_there(self):
        for words, name, kind in ((("predict", self.done / "r.h5", "digits"), "p.h5", "prediction"),
                                  (("data", "convert", "digits", "--overwrite"), "d.h5", "data")):
            with self.subTest(name):
                target = self.link(name)
                for _ in range(2):
                    self.succeed(*words, "-o", name)
                    self.assertTrue((self.folder / name).is_symlink())
                    self.assertEqual(self.kind_of(target), kind)


if __name__ == "__main__":
    unittest.main()
