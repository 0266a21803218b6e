#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold names as a user runs it: every combination, killed amid the grid, continued, reported."""

import csv
import io
import unittest

import h5py
import numpy

from krossfold_cli import USAGE, CommandTest, content, difference, models_of, wait_until

OPTIONS = {"data": "names", "limit": 300, "workers": "1,2,4", "batch-per-worker": "10,20", "rate": ".005,.02", "epochs": 3,
           "layers": 2, "hidden": 16, "output": "n.h5"}


def study(**changed):
    """The words of the command; study(rate=".1") has other values of --rate."""
    options = {**OPTIONS, **{name.replace("_", "-"): value for name, value in changed.items()}}
    return ("names", *(word for name, value in options.items() for word in ("--" + name, str(value))))


NAMES = study()


class Names(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.done = cls.share("run_names")
        cls.reference = content(cls.done / "n.h5")

    def run_names(self):
        self.succeed(*NAMES, ranks=2)

    def test_grid_has_every_combination_once_and_a_model_of_each(self):
        with h5py.File(self.done / "n.h5") as file:
            runs = set(zip(file["run/workers"], file["run/batch"], file["run/rate"]))
            self.assertEqual(runs, {(w, w * b, r) for w in (1, 2, 4) for b in (10, 20) for r in (.005, .02)})
            self.assertEqual(set(file["run/status"]), {1})
            self.assertEqual([r.decode() for r in file["run/model"]], ["lstm_%02d.h5" % run for run in range(12)])
            self.assertTrue(numpy.isfinite(file["training/held_out_loss"]).all())
            best = int(numpy.argmin(file["training/held_out_loss"][:, -1]))
            self.assertEqual(file.attrs["model"], "lstm_%02d.h5" % best)
            # One worker has a rank; two and four share two.
            self.assertEqual(list(file["run/ranks"]), [1] * 4 + [2] * 8)
        self.assertEqual(len(self.succeed("sample", self.done / "n.h5", "--count", 5).out.splitlines()), 5)

    def test_other_ranks_and_kills_amid_the_grid_change_nothing(self):
        for kills in range(2):
            running = self.start(*NAMES, "--checkpoint-every", "0s", ranks=4)
            self.assertTrue(wait_until(lambda: len(list(models_of(self.folder / "n.h5").glob("lstm_*.h5"))) > 2 + 4 * kills), running.said())
            running.kill_all()
            running.wait()
        self.succeed(*NAMES, ranks=1)
        # Which ranks computed a run may differ, what it learned may not.
        self.assertEqual(difference(self.reference, content(self.folder / "n.h5")), [])

    def test_curves_of_equal_batch_and_rate_are_equal(self):
        with h5py.File(self.done / "n.h5") as file:
            loss = {(w, b, r): values for w, b, r, values in zip(file["run/workers"], file["run/batch"], file["run/rate"],
                                                                 file["training/held_out_loss"][:])}
        for rate in (.005, .02):
            numpy.testing.assert_allclose(loss[2, 20, rate], loss[1, 20, rate], rtol=1e-4)
            numpy.testing.assert_allclose(loss[4, 40, rate], loss[2, 40, rate], rtol=1e-4)

    def test_report_compares_fairly_and_says_what_is_modelled_and_what_pays(self):
        text = self.succeed("report", self.done / "n.h5").out
        self.assertIn("fair comparisons: equal batch and rate", text)
        self.assertRegex(text, r"batch 20, rate 0.005: 1 worker [^,]*, 2 workers [^,]*\n")
        self.assertRegex(text, r"batch 40, rate 0.02: 2 workers [^,]*, 4 workers [^,]*\(modelled\)\n")
        self.assertRegex(text, r"to a held-out loss of [\d.]+, which every number of workers reaches: \d workers? reach(es)? it soonest")
        self.assertRegex(text, r"to a held-out loss of [\d.]+, 1.05 times the lowest: \d workers? reach(es)? it soonest")
        found = self.succeed("report", self.done / "n.h5", "--format", "json").json()[0]
        self.assertEqual((found["kind"], found["units"]["done"], len(found["runs"])), ("names", 12, 12))
        lowest = {w: min(min(run["held_out_loss"]) for run in found["runs"] if run["workers"] == w) for w in (1, 2, 4)}
        targets = [target["loss"] for target in found["targets"]]
        self.assertAlmostEqual(targets[0], 1.001 * max(lowest.values()))
        self.assertAlmostEqual(targets[1], 1.05 * min(lowest.values()))
        for run in found["runs"]:
            self.assertEqual(run["modelled"], run["ranks"] < run["workers"])
            for target, seconds in zip(targets, run["seconds_to_target"]):
                self.assertEqual(seconds is not None, any(loss <= target for loss in run["held_out_loss"]))
            if not run["modelled"]:
                self.assertAlmostEqual(run["seconds_of_all_workers"], sum(run["seconds"]))
        table = list(csv.DictReader(io.StringIO(self.succeed("report", self.done / "n.h5", "--format", "csv").out)))
        self.assertEqual(len(table), 12 * 3)

    def test_batches_are_cut_to_the_names_there_are(self):
        out = self.succeed(*study(batch_per_worker=200), "--dry-run").out
        self.assertIn("4 on 1 rank, ddp, up to 75 of the 300 samples", out)

    def test_wrong_lists_are_refused(self):
        for words, problem in [(study(workers="1,x"), "bad value 'x' for --workers"),
                               (study(workers=301), "bad --workers 301"), (study(rate=".1,0"), "bad --rate 0"),
                               (study(epochs=0), "--epochs")]:
            with self.subTest(problem):
                refused = self.run_command(*words)
                self.assertEqual((refused.code, self.files()), (USAGE, []), refused)
                self.assertIn(problem, refused.err)


if __name__ == "__main__":
    unittest.main()
