#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Networks and ensembles in numpy: layers, activations, convolutions, parts, votes and uncertainty, against `krossfold predict`."""

import shutil
import tracemalloc
import unittest

import numpy
from model_case import ModelTest, blobs, images
from python_case import digits

import krossfold

SHORT = ("--epochs", "20", "--quiet", "-o", "r.h5")


class Networks(ModelTest):
    def write(self, x, y, new):
        """The training samples and those to predict, in place of those of another study."""
        self.again()
        numpy.savez(self.folder / "t.npz", x=x.reshape(len(x), -1), y=y)
        numpy.save(self.folder / "new.npy", new.reshape(len(new), -1))

    def again(self):
        (self.folder / "r.h5").unlink(missing_ok=True)
        for folder in self.folder.glob("r.*.models"):
            shutil.rmtree(folder)

    def test_layers_activations_and_numbers_of_classes(self):
        cases = ((2, 3, "4", "relu", ()), (3, 10, "8,5", "tanh", ()), (7, 20, "30,20", "sigmoid", ("--dropout", "0.1", "--rate", "0.3")),
                 (4, 6, "9", "relu", ("--scale", "none")))  # fmt: skip
        for seed, (classes, features, hidden, activation, words) in enumerate(cases):
            with self.subTest(classes=classes, activation=activation):
                x, y = blobs(seed, 200, features, classes)
                self.write(x, y, x[:77])
                self.succeed("train", "mlp", "--data", "npz:t.npz:x,y", "--hidden", hidden, "--activation", activation, *words, *SHORT)
                model = self.assert_as_the_program("r.h5", "npy:new.npy", x[:77], x[:77].astype(float), x[:77].tolist())
                self.assertEqual(len(model.networks), 1)
                self.assertIsNone(model.image)

    def test_convolutions_on_images_in_grey_and_colour(self):
        cases = (((1, 8, 8), 3, 3, 4), ((1, 5, 9), 2, 2, 1), ((3, 6, 7), 4, 5, 3), ((3, 4, 4), 3, 4, 2), ((1, 6, 6), 2, 1, 3))
        for seed, (shape, classes, kernel, channels) in enumerate(cases):
            with self.subTest(shape=shape, kernel=kernel):
                x, y = images(seed, 150, shape, classes)
                self.write(x, y, x[:40])
                size = f"{shape[2]}x{shape[1]}" + ("" if shape[0] == 1 else f"x{shape[0]}")
                self.succeed("train", "cnn", "--data", "npz:t.npz:x,y", "--image", size, "--channels", channels, "--kernel", kernel, "--hidden", "6",
                             *SHORT)  # fmt: skip
                forms = [x[:40], x[:40].reshape(40, -1), numpy.asfortranarray(x[:40]), x[:40].astype(numpy.uint8)]
                forms += [x[:40, 0]] if shape[0] == 1 else []
                model = self.assert_as_the_program("r.h5", "npy:new.npy", *forms)
                self.assertEqual(model.image, shape)
                numpy.testing.assert_array_equal(model.predict_proba(numpy.moveaxis(x, 1, -1)), model.predict_proba(x))
                with self.assertRaisesRegex(ValueError, r"numpy.newaxis"):
                    model.predict(x[0] if shape[0] > 1 else x[0, 0])
                if shape[1] != shape[2]:
                    with self.assertRaisesRegex(ValueError, "the model takes numbers .sample, "):
                        model.predict(x.swapaxes(2, 3))

    def test_weights_that_were_split_over_ranks(self):
        pixels, _ = digits()
        for network, words in (("cnn", ("--channels", "5", "--kernel", "3", "--hidden", "7")), ("mlp", ("--hidden", "9,5"))):
            with self.subTest(network=network):
                self.again()
                self.succeed("train", network, "--data", "digits", "--limit", "200", "--strategy", "model-parallel", *words, *SHORT, ranks=2)
                (folder,) = self.folder.glob("r.*.models")
                self.assertEqual(len(list(folder.glob("network-*of2.h5"))), 2)
                self.assert_as_the_program("r.h5", "digits", pixels)
                self.assert_as_the_program(folder, "digits", pixels)
                with self.assertRaisesRegex(krossfold.ResultFileError, "cannot be joined .1 of 2 parts"):
                    krossfold.load_model(folder / "network-1of2.h5")

    def test_an_ensemble_votes_and_says_how_sure_it_is(self):
        pixels, labels = digits()
        self.succeed("bag", "--data", "digits", "--limit", "500", "--bootstraps", "3", "--trials", "3", "--folds", "2", "--channels", "2:4",
                     "--kernel", "2:4", "--hidden", "8:16", "--epochs", "20", "--quiet", "-o", "r.h5")  # fmt: skip
        model = self.assert_as_the_program("r.h5", "digits", pixels, pixels.reshape(-1, 8, 8))
        result = krossfold.open(self.folder / "r.h5")
        self.assertEqual(len(model.networks), 3)
        self.assertEqual(model.threshold, result["/ood/threshold"].ravel()[0])
        numpy.testing.assert_allclose(model.predictions(pixels)["confidence"], model.predict_proba(pixels).max(axis=1))
        # What the study itself says of its test samples.
        test = pixels[result["/ensemble/sample"]]
        numpy.testing.assert_allclose(model.member_probabilities(test), result["/ensemble/probability"], atol=1e-5)
        numpy.testing.assert_array_equal(model.predictions(test)["prediction"], result["/ensemble/vote"])
        self.assertGreater((model.predict(pixels) == labels).mean(), 0.2)  # labels are whole numbers, as those of the data
        (folder,) = self.folder.glob("r.*.models")
        alone = self.assert_as_the_program(folder / "bootstrap_01.h5", "digits", pixels)
        self.assertIsNone(alone.threshold)

    def test_memory_is_bounded_by_batches_and_single_precision_is_not_copied(self):
        x, y = images(3, 100, (1, 20, 20), 2)
        self.write(x, y, x)
        self.succeed("train", "cnn", "--data", "npz:t.npz:x,y", "--image", "20x20", "--channels", "4", "--kernel", "5", "--hidden", "6", "--scale",
                     "none", *SHORT)  # fmt: skip
        model = krossfold.open(self.folder / "r.h5").model()
        many = numpy.tile(x.astype(numpy.float32), (100, 1, 1, 1))  # 16 MB; the windows of all images are 1 GB
        self.assertTrue(numpy.shares_memory(model._samples(many).block(5, 9), many))
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        found = model.predict_proba(many)
        self.assertLess(tracemalloc.get_traced_memory()[1], 60e6)
        numpy.testing.assert_allclose(found, numpy.tile(model.predict_proba(x), (100, 1)), atol=1e-6)

    def test_values_far_from_those_of_the_training_are_refused_not_predicted(self):
        x, y = blobs(4, 60, 3, 2)
        x *= numpy.float32(1e-20)
        self.write(x, y, x)
        self.succeed("train", "mlp", "--data", "npz:t.npz:x,y", "--hidden", "4", *SHORT)
        model = krossfold.open(self.folder / "r.h5").model()
        cases = ((numpy.nan, "X.2., column 2: the value is missing"), (numpy.inf, "X.2., column 2: the value is infinite"),
                 (1e39, "too large .features are kept in single precision"), (1e30, "its probabilities are not finite"))  # fmt: skip
        for value, message in cases:
            bad = x.astype(float)
            bad[2, 1] = value
            with self.subTest(value=value), self.assertRaisesRegex(ValueError, message):
                model.predict(bad)
            numpy.save(self.folder / "bad.npy", bad)
            self.assertNotEqual(self.run_command("predict", "r.h5", "npy:bad.npy").code, 0)


if __name__ == "__main__":
    unittest.main()
