# SPDX-License-Identifier: BSD-3-Clause
"""Records training curves of PyTorch on the embedded digits, in float64 and float32, for the tests of nn.

Weights and the order of the samples follow exact formulas that C++ repeats (test/nn/recorded_curves.hpp); each file
says in its first lines how it came about. Run it in the virtual environment of the peers (tools/bench_peers cnn):

    build/peers/bin/python tools/peers/record_training_curves.py test/nn/recorded
"""

import argparse
import dataclasses
import gzip
import math
import os
import pathlib
import platform

import numpy as np
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIDE, CLASSES = 8, 10
DIVISOR = 16 / math.sqrt(12)  # as krossfold scales pixels in 0..16: (p - 8) / DIVISOR
STEPS, EPOCHS = 50, 3
FORMULAS = """\
mix(x): x ^= x >> 16; x *= 0x85ebca6b; x ^= x >> 13; x *= 0xc2b2ae35; x ^= x >> 16, modulo 2^32 (the end of MurmurHash3)
entry i of tensor t: u = mix((i * 2654435761 + (t + 1) * 40503) mod 2^32), w = float((u / 2^31 - 1) / sqrt(fan_in)) with the
  rest in double; the float64 run begins with these floats too; i counts in PyTorch's order of entries
order of epoch e: 0, ..., n - 1, then for i = n - 1, ..., 1 swap entries i and
  mix((i * 2654435761 + (e + 1) * 2246822519) mod 2^32) mod (i + 1)
step: loss of that batch before its update; the last batch of an epoch is smaller where the batch does not divide n
update: v = momentum v + gradient, w -= rate v, v = 0 at first; the gradient is that of the batch's mean loss
where the loss diverges: the steps up to the first whose loss is not finite, in float64 too if it comes to that; no epochs
epoch: mean over all samples of the losses while training; after: that of all samples with the weights at the epoch's end"""


@dataclasses.dataclass
class Case:
    """A network (channels, kernel, hidden), or without channels an MLP of `hidden` layers, and how it is trained."""

    hidden: tuple
    channels: int = 0
    kernel: int = 0
    activation: str = "relu"
    samples: int = 1438
    batch: int = 10
    rate: float = 0.01
    momentum: float = 0.9

    def network(self):
        return "cnn" if self.channels else "mlp"

    def name(self):
        shape = [self.channels, self.kernel, *self.hidden] if self.channels else self.hidden
        words = [self.network(), *shape]
        words += [self.activation] if not self.channels else []
        words += [f"batch{self.batch}", f"rate{self.rate:g}", f"momentum{self.momentum:g}"]
        return "_".join(map(str, words)) + ".csv"

    def tensors(self):
        """(shape, fan in) of each tensor, in PyTorch's order."""
        found, features = [], SIDE * SIDE
        if self.channels:
            area = self.kernel * self.kernel
            found += [((self.channels, 1, self.kernel, self.kernel), area), ((self.channels,), area)]
            features = self.channels * (SIDE - self.kernel + 1) ** 2
        for width in (*self.hidden, CLASSES):
            found += [((width, features), features), ((width,), features)]
            features = width
        return found

    def module(self):
        activation = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "sigmoid": torch.nn.Sigmoid}[self.activation]
        layers, features = [torch.nn.Flatten()], SIDE * SIDE
        if self.channels:
            layers = [torch.nn.Conv2d(1, self.channels, self.kernel), activation(), torch.nn.Flatten()]
            features = self.channels * (SIDE - self.kernel + 1) ** 2
        for width in self.hidden:
            layers += [torch.nn.Linear(features, width), activation()]
            features = width
        return torch.nn.Sequential(*layers, torch.nn.Linear(features, CLASSES))


# Of those that diverge: only such where the loss itself leaves the range of float. Where 0 times infinity comes first, an
# implementation that leaves out the zeros of a ReLU stays finite for longer.
CASES = [
    Case((16,), 4, 3, samples=303),
    Case((16,), 4, 3, samples=303, batch=5, rate=0.05, momentum=0),
    Case((33,), 7, 2, rate=0.02, momentum=0.5),
    Case((50,), 13, 5),
    Case((50,), 13, 5, samples=303, batch=5, rate=0.005, momentum=0.95),
    Case((20,), 5, 8, rate=0.03, momentum=0),
    Case((50,), 13, 5, samples=303, rate=100.0),
    Case((33, 17), rate=0.02),
    Case((33, 17), activation="tanh", batch=5, samples=303, rate=0.02, momentum=0.5),
    Case((33, 17), activation="sigmoid", rate=0.1),
    Case((33, 17), samples=303, rate=1e4),
]


def mix(x):
    """The finaliser of 32-bit MurmurHash3, of an array of uint32."""
    x = x.astype(np.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x ^= x >> np.uint32(shift)
        x *= np.uint32(factor)
    return x ^ x >> np.uint32(16)


def tensor_values(t, count, fan_in):
    i = np.arange(count, dtype=np.uint64)
    u = mix((i * np.uint64(2654435761) + np.uint64((t + 1) * 40503)) & np.uint64(0xFFFFFFFF))
    return ((u.astype(np.float64) / 2.0**31 - 1) / math.sqrt(fan_in)).astype(np.float32)


def epoch_order(epoch, samples):
    i = np.arange(samples, dtype=np.uint64)
    u = mix((i * np.uint64(2654435761) + np.uint64((epoch + 1) * 2246822519)) & np.uint64(0xFFFFFFFF))
    order = list(range(samples))
    for last in range(samples - 1, 0, -1):
        other = int(u[last]) % (last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def checksum(words):
    """Sum of (position + 1) word, modulo 2^64."""
    words = np.asarray(words, dtype=np.uint64)
    return int((words * np.arange(1, len(words) + 1, dtype=np.uint64)).sum(dtype=np.uint64))


def load_digits(samples):
    with gzip.open(ROOT / "data" / "digits.csv.gz", "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", max_rows=samples)
    return (table[:, :-1] - 8) / DIVISOR, table[:, -1].astype(np.int64)


def train(case, values, kind):
    """Losses of the first steps, and two means of each epoch."""
    pixels, labels = load_digits(case.samples)
    x = torch.tensor(pixels.astype(np.float32), dtype=kind).reshape(-1, 1, SIDE, SIDE)  # one rounding for both kinds
    y = torch.tensor(labels)
    model = case.module().to(kind)
    with torch.no_grad():
        for parameter, entries, (shape, _) in zip(model.parameters(), values, case.tensors(), strict=True):
            assert parameter.shape == shape
            parameter.copy_(torch.tensor(entries, dtype=kind).reshape(shape))
    optimiser = torch.optim.SGD(model.parameters(), lr=case.rate, momentum=case.momentum, foreach=False)
    cross_entropy = torch.nn.functional.cross_entropy
    steps, epochs, after = [], [], []
    for epoch in range(EPOCHS):
        order, total = torch.tensor(epoch_order(epoch, case.samples)), 0.0
        for first in range(0, case.samples, case.batch):
            rows = order[first : first + case.batch]
            loss = cross_entropy(model(x[rows]), y[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            steps.append(loss.item())
            total += loss.item() * len(rows)
        epochs.append(total / case.samples)
        with torch.no_grad():
            after.append(cross_entropy(model(x), y).item())
    return steps, epochs, after


def first_not_finite(losses):
    return next((i for i, loss in enumerate(losses) if not math.isfinite(loss)), None)


def record(case, folder):
    tensors = case.tensors()
    values = [tensor_values(t, math.prod(shape), fan_in) for t, (shape, fan_in) in enumerate(tensors)]
    curves = [train(case, values, kind) for kind in (torch.float64, torch.float32)]
    (steps, epochs, after), (steps32, epochs32, after32) = curves
    ends = [end for end in map(first_not_finite, (steps, steps32)) if end is not None]
    count = min(STEPS, max(ends) + 1) if ends else STEPS
    rows = [("step", i, steps[i], steps32[i]) for i in range(count)]
    if not ends:
        rows += [("epoch", i, *pair) for i, pair in enumerate(zip(epochs, epochs32))]
        rows += [("after", i, *pair) for i, pair in enumerate(zip(after, after32))]
    hidden = " ".join(f"hidden={width}" for width in case.hidden)
    shape = f"channels={case.channels} kernel={case.kernel} {hidden}" if case.channels else hidden
    weights = checksum(np.concatenate(values).view(np.uint32))
    orders = " ".join(f"order={checksum(epoch_order(e, case.samples))}" for e in range(EPOCHS))
    comments = [
        f"PyTorch {torch.__version__}, numpy {np.__version__}, Python {platform.python_version()}; one thread",
        "command: python tools/peers/record_training_curves.py test/nn/recorded",
        f"data: the first {case.samples} of data/digits.csv.gz, float((p - 8) / {DIVISOR!r})",
        f"first entries of each tensor: {', '.join(f'{entries[0]:.9g}' for entries in values)}",
        "checksums (weights: the bits of all floats, tensor after tensor; order: of each epoch): "
        "sum of (position + 1) word mod 2^64",
        *FORMULAS.splitlines(),
        f"case: network={case.network()} {shape} activation={case.activation} samples={case.samples} batch={case.batch} "
        f"rate={case.rate!r} momentum={case.momentum!r} weights={weights} {orders}",
    ]
    with open(folder / case.name(), "w", encoding="ascii", newline="\n") as out:
        out.writelines(f"# {line}\n" for line in comments)
        out.write("what,index,float64,float32\n")
        out.writelines(f"{what},{i},{a!r},{b:.9g}\n" for what, i, a, b in rows)
    apart = {kind: max((abs(b - a) / a for what, _, a, b in rows if what == kind and math.isfinite(b)), default=0)
             for kind in ("step", "epoch")}
    text = f"float32 is up to {apart['step']:.1e} from float64"
    text += f", then not finite in step {ends}" if ends else f" (epochs: {apart['epoch']:.1e})"
    print(f"{case.name()}: {count} steps, {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="to write into")
    folder = parser.parse_args().folder
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    os.makedirs(folder, exist_ok=True)
    for case in CASES:
        record(case, folder)


if __name__ == "__main__":
    main()
