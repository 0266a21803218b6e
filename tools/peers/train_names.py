#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trains the character LSTM of krossfold train lstm in PyTorch on the same split of a list of names, and prints the losses by epoch.

    train_names.py FILE COLUMN [--epochs 15] [--batch 64] [--rate 0.001] [--seed 0]

FILE: comma-separated values with a header. Names are folded into the alphabet by krossfold's rules (docs/training.md); the first
round(0.8 n) train. Needs torch. The number of names must be what krossfold says of the same file.
"""

import argparse
import csv
import re
import sys
import time
import unicodedata

import torch

ALPHABET = " abcdefghijklmnopqrstuvwxyz-.'+"
STEPS, STOP, BLANK = 8, 30, 0
SAME = {"/": " ", "_": " ", "´": "'", "’": "'", "‘": "'", "`": "'", "–": "-", "—": "-", "ß": "ss", "æ": "ae", "Æ": "ae", "ø": "o", "Ø": "o"}


def fold(name):
    plain = "".join(SAME.get(c, c) for c in name)
    plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c)).lower()
    kept = "".join(c for c in plain.replace("\t", " ") if c in ALPHABET[:-1])
    return re.sub(" +", " ", kept).strip()


def windows(names):
    """(symbols, those that follow), as krossfold's name_windows()."""
    x = torch.zeros(len(names), STEPS, dtype=torch.long)
    y = torch.zeros(len(names), STEPS, dtype=torch.long)
    for n, name in enumerate(names):
        letters = [ALPHABET.index(c) for c in name]
        whole = [BLANK, *letters, STOP] if len(letters) < STEPS else [*letters[-STEPS:], STOP]
        whole += [BLANK] * (STEPS + 1 - len(whole))
        x[n], y[n] = torch.tensor(whole[:STEPS]), torch.tensor(whole[1 : STEPS + 1])
    return x, y


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(31, 128, 4, dropout=0.1, batch_first=True)
        self.dense = torch.nn.Linear(128, 31)

    def loss(self, x, y):
        z = self.dense(self.lstm(torch.nn.functional.one_hot(x, 31).float())[0])
        return torch.nn.functional.cross_entropy(z.reshape(-1, 31), y.reshape(-1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("column")
    for name, standard in (("epochs", 15), ("batch", 64), ("rate", 1e-3), ("seed", 0)):
        parser.add_argument("--" + name, type=type(standard), default=standard)
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8", newline="") as stream:
        names = [name for row in csv.DictReader(stream) if (name := fold(row[arguments.column]))]
    split = round(0.8 * len(names))
    print(f"torch {torch.__version__}: {len(names)} names, {split} to train on", file=sys.stderr)
    x, y = windows(names[:split])
    held_x, held_y = windows(names[split:])
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    model = Model()
    optimiser = torch.optim.Adam(model.parameters(), lr=arguments.rate, fused=True)
    for epoch in range(arguments.epochs):
        start, total, steps = time.perf_counter(), 0.0, 0
        model.train()
        order = torch.randperm(split)
        for first in range(0, split, arguments.batch):
            rows = order[first : first + arguments.batch]
            loss = model.loss(x[rows], y[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total, steps = total + loss.item(), steps + 1
        seconds = time.perf_counter() - start
        model.eval()
        with torch.no_grad():
            parts = [(len(part), model.loss(part, after).item()) for part, after in zip(held_x.split(1024), held_y.split(1024))]
        held = sum(n * value for n, value in parts) / sum(n for n, _ in parts)
        print(f"{epoch + 1}\t{total / steps:.5f}\t{held:.5f}\t{seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
