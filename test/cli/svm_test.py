#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold svm: what it writes and says."""

import json
import math
import re
import shutil
import unittest

import h5py
import numpy

from krossfold_cli import CommandTest, content, difference, held_out_digits, models_of

STUDY = ("svm", "--data", "digits", "--fold-kind", "contiguous", "--test-part", "last",
         "--limit", "200", "--grid", "5x4", "--folds", "3", "-o", "r.h5")


class Svm(CommandTest):
    def test_leaves_the_result_and_the_model_and_nothing_else(self):
        self.succeed(*STUDY)
        self.assertEqual(self.files(), ["r.h5", "r.models", "r.models/svm.h5"])

    def test_prints_the_best_cell_and_the_test_error_on_stdout_and_the_rest_on_stderr(self):
        result = self.succeed(*STUDY)
        for words in ("best cell", "test error", "finished"):
            self.assertIn(words, result.out)
        self.assertRegex(result.err, r"\brank 0\b")
        self.assertNotIn("best cell", result.err)
        self.assertNotIn("\r", result.err)  # no terminal: plain lines

    def test_a_dry_run_says_between_which_bounds_the_peak_of_a_rank_lies(self):
        small = ("--grid", "3x2", "--folds", "2", "--quiet", "-o", "r.h5")
        for words in (("svm", "--data", "digits", *small),
                      ("svm", "--data", "digits", "--multiclass", "ovo", "--log10-c", "2:6", *small),  # needs K in double
                      ("svm", "--data", "digits", "--factor", "300", *small),
                      ("svm", "--data", "digits", "--partition", "voronoi:400", *small),
                      ("svm", "--data", "digits", "--memory-limit", "80M", *small)):
            out = self.succeed(*words, "--dry-run").out
            said = re.search(r"with the program and the data ([\d.]+) MiB(?:, at most ([\d.]+) MiB)?", out)
            if said is None:
                self.skipTest("on a GPU nothing is said of the rank's own memory")
            least, most = (float(number) for number in (said[1], said[2] or said[1]))
            peak = self.peak_mebibytes(words)
            self.assertLess(least / peak, 1.3, f"{words}: {said[0]}, {peak} MiB were measured")
            self.assertLess(peak / most, 1.1, f"{words}: {said[0]}, {peak} MiB were measured")
            for path in self.folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_quiet_says_nothing_on_stderr(self):
        result = self.succeed(*STUDY, "--quiet")
        self.assertEqual(result.err, "")
        self.assertIn("best cell", result.out)

    def test_a_finished_study_is_reported_and_not_computed_again(self):
        first = self.succeed(*STUDY)
        before = [(self.folder / name).stat().st_mtime_ns for name in ("r.h5", models_of(self.folder / "r.h5") / "svm.h5")]
        bytes_before = (self.folder / "r.h5").read_bytes()
        again = self.succeed(*STUDY)
        self.assertEqual(again.out, first.out)
        self.assertIn("finished already", again.err)
        self.assertEqual(bytes_before, (self.folder / "r.h5").read_bytes())
        self.assertEqual(before, [(self.folder / name).stat().st_mtime_ns for name in ("r.h5", models_of(self.folder / "r.h5") / "svm.h5")])
        self.assertEqual(self.files(), ["r.h5", "r.models", "r.models/svm.h5"])

    def test_a_dry_run_touches_nothing_and_says_what_a_run_would_use(self):
        result = self.succeed(*STUDY, "--dry-run")
        self.assertEqual(self.files(), [])
        for words in ("12 (gamma, fold)", "5 C", "10 binary problems", "200 training", "359 test",
                      "memory", "MiB a rank", "devices"):
            self.assertIn(words, result.out)

    def test_without_refit_there_is_no_model_and_the_same_search(self):
        self.succeed(*STUDY)
        whole = content(self.folder / "r.h5")
        self.succeed(*STUDY[:-1], "search.h5", "--no-refit")
        self.assertEqual(list(self.folder.glob("search.*models")), [])
        search = content(self.folder / "search.h5")
        changed = difference(whole, search)
        for name in ("fold_error", "fit/iterations", "fit/dual_objective", "best/C_value", "best/gamma_value", "best/error"):
            self.assertNotIn(name, changed)
        for name in ("test_error", "test/prediction", "@model"):
            self.assertNotIn(name, search)

    def test_listed_values_give_the_search_of_a_grid_that_has_them(self):
        study = [word for word in STUDY if word not in ("--grid", "5x4")][:-1]
        self.succeed(*study, "grid.h5", "--grid", "3x2", "--log10-c=-1:1", "--log10-gamma=-3:-2")
        self.succeed(*study, "list.h5", "--c-values", "0.1,1,10", "--gamma-values", "0.001,0.01")
        grid, listed = (content(self.folder / f"{name}.h5") for name in ("grid", "list"))
        self.assertEqual(difference(grid, listed), ["@config", "@fingerprint"])
        # The options in a result file, whose grid is that of the list, repeat it and continue it.
        self.succeed("svm", "--config", "list.h5", "-o", "again.h5")
        self.assertEqual(difference(content(self.folder / "again.h5"), listed), [])
        self.assertIn("finished already", self.succeed("svm", "--config", "list.h5", "-o", "list.h5").err)
        self.succeed(*study, "odd.h5", "--c-values", "0.5,1,70", "--refine", "1")
        with h5py.File(self.folder / "odd.h5") as file:
            self.assertEqual(file["C"][()].tolist(), [0.5, 1, 70])
            self.assertEqual(file["refine/1/C"].size, 7)

    def test_other_options_give_another_study(self):
        study = tuple(word for word in STUDY if word not in ("--fold-kind", "contiguous"))
        self.succeed(*study, "--no-refit")
        base = content(self.folder / "r.h5")["fold_error"]
        for k, change in enumerate((("--fold-kind", "shuffled"), ("--fold-kind", "stratified"), ("--scale", "none"),
                                    ("--fold-kind", "shuffled", "--seed", "7"))):
            self.succeed(*study[:-1], f"other{k}.h5", "--no-refit", *change)
            other = content(self.folder / f"other{k}.h5")["fold_error"]
            self.assertNotEqual(base, other, change)
            base = other

    def test_runs_in_a_folder_that_holds_a_file_named_krossfold(self):
        # As a copy of the program itself. HDF5 looks for files even where it is given their content.
        (self.folder / "krossfold").write_text("something else")
        self.succeed(*STUDY)
        self.succeed("report", "r.h5")


class ResultFile(CommandTest):
    GAMMAS, CS, FOLDS, CLASSES, TEST = 4, 5, 3, 10, 359

    @classmethod
    def setUpClass(cls):
        cls.file = h5py.File(cls.share("run_study") / "r.h5", "r")
        cls.addClassCleanup(cls.file.close)

    def run_study(self):
        self.succeed(*STUDY)

    def shapes(self):
        g, c, f, k, n = self.GAMMAS, self.CS, self.FOLDS, self.CLASSES, self.TEST
        return {
            "gamma": (g,), "C": (c,), "fold_error": (g, c, f),
            "unit/seconds": (g, f), "unit/rank": (g, f), "unit/started": (g, f), "unit/status": (g, f),
            "fit/iterations": (g, c, f, k), "fit/converged": (g, c, f, k), "fit/dual_objective": (g, c, f, k),
            "fit/interior_steps": (g, c, f, k), "fit/factor_rank": (g, c, f, k),
            "fit/kkt_violation": (g, c, f, k), "fit/n_support": (g, c, f, k),
            "best/C_value": (), "best/gamma_value": (), "test_error": (),
            "test/label": (n,), "test/prediction": (n,), "test/confusion": (k, k), "class_name": (k,),
        }

    def test_has_every_dataset_of_the_schema_in_its_shape(self):
        for path, shape in self.shapes().items():
            self.assertIn(path, self.file)
            self.assertEqual(self.file[path].shape, shape, path)

    def datasets(self):
        found = []
        self.file.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
        return found

    def test_every_dataset_has_units_and_a_long_name(self):
        for dataset in self.datasets():
            for attribute in ("units", "long_name"):
                self.assertTrue(dataset.attrs[attribute], dataset.name)
        self.assertEqual(self.file["unit/seconds"].attrs["units"], "s")

    def test_every_array_is_guarded_by_fletcher32(self):
        for dataset in self.datasets():
            if dataset.shape != ():
                self.assertTrue(dataset.fletcher32, dataset.name)

    def test_dimension_scales_name_the_axes(self):
        expected = {"fold_error": ["gamma", "C", "fold"], "unit/seconds": ["gamma", "fold"],
                    "unit/status": ["gamma", "fold"], "fit/iterations": ["gamma", "C", "fold", "class_name"],
                    "test/confusion": ["class_name", "predicted"]}
        for path, names in expected.items():
            axes = [axis[0].name.rsplit("/", 1)[1] for axis in self.file[path].dims]
            self.assertEqual(axes, names, path)
        numpy.testing.assert_array_equal(self.file["fold_error"].dims[1][0][()], self.file["C"][()])

    def test_root_attributes_say_how_it_was_made(self):
        attrs = self.file.attrs
        for name in ("schema_version", "krossfold_version", "git_commit", "compiler", "kind", "command_line", "config",
                     "seed", "kokkos", "devices", "formation", "schedule", "hosts", "n_train", "n_test", "started", "finished",
                     "status", "model"):
            self.assertIn(name, attrs)
        self.assertEqual(attrs["kind"], "svm")
        self.assertEqual(attrs["status"], "finished")
        self.assertEqual((attrs["n_train"], attrs["n_test"]), (200, self.TEST))
        self.assertEqual(attrs["schema_version"], 2)
        self.assertIn("--grid 5x4", attrs["command_line"])

    def test_config_holds_every_option_and_marks_the_defaults(self):
        config = json.loads(self.file.attrs["config"])
        self.assertEqual(config["grid"], {"value": "5x4", "default": False})
        self.assertEqual(config["folds"], {"value": "3", "default": False})
        self.assertEqual(config["log10-c"], {"value": "-3:6", "default": True})
        for name in ("data", "test", "limit", "log10-gamma", "fold-kind", "seed", "scale", "multiclass", "tolerance",
                     "max-iterations"):
            self.assertIn(name, config)

    def test_versions_of_the_libraries_are_recorded(self):
        recorded = {name.lower() for name in self.file.attrs}
        for library in ("mpi", "hdf5", "blas"):
            self.assertIn(library, recorded)

    def test_the_grid_is_the_one_asked_for(self):
        numpy.testing.assert_allclose(self.file["C"], 10.0 ** numpy.linspace(-3, 6, 5), rtol=1e-14)
        shift = math.log10(784 / 64)
        numpy.testing.assert_allclose(self.file["gamma"], 10.0 ** numpy.linspace(-6 + shift, -2 + shift, 4),
                                      rtol=1e-14)

    def test_fold_errors_are_fractions_of_the_held_out_samples(self):
        sizes = numpy.diff(numpy.round(numpy.linspace(0, 200, 4)))
        wrong = self.file["fold_error"][()] * sizes
        numpy.testing.assert_allclose(wrong, numpy.round(wrong), atol=1e-9)
        self.assertTrue((wrong >= 0).all() and (wrong <= sizes).all())

    def test_the_best_cell_is_that_of_the_lowest_mean_error(self):
        error = self.file["fold_error"][()].mean(axis=2)
        g, c = self.file["best/gamma_index"][()], self.file["best/C_index"][()]
        self.assertAlmostEqual(error[g, c], error.min(), places=14)
        self.assertAlmostEqual(self.file["best/error"][()], error.min(), places=14)
        self.assertEqual(self.file["best/gamma_value"][()], self.file["gamma"][g])
        self.assertEqual(self.file["best/C_value"][()], self.file["C"][c])

    def test_every_fit_converged_within_the_tolerance(self):
        self.assertTrue((self.file["fit/converged"][()] == 1).all())
        self.assertTrue((self.file["fit/kkt_violation"][()] <= 1e-3).all())
        self.assertTrue((self.file["fit/iterations"][()] >= 0).all())
        # A larger C only widens the box: the optimum cannot fall.
        self.assertTrue((numpy.diff(self.file["fit/dual_objective"][()], axis=1) > -1e-3).all())

    def test_the_test_error_is_that_of_its_own_predictions_of_the_last_fifth(self):
        _, truth = held_out_digits()
        label, prediction = self.file["test/label"][()], self.file["test/prediction"][()]
        numpy.testing.assert_array_equal(label, truth)
        self.assertEqual(self.file["test_error"][()], numpy.mean(label != prediction))
        confusion = numpy.zeros((10, 10), int)
        numpy.add.at(confusion, (label, prediction), 1)
        numpy.testing.assert_array_equal(self.file["test/confusion"], confusion)

    def test_every_unit_is_done_on_the_one_rank_there_was(self):
        self.assertTrue((self.file["unit/status"][()] == 1).all())
        self.assertTrue((self.file["unit/rank"][()] == 0).all())
        self.assertTrue((self.file["unit/seconds"][()] > 0).all())


if __name__ == "__main__":
    unittest.main()
