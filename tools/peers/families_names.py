# SPDX-License-Identifier: BSD-3-Clause
"""The names of the families of data of families.py, which needs numpy; this does not."""

MADE_NAMES = ("moons", "clusters", "bananas", "noisy-5", "noisy-20", "noisy-200", "duplicates", "categorical", "rare",
              "letters", "text")  # fmt: skip
FILES = {"segment": "segment.train.csv", "covtype": "covtype.5000.train.csv", "banana-mc": "banana-mc.train.csv"}
NAMES = (*MADE_NAMES, *FILES)
