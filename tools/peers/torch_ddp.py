# SPDX-License-Identifier: BSD-3-Clause
"""Networks of krossfold train in PyTorch's DistributedDataParallel with gloo; runs in the virtual environment of the peers.

Reads a task as JSON from stdin: {"network", "batch" (of all ranks), "ranks", "cores", "options", "seconds", "side"}, and prints
JSON: {"median"} milliseconds of a training step of all ranks by the clock of the first one, "steps".
"""

import json
import os
import sys
import tempfile
import time

import torch
import torch.distributed
import torch.multiprocessing

SYMBOLS, STEPS, HIDDEN, LAYERS, DROPOUT = 31, 8, 128, 4, 0.1
CHANNELS, KERNEL, CLASSES = 32, 3, 10


class Lstm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(SYMBOLS, HIDDEN, LAYERS, dropout=DROPOUT, batch_first=True)
        self.dense = torch.nn.Linear(HIDDEN, SYMBOLS)

    def forward(self, x):
        return self.dense(self.lstm(x)[0]).reshape(-1, SYMBOLS)


def make(task, batch):
    """(model, inputs, labels) of krossfold's defaults."""
    nn, side = torch.nn, task["side"]
    if task["network"] == "lstm":
        x = nn.functional.one_hot(torch.randint(0, SYMBOLS, (batch, STEPS)), SYMBOLS).float()
        return Lstm(), x, torch.randint(0, SYMBOLS, (batch * STEPS,))
    labels = torch.randint(0, CLASSES, (batch,))
    if task["network"] == "mlp":
        layers = [nn.Linear(side * side, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, CLASSES)]
        return nn.Sequential(*layers), torch.randn(batch, side * side), labels
    features = CHANNELS * (side - KERNEL + 1) ** 2
    layers = [nn.Conv2d(1, CHANNELS, KERNEL), nn.ReLU(), nn.Flatten(), nn.Linear(features, 128), nn.ReLU(),
              nn.Linear(128, CLASSES)]  # fmt: skip
    return nn.Sequential(*layers), torch.randn(batch, 1, side, side), labels


def train(rank, task, file, answer):
    ranks = task["ranks"]
    os.sched_setaffinity(0, {task["cores"][rank]})
    torch.set_num_threads(1)
    torch.manual_seed(1)
    if "flush_denormal" in task["options"] and not torch.set_flush_denormal(True):
        sys.exit("this processor cannot flush denormals")
    model, x, y = make(task, task["batch"] // ranks)
    if ranks > 1:
        torch.distributed.init_process_group("gloo", init_method="file://" + file, rank=rank, world_size=ranks)
        model = torch.nn.parallel.DistributedDataParallel(model)
    kind = {"fused": True} if "fused" in task["options"] else {}
    if task["network"] == "lstm":
        optimiser = torch.optim.Adam(model.parameters(), **kind)
    else:
        optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, **kind)
    times, end, number = [], time.perf_counter() + task["seconds"], 0
    going = torch.ones(1)
    while going.item():
        start = time.perf_counter()
        for _ in range(5):
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        if number > 0:
            times.append((time.perf_counter() - start) / 5)
        number += 1
        going[0] = len(times) < 3 or time.perf_counter() < end
        if ranks > 1:
            torch.distributed.broadcast(going, 0)
    if rank == 0:
        answer.put({"median": 1e3 * sorted(times)[len(times) // 2], "steps": 5 * len(times)})
        answer.close()
        answer.join_thread()
    if ranks > 1:
        torch.distributed.barrier()
    os._exit(0)  # gloo's threads may still be busy: their end is nothing to measure


def main():
    task = json.load(sys.stdin)
    context = torch.multiprocessing.get_context("spawn")
    answer = context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        processes = [context.Process(target=train, args=(rank, task, folder + "/ranks", answer)) for rank in range(task["ranks"])]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    if any(process.exitcode != 0 for process in processes):
        sys.exit("a rank failed")
    json.dump(answer.get(), sys.stdout)


if __name__ == "__main__":
    main()
