#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold train cnn and mlp under all strategies as a user runs them: equal curves, killed, continued, asked, refused."""

import re
import shutil
import unittest

import h5py
import numpy

from krossfold_cli import FAILED, STOPPED, USAGE, CommandTest, command_line, content, difference, held_out_digits, models_of, wait_until, write_csv
from png_file import png
from sanitizer import SLOWER, needs_plain_memory

OPTIONS = {"cnn": {"channels": 6, "kernel": 3, "hidden": 40},
           "mlp": {"hidden": "40,24", "activation": "tanh"}}
# Runs a command and prints the most memory that it had, in kB. A process of its own: one that forks hands on its peak.
CURVES = ("loss", "held_out_loss", "held_out_error")
# 60 million weights and their momentum are 490 MB.
LARGE = {"hidden": "15000,4000", "limit": 40, "epochs": 1, "batch": 10, "dropout": 0}
ADDRESSES = 1000000  # kB, of which some 400,000 are the program, its libraries and MPI's


def training(network, **changed):
    """The words of the command; training("cnn", batch=4) has another value of --batch."""
    options = {"limit": 400, "epochs": 4, "batch": 30, "dropout": 0.2, "seed": 3, "output": "n.h5",
               **OPTIONS.get(network, {}), **changed}
    return ("train", network, *(word for name, value in options.items() for word in ("--" + name.replace("_", "-"),
                                                                                    str(value))))


class TrainNetworks(CommandTest):
    def curves(self):
        with h5py.File(self.folder / "n.h5") as file:
            return {name: file["training/" + name][0] for name in CURVES}

    def models(self):
        return {path.name: path.read_bytes() for path in models_of(self.folder / "n.h5").iterdir()}

    def forget(self):
        shutil.rmtree(models_of(self.folder / "n.h5"))
        (self.folder / "n.h5").unlink()

    def predictions(self):
        lines = self.succeed("predict", "n.h5", "digits", "--format", "csv").out.splitlines()
        return [line.split(",") for line in lines[1:]]

    def test_every_strategy_follows_the_single_rank_and_its_model_says_the_same(self):
        for network in OPTIONS:
            self.succeed(*training(network))
            single, said = self.curves(), self.predictions()
            self.assertLess(single["held_out_loss"][-1], single["held_out_loss"][0])
            self.forget()
            for strategy in ("ddp", "data-parallel", "model-parallel"):
                with self.subTest(network + ", " + strategy):
                    self.succeed(*training(network, strategy=strategy), ranks=4)
                    found = self.curves()
                    for name in ("loss", "held_out_loss"):
                        numpy.testing.assert_allclose(found[name], single[name], rtol=1e-4)
                    numpy.testing.assert_allclose(found["loss"][0], single["loss"][0], rtol=1e-5)
                    split = strategy == "model-parallel"
                    self.assertEqual(sorted(self.models()), ["network-%dof4.h5" % rank for rank in range(4)]
                                     if split else ["network.h5"])
                    self.assertEqual([line[3] for line in self.predictions()], [line[3] for line in said])
                    self.forget()

    def test_workers_have_the_same_bits_on_one_and_two_ranks(self):
        for network in OPTIONS:
            with self.subTest(network):
                self.succeed(*training(network, workers=4))
                reference, model = content(self.folder / "n.h5"), self.models()
                self.forget()
                self.succeed(*training(network, workers=4), ranks=2)
                self.assertEqual(difference(reference, content(self.folder / "n.h5")), [])
                self.assertEqual(self.models(), model)
                self.forget()

    def test_killed_or_stopped_with_split_weights_it_goes_on_to_the_same_result(self):
        words = training("cnn", strategy="model-parallel", epochs=8)
        self.succeed(*words, ranks=2)
        reference, model = content(self.folder / "n.h5"), self.models()
        self.forget()
        running = self.start(*words, "--checkpoint-every", "0s", ranks=2)
        part = "unit-1-0-0-0-rank1a.part"
        self.assertTrue(wait_until(lambda: (models_of(self.folder / "n.h5") / part).exists()), running.said())
        running.kill_all()
        running.wait()
        # What was kept last may be there on one rank only: the set before it is still whole.
        parts = sorted(path.name for path in models_of(self.folder / "n.h5").glob("*.part"))
        stopped = self.run_command(*words, "--max-time", "0.01", "--grace", "0", ranks=2)
        self.assertIn(stopped.code, (0, STOPPED), stopped)
        self.succeed(*words, ranks=2)
        self.assertEqual(difference(reference, content(self.folder / "n.h5")), [], parts)
        self.assertEqual(self.models(), model)
        self.assertEqual(self.files(), ["n.h5", "n.models", "n.models/network-0of2.h5", "n.models/network-1of2.h5"])

    def limited(self, words, ranks):
        """With so much of addresses (ulimit -v) for each process."""
        needs_plain_memory()
        command = ["bash", "-c", f"ulimit -v {ADDRESSES}; exec \"$@\"", "bash", *command_line(words, ranks)]
        return self.run_command(command=command)

    def test_split_weights_of_unequal_parts_do_not_wait_for_one_another(self):
        """One of the two ranks has its part of a layer in three pieces, the other in two, between which a rank alone would poll."""
        self.succeed("train", "cnn", "--limit", "64", "--test-part", "0.05", "--validation", "none", "--channels", "143", "--hidden", "8192",
                     "--strategy", "model-parallel", "--batch", "16", "--epochs", "1", "--stall-timeout", f"{60 * SLOWER}s", "--quiet", "-o", "c.h5", ranks=2)

    def test_a_dry_run_says_what_a_rank_takes_at_its_peak(self):
        for words in (training("mlp", hidden="2000,1000"), training("cnn", channels=20, hidden=400)):
            said = re.search(r"with the program and the data ([\d.]+) MiB", self.succeed(*words, "--dry-run").out)
            if said is None:
                self.skipTest("on a GPU nothing is said of the rank's own memory")
            peak = self.peak_mebibytes(words)
            self.assertLess(abs(float(said[1]) / peak - 1), 0.2, f"{words}: {said[0]}, {peak} MiB were measured")
            self.forget()

    def test_a_dry_run_ends_as_the_training_would_where_it_does_not_fit(self):
        words = ["train", "mlp", "--limit", "200", "--hidden", "2000,2000", "--memory-limit", "10M", "-o", "no.h5"]
        planned, refused = self.run_command(*words, "--dry-run"), self.run_command(*words, ranks=2)
        for result in (planned, refused):
            self.assertEqual(result.code, USAGE, result)
            self.assertRegex(result.err, r"training dense 2000, dense 2000, 10 classes needs .* \(--memory-limit allows 10 MiB\)")
        self.assertRegex(planned.out, "memory .*, more than there is")
        self.assertEqual(self.files(), [])

    def test_split_weights_train_where_the_whole_does_not_fit(self):
        words = training("mlp", **LARGE)
        whole = self.limited(words, 1)
        self.assertEqual(whole.code, FAILED, whole)
        self.assertIn("out of memory", whole.out + whole.err, whole)
        self.assertEqual(self.limited(words, 1).code, FAILED, "what is finished without a result stays a failure")
        self.assertEqual(list(self.folder.glob("n.*models/*.h5")), [])
        for path in self.folder.glob("n.h5*"):
            path.unlink()
        parts = self.limited((*words, "--strategy", "model-parallel"), 4)
        self.assertEqual(parts.code, 0, parts)
        self.assertEqual(len(self.models()), 4)

    def test_what_does_not_fit_is_refused_and_nothing_is_touched(self):
        for words, problem in [
            (training("mlp", kernel=5), "error: --kernel has no meaning for mlp"),
            (training("cnn", window=3), "error: --window has no meaning for cnn"),
            (training("mlp", activation="thanh"), "Did you mean tanh?"),
            (training("cnn", kernel=9), "a window of 9x9 does not fit into images of 8x8"),
            (training("cnn", hidden="12,0"), "bad value '0' for --hidden"),
            (training("cnn", momentum=1.5), "bad --momentum 1.5"),
            (training("cnn", stop_ratio=0), "bad --stop-ratio 0"),
            (training("cnn", dropout=1), "bad --dropout 1"),
            (training("cnn", strategy="model-parallel", workers=2), "model-parallel with 2 workers on 1 rank"),
            (training("cnn", memory_limit="100K"), "Split the weights over more ranks"),
        ]:
            with self.subTest(problem):
                refused = self.run_command(*words)
                self.assertEqual((refused.code, self.files()), (USAGE, []), refused)
                self.assertIn(problem, refused.err)
        refused = self.run_command(*training("cnn", channels=3, strategy="model-parallel"), ranks=4)
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("cannot be split over 4 workers", refused.err)

    def test_tables_train_dense_layers_and_their_model_takes_no_pictures(self):
        random = numpy.random.default_rng(1)
        rows = [[*point.round(3), "far" if point @ point > 3 else "near"] for point in random.normal(size=(300, 3))]
        write_csv(self.folder / "table.csv", rows)
        words = ("train", "mlp", "--data", "csv:table.csv", "--hidden", "20", "--epochs", 60, "--rate", 0.05, "-o", "n.h5")
        self.succeed(*words, ranks=2)
        self.assertLess(self.curves()["held_out_error"][-1], 0.15)
        said = self.succeed("predict", "n.h5", "table.csv").out.split()
        self.assertEqual(set(said), {"far", "near"})
        (self.folder / "dot.png").write_bytes(png(numpy.zeros((8, 8))))
        refused = self.run_command("predict", "n.h5", "dot.png")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("takes no pictures", refused.err)
        refused = self.run_command("train", "cnn", "--data", "csv:table.csv", "-o", "c.h5")
        self.assertEqual(refused.code, USAGE, refused)
        self.assertIn("holds no images", refused.err)

    def test_the_model_is_that_of_the_epoch_with_the_fewest_validation_errors(self):
        pixels, labels = held_out_digits()
        write_csv(self.folder / "test.csv", pixels)
        for words, ranks in ((training("mlp", epochs=12, rate=0.3, test_part="last"), 1),
                             (training("cnn", epochs=8, rate=0.2, test_part="last"), 2),
                             (training("mlp", epochs=12, rate=0.3, test_part="last", strategy="model-parallel"), 2)):
            with self.subTest(words):
                said = self.succeed(*words, ranks=ranks).out
                with h5py.File(self.folder / "n.h5") as file:
                    error, loss = file["training/validation_error"][0], file["training/validation_loss"][0]
                    held_out = file["training/held_out_error"][0]
                    kept = file["run/kept_epoch"][0]
                    self.assertEqual((file.attrs["n_train"], file.attrs["n_validation"]), (360, 40))
                best = min(range(len(error)), key=lambda e: (error[e], loss[e], e))
                self.assertEqual(kept, best + 1)
                self.assertLess(kept, len(error), "the test is of a training that becomes worse")
                self.assertIn(f"of epoch {kept} of {len(error)}, the best by validation ({100 * error[best]:.2f} % wrong)",
                              said)
                predicted = numpy.array([int(word) for word in self.succeed("predict", "n.h5", "test.csv").out.split()])
                self.assertAlmostEqual((predicted != labels).mean(), held_out[best], delta=1e-6)
                self.forget()

    def test_the_report_shows_the_classes_of_the_held_out_part(self):
        random = numpy.random.default_rng(4)
        label = numpy.where(random.random(600) < 0.08, "ill", "well")
        features = random.normal(size=(600, 3)) + (label == "ill")[:, None] * 0.3
        write_csv(self.folder / "rare.csv", [["a", "b", "c", "outcome"], *([*row, name] for row, name in zip(features.round(3), label))])
        self.succeed(*training("mlp", data="csv:rare.csv", label="outcome", hidden="8", dropout=0))
        with h5py.File(self.folder / "n.h5") as file:
            truth, found = file["test/label"][()], file["test/prediction"][0]
            sample, names = file["test/sample"][()], file["class_name"].asstr()[()]
            kept = file["run/kept_epoch"][0] - 1
            self.assertEqual(file["training/held_out_error"][0][kept], (truth != found).mean())
        self.assertEqual(list(names[truth]), list(label[sample]))
        asked = {int(line[1]): line[2] for line in
                 (line.split(",") for line in self.succeed("predict", "n.h5", "csv:rare.csv", "--label", "outcome",
                                                           "--format", "csv").out.splitlines()[1:])}
        self.assertEqual([asked[s] for s in sample], list(names[found]))
        report = self.succeed("report", "n.h5")
        ill = (truth == list(names).index("ill")).sum()
        self.assertRegex(report.out, rf"ill +{ill} ")
        self.assertIn("balanced error", report.out)
        self.assertIn(f"none of the {ill} held-out samples of class ill is recognised", report.out + report.err)
        (facts,) = self.succeed("report", "n.h5", "--format", "json").json()
        self.assertEqual(facts["test"]["balanced_error"], 0.5)
        self.assertEqual([row["class"] for row in facts["test_classes"]], ["ill", "well"])

    def test_the_kept_epoch_survives_stops_and_is_the_same_on_other_ranks(self):
        words = training("mlp", limit=200, epochs=6, rate=0.5, workers=2, checkpoint_every="0s")
        self.succeed(*words)
        reference, model = content(self.folder / "n.h5"), self.models()
        with h5py.File(self.folder / "n.h5") as file:
            self.assertLess(file["run/kept_epoch"][0], 6, "the checkpoints hold the weights of an earlier epoch")
        self.forget()
        self.assertGreater(self.stop_until_done(*words, "--grace", "0", seconds=0.02, ranks=(None, None, 2), runs=200), 1)
        self.assertEqual(difference(reference, content(self.folder / "n.h5")), [])
        self.assertEqual(self.models(), model)

    def test_a_changed_row_is_noticed_whether_it_trains_or_validates(self):
        random = numpy.random.default_rng(3)
        rows = [["a", "b", "c", "y"], *([*random.normal(k % 2, 1, 3).round(3), k % 2] for k in range(24))]
        write_csv(self.folder / "test.csv", rows)
        write_csv(self.folder / "t.csv", rows)
        words = ("train", "mlp", "--data", "csv:t.csv", "--test", "csv:test.csv", "--validation", "0.5", "--hidden", "4",
                 "--epochs", "4000", "--quiet", "-o", "v.h5", "--max-time", "0.1", "--grace", "0")
        self.assertEqual(self.run_command(*words).code, STOPPED)
        for k in range(1, 25):
            changed = [list(row) for row in rows]
            changed[k][0] += 0.5
            write_csv(self.folder / "t.csv", changed)
            refused = self.run_command(*words)
            self.assertEqual(refused.code, USAGE, k)
            self.assertIn("the data set differs", refused.err)
        write_csv(self.folder / "t.csv", rows)
        self.assertIn(self.run_command(*words).code, (STOPPED, 0))

    def test_validation_can_be_left_out_and_is_checked(self):
        self.succeed(*training("mlp", validation="none"))
        with h5py.File(self.folder / "n.h5") as file:
            self.assertEqual(file.attrs["n_train"], 400)
            self.assertNotIn("training/validation_error", file)
            self.assertEqual(file["run/kept_epoch"][0], 4)
        for word in ("0", "0.6", "-1", "half", "0.1x", "nan"):
            refused = self.run_command(*training("mlp", validation=word, output="x.h5"))
            self.assertEqual(refused.code, USAGE, refused)
            self.assertIn(f"bad --validation '{word}'", refused.err)
        refused = self.run_command("train", "lstm", "--validation", "0.1", "-o", "x.h5")
        self.assertIn("validation has no meaning for lstm", refused.err)

    def test_diverging_training_says_so_and_leaves_no_model(self):
        words = training("cnn", rate=1e6)
        for _ in range(2):  # the second time it is finished already
            failed = self.run_command(*words, ranks=2)
            self.assertEqual(failed.code, FAILED, failed)
        with h5py.File(self.folder / "n.h5") as file:
            self.assertEqual(file.attrs["status"], "diverged")
        text = self.succeed("report", "n.h5").out
        self.assertIn("diverged: loss", text)
        self.assertEqual(self.files(), ["n.h5"])
        self.assertIn("failed or diverged", self.run_command("predict", "n.h5", "digits").err)


class HeldOutValues(CommandTest):
    def test_held_out_values_that_no_network_can_take_do_not_cost_the_model(self):
        rows = [",".join(str((k * j) % 7 - 3) for j in range(1, 9)) + (",a" if k % 7 > 3 else ",b") for k in range(60)]
        (self.folder / "train.csv").write_text("\n".join(rows) + "\n")
        (self.folder / "test.csv").write_text("\n".join([*rows[:9], 8 * "3e38," + "a"]) + "\n")
        for part in ("none", "0.3"):
            result = self.succeed("train", "mlp", "--data", "csv:train.csv", "--test", "csv:test.csv", "--scale", "none", "--hidden", "64,64,64",
                                  "--epochs", "3", "--validation", part, "-o", f"{part}.h5")  # fmt: skip
            self.assertIn("the held-out loss of the model is not finite", result.out)
            self.assertIn("1 of 10 have no prediction", result.out)
            self.assertEqual(self.succeed("predict", f"{part}.h5", "csv:train.csv").out.count("\n"), 60)


if __name__ == "__main__":
    unittest.main()
