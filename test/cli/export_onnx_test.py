#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold export to ONNX: the graphs, computed by NumPy, and by onnxruntime where Python has it, predict what krossfold predict does."""

import unittest

import h5py
import numpy

from exported_models import SVMS, TrainedModels
from krossfold_cli import models_of
from onnx_in_numpy import OnnxInNumpy
from sparse_test import texts, write_libsvm

try:
    import onnxruntime
except ImportError:
    onnxruntime = None
try:
    import onnx
except ImportError:
    onnx = None

ALPHABET = " abcdefghijklmnopqrstuvwxyz-.'+"


class ExportOnnx(TrainedModels):
    bootstraps, lstm_epochs = 4, 3

    def train_all(self):
        super().train_all()
        self.succeed("train", "mlp", "--limit", "200", "--hidden", "9", "--activation", "sigmoid", "--epochs", "2", "--quiet", "-o", "digits-mlp.h5")
        self.succeed("svm", "--limit", "300", "--grid", "1x1", "--log10-c=0.5:0.5", "--log10-gamma=-2:-2", "--multiclass", "ovo", "--probability", "--folds", "3",
                     "--quiet", "-o", "digits-ovo.h5")

    def exported(self, model):
        """The graph of a model in NumPy; `session` is that of onnxruntime."""
        self.succeed("export", model, "-o", "m.onnx")
        path = self.folder / "m.onnx"
        if onnx:
            onnx.checker.check_model(str(path), full_check=True)
        self.session = onnxruntime and onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        graph = OnnxInNumpy(path)
        path.unlink()
        return graph

    def outputs(self, graph, x):
        """What NumPy computes, after onnxruntime has given the same."""
        found = graph.run(x)
        if self.session:
            (first,) = self.session.get_inputs()
            self.assertEqual([first.name, first.shape], [list(graph.inputs)[0], graph.inputs[first.name][1]])
            again = dict(zip((one.name for one in self.session.get_outputs()), self.session.run(None, {first.name: x})))
            self.assertEqual(list(again), list(found))
            for name, values in again.items():
                self.assertEqual(values.dtype, found[name].dtype, name)
                if values.dtype.kind == "f":
                    numpy.testing.assert_allclose(values, found[name], atol=5e-6, err_msg=name)
                else:
                    numpy.testing.assert_array_equal(values, found[name], err_msg=name)
        return found

    @unittest.skipUnless(onnxruntime, "onnxruntime is not installed: pip install onnxruntime")
    def test_onnxruntime_is_among_the_peers(self):
        self.exported(self.done / "rbf.h5")
        self.assertIsNotNone(self.session)

    def test_svms_of_every_kernel_and_decomposition(self):
        for name in SVMS:
            with self.subTest(name):
                graph = self.exported(self.done / f"{name}.h5")
                path, x = self.data_of(name)
                labels, decision, probability = self.predictions(self.done / f"{name}.h5", path)
                found = self.outputs(graph, x)
                numpy.testing.assert_allclose(found["decision"], decision, atol=2e-5)
                self.assertEqual([str(label) for label in found["label"]], labels)
                self.assertEqual(found["label"].dtype, numpy.int64 if SVMS[name][0] == "plain" else object)
                self.assertEqual("probability" in found, probability.size > 0)
                if probability.size:
                    numpy.testing.assert_allclose(found["probability"], probability, atol=1e-5)

    def test_images_are_channels_rows_and_columns(self):
        pixels = self.write_digits()
        for name in ("cnn", "digits-mlp", "digits-ovo"):
            with self.subTest(name):
                graph = self.exported(self.done / f"{name}.h5")
                self.assertEqual(graph.inputs["X"], (1, ["N", 1, 8, 8]))
                labels, decision, probability = self.predictions(self.done / f"{name}.h5", "csv:digits.csv")
                found = self.outputs(graph, pixels.reshape(-1, 1, 8, 8))
                numpy.testing.assert_allclose(found["probability"], probability, atol=1e-5)
                self.assertEqual([str(label) for label in found["label"]], labels)
                self.assertEqual(found["label"].dtype, numpy.int64)
                if decision.size:
                    numpy.testing.assert_allclose(found["decision"], decision, atol=2e-5)
                # one sample alone
                numpy.testing.assert_allclose(self.outputs(graph, pixels[:1].reshape(1, 1, 8, 8))["probability"], probability[:1], atol=1e-5)

    def test_networks_of_tables(self):
        path, x = self.data_of("rbf")
        graph = self.exported(self.done / "mlp.h5")
        labels, _, probability = self.predictions(self.done / "mlp.h5", path)
        found = self.outputs(graph, x)
        numpy.testing.assert_allclose(found["probability"], probability, atol=2e-6)
        self.assertEqual(list(found["label"]), labels)
        described = graph.metadata
        self.assertEqual(described["features"], '["a", "b", "c", "d"]')
        self.assertEqual(described["classes"], '["ash", "birch", "cedar tree"]')

    def test_ensembles_vote(self):
        pixels = self.write_digits()
        graph = self.exported(self.done / "bag.h5")
        self.succeed("predict", self.done / "bag.h5", "csv:digits.csv", "-o", "p.h5")
        found = self.outputs(graph, pixels.reshape(-1, 1, 8, 8))
        with h5py.File(self.folder / "p.h5") as file:
            expected = file["input_0"]
            numpy.testing.assert_allclose(found["probability"], expected["probability"][()], atol=1e-5)
            numpy.testing.assert_allclose(found["member_probability"], expected["member_probability"][()], atol=1e-5)
            numpy.testing.assert_array_equal(found["votes"], expected["votes"][()])
            names = expected["class_name"].asstr()[()]
            self.assertEqual([str(label) for label in found["label"]], [names[c] for c in expected["prediction"]])
            tied = numpy.sort(found["votes"], 1)
            self.assertGreater((tied[:, -1] == tied[:, -2]).sum(), 0)  # the mean decides

    def test_sparse_samples_are_given_dense(self):
        x, y = texts(1)
        write_libsvm(self.folder / "t.libsvm", x, y)
        self.succeed("svm", "--data", "libsvm:t.libsvm", "--test-part", "none", "--grid", "1x1", "--log10-c=0:0", "--log10-gamma=-3:-3", "--folds", "2",
                     "--quiet", "-o", "t.h5")
        write_libsvm(self.folder / "few.libsvm", x[:30], y[:30])
        labels, decision, _ = self.predictions("t.h5", "few.libsvm")
        found = self.outputs(self.exported("t.h5"), x[:30])
        numpy.testing.assert_allclose(found["decision"], decision, atol=2e-5)
        self.assertEqual([str(label) for label in found["label"]], labels)

    def test_precomputed_kernels_take_their_values(self):
        _, x = self.data_of("rbf")
        y = [row.rsplit(",", 1)[1] for row in (self.folder / "three.csv").read_text().splitlines()[1:]]
        matrix = numpy.float32(numpy.exp(-0.1 * numpy.abs(x[:, None] - x[None]).sum(2) / 100))
        numpy.save(self.folder / "K.npy", matrix)
        numpy.save(self.folder / "y.npy", numpy.array(y))
        self.succeed("svm", "--kernel-function", "precomputed", "--data", "npy:K.npy,y.npy", "--grid", "1x1", "--log10-c=0:0", "--quiet", "-o", "k.h5")
        labels, decision, _ = self.predictions("k.h5", "npy:K.npy")
        found = self.outputs(self.exported("k.h5"), matrix)
        numpy.testing.assert_allclose(found["decision"], decision, atol=1e-8)
        self.assertEqual(list(found["label"]), labels)

    def test_character_models_have_the_held_out_loss_of_their_training_and_its_greedy_names(self):
        graph = self.exported(self.done / "lstm.h5")
        self.assertEqual(graph.metadata["alphabet"], ALPHABET)
        (path,) = models_of(self.done / "lstm.h5").glob("*.h5")
        with h5py.File(path) as file:
            steps = int(file.attrs["window"])
        for beginning in ("", "a", "mo", "x"):
            symbols = [0, *map(ALPHABET.index, beginning)]
            while len(symbols) <= steps and symbols[-1] != 30:
                logits = self.outputs(graph, numpy.array([symbols], numpy.int64))["logits"]
                symbols.append(int(logits[0, -1].argmax()))
            expected = " ".join("".join(ALPHABET[s] for s in symbols[1:] if s != 30).split())
            words = ["--starts-with", beginning] if beginning else []
            found = self.succeed("sample", self.done / "lstm.h5", "--temperature", "1e-9", "--count", "1", *words).out.strip()
            self.assertEqual(found, expected)
        p = self.outputs(graph, numpy.zeros((3, 5), numpy.int64))["probability"]
        numpy.testing.assert_allclose(p.sum(2), 1, atol=1e-6)


if __name__ == "__main__":
    unittest.main()
