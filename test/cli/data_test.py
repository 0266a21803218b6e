#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold data: describes, lists, verifies and converts; a study of converted data is that of the original, bit for bit."""

import unittest

import h5py
import numpy

from krossfold_cli import FAILED, ROOT, USAGE, CommandTest, content, difference, write_csv

OWN = ROOT / "test" / "own_data"
PEOPLE = f"csv:{OWN / 'people.csv'}"
ROLES = ("--label", "ill", "--group", "visit", "--weight", "trust")
FILLED = ("--missing", "mean", "--categorical", "onehot")
SEARCH = ("--grid", "2x2", "--folds", "2", "--quiet")

def arrays(path):
    """The arrays of a result file that depend on data and options alone."""
    return {name: value for name, value in content(path).items() if not name.startswith("@")}


class Data(CommandTest):
    def assert_same_study(self, original, converted):
        for name, spec in (("a.h5", original), ("b.h5", converted)):
            self.succeed("svm", "--data", *spec, *SEARCH, "-o", name)
        a, b = arrays(self.folder / "a.h5"), arrays(self.folder / "b.h5")
        self.assertIn("fold_error", a)
        self.assertEqual(difference(a, b), [])
        for name in ("a.h5", "b.h5"):
            (self.folder / name).unlink()

    def test_a_study_of_converted_data_is_that_of_the_original(self):
        for original, options, again in (([f"csv:{OWN / 'rare.csv'}"], [], []), (["digits"], [], ["--limit", "100"]),
                                         ([PEOPLE], [*ROLES], [*FILLED]),
                                         ([f"hdf5:{OWN / 'flowers.nc'}:measure,kind"], [], [])):
            with self.subTest(original):
                self.succeed("data", "convert", *original, *options, "-o", "c.h5", "--overwrite")
                self.assert_same_study([*original, *options, *again], ["hdf5:c.h5", *again])

    def test_converted_data_are_open_to_h5py(self):
        self.succeed("data", "convert", PEOPLE, *ROLES, "-o", "people.h5")
        with h5py.File(self.folder / "people.h5") as file:
            names = [name.decode() for name in file["feature_name"]]
            self.assertEqual(names, ["age", "colour", "height"])
            self.assertEqual(file["x"].dtype, numpy.float32)
            numpy.testing.assert_array_equal(file["x"][:, 0], numpy.float32([31, 45, numpy.nan, 22, 60, 37, 51, numpy.nan]))
            classes = numpy.array([name.decode() for name in file["class_name"]])
            self.assertEqual(list(classes[file["y"][()]]), ["yes", "no", "no", "yes", "no", "no", "yes", "no"])
            numpy.testing.assert_array_equal(file["weight"], [1, 0.5, 1, 2, 1, 0.25, 1, 1])

    def test_describes_columns_classes_and_what_looks_wrong(self):
        report = self.succeed("data", PEOPLE, *ROLES, "--format", "json").report()
        self.assertEqual((report["samples"], report["groups"], report["weighted"]), (8, 4, True))
        age, colour, height = report["columns"]
        self.assertEqual({key: age[key] for key in ("name", "type", "missing", "distinct", "lowest", "highest", "mean")},
                         {"name": "age", "type": "whole number", "missing": 2, "distinct": 6, "lowest": 22, "highest": 60, "mean": 41})
        self.assertEqual((colour["type"], colour["missing"], colour["distinct"], colour["mean"]), ("text", 1, 3, None))
        self.assertEqual((height["type"], height["missing"]), ("number", 1))
        self.assertEqual(report["classes"], [{"name": "no", "samples": 5, "share": 0.625}, {"name": "yes", "samples": 3, "share": 0.375}])
        self.assertFalse(report["study"]["taken"])
        self.assertIn("line 2, column 2 (colour)", report["study"]["refusal"])
        filled = self.succeed("data", PEOPLE, *ROLES, *FILLED)
        self.assertRegex(filled.out, r"a study +trains on \d samples and tests on \d")
        self.assertRegex(filled.out, r"colour +text +1 +3")
        index = self.succeed("data", f"csv:{OWN / 'flowers_index.csv'}")
        self.assertIn("warning: column 1 has no name, like the index that pandas writes or R's row names, and is used", index.out)
        self.assertIn("(species), the last column in use (--label names another), 3 classes", index.out)
        self.assertNotIn("the last column in use", self.succeed("data", f"csv:{OWN / 'flowers_index.csv'}", "--label", "species").out)
        rows = [["a", "y"], [1, "u"], [2, "v"], [1, "v"], [3, "u"], [3, "u"], [2, "v"]]
        write_csv(self.folder / "twins.csv", rows)
        twins = self.succeed("data", "csv:twins.csv", "--format", "json").report()
        self.assertEqual(twins["duplicates"], {"repeated": 3, "contradicting": 2})

    def test_describes_images_and_names(self):
        digits = self.succeed("data", "digits")
        self.assertIn("64, images of 8x8", digits.out)
        self.assertNotIn("columns that are features", digits.out)
        report = self.succeed("data", "digits", "--format", "json").report()
        self.assertEqual(report["image"], {"width": 8, "height": 8, "channels": 1})
        self.assertEqual(len(report["columns"]), 64)
        self.assertEqual(report["columns"][0]["type"], "one value")
        (self.folder / "names.txt").write_text("Bella\nMax\nZoë\nLuna\nRex\n")
        names = self.succeed("data", "names:names.txt", "--format", "json").report()
        self.assertEqual((names["names"], names["study"]), (5, {"taken": True, "train": 4, "test": 1}))

    def test_lists_every_kind_of_data_that_is_documented(self):
        kinds = [row["spec"] for row in self.succeed("data", "list", "--format", "json").report()["spec"]]
        for kind in ("digits", "mnist[:DIR]", "csv:FILE", "hdf5:FILE[:X[,Y]]", "names[:FILE[#COLUMN]]"):
            self.assertIn(kind, kinds)
        documented = (ROOT / "docs" / "data.md").read_text()
        for kind in kinds:
            self.assertIn(f"`{kind.split(':')[0].split('[')[0]}", documented)

    def test_verifies_with_the_refusal_of_a_study(self):
        good = self.succeed("data", "verify", f"csv:{OWN / 'flowers.csv'}")
        self.assertRegex(good.out, r"17 samples \(\d+ to train on, \d+ to test\) read, no fault")
        for words in ((PEOPLE, *ROLES), (PEOPLE, *ROLES, "--categorical", "onehot"), (f"hdf5:{OWN / 'flowers.h5'}:/hole,/y",)):
            with self.subTest(words):
                bad = self.run_command("data", "verify", *words)
                self.assertEqual((bad.code, bad.out), (FAILED, ""), bad)
                study = self.run_command("svm", "--data", *words, "--dry-run")
                self.assertEqual(bad.err, study.err)
                self.assertRegex(bad.err, r"(line|row) \d+, column \d+")

    def test_verifying_what_cannot_be_looked_at_is_wrong_usage(self):
        (self.folder / "empty.csv").write_text("")
        (self.folder / "one.csv").write_text("x,kind\n" + "1,a\n" * 9)
        (self.folder / "folder").mkdir()
        for code, *words in ((USAGE, "csv:absent.csv"), (USAGE, "libsvm:absent"), (USAGE, "npy:absent.npy"), (USAGE, "npz:absent.npz:X"),
                             (USAGE, "hdf5:absent.h5"), (USAGE, "hdf5:absent.h5:/x,/y"), (USAGE, "images:absent"), (USAGE, "mnist:folder"),
                             (USAGE, "names:absent.txt"), (USAGE, "csv:folder"), (USAGE, "idx:one.csv,absent"), (USAGE, "csw:one.csv"),
                             (USAGE, "digits", "--test", "csv:absent.csv"), (USAGE, "digits", "--test", "csw:one.csv"),
                             (USAGE, "digits", "--test", "names"), (USAGE, "digits", "--test", "names:one.csv"),
                             (USAGE, "digits", "--test-part", "most"), (USAGE, "csv:one.csv", "--missing", "keep"), (USAGE, "digits", "--label", "3"),
                             (FAILED, "csv:empty.csv"), (FAILED, "csv:one.csv"), (FAILED, "csv:one.csv", "--label", "z"),
                             (FAILED, "idx:one.csv,one.csv"), (FAILED, "images:folder"),
                             (FAILED, "hdf5:one.csv"), (FAILED, "digits", "--test", "csv:empty.csv"), (FAILED, "digits", "--limit", "99999")):
            with self.subTest(words):
                verified = self.run_command("data", "verify", *words)
                self.assertEqual((verified.code, verified.out), (code, ""), verified)
                if not words[0].startswith("names"):
                    self.assertEqual(verified.err, self.run_command("svm", "--data", *words, "--dry-run").err)

    def test_enumerations_are_labels_unless_an_attribute_says_that_some_are_missing(self):
        kinds = numpy.arange(40, dtype="u1") % 2
        for attribute in ("", "_FillValue", "missing_value"):
            with h5py.File(self.folder / "e.h5", "w") as file:
                file["x"] = numpy.arange(80.0).reshape(40, 2) ** 2 % 11
                file.create_dataset("y", data=kinds, dtype=h5py.enum_dtype({"rose": 0, "tulip": 1, "none": 255}, basetype="u1"))
                if attribute:
                    file["y"].attrs[attribute] = numpy.uint8(255)
            verified = self.run_command("data", "verify", "hdf5:e.h5")
            self.assertEqual(verified.code, FAILED if attribute else 0, verified)
            if attribute:
                self.assertIn(f"array /y is an enumeration with the attribute {attribute}", verified.err)

    def test_verifying_and_converting_warn_as_a_study_does(self):
        (self.folder / "t.csv").write_text("number,x,kind\n" + "".join(f"{k},{k % 7}.5,{'ab'[k % 2]}\n" for k in range(30)))
        study = self.succeed("svm", "--data", "csv:t.csv", "--dry-run")
        index = "column 1 (number) counts"
        self.assertIn(index, study.err)
        self.assertIn(index, self.succeed("data", "verify", "csv:t.csv").err)
        self.assertIn(index, str(self.succeed("data", "verify", "csv:t.csv", "--format", "json").json()))
        self.assertIn(index, self.succeed("data", "convert", "csv:t.csv", "-o", "t.h5").err)

    def test_a_study_says_what_it_understood_of_data_that_are_no_table(self):
        target = self.succeed("svm", "--data", f"libsvm:{OWN / 'regression.libsvm'}", "--dry-run").err
        self.assertIn("120 samples of 4 features", target)
        self.assertRegex(target, r"with \d+ classes: -\d")
        for warning in ("a regression?", "columns with the same value in every sample: 4"):
            self.assertIn(warning, target)
            self.assertIn(warning, self.succeed("data", f"libsvm:{OWN / 'regression.libsvm'}").out)
        rows = ["1 1:2 2:3", "2 1:2 2:3", "1 1:0.5", "2 2:7"] * 5
        (self.folder / "twins.svm").write_text("\n".join(rows) + "\n")
        self.assertIn("samples have a twin with the same features but another label", self.succeed("svm", "--data", "libsvm:twins.svm", "--dry-run").err)
        digits = self.succeed("svm", "--data", "digits", "--dry-run").err
        self.assertIn("1797 images of 8x8 pixels", digits)
        self.assertRegex(digits, r"with 10 classes: 0 178 \(9.9 %\)")
        self.assertNotIn("warning", digits)
        self.assertNotIn("no data given", digits)

    def test_never_replaces_a_result(self):
        self.succeed("svm", "--data", "digits", "--limit", "100", "--grid", "1x1", "--folds", "2", "-o", "r.h5")
        for file in ("r.h5", next((self.folder).glob("r.*.models/svm.h5")).relative_to(self.folder)):
            before = (self.folder / file).read_bytes()
            refused = self.run_command("data", "convert", "digits", "-o", str(file), "--overwrite")
            self.assertEqual(refused.code, USAGE, refused)
            self.assertIn("is not replaced", refused.err)
            self.assertEqual((self.folder / file).read_bytes(), before)

    def test_samples_without_a_label_are_left_out_once_missing_says_what_becomes_of_gaps(self):
        rows = [[f"{k % 7}", f"{k * k % 11}", "ab"[k % 2]] for k in range(40)]
        rows[3][1] = rows[5][2] = rows[9][2] = "NA"
        write = lambda name, chosen: (self.folder / name).write_text("x,y,kind\n" + "".join(",".join(row) + "\n" for row in chosen))
        write("t.csv", rows)
        write("labelled.csv", [row for row in rows if row[2] != "NA"])
        options = ("--label", "kind", "--missing", "median", "--test-part", "none")
        says = "t.csv: 2 samples whose label is 'NA' were left out (lines 7, 11)"
        self.assertIn(says, self.succeed("svm", "--data", "csv:t.csv", *options, "--grid", "2x2", "--folds", "2", "-o", "t.h5").err)
        self.succeed("svm", "--data", "csv:labelled.csv", *options, *SEARCH, "-o", "labelled.h5")
        gaps, labelled = ({"fold_error": content(self.folder / name)["fold_error"]} for name in ("t.h5", "labelled.h5"))
        self.assertEqual(difference(gaps, labelled), [])
        report = self.succeed("data", "csv:t.csv", "--format", "json").report()
        self.assertEqual((report["samples"], report["study"]["taken"]), (38, False))
        refused = self.run_command("data", "convert", "csv:t.csv", "-o", "t-data.h5")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("line 7, column 3 (kind): the label is missing", refused.err)
        self.succeed("data", "convert", "csv:t.csv", *options[:4], "-o", "t-data.h5")
        self.assert_same_study(["csv:t.csv", *options], ["hdf5:t-data.h5", *options[2:]])

    def test_dropped_test_samples_are_warned_of_and_stay_in_the_report(self):
        rows = "".join(f"{k % 7},{k * k % 11},{'ab'[k % 2]}\n" for k in range(40))
        (self.folder / "train.csv").write_text("x,y,kind\n" + rows)
        (self.folder / "test.csv").write_text("x,y,kind\n1,2,a\n,2,b\n3,NA,a\n4,5,b\n")
        says = "test.csv: 2 of 4 samples lack a value and were left out, as --missing drop says"
        study = self.succeed("svm", "--data", "csv:train.csv", "--test", "csv:test.csv", "--missing", "drop", "--grid", "1x1", "--folds", "2", "-o", "d.h5")
        self.assertIn(says, study.err)
        self.assertIn(says, self.succeed("report", "d.h5").out)

    def test_a_column_whose_name_holds_a_comma_can_be_left_out(self):
        rows = "".join(f"{k % 7},{k * k % 11},{'ab'[k % 2]}\n" for k in range(30))
        (self.folder / "t.csv").write_text('"length, mm","say ""x""",kind\n' + rows)
        study = self.succeed("svm", "--data", "csv:t.csv", "--drop", '"length, mm"', *SEARCH, "-o", "t.h5")
        self.assertEqual(study.code, 0)
        dry = self.succeed("svm", "--data", "csv:t.csv", "--drop", '"length, mm"', "--dry-run").err
        self.assertIn("left out: column 1 (length, mm)", dry)
        again = self.succeed("svm", "--config", "t.h5", "--data", "csv:t.csv", "--dry-run").err
        self.assertIn("left out: column 1 (length, mm)", again)

    def test_never_replaces_a_file_unless_told(self):
        (self.folder / "mine.h5").write_text("mine")
        refused = self.run_command("data", "convert", "digits", "-o", "mine.h5")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("mine.h5 exists", refused.err)
        self.assertEqual((self.folder / "mine.h5").read_text(), "mine")
        self.succeed("data", "convert", "digits", "-o", "mine.h5", "--overwrite")
        itself = self.run_command("data", "convert", "hdf5:mine.h5", "-o", "mine.h5", "--overwrite")
        self.assertEqual(itself.code, USAGE, itself)
        self.assertIn("is a file of the original", itself.err)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["mine.h5"])

    def test_refuses_words_that_make_no_sense(self):
        for words, problem in ((("data",), "krossfold data needs data"), (("data", "verify"), "data verify needs data"),
                               (("data", "digits", "mnist"), "unexpected word 'mnist'"), (("data", "digit"), "Did you mean digits?"),
                               (("data", "convert", "digits"), "needs a file to write"), (("data", "digits", "-o", "d.h5"), "--output is for"),
                               (("data", "digits", "--overwrite"), "--overwrite is for"), (("data", "digits", "--format", "csv"), "text or json"),
                               (("data", "digits", "--label", "3"), "label is for tables"),
                               (("data", "convert", "names", "-o", "n.h5"), "names cannot be converted"),
                               (("data", "convert", "digits", "-o", "d.h5", "--limit", "9"), "--limit is not for"),
                               (("data", "convert", "digits", "-o", "d.h5", "--test", "digits"), "--test is not for"),
                               (("data", "convert", "digits", "-o", "d.h5", "--test-part", "last"), "--test-part is not for"),
                               (("data", "verify", "csw:a.csv"), "Did you mean csv?")):
            with self.subTest(words):
                refused = self.run_command(*words)
                self.assertEqual(refused.code, USAGE, refused)
                self.assertIn(problem, refused.err)


if __name__ == "__main__":
    unittest.main()
