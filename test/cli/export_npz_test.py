#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""krossfold export to .npz and import from it: the arrays, applied by NumPy (and by PyTorch and scikit-learn where Python has them),
predict what krossfold predict does."""

import unittest

import h5py
import numpy

from exported_models import CELL, SVMS, TrainedModels, kernel_matrix, table, votes_of
from krossfold_cli import models_of, write_csv
from sparse_test import texts, write_libsvm

try:
    import torch
except ImportError:
    torch = None
try:
    from sklearn.svm import SVC
except ImportError:
    SVC = None

ACTIVATIONS = {"relu": lambda x: numpy.maximum(x, 0), "tanh": numpy.tanh, "sigmoid": lambda x: 1 / (1 + numpy.exp(-x))}


def svm_decisions(file, raw):
    """Decision values in the order and with the signs of krossfold: docs/export.md."""
    x = (raw - file["mean_"]) / file["scale_"]
    classes, count, dual = len(file["classes_"]), file["n_support_"], file["dual_coef_"]
    kernel = kernel_matrix({"poly": "polynomial"}.get(str(file["kernel"]), str(file["kernel"])), x, file["support_vectors_"],
                           float(file["gamma"]), int(file["degree"]), float(file["coef0"]))
    if classes == 2:
        return -(kernel @ dual.T + file["intercept_"])
    if str(file["multiclass"]) == "ovr":
        return kernel @ dual.T + file["intercept_"]
    begin, values = numpy.cumsum([0, *count]), []
    for a in range(classes):
        for b in range(a + 1, classes):
            own, other = slice(begin[a], begin[a + 1]), slice(begin[b], begin[b + 1])
            values.append(kernel[:, own] @ dual[b - 1, own] + kernel[:, other] @ dual[a, other])
    return numpy.array(values).T + file["intercept_"]


def network_probabilities(file, raw, prefix="", activation=None):
    x = ((raw - file["mean_"]) / file["scale_"]).astype(numpy.float32).astype(float)
    if prefix + "conv.weight" in file:
        weight, bias = file[prefix + "conv.weight"].astype(float), file[prefix + "conv.bias"]
        x = x.reshape(-1, *file["image_shape"])
        windows = numpy.lib.stride_tricks.sliding_window_view(x, weight.shape[2:], axis=(2, 3))
        x = numpy.maximum(numpy.einsum("nchwij,ocij->nohw", windows, weight) + bias[:, None, None], 0).reshape(len(raw), -1)
    layers = sum(name.startswith(prefix + "dense.") and name.endswith("weight") for name in file.files)
    for layer in range(layers):
        x = x @ file[f"{prefix}dense.{layer}.weight"].T.astype(float) + file[f"{prefix}dense.{layer}.bias"]
        if layer + 1 < layers:
            x = ACTIVATIONS[activation or str(file["activation"])](x)
    x = numpy.exp(x - x.max(1, keepdims=True))
    return x / x.sum(1, keepdims=True)


def next_logits(file, symbols):
    """The logits after the last of some symbols, by the formulas of torch.nn.LSTM: gates input, forget, cell, output."""
    sigmoid = ACTIVATIONS["sigmoid"]
    x = numpy.eye(31)[symbols]
    for layer in range(sum(name.startswith("lstm.weight_hh") for name in file.files)):
        w, u, a, b = (file[f"lstm.{kind}_l{layer}"].astype(float) for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        h = c = numpy.zeros(u.shape[1])
        outputs = []
        for row in x:
            i, f, g, o = numpy.split(w @ row + a + u @ h + b, 4)
            c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
            h = sigmoid(o) * numpy.tanh(c)
            outputs.append(h)
        x = numpy.array(outputs)
    return x[-1] @ file["dense.weight"].T + file["dense.bias"]


class ExportNpz(TrainedModels):
    def exported(self, name):
        self.succeed("export", self.done / f"{name}.h5", "-o", f"{name}.npz")
        return numpy.load(self.folder / f"{name}.npz")

    def test_svms_have_the_decision_values_of_krossfold_in_numpy(self):
        for name in SVMS:
            with self.subTest(name):
                file = self.exported(name)
                path, x = self.data_of(name)
                labels, decision, _ = self.predictions(self.done / f"{name}.h5", path)
                found = svm_decisions(file, x.astype(float))
                numpy.testing.assert_allclose(found, decision, atol=2e-5)
                rest = str(file["multiclass"]) == "ovr"
                chosen = found.argmax(1) if rest else votes_of(found, len(file["classes_"]))
                self.assertEqual([str(file["classes_"][c]) for c in chosen], labels)
                self.assertEqual(file["classes_"].dtype.kind, "i" if SVMS[name][0] == "plain" else "U")

    def test_classes_are_integers_if_all_are_whole_numbers_of_32_bits(self):
        x, _ = table(60, 2)
        for names, kind in ((("-2147483648", "2147483647"), "i"), (("1", "2147483648"), "U"), (("01", "2"), "U")):
            with self.subTest(names):
                write_csv(self.folder / "named.csv", [[*row, names[k % 2]] for k, row in enumerate(x.tolist())])
                self.succeed("svm", "--data", "csv:named.csv", *CELL, "-o", f"{names[1]}.h5")
                self.succeed("export", f"{names[1]}.h5", "-o", f"{names[1]}.npz")
                classes = numpy.load(self.folder / f"{names[1]}.npz")["classes_"]
                self.assertEqual((classes.dtype.kind, classes.astype(str).tolist()), (kind, list(names)))
                self.succeed("export", f"{names[1]}.h5", "-o", f"{names[1]}.model")
                label = next(line for line in (self.folder / f"{names[1]}.model").read_text().splitlines() if line.startswith("label "))
                self.assertEqual(set(label.split()[1:]), set(names) if kind == "i" else {"0", "1"})

    def test_svms_and_networks_come_back_the_same(self):
        for name in (*SVMS, "cnn", "mlp"):
            with self.subTest(name):
                self.exported(name).close()
                self.succeed("import", f"{name}.npz", "-o", f"{name}.h5")
                path = "digits" if name == "cnn" else "three.csv" if name == "mlp" else self.data_of(name)[0]
                before, after = self.predictions(self.done / f"{name}.h5", path), self.predictions(f"{name}.h5", path)
                self.assertEqual(before[0], after[0])
                for k in (1, 2):
                    numpy.testing.assert_allclose(after[k], before[k], atol=1e-9)
                # and what they say of tables, pictures and scales
                (old,) = models_of(self.done / f"{name}.h5").glob("*.h5")
                with h5py.File(old) as left, h5py.File(self.folder / f"{name}.h5") as right:
                    numbers = lambda file: {key: value for key, value in file.attrs.items() if key not in ("hdf5", "part", "parts")}
                    self.assertEqual(numbers(left), numbers(right))
                    for array in ("column/name", "column/fill", "scale/divisor", "class_name"):
                        if array in left:
                            numpy.testing.assert_array_equal(left[array][()], right[array][()])

    def test_networks_have_the_probabilities_of_krossfold_in_numpy(self):
        pixels = self.write_digits()
        for name, path, raw in (("cnn", "digits.csv", pixels), ("mlp", *self.data_of("rbf"))):
            with self.subTest(name):
                file = self.exported(name)
                labels, _, probability = self.predictions(self.done / f"{name}.h5", f"csv:{path}")
                found = network_probabilities(file, raw.astype(float))
                numpy.testing.assert_allclose(found, probability, atol=2e-6)
                self.assertEqual([str(file["classes_"][c]) for c in found.argmax(1)], labels)

    def test_ensembles_have_every_network_and_come_back_as_a_folder(self):
        pixels = self.write_digits()
        file = self.exported("bag")
        labels, _, probability = self.predictions(self.done / "bag.h5", "csv:digits.csv")
        members = [network_probabilities(file, pixels.astype(float), f"{m}.", str(file["activation"][m])) for m in range(3)]
        numpy.testing.assert_allclose(numpy.mean(members, 0), probability, atol=2e-6)
        self.succeed("import", "bag.npz", "-o", "bag.models")
        self.assertEqual([path for path in self.files() if path.startswith("bag.models/")], [f"bag.models/bootstrap_0{m}.h5" for m in range(3)])
        again = self.predictions("bag.models", "csv:digits.csv")
        self.assertEqual(again[0], labels)
        numpy.testing.assert_array_equal(again[2], probability)

    def test_sparse_svms_are_rows_in_compressed_form(self):
        x, y = texts(1)
        write_libsvm(self.folder / "t.libsvm", x, y)
        self.succeed("svm", "--data", "libsvm:t.libsvm", "--test-part", "none", "--grid", "1x1", "--log10-c=0:0", "--log10-gamma=-3:-3", "--folds", "2",
                     "--scale", "standard", "--quiet", "-o", "t.h5")
        self.succeed("export", "t.h5", "-o", "t.npz")
        file = numpy.load(self.folder / "t.npz")
        begin, shape = file["support_vectors_indptr"], file["support_vectors_shape"]
        dense = numpy.zeros(shape)
        for i in range(shape[0]):
            dense[i, file["support_vectors_indices"][begin[i]:begin[i + 1]]] = file["support_vectors_data"][begin[i]:begin[i + 1]]
        few = x[:40].astype(float) / file["scale_"]
        numpy.testing.assert_array_equal(file["mean_"], 0)
        kernel = numpy.exp(-float(file["gamma"]) * ((few ** 2).sum(1)[:, None] + (dense ** 2).sum(1) - 2 * few @ dense.T))
        write_libsvm(self.folder / "few.libsvm", x[:40], y[:40])
        _, decision, _ = self.predictions("t.h5", "few.libsvm")
        numpy.testing.assert_allclose(kernel @ file["dual_coef_"].T + file["intercept_"], decision, atol=2e-5)
        self.succeed("import", "t.npz", "-o", "again.h5")
        numpy.testing.assert_allclose(self.predictions("again.h5", "few.libsvm")[1], decision, atol=2e-5)

    def test_character_models_have_the_greedy_names_of_krossfold(self):
        file = self.exported("lstm")
        alphabet, window = str(file["alphabet"]), int(file["window"])
        for beginning in ("", "a", "mo", "x"):
            symbols = [0, *map(alphabet.index, beginning)]
            while len(symbols) <= window and symbols[-1] != 30:
                symbols.append(int(next_logits(file, symbols).argmax()))
            expected = " ".join("".join(alphabet[s] for s in symbols[1:] if s != 30).split())
            words = ["--starts-with", beginning] if beginning else []
            self.assertEqual(self.succeed("sample", self.done / "lstm.h5", "--temperature", "1e-9", "--count", "1", *words).out.strip(), expected)

    def test_character_models_come_back_and_those_of_others_do_not_know_their_names(self):
        file = self.exported("lstm")
        self.succeed("import", "lstm.npz", "-o", "again.h5")
        for words in (["--seed", "3"], ["--novel", "--count", "50"]):
            self.assertEqual(self.succeed("sample", "again.h5", *words).out, self.succeed("sample", self.done / "lstm.h5", *words).out)
        arrays = {name: file[name] for name in file.files if "." in name}
        numpy.savez(self.folder / "own.npz", alphabet=file["alphabet"], window=file["window"], **arrays)
        said = self.succeed("import", "own.npz", "-o", "own.h5")
        self.assertIn("krossfold sample own.h5", said.out)
        self.assertIn("does not say which names", said.out)
        self.assertEqual(self.succeed("sample", "own.h5").out, self.succeed("sample", self.done / "lstm.h5").out)
        result = self.run_command("sample", "own.h5", "--novel")
        self.assertEqual(result.code, 2, result)
        self.assertIn("--novel", result.err)
        numpy.savez(self.folder / "both.npz", alphabet=file["alphabet"], window=file["window"], **arrays, **{"lstm.weight_ih_l0_reverse": [1.0]})
        result = self.run_command("import", "both.npz", "-o", "both.h5")
        self.assertEqual(result.code, 2, result)
        self.assertIn("the array lstm.weight_ih_l0_reverse is of no layer", result.err)
        self.assertNotIn("both.h5", self.files())

    def test_equal_models_make_equal_files(self):
        self.exported("rbf").close()
        self.succeed("export", models_of(self.done / "rbf.h5"), "-o", "again.npz")
        self.assertEqual((self.folder / "rbf.npz").read_bytes(), (self.folder / "again.npz").read_bytes())

    def test_arrays_of_any_order_and_type_and_only_what_defines_a_network_are_enough(self):
        random = numpy.random.default_rng(5)
        weights = {"dense.0.weight": random.normal(size=(6, 4)), "dense.0.bias": random.normal(size=6), "dense.1.weight": random.normal(size=(3, 6)),
                   "dense.1.bias": random.normal(size=3)}
        arrays = {name: numpy.asfortranarray(value.astype(">f8")) for name, value in weights.items()}
        numpy.savez_compressed(self.folder / "own.npz", classes_=["x", "y", "ü z"], **arrays)
        self.succeed("import", "own.npz", "-o", "own.h5")
        x = numpy.float32(random.normal(size=(20, 4)).round(3))
        write_csv(self.folder / "x.csv", x.tolist())
        hidden = numpy.maximum(x @ weights["dense.0.weight"].T + weights["dense.0.bias"], 0)
        z = hidden @ weights["dense.1.weight"].T + weights["dense.1.bias"]
        p = numpy.exp(z - z.max(1, keepdims=True))
        labels, _, probability = self.predictions("own.h5", "x.csv")
        numpy.testing.assert_allclose(probability, p / p.sum(1, keepdims=True), atol=1e-5)
        self.assertEqual(labels, [("x", "y", "ü z")[c] for c in z.argmax(1)])

    def test_what_single_precision_would_merge_is_refused_and_is_right_once_a_constant_is_subtracted(self):
        for mean, name in ((1.6e9, "far"), (0, "near")):
            numpy.savez(self.folder / f"{name}.npz", kernel="rbf", gamma=0.5, classes_=[0, 1], n_support_=[1, 1], dual_coef_=[[-1.0, 1.0]],
                        intercept_=[0.0], support_vectors_=[[0.0, 0.0], [1.0, 1.0]], mean_=[mean, 0.0], scale_=[10.0, 1.0])
        result = self.run_command("import", "far.npz", "-o", "far.h5")
        self.assertEqual(result.code, 2, result)
        for words in ("far.npz: feature 1", "single precision", "in steps of 128", "Subtract a constant"):
            self.assertIn(words, result.err)
        self.assertFalse((self.folder / "far.h5").exists())
        self.succeed("import", "near.npz", "-o", "near.h5")
        write_csv(self.folder / "x.csv", [[0, 0], [10, 1]])
        _, decision, _ = self.predictions("near.h5", "x.csv")
        numpy.testing.assert_allclose(decision[:, 0], [1 - numpy.exp(-1), numpy.exp(-1) - 1], atol=1e-12)

    @unittest.skipUnless(torch, "PyTorch is not installed")
    def test_pytorch_loads_the_state_and_predicts_the_same(self):
        file = self.exported("cnn")
        state = {name: torch.from_numpy(file[name]) for name in file.files if "." in name}
        units = [state[f"dense.{layer}.weight"].shape for layer in range(2)]
        net = torch.nn.Module()
        net.conv = torch.nn.Conv2d(1, len(state["conv.weight"]), state["conv.weight"].shape[2])
        net.dense = torch.nn.ModuleList([torch.nn.Linear(inputs, outputs) for outputs, inputs in units])
        net.load_state_dict(state)
        pixels = self.write_digits()
        x = torch.from_numpy(((pixels - file["mean_"]) / file["scale_"]).astype(numpy.float32)).reshape(-1, *file["image_shape"])
        with torch.no_grad():
            hidden = torch.relu(net.dense[0](torch.relu(net.conv(x)).flatten(1)))
            found = torch.softmax(net.dense[1](hidden), 1).numpy()
        numpy.testing.assert_allclose(found, self.predictions(self.done / "cnn.h5", "csv:digits.csv")[2], atol=2e-6)

    @unittest.skipUnless(SVC, "scikit-learn is not installed")
    def test_machines_of_scikit_learn_predict_the_same_here(self):
        random = numpy.random.default_rng(2)
        for classes, kernel in ((3, "rbf"), (2, "poly"), (3, "linear"), (2, "rbf")):
            with self.subTest(classes=classes, kernel=kernel):
                y = random.integers(0, classes, 80)
                x = numpy.float32((random.normal(size=(80, 3)) + numpy.eye(3)[y]).round(3))
                svc = SVC(kernel=kernel, C=2, coef0=0.5, decision_function_shape="ovo").fit(x, y)
                arrays = {name: getattr(svc, name) for name in ("support_vectors_", "dual_coef_", "intercept_", "classes_", "n_support_", "degree", "coef0", "kernel")}
                name = f"{kernel}{classes}"
                numpy.savez(self.folder / f"{name}.npz", gamma=svc._gamma, **arrays)
                self.succeed("import", f"{name}.npz", "-o", f"{name}.h5")
                write_csv(self.folder / "x.csv", x.tolist())
                labels, decision, _ = self.predictions(f"{name}.h5", "x.csv")
                expected = svc.decision_function(x)
                numpy.testing.assert_allclose(decision, expected if classes == 3 else -expected[:, None], atol=1e-5)
                self.assertEqual(labels, [str(c) for c in svc.predict(x)])


if __name__ == "__main__":
    unittest.main()
