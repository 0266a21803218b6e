#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Character models in numpy, against the held-out loss of their training and the names that `krossfold sample` draws."""

import unittest

import numpy
from model_case import ModelTest
from python_case import OLD, ROOT

import krossfold

NAMES = [line for line in (ROOT / "data/pet_names.txt").read_text(encoding="utf8").lower().split() if line.isascii() and line.isalpha()]


class Characters(ModelTest):
    def study(self, command, window, layers, hidden, **more):
        names = [name for name in NAMES if len(name) < window][:200]
        (self.folder / "names.txt").write_text("\n".join(names) + "\n")
        words = [word for name, value in more.items() for word in (f"--{name}", str(value))]
        self.succeed(*command, "--data", "names:names.txt", "--window", window, "--layers", layers, "--hidden", hidden, "--epochs", "6", *words,
                     "--quiet", "-o", "r.h5")  # fmt: skip
        return names

    def loss(self, model, names):
        """The mean cross-entropy of the windows of names that are shorter than these: a blank, the letters, the stop symbol, and blanks."""
        total = 0
        for name in names:
            window = (" " + name + "+").ljust(model.window + 1)
            following = model.predict_proba([window[1:step] for step in range(1, model.window + 1)])
            total -= sum(numpy.log(following[step, model.alphabet.index(window[step + 1])]) for step in range(model.window))
        return total / len(names) / model.window

    def test_the_loss_of_held_out_names_is_that_of_the_training(self):
        for command, window, layers, hidden in ((("train", "lstm"), 8, 1, 12), (("train", "lstm"), 10, 3, 8), (("names",), 9, 2, 16)):
            with self.subTest(command=command, layers=layers):
                workers = {"workers": 1, "batch-per-worker": 20, "rate": 0.02} if command == ("names",) else {"rate": 0.02}
                names = self.study(command, window, layers, hidden, **workers)
                result = krossfold.open(self.folder / "r.h5")
                model = result.model()
                run = result.best_run_
                expected = result["/training/held_out_loss"][run, result["/run/kept_epoch"][run] - 1]
                self.assertAlmostEqual(self.loss(model, names[round(0.8 * len(names)) :]), expected, delta=1e-6)
                (self.folder / "r.h5").unlink()

    def complete(self, model, beginning):
        """The name that the most probable letters spell."""
        name = beginning
        while len(name) < model.window:
            letter = model.predict(name)[0]
            if letter == "+":
                break
            name += letter
        return name.strip()

    def test_the_most_probable_letters_are_those_of_cold_names(self):
        self.study(("train", "lstm"), 8, 2, 24, rate=0.02)
        model = krossfold.load_model(self.folder / "r.h5")
        for beginning in ("m", "al", "zo", "be"):
            drawn = self.succeed("sample", "r.h5", "--count", "1", "--temperature", "1e-6", "--starts-with", beginning).out.strip()
            self.assertEqual(self.complete(model, beginning), drawn)

    def test_texts_longer_than_the_window_count_by_their_end(self):
        model = krossfold.load_model(OLD / "names.h5")
        self.assertEqual(model.window, 8)
        many = model.predict_proba(["abcdefghijk", "defghijk", "abc", "", "Abc"])
        numpy.testing.assert_allclose(many[0], many[1], atol=1e-7)
        numpy.testing.assert_allclose(many[2], many[4], atol=0)
        numpy.testing.assert_allclose(many.sum(axis=1), 1, atol=1e-12)
        numpy.testing.assert_allclose(many[3:4], model.predict_proba(""), atol=1e-7)
        self.assertEqual(model.predict_proba([]).shape, (0, 31))
        for text in (["mil", None], ["mil", float("nan")]):
            with self.assertRaisesRegex(ValueError, "is no text"):
                model.predict(text)
        with self.assertRaisesRegex(ValueError, "letters that the alphabet lacks .7 ë"):
            model.predict("Zoë7")


if __name__ == "__main__":
    unittest.main()
