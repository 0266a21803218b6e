# SPDX-License-Identifier: BSD-3-Clause
"""Records training curves of torch.nn.LSTM on the built-in names, in float64 and float32, for the tests of nn.

Weights and the order of the windows follow exact formulas that C++ repeats (test/nn/recorded_curves.hpp); each file says in
its first lines how it came about. Run it in the virtual environment of the peers (tools/bench_peers):

    build/peers/bin/python tools/peers/record_lstm_curve.py test/nn/recorded_lstm
"""

import argparse
import math
import pathlib
import platform

import numpy as np
import torch
from record_training_curves import epoch_order, tensor_values

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALPHABET = " abcdefghijklmnopqrstuvwxyz-.'+"
STEPS = 50
FORMULAS = """\
entry i of tensor t: as in test/nn/recorded, with the number of hidden units in place of fan_in; tensors in the order
  weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, ..., dense.weight, dense.bias
windows: data/pet_names.txt in its order; blank, letters, stop (+) and blanks, or the last letters of a long name
order of epoch e: as in test/nn/recorded; batches are consecutive, the last of an epoch is smaller
step: mean cross-entropy over all symbols of the batch before the update by torch.optim.Adam
norm: after all steps, the Euclidean norm of a tensor, and of its change since the start"""


def windows_of(names, steps):
    symbols, following = [], []
    for name in names:
        line = ([0] if len(name) < steps else []) + [ALPHABET.index(letter) for letter in name[-steps:]]
        line = (line + [len(ALPHABET) - 1] + [0] * steps)[: steps + 1]
        symbols.append(line[:-1])
        following.append(line[1:])
    return torch.tensor(symbols), torch.tensor(following)


class Model(torch.nn.Module):
    def __init__(self, symbols, hidden, layers):
        super().__init__()
        self.lstm = torch.nn.LSTM(symbols, hidden, layers, batch_first=True)
        self.dense = torch.nn.Linear(hidden, symbols)

    def forward(self, x):
        return self.dense(self.lstm(x)[0])


def record(case, dtype):
    layers, hidden, batch, rate, steps_in_window = case
    names = (ROOT / "data" / "pet_names.txt").read_text(encoding="ascii").split("\n")[:-1]
    x, y = windows_of(names, steps_in_window)
    model = Model(len(ALPHABET), hidden, layers).to(dtype)
    first = []
    with torch.no_grad():
        for t, parameter in enumerate(model.parameters()):
            values = tensor_values(t, parameter.numel(), hidden).reshape(parameter.shape)
            parameter.copy_(torch.from_numpy(values).to(dtype))
            first.append(parameter.clone())
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    one_hot = torch.eye(len(ALPHABET), dtype=dtype)
    losses, epoch = [], 0
    while len(losses) < STEPS:
        order = torch.tensor(epoch_order(epoch, len(names)))
        for rows in order.split(batch):
            if len(losses) == STEPS:
                break
            optimiser.zero_grad()
            z = model(one_hot[x[rows]])
            loss = torch.nn.functional.cross_entropy(z.reshape(-1, len(ALPHABET)), y[rows].reshape(-1))
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        epoch += 1
    norms = [(p.double().norm().item(), (p - q).double().norm().item()) for p, q in zip(model.parameters(), first)]
    return losses, norms


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    for case in [(4, 128, 64, 1e-3, 8), (4, 128, 256, 4e-3, 8), (1, 20, 32, 1e-2, 8), (2, 33, 100, 2e-3, 5)]:
        layers, hidden, batch, rate, steps = case
        double, double_norms = record(case, torch.float64)
        single, single_norms = record(case, torch.float32)
        lines = [f"# torch {torch.__version__}, {platform.machine()}; tools/peers/record_lstm_curve.py"]
        lines += [f"# {line}" for line in FORMULAS.split("\n")]
        lines += [f"# case: layers={layers} hidden={hidden} batch={batch} rate={rate:g} steps={steps}"]
        lines += ["what,index,float64,float32"]
        lines += [f"step,{i},{a:.17g},{b:.17g}" for i, (a, b) in enumerate(zip(double, single))]
        for what, k in (("norm", 0), ("change", 1)):
            lines += [f"{what},{t},{a[k]:.17g},{b[k]:.17g}" for t, (a, b) in enumerate(zip(double_norms, single_norms))]
        name = f"lstm_{layers}_{hidden}_steps{steps}_batch{batch}_rate{rate:g}.csv"
        (folder / name).write_text("\n".join(lines) + "\n", encoding="ascii")
        worst = max(abs(a - b) / a for a, b in zip(double, single))
        print(f"{name}: loss {double[0]:.4f} to {double[-1]:.4f}, float32 within {worst:.1e}")


if __name__ == "__main__":
    main()
