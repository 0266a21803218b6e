#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold train lstm and krossfold sample as a user runs them: one rank and several, stopped, killed, continued, asked."""

import csv
import io
import pathlib
import shutil
import unittest

import h5py
import numpy

from krossfold_cli import ROOT, STOPPED, USAGE, CommandTest, content, difference, models_of, wait_until

OPTIONS = {"data": "names", "limit": 300, "epochs": 4, "batch": 20, "rate": 0.01, "layers": 2, "hidden": 24, "seed": 3,
           "workers": 4, "output": "n.h5"}


def training(**changed):
    """The words of the command; changed(batch=4) has another value of --batch."""
    options = {**OPTIONS, **changed}
    return ("train", "lstm", *(word for name, value in options.items() for word in ("--" + name.replace("_", "-"),
                                                                                   str(value))))


TRAINING = training()


class Train(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.done = cls.share("run_training")
        cls.reference = content(cls.done / "n.h5")

    def run_training(self):
        self.succeed(*TRAINING)

    def check_is_the_undisturbed_result(self):
        self.assertEqual(difference(self.reference, content(self.folder / "n.h5")), [])
        self.assertEqual((models_of(self.folder / "n.h5") / "lstm.h5").read_bytes(), (models_of(self.done / "n.h5") / "lstm.h5").read_bytes())
        self.assertEqual(self.files(), ["n.h5", "n.models", "n.models/lstm.h5"])

    def test_workers_have_the_same_bits_on_one_two_and_four_ranks(self):
        for ranks in (2, 4):
            self.succeed(*TRAINING, ranks=ranks)
            self.check_is_the_undisturbed_result()
            shutil.rmtree(models_of(self.folder / "n.h5"))
            (self.folder / "n.h5").unlink()

    def test_data_parallel_learns_the_same_but_for_its_name(self):
        self.succeed(*training(strategy="data-parallel"), ranks=2)
        changed = difference(self.reference, content(self.folder / "n.h5"))
        self.assertEqual(set(changed) - {"@config", "@fingerprint", "run/strategy"}, set())
        self.assertEqual((models_of(self.folder / "n.h5") / "lstm.h5").read_bytes(), (models_of(self.done / "n.h5") / "lstm.h5").read_bytes())

    def test_more_workers_follow_one_to_rounding(self):
        self.succeed(*training(workers=1))
        with h5py.File(self.folder / "n.h5") as one, h5py.File(self.done / "n.h5") as four:
            self.assertEqual(one["run/strategy"][0], b"single")
            for name in ("loss", "held_out_loss"):
                numpy.testing.assert_allclose(four["training/" + name], one["training/" + name], rtol=1e-5)

    def test_killed_with_9_it_goes_on_to_the_same_result(self):
        long = training(epochs=150)
        self.succeed(*training(epochs=150, output="alone.h5"))
        for _ in range(2):
            running = self.start(*long, "--checkpoint-every", "0s", ranks=2)
            part = "unit-1-0-0-0.part"
            self.assertTrue(wait_until(lambda: (models_of(self.folder / "n.h5") / part).exists()), running.said())
            running.kill_all()
            running.wait()
            self.assertEqual(self.succeed("report", "n.h5", "--status").out, "running\n")
        self.succeed(*long, ranks=4)
        self.assertEqual(difference(content(self.folder / "alone.h5"), content(self.folder / "n.h5")), [])
        self.assertEqual(*((models_of(self.folder / name) / "lstm.h5").read_bytes() for name in ("alone.h5", "n.h5")))

    def test_stopped_by_max_time_it_goes_on_to_the_same_result(self):
        stopped = self.run_command(*TRAINING, "--max-time", "0.01", "--grace", "0", ranks=2)
        self.assertEqual(stopped.code, STOPPED, stopped)
        self.assertEqual(self.succeed("report", "n.h5", "--status").out, "stopped\n")
        self.succeed(*TRAINING)
        self.check_is_the_undisturbed_result()

    def test_continued_on_other_ranks_it_keeps_its_workers(self):
        begun = [word for word in TRAINING]
        at = begun.index("--workers")
        del begun[at:at + 2]
        stopped = self.run_command(*begun, "--max-time", "0.01", "--grace", "0", ranks=4)
        self.assertEqual(stopped.code, STOPPED, stopped)
        ended = self.succeed(*begun, ranks=2)
        self.assertIn("workers 4, as in n.h5", ended.err)
        self.check_is_the_undisturbed_result()
        self.assertIn("finished already", self.succeed(*begun).err)

    def test_each_epoch_is_told(self):
        told = self.succeed(*training(epochs=2)).err
        self.assertRegex(told, r"epoch 1 of 2: loss \d+\.\d+, held out \d+\.\d+, \d+.*; .* to go\n")
        self.assertRegex(told, r"epoch 2 of 2: loss [^;]*\n")
        self.assertNotIn("epoch", self.run_command(*training(epochs=2, output="q.h5"), "--quiet").err)

    def test_report_has_the_losses_of_each_epoch_in_every_form(self):
        found = self.succeed("report", self.done / "n.h5", "--format", "json").json()[0]
        with h5py.File(self.done / "n.h5") as file:
            losses = {name: list(file["training/" + name][0]) for name in ("loss", "held_out_loss")}
        run = found["runs"][0]
        self.assertEqual((found["kind"], found["status"], found["units"]["done"]), ("train", "finished", 1))
        self.assertEqual((run["workers"], run["ranks"], run["strategy"]), (4, 1, "ddp"))
        for name, values in losses.items():
            self.assertEqual(run[name], values)
            self.assertLess(values[-1], values[0])
        table = list(csv.DictReader(io.StringIO(self.succeed("report", self.done / "n.h5", "--format", "csv").out)))
        self.assertEqual([float(row["loss"]) for row in table], losses["loss"])
        text = self.succeed("report", self.done / "n.h5").out
        self.assertIn("4 workers on 1 rank, batch 20, rate 0.01", text)
        self.assertIn("%.4g" % losses["held_out_loss"][-1], text)

    def test_what_does_not_fit_is_refused_and_nothing_is_touched(self):
        for words, problem in [
            (("train", "-o", "n.h5"), "krossfold train needs a network"),
            (("train", "lsmt", "-o", "n.h5"), "unknown network 'lsmt' (it trains lstm, cnn"),
            (training(strategy="model-parallel"), "strategy model-parallel with lstm"),
            (training(channels=3), "error: --channels has no meaning for lstm"),
            (training(momentum=0.9), "error: --momentum has no meaning for lstm"),
            (("train", "mlp", "--hidden", "2147483647", "-o", "n.h5"), "a layer of 2147483647 units is larger than"),
            (training(hidden="24,24"), "bad --hidden 24,24"),
            (training(batch=301), "bad --batch 301"),
            (training(rate=0), "bad --rate 0"),
            (training(dropout=1), "bad --dropout 1"),
            (training(limit=609), "limit 609 is out of range"),
            (training(data="digits"), "unknown names 'digits'"),
            (training(strategy="dpp"), "Did you mean ddp?"),
            (training(strategy="single"), "strategy single with 4 workers"),
            (training(batch=3), "4 workers for a batch of 3"),
        ]:
            with self.subTest(problem):
                refused = self.run_command(*words)
                self.assertEqual((refused.code, self.files()), (USAGE, []), refused)
                self.assertIn(problem, refused.err)
        refused = self.run_command(*TRAINING, ranks=3)
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("4 workers on 3 ranks", refused.err)

    def test_dry_run_says_what_it_would_do(self):
        out = self.succeed(*TRAINING, "--dry-run").out
        self.assertIn("4 epochs, 15 steps each", out)
        self.assertIn("4 on 1 rank, ddp, up to 5 of the 20 samples", out)
        self.assertEqual(self.files(), [])


class Sample(CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.model = str(cls.share("run_training") / "n.h5")

    def run_training(self):
        self.succeed(*training(epochs=30))

    def names(self, *options):
        return self.succeed("sample", self.model, *options).out.splitlines()

    def test_names_are_of_letters_and_the_same_for_the_same_seed(self):
        first = self.names("--count", 40)
        self.assertEqual(len(first), 40)
        self.assertEqual(first, self.names("--count", 40, "--seed", 0))
        self.assertNotEqual(first, self.names("--count", 40, "--seed", 1))
        for name in first:
            self.assertRegex(name, "^[a-z.'-][a-z .'-]*$")
            self.assertNotIn("  ", name)
        self.assertGreater(len(set(first)), 20)

    def test_novel_names_are_none_of_the_training_part(self):
        known = set((ROOT / "data/pet_names.txt").read_text().split("\n")[:300])
        self.assertTrue(known & set(self.names("--count", 300, "--temperature", "0.5")))
        self.assertFalse(known & set(self.names("--count", 300, "--temperature", "0.5", "--novel")))

    def test_beginning_is_kept(self):
        for name in self.names("--starts-with", "Bu"):
            self.assertTrue(name.startswith("bu"), name)

    def test_model_is_a_file_a_folder_or_a_result(self):
        folder = str(models_of(pathlib.Path(self.model)))
        for model in (folder, folder + "/lstm.h5"):
            self.assertEqual(self.succeed("sample", model).out.splitlines(), self.names())

    def test_low_temperature_gives_few_names_high_many(self):
        cold, hot = self.names("--temperature", "0.05", "--count", 50), self.names("--temperature", "3", "--count", 50)
        self.assertLess(len(set(cold)), len(set(hot)))

    def test_wrong_use_is_refused(self):
        for words, problem in [
            (("sample",), "needs a model"),
            (("sample", self.model, "--temperature", "0"), "bad temperature 0"),
            (("sample", self.model, "--starts-with", "abcdefgh"), "leaves no room for another letter"),
            (("sample", self.model, "--starts-with", "7"), "has letters that the alphabet does not"),
            (("predict", self.model, "x.csv"), "Sample names from it instead."),
        ]:
            with self.subTest(problem):
                refused = self.run_command(*words)
                self.assertEqual(refused.code, USAGE, refused)
                self.assertIn(problem, refused.err)


if __name__ == "__main__":
    unittest.main()
