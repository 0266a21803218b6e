# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of models share: predictions of krossfold.models beside those that `krossfold predict` writes of the same samples."""

import io

import h5py
import numpy
from python_case import CommandTest

import krossfold
from krossfold import result_file

# Networks compute in single precision: a logit is a sum of products whose rounding errors, of 2^-24 of the largest partial sums each, mostly cancel.
PROBABILITY = 1e-5
# The program forms rbf kernel values in single precision as long as that costs no more than about 1e-4 of a decision value (needs_precision()).
DECISION = 1e-4


class ModelTest(CommandTest):
    def assert_as_the_program(self, model, spec, *samples):
        """Each of `samples`, which hold what the file `spec` holds, is predicted as the program predicts that; returns the model."""
        written = self.folder / "p.h5"
        self.succeed("predict", model, spec, "--quiet", "-o", written)
        expected = krossfold.open(written).group("/input_0")
        written.unlink()
        self.assertGreater(len(set(expected["prediction"])), 1)  # one class for all would prove little
        loaded = krossfold.load_model(self.folder / model)
        for x in samples:
            found = loaded.predictions(x)
            self.assertEqual(set(expected) - {"label", "file", "sample", "quartile_name"}, set(found) - {"confidence"})
            for name in ("class_name", "decision_name", "network", "prediction", "votes", "out_of_distribution"):
                if name in found:
                    numpy.testing.assert_array_equal(found[name], expected[name], name)
            for name in {"decision", "probability", "member_probability", "quartile", "entropy", "mutual_information"} & set(found):
                self.assertEqual(found[name].shape, expected[name].shape, name)
                atol = DECISION if name == "decision" else PROBABILITY
                numpy.testing.assert_allclose(found[name], expected[name], atol=atol, rtol=1e-5, err_msg=name)
            self.assertEqual([str(label) for label in loaded.predict(x)], [loaded.classes[k] for k in expected["prediction"]])
            if "probability" in expected:
                numpy.testing.assert_allclose(loaded.predict_proba(x), expected["probability"], atol=PROBABILITY)
        return loaded


def changed(source, target, edit):
    """Writes a file with the content of `source` as edit(file) leaves it, and a valid checksum; returns its path."""
    stream = io.BytesIO(source.read_bytes())
    with h5py.File(stream, "r+") as file:
        edit(file)
    raw = stream.getvalue()[result_file.USER_BLOCK :]
    target.write_bytes(result_file.user_block(raw) + raw)
    return target


def dataset(path, values):
    """An edit that puts a dataset in the place of another."""

    def edit(file):
        if path in file:
            del file[path]
        text = isinstance(values, numpy.ndarray) and values.dtype.kind == "S"
        place = file.create_dataset(path, data=values.astype(h5py.string_dtype("utf-8", values.dtype.itemsize)) if text else values)
        place.attrs.update({"units": "1", "long_name": "as the program has them"})

    return edit


def attribute(name, value):
    """An edit that changes an attribute, or removes it if `value` is None."""

    def edit(file):
        if name in file.attrs:
            del file.attrs[name]
        if value is not None:
            file.attrs[name] = value

    return edit


def blobs(seed, samples, features, classes):
    """Samples in single precision around a centre for each class, and the number of the class of each."""
    random = numpy.random.default_rng(seed)
    label = numpy.arange(samples) % classes
    centres = random.normal(size=(classes, features)) * 1.5
    return (centres[label] + random.normal(size=(samples, features))).astype(numpy.float32), label


def images(seed, samples, shape, classes):
    """Images (sample, channel, row, column) of whole numbers from 0 to 255 with a bright bar for each class, and its number."""
    random = numpy.random.default_rng(seed)
    label = numpy.arange(samples) % classes
    values = random.integers(0, 120, size=(samples, *shape))
    for k, own in enumerate(label):
        values[k, own % shape[0], own % shape[1]] += 120
    return values, label
