#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold bag as a user runs it: a small study of the digits on one rank and two, stopped, killed, continued, reported."""

import csv
import io
import json
import math
import shutil
import unittest

import h5py
import numpy

from krossfold_cli import (FAILED, STOPPED, USAGE, CommandTest, content, difference, held_out_digits, journal_records, models_of,
                           wait_until,
                           write_csv)
from png_file import png

OPTIONS = {"data": "digits", "limit": 500, "fold-kind": "contiguous", "test-part": "last",
           "bootstraps": 3, "trials": 3, "folds": 2, "epochs": 6, "channels": "4:8",
           "hidden": "16:32", "kernel": "2:4", "log10-rate": "-2.2:-1.2", "seed": 4, "output": "b.h5"}


def study(**changed):
    """The words of the command; changed(folds=4) has another value of --folds."""
    options = {**OPTIONS, **changed}
    return ("bag", *(word for name, value in options.items() for word in ("--" + name, str(value))))


STUDY = study()


class Bag(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.done = cls.share("run_study")
        cls.reference = content(cls.done / "b.h5")

    def run_study(self):
        self.succeed(*STUDY)

    def model_bytes(self, folder):
        return {path.name: path.read_bytes() for path in models_of(folder / "b.h5").iterdir()}

    def check_is_the_undisturbed_result(self):
        self.assertEqual(difference(self.reference, content(self.folder / "b.h5")), [])
        self.assertEqual(self.model_bytes(self.folder), self.model_bytes(self.done))
        self.assertFalse((self.folder / "b.h5.journal").exists())

    def test_two_ranks_give_the_same_bits(self):
        self.succeed(*STUDY, ranks=2)
        self.check_is_the_undisturbed_result()

    def test_after_kill_9_and_after_max_time_it_goes_on_to_the_same_result(self):
        running = self.start(*STUDY, ranks=2)
        self.assertTrue(wait_until(lambda: journal_records(self.folder / "b.h5.journal") >= 4))
        running.kill_all()
        running.wait()
        self.assertEqual(self.succeed("report", "b.h5", "--status").out, "running\n")
        stopped = self.run_command(*STUDY, "--max-time", "0.05", "--grace", "0")
        self.assertEqual(stopped.code, STOPPED, stopped)
        result = self.succeed(*STUDY)
        self.assertIn("units were computed before", result.err)
        self.check_is_the_undisturbed_result()

    def test_the_result_is_what_its_numbers_say(self):
        _, truth = held_out_digits()
        with h5py.File(self.done / "b.h5") as file:
            probability, label = file["ensemble/probability"][()], file["ensemble/label"][()]
            self.assertEqual(probability.shape, (3, len(truth), 10))
            numpy.testing.assert_array_equal(label, truth)
            numpy.testing.assert_allclose(probability.sum(axis=2), 1, atol=1e-5)
            choice = probability.argmax(axis=2)
            numpy.testing.assert_allclose(file["final/test_error"][()], (choice != label).mean(axis=1))
            votes = numpy.stack([(choice == c).sum(axis=0) for c in range(10)], axis=1)
            numpy.testing.assert_array_equal(file["ensemble/votes"][()], votes)
            mean = probability.astype(float).mean(axis=0)
            numpy.testing.assert_allclose(file["ensemble/entropy"][()],
                                          -(mean * numpy.log(numpy.where(mean > 0, mean, 1))).sum(axis=1), atol=1e-6)
            vote = file["ensemble/vote"][()]
            self.assertEqual(file["ensemble/error"][0], (vote != label).mean())
            self.assertLess(file["ensemble/error"][0], 0.15)
            trial = file["final/trial"][()]
            mean_error = file["fold_error"][()].mean(axis=2)
            numpy.testing.assert_array_equal(trial, mean_error.argmin(axis=1))
            epochs = file["fit/epochs"][()]
            self.assertTrue(((epochs >= 1) & (epochs <= 6)).all())
            self.assertEqual(file["ood/auroc"].shape, (4, 3))

    def test_report_tells_the_networks_the_vote_and_the_doubts(self):
        out = self.succeed("report", self.done / "b.h5").out
        for word in ("bagged networks on digits", "finished: 21 of 21 units", "validation", "majority vote", "balanced error",
                     "Brier score", "shuffled pixels (359)"):
            self.assertIn(word, out)
        answer = self.succeed("report", self.done / "b.h5", "--format", "json").report()
        self.assertEqual((answer["kind"], answer["status"], len(answer["networks"])), ("bag", "finished", 3))
        self.assertEqual(answer["test_error"], answer["ensemble"]["error"]["majority vote"])
        table = self.succeed("report", self.done / "b.h5", "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(table)))
        self.assertEqual(len(rows), 18)
        self.assertEqual({row["unit_status"] for row in rows}, {"done"})
        self.assertTrue(all(0 <= float(row["error"]) <= 1 for row in rows))

    def test_predict_says_what_the_networks_said_in_the_study(self):
        pixels, truth = held_out_digits()
        write_csv(self.folder / "some.csv", [[*row, label] for row, label in zip(pixels[:40].tolist(), truth[:40].tolist())])
        answer = self.succeed("predict", self.done / "b.h5", "some.csv", "--format", "json").json()
        one = answer["inputs"][0]
        self.assertEqual(one["networks"], ["bootstrap_00", "bootstrap_01", "bootstrap_02"])
        with h5py.File(self.done / "b.h5") as file:
            probability = file["ensemble/probability"][:, :40].astype(float)
            numpy.testing.assert_array_equal([int(sample["label"]) for sample in one["samples"]], file["ensemble/vote"][:40])
            numpy.testing.assert_array_equal([sample["votes"] for sample in one["samples"]], file["ensemble/votes"][:40])
            entropy = [sample["entropy"] for sample in one["samples"]]
            numpy.testing.assert_allclose(entropy, file["ensemble/entropy"][:40], atol=1e-5)
            threshold = file["ood/threshold"][0]
        self.assertEqual(one["threshold"]["entropy"], threshold)
        self.assertIn("95 % of the 359 test samples", one["threshold"]["source"])
        self.assertEqual([sample["out_of_distribution"] for sample in one["samples"]], [e > threshold for e in entropy])
        for name, share in (("least", 0), ("lower_quartile", 25), ("median", 50), ("upper_quartile", 75), ("greatest", 100)):
            found = [sample["quartiles"][name] for sample in one["samples"]]
            numpy.testing.assert_allclose(found, numpy.percentile(probability, share, axis=0), atol=1e-5)
        self.succeed("predict", self.done / "b.h5", "some.csv", "-o", "p.h5")
        with h5py.File(self.folder / "p.h5") as file:
            numpy.testing.assert_allclose(file["input_0/member_probability"][()], probability, atol=1e-5)
        table = self.succeed("predict", models_of(self.done / "b.h5"), "some.csv", "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(table)))
        self.assertEqual({row["out_of_distribution"] for row in rows}, {""}, "a folder has no threshold")
        self.assertEqual([float(row["entropy"]) for row in rows], entropy)
        single = self.succeed("predict", models_of(self.done / "b.h5") / "bootstrap_01.h5", "some.csv").out.split()
        numpy.testing.assert_array_equal(list(map(int, single)), probability[1].argmax(axis=1))

    def test_pictures_are_told_with_votes_and_doubts(self):
        random = numpy.random.default_rng(1)
        (self.folder / "noise.png").write_bytes(png(random.integers(0, 256, size=(8, 8))))
        out = self.succeed("predict", self.done / "b.h5", "noise.png").out
        self.assertRegex(out, r"^noise.png: \d \(\d of 3 votes, mean probability 0\.\d{3}, entropy \d\.\d{3}\)")

    def test_models_that_are_not_the_results_own_are_refused(self):
        for name in ("b.h5", models_of(self.done / "b.h5").name):
            source = self.done / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, self.folder / name)
        path = models_of(self.folder / "b.h5") / "bootstrap_01.h5"
        path.write_bytes((models_of(self.folder / "b.h5") / "bootstrap_02.h5").read_bytes())
        result = self.run_command("predict", "b.h5", "digits")
        self.assertEqual(result.code, USAGE, result)
        self.assertIn("bootstrap_01.h5 is not the model that b.h5 was written with", result.err)
        path.unlink()
        self.assertIn("bootstrap_01.h5 is missing", self.run_command("predict", "b.h5", "digits").err)

    def test_other_options_are_refused_and_named(self):
        before = (self.done / "b.h5").read_bytes()
        result = self.run_command(*study(output=self.done / "b.h5", batch=20))
        self.assertEqual(result.code, USAGE, result)
        self.assertIn("batch", result.err)
        self.assertEqual((self.done / "b.h5").read_bytes(), before)

    def test_config_takes_the_options_of_a_result_file(self):
        self.succeed("bag", "--config", self.done / "b.h5", "-o", "b.h5")
        self.check_is_the_undisturbed_result()

    def test_pruning_chooses_the_same_networks_with_fewer_trainings(self):
        changed = {"folds": 4, "trials": 5, "epochs": 3}
        self.succeed(*study(output="whole.h5", **changed))
        result = self.succeed(*study(output="p.h5", **changed), "--prune", ranks=2)
        self.assertRegex(result.out, r"finished: 63 of 63 units, 0 failed, [1-9][0-9]* pruned")
        with h5py.File(self.folder / "whole.h5") as whole, h5py.File(self.folder / "p.h5") as pruned:
            for name in ("final/trial", "final/test_error", "ensemble/vote"):
                numpy.testing.assert_array_equal(whole[name][()], pruned[name][()], name)
            self.assertTrue((pruned["unit/status"][()] == 3).any())
            self.assertTrue(numpy.isnan(pruned["fold_error"][()][pruned["unit/status"][()] == 3]).all())

        words = (*study(output="again.h5", **changed), "--prune")
        running = self.start(*words, ranks=2)
        self.assertTrue(wait_until(lambda: journal_records(self.folder / "again.h5.journal") >= 20))
        running.kill_all()
        running.wait()
        self.succeed(*words)
        self.assertEqual(difference(content(self.folder / "p.h5"), content(self.folder / "again.h5")), [])

    def test_images_of_no_class_can_be_given(self):
        random = numpy.random.default_rng(2)
        rows = random.integers(0, 17, size=(30, 64))
        (self.folder / "letters.csv").write_text("".join(",".join(map(str, row)) + ",x\n" for row in rows.tolist()))
        self.succeed(*study(trials=1, epochs=2, ood="csv:letters.csv"))
        with h5py.File(self.folder / "b.h5") as file:
            self.assertEqual(file["ood/name"][()].tolist()[-1], b"letters.csv")
            self.assertEqual(file["ood/count"][()].tolist(), [359, 359, 359, 359, 30])
        changed = self.run_command(*study(trials=1, epochs=2))
        self.assertEqual(changed.code, USAGE, "other images of no class are another study")

    def test_networks_that_do_not_fit_are_recorded_and_the_others_go_on(self):
        result = self.succeed(*study(channels="1:400", hidden="1:900", epochs=2), "--memory-limit", "40M")
        self.assertRegex(result.out, r"units failed: the network .* does not fit .*it needs .*memory-limit allows")
        with h5py.File(self.folder / "b.h5") as file:
            status = file["unit/status"][()]
            self.assertTrue((status == 2).any() and (status == 1).any(), status)

    def test_failed_units_are_computed_again_and_nothing_else(self):
        words = study(channels="1:60", hidden="1:300", epochs=2)
        self.succeed(*words, "--memory-limit", "2500K")
        with h5py.File(self.folder / "b.h5") as file:
            failed = int((file["unit/status"][()] == 2).sum())
            done = 18 - failed + int((file["final/status"][()] == 1).sum())
        self.assertGreater(failed, 0)
        self.assertGreater(done, 18 - failed)
        result = self.succeed(*words, "--retry-failed")
        self.assertIn(f"continuing b.h5: {done} units were computed before", result.err)
        found, models = content(self.folder / "b.h5"), self.model_bytes(self.folder)
        self.succeed(*words[:-1], "whole.h5")
        self.assertEqual(difference(content(self.folder / "whole.h5"), found), [])
        self.assertEqual({path.name: path.read_bytes() for path in models_of(self.folder / "whole.h5").iterdir()}, models)

    def test_bootstraps_without_a_network_are_named(self):
        found = self.run_command(*study(epochs=2, bootstraps=2, **{"log10-rate": "10:12"}), "--json-log", "log.jsonl")
        self.assertEqual(found.code, FAILED, found)
        self.assertRegex(found.err, r"there is no network, as trainings diverged, the last one with \(.*loss .*\); lower --log10-rate")
        self.assertIn("diverged", self.succeed("report", "b.h5", "--status").out)
        events = [json.loads(line) for line in (self.folder / "log.jsonl").read_text().splitlines()]
        reasons = {event["reason"] for event in events if event["event"] == "unit"}
        self.assertTrue(reasons and all("loss" in reason for reason in reasons), reasons)
        for bootstrap in range(2):
            self.assertIn(f"bootstrap {bootstrap} has no network: all its trials diverged or failed", found.out)
        self.assertIn("12 units", self.succeed("plan", "b.h5", "--formation", "1x1").out)  # no final fit
        self.assertIn("comparison", self.succeed("report", "--compare", "b.h5", "b.h5").out)
        refused = self.run_command("predict", "b.h5", "digits")
        self.assertIn("b.h5 has no model (it ran without a refit, or its final fits failed or diverged)", refused.err)

    def test_bad_options_are_named(self):
        for options, said in ((("--channels", "9:3"), "of --channels"), (("--kernel", "2:9"), "of --kernel"),
                              (("--log10-momentum", "-1:1"), "of --log10-momentum"), (("--batch", "5000"), "bad --batch"),
                              (("--channels", "a:b"), "for --channels"), (("--chanels", "1:2"), "Did you mean --channels"),
                              (("--ood", "csv:absent.csv"), "absent.csv")):
            result = self.run_command("bag", "--data", "digits", "-o", "x.h5", *options)
            self.assertEqual(result.code, USAGE, result)
            self.assertIn(said, result.err)
        self.assertEqual(self.files(), [])

    def test_plan_has_a_search_and_a_final_fit_for_each_bootstrap(self):
        plan = self.succeed("plan", self.done / "b.h5", "--formation", "1x1,1x2", "--format", "json").report()
        with h5py.File(self.done / "b.h5") as file:
            bootstraps = len(file["bootstrap"])
            units = int((file["unit/status"][()] != 3).sum())
        self.assertGreaterEqual(plan["units"]["all"], units + bootstraps)
        one, two = (row["makespan"] for row in plan["formations"])
        self.assertLess(two, one)
        self.assertGreaterEqual(one, plan["computing_seconds"]["all"])

    def test_dry_run_says_what_would_be_done(self):
        out = self.succeed("bag", "--data", "digits", "--dry-run").out
        self.assertIn("720 (bootstrap, trial, fold); then 12 final fits", out)
        self.assertEqual(self.files(), [])

    def test_a_dry_run_ends_as_the_study_would_where_no_network_fits(self):
        words = ["bag", "--data", "digits", "--memory-limit", "800K", "-o", "no.h5"]
        planned, refused = self.run_command(*words, "--dry-run"), self.run_command(*words, ranks=2)
        for result in (planned, refused):
            self.assertEqual(result.code, USAGE, result)
            self.assertRegex(result.err, r"the smallest network of all trials needs .* \(--memory-limit allows 800 KiB, of which the samples take")
        self.assertRegex(planned.out, "144 trials do not fit")
        self.assertEqual(self.files(), [])
        # What is finished needs no memory.
        words = [*study(output="no.h5"), "--memory-limit", "10K"]
        self.succeed(*study(output="no.h5"))
        self.succeed(*words)
        self.assertIn("finished: nothing would be computed", self.succeed(*words, "--dry-run").out)
        self.assertEqual(self.run_command(*words, "--retry-failed").code, USAGE)

    def test_momentum_of_a_table_is_a_power_of_ten_in_its_range(self):
        with h5py.File(self.done / "b.h5") as file:
            rates = numpy.log10(file["search/rate"][()])
            self.assertTrue(((rates >= -2.2) & (rates <= -1.2)).all())
            self.assertTrue(math.isfinite(file["ensemble/nll"][()]))


if __name__ == "__main__":
    unittest.main()
