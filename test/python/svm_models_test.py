#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Models of krossfold svm in numpy: every kernel and decomposition, parts, sparse samples and probabilities, against `krossfold predict`."""

import tracemalloc
import unittest

import numpy
from model_case import ModelTest, blobs
from python_case import digits, optional

import krossfold

(sparse,) = optional("scipy.sparse")
SEARCH = ("--grid", "2x1", "--log10-c=0:1", "--folds", "2", "--test-part", "none", "--quiet", "-o", "r.h5")


class Machines(ModelTest):
    def study(self, x, y, *words, new=None):
        """Searches and refits on the samples; `new` are those of new.npy."""
        numpy.savez(self.folder / "t.npz", x=x, y=y)
        numpy.save(self.folder / "new.npy", x[::2] if new is None else new)
        self.succeed("svm", "--data", "npz:t.npz:x,y", *words, *SEARCH)

    def test_classes_decompositions_and_probabilities(self):
        for seed, (classes, features, multiclass) in enumerate(((2, 3, "ovr"), (3, 4, "ovr"), (3, 4, "ovo"), (5, 7, "ovo"), (6, 20, "ovr"))):
            with self.subTest(classes=classes, multiclass=multiclass):
                x, y = blobs(seed, 120, features, classes)
                new = blobs(seed, 333, features, classes)[0]
                self.study(x, y, "--multiclass", multiclass, "--probability", new=new)
                model = self.assert_as_the_program("r.h5", "npy:new.npy", new, new.tolist(), new.astype(float), numpy.asfortranarray(new))
                self.assertEqual(model.classes_.tolist(), list(range(classes)))
                numpy.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1, atol=1e-12)
                (self.folder / "r.h5").unlink()

    def test_kernels_and_scales(self):
        x, y = blobs(7, 90, 5, 3)
        cases = (("linear",), ("polynomial", "--degree", "2", "--coef0", "1.5"), ("rbf", "--scale", "none"), ("polynomial", "--scale", "0.5:2"))
        for kernel, *words in cases:
            with self.subTest(kernel=kernel, words=words):
                self.study(x, y, "--kernel-function", kernel, *words, "--log10-gamma=-1:-1" if kernel != "linear" else "--probability")
                self.assert_as_the_program("r.h5", "npy:new.npy", x[::2])
                (self.folder / "r.h5").unlink()

    def test_kernel_matrices(self):
        x, y = blobs(8, 60, 4, 3)
        kernel = numpy.exp(-0.3 * abs(x[:, None] - x[None]).sum(axis=2)).astype(numpy.float32)
        self.study(kernel, y, "--kernel-function", "precomputed")
        model = self.assert_as_the_program("r.h5", "npy:new.npy", kernel[::2])
        with self.assertRaisesRegex(ValueError, r"59 columns .the model learnt 60"):
            model.predict(kernel[:, 1:])

    def test_parts(self):
        pixels, labels = digits()
        numpy.savez(self.folder / "d.npz", x=pixels[:600], y=labels[:600])
        numpy.save(self.folder / "new.npy", pixels[600:900])
        for kind in ("voronoi", "random"):
            with self.subTest(kind=kind):
                self.succeed("svm", "--data", "npz:d.npz:x,y", "--partition", f"{kind}:150", *SEARCH)
                model = self.assert_as_the_program("r.h5", "npy:new.npy", pixels[600:900])
                self.assertGreater(len(model.machines), 2)
                with self.assertRaisesRegex(ValueError, "no probabilities .searches in parts fit none"):
                    model.predict_proba(pixels[:5])
                (self.folder / "r.h5").unlink()

    def test_images_of_digits(self):
        self.succeed("svm", "--data", "digits", "--limit", "300", *SEARCH)
        pixels, labels = digits()
        model = self.assert_as_the_program("r.h5", "digits", pixels, pixels.reshape(-1, 8, 8), pixels.reshape(-1, 1, 8, 8).astype(numpy.uint8))
        self.assertGreater((model.predict(pixels) == labels).mean(), 0.9)  # labels are whole numbers, as those of the data
        with self.assertRaisesRegex(ValueError, r"has no probabilities .it was fitted without --probability"):
            model.predict_proba(pixels)
        with self.assertRaisesRegex(ValueError, r"65 features .the model was trained on 64 .8x8 pixels"):
            model.predict(numpy.column_stack([pixels, labels]))
        with self.assertRaisesRegex(ValueError, r"shape .1797, 4, 16.*sample, 8, 8"):
            model.predict(pixels.reshape(-1, 4, 16))

    def test_class_names_are_labels_as_they_are_written(self):
        x, y = blobs(9, 60, 3, 3)
        for names, kind in ((["no", "yes", "Zoë"], "U"), (["1", "-7", "20"], "i"), (["0.5", "1", "2"], "U"), (["007", "8", "9"], "U")):
            with self.subTest(names=names):
                self.study(x, numpy.array(names)[y])
                model = self.assert_as_the_program("r.h5", "npy:new.npy", x[::2])
                self.assertEqual(model.classes_.dtype.kind, kind)
                self.assertEqual([str(label) for label in model.classes_], krossfold.open(self.folder / "r.h5").classes)
                (self.folder / "r.h5").unlink()

    def test_memory_is_bounded_by_blocks_and_single_precision_is_not_copied(self):
        x, y = blobs(10, 120, 50, 2)
        self.study(x, y)
        model = krossfold.open(self.folder / "r.h5").model()
        many = numpy.tile(x, (2000, 1))  # 48 MB
        block = model._samples(many).block(1000, 2000)
        self.assertTrue(numpy.shares_memory(block, many))
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        found = model.predict(many)
        self.assertLess(tracemalloc.get_traced_memory()[1], 200e6)
        numpy.testing.assert_array_equal(found, numpy.tile(model.predict(x), 2000))
        self.assertEqual(model.predict(many[:0]).shape, (0,))


@unittest.skipUnless(sparse, "python3 has no scipy (on Debian: python3-scipy)")
class Sparse(ModelTest):
    def texts(self, seed, samples, features=15000, classes=3):
        """Samples of few entries each, with a word for each class."""
        random = numpy.random.default_rng(seed)
        label = numpy.arange(samples) % classes
        rows = numpy.repeat(numpy.arange(samples), 20)
        columns = random.integers(0, features, rows.size)
        columns[::4] = label[rows[::4]] * 50 + random.integers(0, 5, columns[::4].size)
        matrix = sparse.coo_matrix((random.integers(1, 9, rows.size) / 4, (rows, columns)), shape=(samples, features)).tocsr().astype(numpy.float32)
        return matrix, label

    def write(self, name, matrix, label):
        lines = []
        for row, one in enumerate(label):
            own = slice(matrix.indptr[row], matrix.indptr[row + 1])
            lines.append(" ".join([str(one), *(f"{j + 1}:{v:.9g}" for j, v in zip(matrix.indices[own], matrix.data[own]))]))
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def prepare(self, features=15000):
        train, label = self.texts(1, 300, features)
        new, _ = self.texts(2, 100, features)
        for matrix in (train, new):
            matrix[0, features - 1] = 1
        self.write("train.svm", train, label)
        self.write("new.svm", new, numpy.zeros(100, int))
        return new

    def test_sparse_support_vectors_with_samples_of_every_form(self):
        new = self.prepare()
        for multiclass, *scale in (("ovr", "--scale", "none", "--log10-gamma=-1.5:-1.5"), ("ovo", "--log10-gamma=-4.5:-4.5")):
            with self.subTest(multiclass=multiclass):
                self.succeed("svm", "--data", "libsvm:train.svm", "--multiclass", multiclass, *scale, *SEARCH)
                model = self.assert_as_the_program("r.h5", "libsvm:new.svm", new, new.tocsc(), new.tocoo(), new.toarray())
                self.assertTrue(model.machines[0].is_sparse)
                (self.folder / "r.h5").unlink()
        twice = sparse.csr_matrix((numpy.ones(2), [5, 5], [0, 2]), shape=(1, 15000))  # duplicate entries add up
        once = sparse.csr_matrix(([2.0], [5], [0, 1]), shape=(1, 15000))
        numpy.testing.assert_array_equal(model.decision_values(twice), model.decision_values(once))
        with self.assertRaisesRegex(ValueError, "14999 features .the model was trained on 15000"):
            model.predict(new[:, 1:])
        new.data[3] = numpy.nan
        with self.assertRaisesRegex(ValueError, rf"X.0., column {new.indices[3] + 1}: the value is missing"):
            model.predict(new)

    def test_dense_models_take_sparse_samples(self):
        new = self.prepare(features=200)
        for words in (("svm", "--kernel-function", "rbf"), ("svm", "--kernel-function", "linear")):
            self.succeed(*words, "--data", "libsvm:train.svm", *SEARCH)
            model = self.assert_as_the_program("r.h5", "libsvm:new.svm", new, new.toarray())
            self.assertFalse(model.machines[0].is_sparse)
            (self.folder / "r.h5").unlink()
        self.succeed("train", "mlp", "--data", "libsvm:train.svm", "--test-part", "none", "--hidden", "5", "--epochs", "2", "--quiet", "-o", "m.h5")
        self.assert_as_the_program("m.h5", "libsvm:new.svm", new, new.toarray())


if __name__ == "__main__":
    unittest.main()
