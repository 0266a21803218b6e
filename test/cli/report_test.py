#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold report: its tables agree with the file."""

import csv
import io
import unittest

import h5py
import numpy

from krossfold_cli import STOPPED, CommandTest

STUDY = ("svm", "--data", "digits", "--limit", "200", "--grid", "5x4", "--folds", "3", "--quiet")
# Stopped long before its end.
LONG_STUDY = ("svm", "--data", "digits", "--limit", "800", "--folds", "3", "--quiet", "--max-time", "0.2",
              "--grace", "0")


class Report(CommandTest):
    def study(self, *options, name="r.h5"):
        self.succeed(*STUDY, *options, "-o", name)

    def test_json_agrees_with_the_file(self):
        self.study()
        report = self.succeed("report", "r.h5", "--format", "json").report()
        with h5py.File(self.folder / "r.h5") as file:
            error = file["fold_error"][()]
            g, c = file["best/gamma_index"][()], file["best/C_index"][()]
            self.assertEqual(report["kind"], "svm")
            self.assertEqual(report["status"], "finished")
            self.assertEqual(report["best"]["C"], file["best/C_value"][()])
            self.assertEqual(report["best"]["gamma"], file["best/gamma_value"][()])
            self.assertAlmostEqual(report["best"]["error"], error.mean(axis=2).min(), places=14)
            self.assertAlmostEqual(report["best"]["spread"], error[g, c].std(ddof=1), places=14)
            self.assertEqual(report["test_error"], file["test_error"][()])
            self.assertEqual(report["seconds"], file.attrs["seconds"])
            busy = file["unit/seconds"][()].sum() + file.attrs["refit_seconds"]
            measured = file.attrs.get("utilisation", busy / file.attrs["seconds"])
            self.assertAlmostEqual(report["utilisation"], measured, places=10)
            self.assertGreater(report["utilisation"], 0)
            self.assertLess(report["utilisation"], 1.01)
        self.assertEqual((report["units"]["done"], report["units"]["failed"]), (12, 0))
        self.assertEqual(report["units"]["not_converged"], 0)
        self.assertEqual(report["fits"]["all"], 4 * 5 * 3 * 10)
        self.assertEqual(report["data"], {"name": "digits", "train": 200, "test": 359, "features": 64, "classes": 10})

    def test_csv_agrees_with_the_file(self):
        self.study()
        rows = list(csv.DictReader(io.StringIO(self.succeed("report", "r.h5", "--format", "csv").out)))
        self.assertEqual(len(rows), 4 * 5 * 3)
        with h5py.File(self.folder / "r.h5") as file:
            gamma, cs = file["gamma"][()], file["C"][()]
            error, seconds = file["fold_error"][()], file["unit/seconds"][()]
            for k, row in enumerate(rows):
                g, c, f = numpy.unravel_index(k, error.shape)
                self.assertEqual(float(row["gamma"]), gamma[g])
                self.assertEqual(float(row["C"]), cs[c])
                self.assertEqual(int(row["fold"]), f)
                self.assertEqual(float(row["error"]), error[g, c, f])
                self.assertEqual(float(row["unit_seconds"]), seconds[g, f])
                self.assertEqual(row["unit_status"], "done")

    def test_csv_of_several_files_is_one_table_that_names_the_file_in_each_line(self):
        names = ("r.h5", 'a "b", c.h5')
        self.study("--no-refit")
        (self.folder / names[1]).write_bytes((self.folder / names[0]).read_bytes())
        alone = list(csv.reader(io.StringIO(self.succeed("report", names[0], "--format", "csv").out)))
        both = list(csv.reader(io.StringIO(self.succeed("report", *names, "--format", "csv").out)))
        self.assertEqual(alone[0][0], "file")
        self.assertEqual(both[0], alone[0])
        self.assertEqual(both[1:len(alone)], alone[1:])
        self.assertEqual(both[len(alone):], [[names[1], *row[1:]] for row in alone[1:]])

    def test_the_model_is_named_as_predict_takes_it(self):
        (self.folder / "below").mkdir()
        self.study(name="below/r.h5")
        model = self.succeed("report", "below/r.h5", "--format", "json").report()["model"]
        self.assertIn(model + "\n", self.succeed("report", "below/r.h5").out)
        self.assertEqual(self.succeed("predict", model, "digits", "--quiet").out,
                         self.succeed("predict", "below/r.h5", "digits", "--quiet").out)
        self.study("--no-refit", name="search.h5")
        self.assertEqual(self.succeed("report", "search.h5", "--format", "json").report()["model"], "")

    def test_text_agrees_with_the_json(self):
        self.study()
        report = self.succeed("report", "r.h5", "--format", "json").report()
        out = self.succeed("report", "r.h5").out
        self.assertIn(f"{100 * report['best']['error']:.2f} %", out)
        self.assertIn(f"{100 * report['test_error']:.2f} %", out)
        self.assertIn(f"C = {report['best']['C']:.4g}", out)
        self.assertIn("12 of 12 units", out)
        for warning in report["warnings"]:
            self.assertIn("warning: " + warning, out)

    def test_warns_exactly_where_the_best_cell_lies_on_the_edge_and_names_the_option(self):
        seen = set()
        for k, (cs, gammas) in enumerate((("-3:6", "-5:1"), ("-3:6", "-1.2:0.5"), ("-3:0", "-6:-1"))):
            self.study("--log10-c", cs, "--log10-gamma", gammas, name=f"{k}.h5")
            expected = []
            with h5py.File(self.folder / f"{k}.h5") as file:
                mean = file["fold_error"][()].mean(axis=2)
                tied = numpy.argwhere(numpy.isclose(mean, mean.min(), rtol=1e-12, atol=0))  # (gamma, C)
                for axis, option in (("C", "log10-c"), ("gamma", "log10-gamma")):
                    at, last = file[f"best/{axis}_index"][()], file[axis].shape[0] - 1
                    if not ((0 < tied[:, int(axis == "C")]) & (tied[:, int(axis == "C")] < last)).any():
                        self.assertIn(at, (0, last))
                        expected.append((axis, "smallest" if at == 0 else "largest", option))
            warnings = self.succeed("report", f"{k}.h5", "--format", "json").report()["warnings"]
            warnings = [warning for warning in warnings if "recognised" not in warning and "out-of-fold" not in warning]
            self.assertEqual(len(warnings), len(expected), warnings)
            for warning, (axis, end, option) in zip(warnings, expected):
                self.assertRegex(warning, f"edge of the grid: {axis} is the {end} .*widen --{option}")
                self.assertIn("warning: " + warning, self.succeed("report", f"{k}.h5").out)
            seen.add(tuple(axis for axis, _, _ in expected))
        self.assertIn((), seen)
        self.assertGreater(len(seen), 1)

    def test_an_axis_of_one_value_has_no_edge(self):
        self.succeed("svm", "--limit", "200", "--grid", "1x1", "-o", "one.h5")
        self.assertEqual(self.succeed("report", "one.h5", "--format", "json").report()["warnings"], [])

    def test_warns_of_fits_that_did_not_converge(self):
        self.study("--max-iterations", "5")
        report = self.succeed("report", "r.h5", "--format", "json").report()
        with h5py.File(self.folder / "r.h5") as file:
            converged = file["fit/converged"][()]
            violation = file["fit/kkt_violation"][()]
            self.assertTrue((file["fit/iterations"][()] <= 5).all())
        self.assertGreater((converged == 0).sum(), 0)
        self.assertTrue((violation[converged == 0] > 1e-3).all())
        self.assertEqual(report["fits"]["not_converged"], (converged == 0).sum())
        self.assertTrue(any("did not converge" in warning for warning in report["warnings"]), report["warnings"])
        self.assertIn("raise --max-iterations", self.succeed("report", "r.h5").out)

    def test_status_is_one_word_a_file(self):
        self.study("--no-refit")
        stopped = self.run_command(*LONG_STUDY, "-o", "stopped.h5")
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertEqual(self.succeed("report", "--status", "r.h5", "stopped.h5").out, "finished\nstopped\n")

    def test_an_unfinished_study_has_a_report_too(self):
        stopped = self.run_command(*LONG_STUDY, "-o", "r.h5")
        self.assertEqual(stopped.code, STOPPED, stopped)
        report = self.succeed("report", "r.h5", "--format", "json").report()
        self.assertEqual(report["status"], "stopped")
        self.assertLess(report["units"]["done"], 24 * 3)
        self.assertIsNone(report["test_error"])
        rows = self.succeed("report", "r.h5", "--format", "csv").out.splitlines()
        self.assertEqual(len(rows), 1 + 24 * 24 * 3)
        self.assertEqual(sum(row.endswith(",missing") for row in rows), 24 * (24 * 3 - report["units"]["done"]))

    def test_several_files_make_one_json_list(self):
        self.study("--no-refit")
        both = self.succeed("report", "r.h5", "r.h5", "--format", "json").json()
        self.assertEqual([one["file"] for one in both], ["r.h5", "r.h5"])


if __name__ == "__main__":
    unittest.main()
