#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Model files of strangers: the program and krossfold.models refuse the same contradictions, and no small file takes much memory."""

import io
import tracemalloc
import unittest

import h5py
import numpy
from model_case import ModelTest, attribute, blobs, changed, dataset
from python_case import OLD, digits

import krossfold
from krossfold import result_file
from krossfold.models.classifier import labels_of

SHORT = ("--grid", "1x1", "--folds", "2", "--quiet", "-o")
MEBIBYTE = 2**20


def i32(*values):
    return numpy.array(values, dtype=numpy.int32)


class Contradictions(ModelTest):
    @classmethod
    def setUpClass(cls):
        cls.place = cls.share("models")

    def models(self):
        random = numpy.random.default_rng(1)
        x, y = blobs(1, 120, 4, 3)
        numpy.savez(self.folder / "t.npz", x=x, y=y)
        kernel = (x @ x.T).astype(numpy.float32)
        numpy.savez(self.folder / "k.npz", x=kernel, y=y)
        pixels, labels = digits()
        numpy.savez(self.folder / "d.npz", x=pixels[:400], y=labels[:400])
        lines = (f"{k % 3} " + " ".join(f"{j + 1}:{j % 5 + 1}" for j in sorted(random.choice(15000, 20, replace=False))) for k in range(300))
        (self.folder / "t.svm").write_text("\n".join([*lines, "0 15000:1"]) + "\n")
        words = ["a,colour,y", *(f"{'' if k == 5 else k % 7},{('red', 'green')[k % 2]},{('no', 'yes')[k % 2]}" for k in range(60))]
        (self.folder / "t.csv").write_text("\n".join(words) + "\n")
        self.succeed("svm", "--data", "npz:t.npz:x,y", "--probability", "--multiclass", "ovo", *SHORT, "svm.h5")
        self.succeed("svm", "--data", "npz:t.npz:x,y", "--kernel-function", "polynomial", *SHORT, "polynomial.h5")
        self.succeed("svm", "--data", "npz:k.npz:x,y", "--kernel-function", "precomputed", *SHORT, "precomputed.h5")
        self.succeed("svm", "--data", "libsvm:t.svm", "--scale", "none", *SHORT, "sparse.h5")
        self.succeed("svm", "--data", "npz:d.npz:x,y", "--partition", "voronoi:150", *SHORT, "parts.h5")
        self.succeed("svm", "--data", "csv:t.csv", "--label", "y", "--missing", "mean", "--categorical", "onehot", *SHORT, "table.h5")
        self.succeed("train", "mlp", "--data", "npz:t.npz:x,y", "--hidden", "3", "--epochs", "1", "--quiet", "-o", "mlp.h5")
        self.succeed("train", "cnn", "--data", "digits", "--limit", "100", "--channels", "2", "--kernel", "3", "--hidden", "4", "--epochs", "1",
                     "--quiet", "-o", "cnn.h5")  # fmt: skip

    def ask(self, name, features):
        """The file `name` of samples that a model with so many features takes."""
        path = self.folder / f"{name}.npy"
        numpy.save(path, numpy.ones((2, features), dtype=numpy.float32))
        return f"npy:{path}"

    def sources(self):
        for kind in ("svm", "polynomial", "precomputed", "sparse", "parts", "table", "mlp", "cnn"):
            (folder,) = (path for path in self.place.glob(f"{kind}.*models"))
            (source,) = folder.glob("*.h5")
            yield kind, source

    def refused_by_both(self, kind, edit):
        source = dict(self.sources())[kind]
        path = changed(source, self.folder / "changed.h5", edit)
        spec = f"csv:{self.place / 't.csv'}" if kind == "table" else self.ask(kind, krossfold.load_model(source).features)
        result = self.run_command("predict", path, spec, "--quiet", "-o", "p.h5")
        self.assertNotEqual(result.code, 0, result)
        self.assertRegex(result.err, "changed.h5 is not a (usable|valid)|changed.h5 cannot be read .the attribute .* is not a single value")
        with self.assertRaisesRegex(krossfold.ResultFileError, "changed.h5"):
            krossfold.load_model(path)

    def test_files_that_were_changed_without_damage_are_taken_by_both(self):
        for kind, source in self.sources():
            with self.subTest(kind=kind):
                path = changed(source, self.folder / "changed.h5", attribute("C", 3.0) if kind not in ("parts", "mlp", "cnn") else lambda file: None)
                spec = f"csv:{self.place / 't.csv'}" if kind == "table" else self.ask(kind, krossfold.load_model(path).features)
                self.succeed("predict", path, spec, "--quiet", "-o", f"{kind}.p.h5")

    def test_attributes_are_there_and_of_their_types(self):
        array = numpy.array([1.0, 2.0])
        for kind, name, *values in (("svm", "gamma", None, "abc", -1.0, 0.0, numpy.nan, array), ("svm", "C", None, "x", array),
                                    ("svm", "multiclass", None, "both", 3.0, array), ("svm", "kernel", "rbfx"), ("svm", "image_width", None, 2.5, -1),
                                    ("svm", "lowest", None, "x"), ("polynomial", "degree", None, 0, 33, 2.5), ("polynomial", "coef0", None, -1.0),
                                    ("precomputed", "kernel_columns", None, 0, 5), ("sparse", "n_features", None, 0, 5, 1e9, 99.5),
                                    ("sparse", "kernel", "linear"), ("parts", "partition", None, "other", 3.0),
                                    ("table", "table_columns", None, 1, "x"), ("table", "label_column", None, -2, 9),
                                    ("mlp", "activation", None, "swish", 3), ("mlp", "channels", None, "x", 2), ("mlp", "integer", None),
                                    ("mlp", "image_white", None, "x"), ("mlp", "parts", 0, 9, "x", array), ("cnn", "kernel", 0, 9, 2),
                                    ("cnn", "image_height", 7, 0)):  # fmt: skip
            for value in values:
                with self.subTest(kind=kind, name=name, value=value):
                    self.refused_by_both(kind, attribute(name, value))

    def test_datasets_fit_one_another(self):
        f32 = numpy.float32
        with h5py.File(dict(self.sources())["sparse"]) as file:
            feature, begin = file["support/feature"][()], file["support/begin"][()]
        many = [("svm", "bias", numpy.zeros(2)), ("svm", "bias", i32(1, 2, 3)), ("svm", "class_name", numpy.array([b"a", b"b"])),
                ("svm", "class_name", numpy.array([b"a"])), ("svm", "probability/A", numpy.zeros(2)), ("svm", "scale/divisor", numpy.zeros(4)),
                ("svm", "scale/offset", numpy.zeros(3)), ("svm", "support/label", numpy.zeros(3, f32)), ("svm", "support/raw", numpy.zeros(9, f32)),
                ("precomputed", "support/column", i32(*[500] * 90)), ("sparse", "support/raw", numpy.zeros((1, 1), f32)),
                ("sparse", "support/feature", feature[::-1].copy()), ("sparse", "support/begin", begin[::-1].copy()),
                ("sparse", "support/value", numpy.zeros(3, f32)), ("parts", "part_C", numpy.ones(1)), ("parts", "part_gamma", numpy.ones(1)),
                ("parts", "part_gamma", numpy.zeros(3)), ("parts", "centre", numpy.zeros((1, 64))), ("parts", "part/99/bias", numpy.zeros(10)),
                ("parts", "part/x/bias", numpy.zeros(10)), ("table", "column/number", i32(1, 9)), ("table", "column/number", i32(0, 2)),
                ("table", "column/categories", i32(-1, 1)), ("table", "column/categories", i32(-1, 3)), ("table", "column/categories", i32(-1, -1)),
                ("table", "column/fill", numpy.array([numpy.inf, numpy.nan])), ("table", "column/fill", numpy.zeros(1)),
                ("table", "column/category", numpy.array([b"red", b"green"])), ("table", "column/name", numpy.array([b"a"])),
                ("mlp", "hidden", i32(0)), ("mlp", "hidden", i32(4)), ("mlp", "parameter/dense/0/weight", numpy.zeros((3, 5), f32)),
                ("cnn", "parameter/conv/weight", numpy.zeros((2, 1, 3, 2), f32)), ("cnn", "parameter/conv/bias", numpy.zeros(3, f32))]  # fmt: skip
        for kind, path, values in many:
            with self.subTest(kind=kind, path=path):
                self.refused_by_both(kind, dataset(path, values))

        for kind, path in (("svm", "probability/B"), ("parts", "part_C"), ("table", "column/fill"), ("mlp", "hidden"), ("svm", "scale/offset")):
            with self.subTest(kind=kind, missing=path):
                self.refused_by_both(kind, lambda file, path=path: file.__delitem__(path))

    def test_whatever_stands_in_a_place_the_error_is_one_of_the_file(self):
        odd = [3.0, -1, 10**7, "word", numpy.zeros(0), numpy.zeros((0, 10**12)), numpy.full((2, 2), numpy.nan), i32(), i32(-1, 5),
               numpy.array([b"a", b"b"]), numpy.zeros(3, complex), numpy.zeros(2, "f8,i4"), numpy.uint64(2**63), h5py.Empty("f8")]  # fmt: skip
        names = [("names", OLD / "names.models/lstm_00.h5")]
        for kind, source in [*self.sources(), *names]:
            with h5py.File(source) as file:
                paths, attributes = [], list(file.attrs)
                file.visititems(lambda path, place: paths.append(path) if isinstance(place, h5py.Dataset) else None)
            paths = [path for path in paths if not path.startswith("part/") or path.startswith("part/1/")]
            edits = [dataset(path, numpy.asarray(one) if isinstance(one, (int, float)) else one) for path in paths for one in odd]
            edits += [attribute(name, one) for name in attributes for one in odd]
            edits += [attribute(name, None) for name in attributes]
            edits += [lambda file, path=path: file.__delitem__(path) for path in paths]
            for number in numpy.random.default_rng(7).choice(len(edits), 60, replace=False).tolist():
                edit = edits[number]
                path = changed(source, self.folder / "changed.h5", edit)
                with self.subTest(kind=kind, seed=7, edit=number):
                    try:
                        krossfold.load_model(path)
                    except krossfold.ResultFileError as error:
                        self.assertIn("changed.h5", str(error))

    def test_parts_of_different_networks_are_not_joined(self):
        self.succeed("train", "cnn", "--data", "digits", "--limit", "100", "--channels", "2", "--kernel", "3", "--hidden", "4", "--epochs", "1",
                     "--strategy", "model-parallel", "--quiet", "-o", "r.h5", ranks=2)  # fmt: skip
        (folder,) = self.folder.glob("r.*models")
        krossfold.load_model(folder)
        second = sorted(folder.glob("network-*.h5"))[1]
        whole = second.read_bytes()
        names = numpy.array([f"{k + 1}".encode() for k in range(10)])
        for edit in (attribute("activation", "tanh"), dataset("class_name", names), dataset("scale/divisor", numpy.array([3.0]))):
            changed(second, second, edit)
            result = self.run_command("predict", folder, self.ask("new", 64), "--quiet", "-o", "p.h5")
            self.assertNotEqual(result.code, 0)
            self.assertIn("cannot be joined", result.err)
            with self.assertRaisesRegex(krossfold.ResultFileError, "cannot be joined .*different network"):
                krossfold.load_model(folder)
            second.write_bytes(whole)


class Results(ModelTest):
    def test_attributes_of_results_that_are_arrays_or_numbers_are_refused(self):
        for edit in (attribute("model", 3), attribute("model", numpy.arange(3)), attribute("run_id", 3), attribute("model", "..")):
            path = changed(OLD / "train.h5", self.folder / "r.h5", edit)
            with self.assertRaises(krossfold.ResultFileError):
                krossfold.load_model(path)


class Memory(ModelTest):
    def write(self, fill, source=None):
        stream = io.BytesIO((source or OLD / "svm.models/svm.h5").read_bytes())
        with h5py.File(stream, "r+") as file:
            fill(file)
        raw = stream.getvalue()[result_file.USER_BLOCK :]
        path = self.folder / "small.h5"
        path.write_bytes(result_file.user_block(raw) + raw)
        return path

    def assert_refused_in_little_memory(self, path, most=4 * MEBIBYTE):
        self.assertLess(path.stat().st_size, MEBIBYTE)
        tracemalloc.start()
        try:
            with self.assertRaises(krossfold.ResultFileError):
                krossfold.load_model(path)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        self.assertLess(peak, most + 8 * path.stat().st_size)

    def test_datasets_that_were_never_written_take_none(self):
        def hollow(path, shape, dtype, **layout):
            def edit(file):
                if path in file:
                    del file[path]
                file.create_dataset(path, shape, dtype=dtype, **layout)

            return edit

        string = h5py.string_dtype("utf-8", 10000)
        for path, shape, dtype in (("class_name", (90_000,), string), ("class_name", (10**7,), h5py.string_dtype()),
                                   ("support/raw", (22, 10**6), "f4"), ("coefficient", (3, 10**7), "f8"), ("bias", (10**8,), "f8")):  # fmt: skip
            for layout in ({}, {"chunks": True}, {"chunks": True, "compression": "gzip"}):
                with self.subTest(path=path, layout=layout):
                    self.assert_refused_in_little_memory(self.write(hollow(path, shape, dtype, **layout)))

    def test_one_string_for_many_elements(self):
        def fill(file):
            del file["class_name"]
            names = file.create_dataset("class_name", (2000,), dtype=h5py.string_dtype())
            names[0] = "x" * 50_000

        path = self.write(fill)
        data = bytearray(path.read_bytes())
        with h5py.File(io.BytesIO(bytes(data))) as file:
            start = file["class_name"].id.get_offset() + result_file.USER_BLOCK * (file.userblock_size == 0)
        data[start : start + 2000 * 16] = bytes(data[start : start + 16]) * 2000  # all refer to the first
        raw = bytes(data[result_file.USER_BLOCK :])
        path.write_bytes(result_file.user_block(raw) + raw)
        with h5py.File(path) as file:
            self.assertEqual(len(file["class_name"][1999]), 50_000)
        self.assert_refused_in_little_memory(path, 40 * MEBIBYTE)  # otherwise 100 MB and 400 MB

    def test_several_links_to_one_dataset(self):
        def parts(file):
            file.attrs["kind"], file.attrs["partition"] = "svm-parts-model", "random"
            file["part_gamma"] = numpy.ones(1000)
            file["part_C"] = numpy.ones(1000)
            file["raw"] = numpy.zeros((22, 800), numpy.float32)
            raw = file["raw"]
            del file["coefficient"]
            file["coefficient"] = numpy.zeros((3, 22))
            for part in range(1000):
                own = file.create_group(f"part/{part}")
                own["support/raw"] = raw
                for name in ("bias", "coefficient", "support/label"):
                    own[name] = file[name]

        path = self.write(parts)
        with self.assertRaisesRegex(krossfold.ResultFileError, "its datasets are larger than the file"):
            krossfold.load_model(path)
        self.assert_refused_in_little_memory(path)

    def test_links_to_groups_do_not_multiply_the_datasets(self):
        def fill(file):
            for k in range(40):
                group = file.create_group(f"g{k}")
                if k:
                    group["a"] = group["b"] = file[f"g{k - 1}"]
            file["g39/round"] = file["g39"]
            file["again"] = file["bias"]

        names = krossfold.open(self.write(fill)).datasets()
        self.assertEqual(len(names), 9)

    def test_problems_of_many_classes_are_not_listed_before_they_are_counted(self):
        def fill(file):
            del file["class_name"]
            file["class_name"] = numpy.array([f"{k}".encode() for k in range(20_000)])
            file.attrs["multiclass"] = "ovo"

        self.assert_refused_in_little_memory(self.write(fill), 16 * MEBIBYTE)


class Labels(unittest.TestCase):
    def test_only_whole_numbers_as_they_are_written_are_integers(self):
        for names in (["--5", "1"], ["-", "1"], ["9" * 5000, "1"], ["1_0", "2"], ["\u0661", "2"], ["01", "2"], ["2147483648", "1"], ["1\n", "2"]):
            self.assertEqual(labels_of(names).tolist(), names)
        self.assertEqual(labels_of(["-5", "2147483647"]).tolist(), [-5, 2**31 - 1])


if __name__ == "__main__":
    unittest.main()
