# SPDX-License-Identifier: BSD-3-Clause
"""Random arrays in .npy and .npz files, as NumPy reads them."""

import io

import numpy as np

from comparison import Refused, Samples

TAKEN = ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "i1", "<i2", ">i2", "<i4", ">i4", "<i8", ">i8", "u1", "<u2", ">u2", "<u4", ">u4", "<u8", ">u8", "?"]
REFUSED = ["<c8", "<c16", "<M8[s]", "<f16", "<U3", "S3"]
LABELS = ["i1", "<i4", ">i8", "u1", "<f4", ">f8", "?", "<U5", ">U5", "S4"]


def values(random, dtype, shape):
    """An array of `dtype`: random bits, small whole numbers, or decimals of any magnitude, now and then not finite."""
    generator, kind = np.random.default_rng(random.randrange(2**32)), np.dtype(dtype).kind
    if kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if kind in "US":
        return generator.choice(["red", "blue", "7"], shape).astype(dtype)
    if kind in "iuM":
        bits = generator.integers(0, 256, (*shape, np.dtype(dtype).itemsize), dtype=np.uint8)
        return bits.view(dtype).reshape(shape) if random.random() < 0.5 else generator.integers(0, 100, shape).astype(dtype)
    x = generator.normal(size=shape) * 10.0 ** (generator.integers(-7, 4, shape) if np.dtype(dtype).itemsize == 2 else generator.integers(-34, 37, shape))
    if random.random() < 0.5:
        x = generator.normal(size=shape)
    if random.random() < 0.1:
        x.flat[0] = random.choice([np.nan, np.inf, -np.inf, 1e39, -0.0, 1e-42, 1e-300])
    with np.errstate(all="ignore"):
        return x.astype(dtype)


def labels(random, samples):
    dtype = random.choice(LABELS)
    whole = np.arange(samples) % random.randrange(2, 4)
    if np.dtype(dtype).kind in "US":
        return np.array(["red", "blü" if "U" in dtype else "bl", "10"])[whole % 3].astype(dtype)
    return (whole % 2 if dtype == "?" else whole).astype(dtype)


def npy(array, random):
    out = io.BytesIO()
    version = random.choice([None, (1, 0), (2, 0), (3, 0)])
    np.lib.format.write_array(out, array, version=version, allow_pickle=False)
    return out.getvalue()


def files(random):
    """X and y as .npy files, of all types, byte orders and orders of the elements, with up to four dimensions."""
    samples = random.randrange(3, 20)
    shape = (samples, *(random.randrange(1, 5) for _ in range(random.randrange(1, 4))))
    x = values(random, random.choice(TAKEN if random.random() < 0.9 else REFUSED), shape)
    if random.random() < 0.4:
        x = np.asfortranarray(x)
    return npy(x, random), npy(labels(random, samples), random)


def npz(x, y, random):
    """The same arrays in an archive, stored or deflated."""
    out = io.BytesIO()
    arrays = {"other": np.arange(3), "X": np.load(io.BytesIO(x)), "y": np.load(io.BytesIO(y))}
    (np.savez_compressed if random.random() < 0.5 else np.savez)(out, **arrays)
    return out.getvalue()


def samples_of(x, y):
    if x.dtype.kind not in "fiub" or x.ndim == 0:
        raise Refused(f"elements of {x.dtype}")
    if y.dtype.kind == "S":
        y = np.char.decode(y, "utf-8")
    words = [str(word) if y.dtype.kind in "Ub" else repr(float(word)) for word in np.asarray(y).reshape(-1)]
    if x.ndim == 4 and x.shape[3] < min(x.shape[1:3]) and not x.shape[1] < min(x.shape[2:]):
        x = np.moveaxis(x, -1, 1)  # channels last: Krossfold reads them first
    return Samples(x.reshape(len(x), -1), words)


def read_by_numpy(x, y):
    try:
        return samples_of(np.load(io.BytesIO(x)), np.load(io.BytesIO(y)))
    except Exception as problem:  # NumPy answers damaged headers with errors of many kinds
        raise Refused(repr(problem)) from problem


def read_archive_by_numpy(content):
    try:
        with np.load(io.BytesIO(content)) as archive:
            return samples_of(archive["X"], archive["y"])
    except Exception as problem:
        raise Refused(repr(problem)) from problem
