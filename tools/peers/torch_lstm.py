# SPDX-License-Identifier: BSD-3-Clause
"""The character LSTM of bench_peers lstm in PyTorch; runs in the virtual environment of the peers.

Reads a task as JSON from stdin: {"batch", "options", "seconds"}, and prints JSON: {"median"} milliseconds of a training step by the
clock, "steps", and the last "loss".
"""

import json
import sys
import time

import torch

SYMBOLS, STEPS, HIDDEN, LAYERS, DROPOUT = 31, 8, 128, 4, 0.1


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(SYMBOLS, HIDDEN, LAYERS, dropout=DROPOUT, batch_first=True)
        self.dense = torch.nn.Linear(HIDDEN, SYMBOLS)

    def forward(self, x):
        return self.dense(self.lstm(x)[0])


def main():
    task = json.load(sys.stdin)
    options = task["options"]
    torch.set_num_threads(1)
    torch.manual_seed(1)
    if "flush_denormal" in options and not torch.set_flush_denormal(True):
        sys.exit("this processor cannot flush denormals")
    model = Model()
    optimiser = torch.optim.Adam(model.parameters(), fused="fused" in options)
    x = torch.nn.functional.one_hot(torch.randint(0, SYMBOLS, (task["batch"], STEPS)), SYMBOLS).float()
    y = torch.randint(0, SYMBOLS, (task["batch"] * STEPS,))
    times, end = [], time.perf_counter() + task["seconds"]
    for number in range(10**9):
        start = time.perf_counter()
        loss = torch.nn.functional.cross_entropy(model(x).reshape(-1, SYMBOLS), y)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if number >= 2:
            times.append(time.perf_counter() - start)
        if len(times) >= 5 and time.perf_counter() >= end:
            break
    json.dump({"median": 1e3 * sorted(times)[len(times) // 2], "steps": len(times), "loss": loss.item()}, sys.stdout)


if __name__ == "__main__":
    main()
