# SPDX-License-Identifier: BSD-3-Clause
"""The networks of bench_peers cnn in PyTorch; runs in the virtual environment of the peers.

Reads a task as JSON from stdin: {"work", "shape": [channels, kernel, hidden], "batch", "options", "seconds", "steps",
"samples", "images", "labels"}, and prints JSON with milliseconds, by the clock and of the processor:

  train  steps for `seconds`: {"wall", "cpu"} a step, its "median", "steps" and the last "loss"
  long   `steps` steps: {"first": {"wall", "cpu"}, "last": {"wall", "cpu"}} a step over the first and last tenth
  infer  classes of `samples` images: {"wall", "cpu"} for all
"""

import json
import sys
import time

import torch
from read_idx import read_idx

SIDE, CLASSES = 28, 10
RATE, MOMENTUM = 0.01, 0.9


def load(task, samples):
    """Images as krossfold scales them, and labels: those of MNIST, or where it is not there random ones like them."""
    if task["images"]:
        pixels = torch.frombuffer(bytearray(read_idx(task["images"])[0]), dtype=torch.uint8)
        labels = torch.frombuffer(bytearray(read_idx(task["labels"])[0]), dtype=torch.uint8)
    else:
        pixels = torch.randint(0, 256, (samples, SIDE * SIDE))
        pixels[torch.rand(pixels.shape) > 0.19] = 0  # as many as in MNIST are not 0
        labels = torch.randint(0, CLASSES, (samples,))
    images = (pixels.reshape(-1, 1, SIDE, SIDE)[:samples].float() - 127.5) / (255 / 12**0.5)
    return images, labels[:samples].long()


class Clocks:
    """Milliseconds since it was made, each divided by `parts`."""

    def __init__(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()

    def read(self, parts=1):
        wall, cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu
        return {"wall": 1e3 * wall / parts, "cpu": 1e3 * cpu / parts}


def make_model(task):
    channels, kernel, hidden = task["shape"]
    features = channels * (SIDE - kernel + 1) ** 2
    nn = torch.nn
    return nn.Sequential(
        nn.Conv2d(1, channels, kernel), nn.ReLU(), nn.Flatten(), nn.Linear(features, hidden), nn.ReLU(),
        nn.Linear(hidden, CLASSES),
    )


def make_step(model, images, labels, task):
    """A function of the step's number that takes it and returns its loss. Batches come in order, with no DataLoader."""
    options, batch = task["options"], task["batch"]
    kind = {kind: True for kind in ("foreach", "fused") if kind in options}
    optimiser = torch.optim.SGD(model.parameters(), lr=RATE, momentum=MOMENTUM, **kind)
    batches = len(labels) // batch
    forget = "keep_gradients" not in options

    def loss_of(x, y):
        return torch.nn.functional.cross_entropy(model(x), y)

    if "compile" in options:
        loss_of = torch.compile(loss_of)

    def step(number):
        first = number % batches * batch
        loss = loss_of(images[first : first + batch], labels[first : first + batch])
        optimiser.zero_grad(set_to_none=forget)
        loss.backward()
        optimiser.step()
        return loss

    return step


def train(step, task):
    warm = time.perf_counter()
    number = 0
    while number < 3 or (number < 20 and time.perf_counter() - warm < 0.3):
        step(number)
        number += 1
    steps, clocks, before = [], Clocks(), time.perf_counter()
    end = before + task["seconds"]
    while before < end or len(steps) < 5:
        loss = step(number)
        number += 1
        now = time.perf_counter()
        steps.append(now - before)
        before = now
    mean = clocks.read(len(steps))
    return {**mean, "median": 1e3 * sorted(steps)[len(steps) // 2], "steps": len(steps), "loss": loss.item()}


def train_long(step, task):
    steps, part = task["steps"], task["steps"] // 10
    for number in range(steps):
        if number in (0, steps - part):
            clocks = Clocks()
        loss = step(number)
        if number == part - 1:
            first = clocks.read(part)
    return {"first": first, "last": clocks.read(part), "loss": loss.item()}


def infer(model, images, task):
    run = torch.compile(model) if "compile" in task["options"] else model
    with torch.inference_mode():
        run(images[: task["batch"]])
        clocks = Clocks()
        found = [run(part).argmax(1) for part in images.split(task["batch"])]
    return {**clocks.read(), "classes": len(torch.cat(found))}


def main():
    task = json.load(sys.stdin)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    if "flush_denormal" in task["options"] and not torch.set_flush_denormal(True):
        sys.exit("this processor cannot flush denormals")
    images, labels = load(task, task["samples"])
    model = make_model(task)
    if "channels_last" in task["options"]:
        model = model.to(memory_format=torch.channels_last)
        images = images.contiguous(memory_format=torch.channels_last)
    if task["work"] == "infer":
        answer = infer(model, images, task)
    else:
        step = make_step(model, images, labels, task)
        answer = (train if task["work"] == "train" else train_long)(step, task)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
