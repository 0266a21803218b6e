#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files of version 1 of the format: reported, predicted from, planned, taken as --config and continued as by their own program."""

import json
import shutil
import unittest

import h5py
import numpy
from krossfold_cli import ROOT, CommandTest

OLD = ROOT / "test/cli/version_1"


class Version1(CommandTest):
    def setUp(self):
        super().setUp()
        for path in OLD.iterdir():
            if path.is_dir():
                shutil.copytree(path, self.folder / path.name)
            else:
                shutil.copy(path, self.folder)

    def expected(self, name):
        return (OLD / "expected" / name).read_text()

    def assert_table(self, found, expected):
        """The tables are equal but for columns that came later, which are empty."""
        found, expected = ([line.split(",") for line in table.splitlines()] for table in (found, expected))
        new = [k for k, name in enumerate(found[0]) if name not in expected[0]]
        self.assertEqual({line[k] for line in found[1:] for k in new} - {""}, set())
        self.assertEqual([[field for k, field in enumerate(line) if k not in new] for line in found], expected)

    def assert_decisions(self, found, expected):
        """The tables are equal but for the last digits of the decision values."""
        found, expected = ([line.split(",") for line in table.splitlines()] for table in (found, expected))
        self.assertEqual(found[0], expected[0])
        first = found[0].index("truth") + 1
        self.assertEqual([line[:first] for line in found], [line[:first] for line in expected])
        now, before = (numpy.array([line[first:] for line in table[1:]], float) for table in (found, expected))
        numpy.testing.assert_allclose(now, before, atol=1e-5)

    def test_tables_are_those_of_the_program_that_wrote_the_file(self):
        for kind in ("svm", "bag", "train", "names"):
            with self.subTest(kind=kind):
                self.assert_table(self.succeed("report", f"{kind}.h5", "--format", "csv").out, self.expected(f"report.{kind}.csv"))
                (report,) = self.succeed("report", f"{kind}.h5", "--format", "json").json()
                self.assertEqual((report["kind"], report["status"]), (kind, "finished"))
                self.assertIn("finished", self.succeed("report", f"{kind}.h5").out)

    def test_predictions_and_samples_are_the_same(self):
        for kind in ("svm", "bag", "train"):
            with self.subTest(kind=kind):
                found = self.succeed("predict", f"{kind}.h5", "ask.csv", "--format", "csv").out
                if kind == "svm":  # whose kernel is in double today, because the coefficients are large
                    self.assert_decisions(found, self.expected("predict.svm.csv"))
                else:
                    self.assertEqual(found, self.expected(f"predict.{kind}.csv"))
        self.assertEqual(self.succeed("sample", "names.h5", "--count", "5", "--seed", "1").out, self.expected("sample.names.txt"))

    def test_every_kind_can_be_planned(self):
        for kind in ("svm", "bag", "train", "names"):
            with self.subTest(kind=kind):
                for plan in self.succeed("plan", f"{kind}.h5", "--format", "json").json():
                    self.assertGreater(len(plan["formations"]), 0)

    def test_with_their_options_the_same_is_computed(self):
        """Defaults that are others now have the values of that time. The last bits differ: GCC fused other operations then."""
        # How many iterations a fit took, and how far beyond its tolerance it went, are the solver's affair.
        moved = {"fit/iterations", "fit/kkt_violation", "best/C", "best/gamma", "probability/seconds", *(f"search/{axis}" for axis in ("C", "gamma", "fold", "bootstrap", "trial"))}
        for words in (["svm"], ["bag"], ["train", "cnn"], ["names"]):
            kind = words[0]
            self.succeed(*words, "--config", f"{kind}.h5", "--quiet", "-o", f"{kind}-again.h5")
            with h5py.File(self.folder / f"{kind}.h5") as old, h5py.File(self.folder / f"{kind}-again.h5") as new:
                names = []
                old.visititems(lambda name, item, names=names: names.append(name) if isinstance(item, h5py.Dataset) else None)
                self.assertGreater(len(names), 10)
                for name in sorted(set(names) - moved):
                    if name.endswith(("seconds", "started", "model_checksum")):
                        continue
                    with self.subTest(kind=kind, name=name):
                        before, now = old[name][()], new[name][()]
                        if numpy.asarray(before).dtype.kind == "f":
                            # Sigmoids are fitted to decision values that are exact to the solver's tolerance of 1e-3.
                            numpy.testing.assert_allclose(now, before, rtol=1e-3 if name.startswith("probability/") else 1e-5, atol=1e-6)
                        else:
                            numpy.testing.assert_array_equal(now, before)
                        if "error" in name:
                            numpy.testing.assert_array_equal(now, before)

    def test_options_are_taken_from_them(self):
        for words in (["svm"], ["bag"], ["train", "cnn"], ["names"]):
            with self.subTest(words=words):
                self.succeed(*words, "--config", f"{words[0]}.h5", "--dry-run")

    def test_config_repeats_a_study_with_the_defaults_of_its_time(self):
        self.succeed("svm", "--config", "svm.h5", "-o", "again.h5")
        with h5py.File(self.folder / "svm.h5") as old, h5py.File(self.folder / "again.h5") as again:
            config = json.loads(again.attrs["config"])
            self.assertEqual((config["fold-kind"]["value"], config["test-part"]["value"]), ("contiguous", "last"))
            for path in ("fold_error", "test/prediction", "best/error"):
                numpy.testing.assert_array_equal(again[path][()], old[path][()], path)

    def test_an_unfinished_study_is_continued_with_its_own_options(self):
        self.assertEqual(self.run_command("svm", "--data", "csv:tiny.csv", "--grid", "6x6", "--folds", "3", "--quiet",
                                          "-o", "unfinished.h5").code, 2)  # the defaults are others now
        result = self.succeed("svm", "--config", "unfinished.h5", "-o", "unfinished.h5")
        self.assertIn("1 units were computed before", result.err)
        self.succeed("svm", "--config", "unfinished.h5", "--quiet", "-o", "fresh.h5")
        with h5py.File(self.folder / "unfinished.h5") as file, h5py.File(self.folder / "fresh.h5") as fresh:
            self.assertEqual(file.attrs["status"], "finished")
            for path in ("fold_error", "test/prediction", "best/error", "best/balanced_error", "out_of_fold/prediction"):
                numpy.testing.assert_array_equal(file[path][()], fresh[path][()], path)
        self.assertFalse((self.folder / "unfinished.h5.journal").exists())


if __name__ == "__main__":
    unittest.main()
