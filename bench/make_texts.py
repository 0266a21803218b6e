#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a libsvm file that looks like texts: words with frequencies by Zipf's law, and four topics, each of which prefers some words.

    bench/make_texts.py SAMPLES FEATURES WORDS SEED FILE        docs/data.md: 2500 10000 60 2, 5000 50000 60 1, 20000 50000 60 4

The value of a word is 1 + log(count), divided by the length of the vector. WORDS is about the number of different words of a text."""

import sys

import numpy


def write_texts(samples, features, words, seed, path):
    random = numpy.random.default_rng(seed)
    frequency = 1 / (numpy.arange(features) + 10.0)
    random.shuffle(frequency)
    cumulated = []
    for _ in range(4):
        share = frequency * numpy.where(random.random(features) < 0.05, 8.0, 1.0)
        cumulated.append(numpy.cumsum(share / share.sum()))
    with open(path, "w") as file:
        for _ in range(samples):
            topic = int(random.integers(4))
            length = max(5, int(random.poisson(words) * 1.25))
            drawn = numpy.minimum(numpy.searchsorted(cumulated[topic], random.random(length)), features - 1)
            word, count = numpy.unique(drawn, return_counts=True)
            value = 1 + numpy.log(count)
            value /= numpy.sqrt(numpy.sum(value * value))
            file.write(f"{topic + 1} " + " ".join(f"{w + 1}:{v:.6g}" for w, v in zip(word, value)) + "\n")


if __name__ == "__main__":
    write_texts(*(int(word) for word in sys.argv[1:5]), sys.argv[5])
