#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A study takes its options from a result file or a TOML file, and from the command line before them."""

import json
import unittest

import h5py

from krossfold_cli import CommandTest, content, difference, models_of

OPTIONS = ("--data", "digits", "--test-part", "last",
           "--limit", "160", "--grid", "3x2", "--log10-c=-2:3.25", "--log10-gamma=-4:-1.5",
           "--folds", "3", "--fold-kind", "shuffled", "--seed", "7", "--scale", "8:4.5", "--multiclass", "ovo",
           "--tolerance", "0.003", "--gap", "0.0001", "--max-iterations", "123456", "--probability", "--refine", "1",
           "--select-by", "f1-macro,1se", "--class-weight", "3:2")


def options(path):
    """The options recorded in a result file: {name: value}."""
    with h5py.File(path) as file:
        return {name: entry["value"] for name, entry in json.loads(file.attrs["config"]).items()}


class Config(CommandTest):
    def study(self, *arguments, output):
        return self.succeed("svm", *arguments, "--quiet", "-o", output)

    def test_of_a_result_file_gives_the_same_result(self):
        self.study(*OPTIONS, output="a.h5")
        result = self.study("--config", "a.h5", output="b.h5")
        self.assertEqual(difference(content(self.folder / "a.h5"), content(self.folder / "b.h5")), [])
        self.assertEqual((models_of(self.folder / "a.h5") / "svm.h5").read_bytes(), (models_of(self.folder / "b.h5") / "svm.h5").read_bytes())
        self.assertNotIn("warning: the data", result.err)

    def test_of_a_result_file_takes_every_option_from_it(self):
        self.study(*OPTIONS, output="a.h5")
        recorded = options(self.folder / "a.h5")
        # Every option of the search was set to something of its own above, or this test proves nothing of it.
        self.study("--limit", "160", "--no-refit", "--grid", "2x2", output="defaults.h5")
        standard = options(self.folder / "defaults.h5")
        same = {name for name in recorded if recorded[name] == standard[name]}
        # Other kernels, the factor, lists and parts do not go with all of them; parts_test and svm_test repeat searches in parts and of lists.
        self.assertEqual(same, {"data", "test", "outer", "repeats", "limit", "label", "delimiter", "decimal", "skip-lines", "header", "drop", "group", "weight",
                                "missing", "categorical", "image", "weighted-measures", "kernel-function", "degree", "coef0", "factor",
                                "partition", "part-cell", "c-values", "gamma-values"})
        self.study("--config", "a.h5", output="b.h5")
        self.assertEqual(options(self.folder / "b.h5"), recorded)

    def test_of_a_study_without_refit_has_none_unless_asked_for(self):
        self.study("--limit", "150", "--grid", "2x2", "--folds", "2", "--no-refit", output="a.h5")
        self.study("--config", "a.h5", output="b.h5")
        self.assertEqual(options(self.folder / "b.h5")["refit"], "false")
        self.study("--config", "a.h5", "--refit", output="c.h5")
        self.assertEqual(options(self.folder / "c.h5")["refit"], "true")
        self.study("--config", "c.h5", "--no-refit", output="d.h5")
        self.assertEqual(options(self.folder / "d.h5")["refit"], "false")

    def test_the_command_line_goes_before_the_file(self):
        self.study(*OPTIONS, output="a.h5")
        before = options(self.folder / "a.h5")
        self.study("--seed", "8", "--config", "a.h5", "--folds=2", "--no-probability", output="b.h5")
        after = options(self.folder / "b.h5")
        changed = {name: after[name] for name in before if after[name] != before[name]}
        self.assertEqual(changed, {"seed": "8", "folds": "2", "probability": "false"})

    def test_of_the_output_itself_continues_or_reports_it(self):
        self.study(*OPTIONS, output="a.h5")
        again = self.succeed("svm", "--config", "a.h5", "-o", "a.h5")
        self.assertIn("finished already", again.err)

    def test_of_a_result_whose_data_have_changed_says_so(self):
        rows = [f"{i},{i * i % 7},{i % 2}\n" for i in range(40)]
        (self.folder / "d.csv").write_text("".join(rows))
        self.study("--data", "csv:d.csv", "--grid", "2x2", "--folds", "2", output="a.h5")
        (self.folder / "d.csv").write_text("".join(rows[:-1]) + "39,9,1\n")
        changed = self.study("--config", "a.h5", output="b.h5")
        self.assertIn("the data differ from those that a.h5 was computed from", changed.err)
        other = self.study("--config", "a.h5", "--data", "csv:d.csv", output="c.h5")
        self.assertNotIn("the data differ", other.err)

    def test_of_a_toml_file_is_what_the_command_line_would_be(self):
        (self.folder / "study.toml").write_text("""# a study
            data = "digits"
            limit = 160
            [svm]
            grid = "3x2"          # C x gamma
            log10-c = "-2:3.25"
            folds = 3
            no-refit = true
            quiet = true
            output = "from_toml.h5"
            """)
        self.study("--limit", "160", "--grid", "3x2", "--log10-c=-2:3.25", "--folds", "3", "--no-refit", output="a.h5")
        result = self.succeed("svm", "--config", "study.toml")
        self.assertEqual(result.err, "")
        self.assertEqual(difference(content(self.folder / "a.h5"), content(self.folder / "from_toml.h5")), [])

    def test_of_a_toml_file_gives_strings_as_toml_reads_them(self):
        rows = [f"{i % 5},{i * i % 7},{i % 3},{i % 2}" for i in range(40)]
        (self.folder / "d.csv").write_text('p,r,"p,r",outcome\n' + "\n".join(rows) + "\n")
        words = ("svm", "--data", "csv:d.csv", "--label", "outcome", "--dry-run")
        for value, drop in (("""'"p,r"'""", '"p,r"'), (r'"\"p,r\""', '"p,r"'), ('"p,r"  # both', "p,r"), (r'"\u0070"', "p"), ("'p'", "p")):
            with self.subTest(value):
                (self.folder / "c.toml").write_text(f"drop = {value}\n")
                self.assertEqual(self.succeed(*words, "--config", "c.toml").err, self.succeed(*words, "--drop", drop).err)

    def test_an_empty_value_undoes_what_the_file_says(self):
        self.study(*OPTIONS, output="a.h5")
        self.study("--no-refit", "--grid", "2x2", "--limit", "160", output="standard.h5")
        recorded, standard = options(self.folder / "a.h5"), options(self.folder / "standard.h5")
        for name in sorted(name for name in recorded if recorded[name] != standard[name] and recorded[name] not in ("true", "false")):
            with self.subTest(name):
                result = self.run_command("svm", "--config", "a.h5", f"--{name}", "", "--dry-run")
                self.assertNotIn("needs a value", result.err)
                self.assertNotIn("bad value", result.err)
                self.assertEqual(result.code, 0, result.err)
        self.study("--config", "a.h5", "--folds", "", "--limit", "150", output="b.h5")
        self.assertEqual(options(self.folder / "b.h5")["folds"], standard["folds"])

    def test_lists_of_a_file_give_way_to_a_grid_that_is_given(self):
        small = ("--limit", "150", "--folds", "2", "--no-refit")
        self.study(*small, "--c-values", "0.5,1,5", "--gamma-values", "0.01,0.02", output="a.h5")
        cells = {"--grid=2x3": (2, 3), "--log10-c=0:1": (3, 2), "--c-values=3": (1, 2)}
        for word, shape in cells.items():
            with self.subTest(word):
                self.study("--config", "a.h5", word, output=f"{word}.h5")
                with h5py.File(self.folder / f"{word}.h5") as file:
                    self.assertEqual((len(file["C"]), len(file["gamma"])), shape)
        (self.folder / "left.toml").write_text('fold-kind = "leave-one-out"\nlimit = 40\ngrid = "1x1"\n')
        self.study("--config", "left.toml", "--folds", "4", output="four.h5")
        self.assertEqual(options(self.folder / "four.h5")["folds"], "4")
        self.assertNotEqual(options(self.folder / "four.h5")["fold-kind"], "leave-one-out")
        self.study("--config", "a.h5", "--grid", "", "--log10-c", "", output="same.h5")
        self.assertEqual(difference(content(self.folder / "a.h5"), content(self.folder / "same.h5")), [])

    def test_is_the_same_on_every_rank(self):
        self.study(*OPTIONS, output="a.h5")
        self.succeed("svm", "--config", "a.h5", "--quiet", "-o", "b.h5", ranks=2)
        self.assertEqual(difference(content(self.folder / "a.h5"), content(self.folder / "b.h5")), [])


if __name__ == "__main__":
    unittest.main()
