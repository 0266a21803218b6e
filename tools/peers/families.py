# SPDX-License-Identifier: BSD-3-Clause
"""The families of data on which bench_peers svm compares solvers: what is hard for one is easy for another.

Runs in a Python with numpy: families.py NAME SAMPLES FILE.npz [FOLDER] writes X (float32, standardised) and y (whole numbers),
in random order, and prints {"features", "classes", "log10_gamma"} as JSON. FOLDER is the data folder of liquidSVM, of whose
families the data are not made by code.
"""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from peers.families_names import FILES  # noqa: E402

SEED = 20


def flip(random, y, share):
    """Other labels for a share of the samples."""
    wrong = random.random(len(y)) < share
    y = y.copy()
    y[wrong] = (y[wrong] + random.integers(1, y.max() + 1, wrong.sum())) % (y.max() + 1)
    return y


def moons(random, n):
    t, y = random.uniform(0, np.pi, n), random.integers(0, 2, n)
    x = np.stack([np.cos(t) + y, np.where(y == 0, np.sin(t), 0.5 - np.sin(t))], axis=1)
    return x + random.normal(0, 0.5, x.shape), y


def clusters(random, n):
    y = random.integers(0, 3, n)
    centre = np.array([[0, 0], [1.5, 0], [0.75, 1.3]])
    return centre[y] + random.normal(0, 0.8, (n, 2)), y


def bananas(random, n):
    """Four bent clusters that overlap."""
    y = random.integers(0, 4, n)
    t = random.uniform(-1.2, 1.2, n) + y * np.pi / 2
    radius = 2 + random.normal(0, 0.6, n)
    x = np.stack([radius * np.cos(t), radius * np.sin(t)], axis=1) + 0.6 * np.stack([y % 2, y // 2], axis=1)
    return x, y


def noisy(features, classes, share):
    """Nearest of some prototypes in the first five features, with a share of wrong labels."""

    def make(random, n):
        x = random.normal(size=(n, features))
        prototype = random.normal(size=(2 * classes, min(5, features)))
        near = ((x[:, None, : prototype.shape[1]] - prototype) ** 2).sum(axis=2).argmin(axis=1)
        return x, flip(random, near % classes, share)

    return make


def duplicates(random, n):
    """Each point four times, a fifth of the labels wrong."""
    x, y = noisy(4, 2, 0)(random, (n + 3) // 4)
    x, y = np.repeat(x, 4, axis=0)[:n], np.repeat(y, 4)[:n]
    return x, flip(random, y, 0.2)


def categorical(random, n):
    """Eight categories, one-hot; three of them and their combinations tell the class, mostly."""
    code = random.integers(0, 6, (n, 8))
    table = random.integers(0, 2, (6, 6, 6))
    y = flip(random, table[code[:, 0], code[:, 1], code[:, 2]], 0.1)
    return np.eye(6)[code].reshape(n, -1), y


def rare(random, n):
    """One sample in fifty is positive."""
    y = (random.random(n) < 0.02).astype(int)
    return random.normal(size=(n, 10)) + y[:, None] * np.r_[np.full(4, 1.2), np.zeros(6)], y


def letters(random, n):
    """Thirty classes of two Gaussian clusters each."""
    centre = random.normal(0, 1.4, (60, 16))
    part = random.integers(0, 60, n)
    return centre[part] + random.normal(size=(n, 16)), part % 30


def text(random, n):
    """Counts of 10,000 words, of which a document has about 80, in four topics."""
    words, topics = 10_000, 4
    common = 1 / np.arange(1, words + 1)
    topic = np.stack([common * np.exp(random.normal(0, 1.5, words)) for _ in range(topics)])
    topic /= topic.sum(axis=1, keepdims=True)
    y = random.integers(0, topics, n)
    x = np.zeros((n, words), np.float32)
    for i in range(n):
        share = 0.5 * topic[y[i]] + 0.5 * topic[random.integers(0, topics)]
        word, count = np.unique(random.choice(words, random.integers(40, 120), p=share), return_counts=True)
        x[i, word] = np.log1p(count)
    return x / np.linalg.norm(x, axis=1, keepdims=True), y


MADE = {
    "moons": moons,
    "clusters": clusters,
    "bananas": bananas,
    "noisy-5": noisy(5, 2, 0.2),
    "noisy-20": noisy(20, 3, 0.15),
    "noisy-200": noisy(200, 2, 0.1),
    "duplicates": duplicates,
    "categorical": categorical,
    "rare": rare,
    "letters": letters,
    "text": text,
}
UNSCALED = ("text",)


def make(name, samples, folder=None):
    """(X, y) of a family."""
    random = np.random.default_rng(SEED)
    if name in MADE:
        x, y = MADE[name](random, samples)
    else:
        table = np.loadtxt(pathlib.Path(folder) / FILES[name], delimiter=",")
        x, y = table[:, 1:], np.unique(table[:, 0], return_inverse=True)[1]
    order = random.permutation(len(y))[: samples or None]
    x, y = x[order].astype(np.float64), y[order]
    if name not in UNSCALED:
        spread = x.std(axis=0)
        x = (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return x.astype(np.float32), y.astype(np.int32)


def gamma_range(x):
    """Powers of ten around the inverse of the median squared distance: from 1/100 to 10 times it."""
    random = np.random.default_rng(SEED)
    a, b = (x[random.integers(0, len(x), 2000)].astype(np.float64) for _ in range(2))
    middle = np.log10(1 / np.median(((a - b) ** 2).sum(axis=1)))
    return [round(middle - 2, 2), round(middle + 1, 2)]


def main():
    name, samples, file = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    x, y = make(name, samples, *sys.argv[4:5])
    np.savez(file, X=x, y=y)
    json.dump({"samples": len(y), "features": x.shape[1], "classes": int(y.max()) + 1, "log10_gamma": gamma_range(x)}, sys.stdout)


if __name__ == "__main__":
    main()
