# SPDX-License-Identifier: BSD-3-Clause
"""bench_peers ddp: one network trained on several ranks, against PyTorch's DistributedDataParallel with gloo."""

import json
import os
import pathlib
import random
import statistics
import sys
import tempfile

from peers.cnn_work import OWN, options_text
from peers.measure import BenchError, number, peer_python, range_text, run_pinned, show_table

OPTIONS = ("default", "fused", "fused+flush_denormal")
SIDE = 28
HEADINGS = ["network", "batch", "ranks", f"{OWN}, ms a step", "exchange", "of one rank", "PyTorch DDP, ms a step", "of one rank",
            "ratio", "its options"]  # fmt: skip


def write_names(path, count):
    """Names of random letters: the duration of a step does not depend on them."""
    draw = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    path.write_text("".join("".join(draw.choices(letters, k=draw.randint(3, 8))) + "\n" for _ in range(count)))


def write_images(path, count):
    """Images of random grey, five in six of them black as in MNIST, with random labels."""
    draw = random.Random(1)
    grey = [0] * 5 * 255 + list(range(1, 256))
    lines = (",".join(map(str, [*draw.choices(grey, k=SIDE * SIDE), draw.randrange(10)])) for _ in range(count))
    path.write_text("\n".join(lines) + "\n")


class Own:
    """krossfold train on data of its own."""

    def __init__(self, arguments, folder):
        self.arguments, self.folder, self.made = arguments, pathlib.Path(folder), {}

    def data(self, network, batch):
        """Enough for some steps of so many samples, and what is held out."""
        count = (10 if network == "lstm" else 20) * batch * 5 // 4
        if (network == "lstm", count) not in self.made:
            path = self.folder / f"{'names' if network == 'lstm' else 'images'}-{count}.csv"
            if network == "lstm":
                write_names(path, count)
            else:
                write_images(path, count)
            self.made[network == "lstm", count] = f"names:{path}" if network == "lstm" else f"csv:{path}"
        return self.made[network == "lstm", count]

    def run(self, network, batch, ranks):
        """(milliseconds of a step, share of the exchange): the median epoch but for the first."""
        output = self.folder / "run.h5"
        epochs = self.arguments.epochs
        command = [self.arguments.mpirun, "-n", str(ranks), "--bind-to", "core", self.arguments.krossfold, "train", network,
                   "--data", self.data(network, batch), "--batch", str(batch), "--epochs", str(epochs), "--quiet",
                   "-o", output]  # fmt: skip
        if network != "lstm":
            command += ["--image", f"{SIDE}x{SIDE}", "--validation", "none"]
        _, out = run_pinned(command, None)
        _, out = run_pinned([self.arguments.krossfold, "report", output, "--format", "json"], None)
        output.unlink()
        (found,) = json.loads(out)
        run, steps = found["runs"][0], -(-found["data"]["train"] // batch)
        seconds = sorted(zip(run["seconds"][1:], run["comm_seconds"][1:]))
        middle, exchange = seconds[len(seconds) // 2]
        return 1e3 * middle / steps, exchange / middle


def run_torch(network, batch, ranks, options, arguments, python):
    task = {"network": network, "batch": batch, "ranks": ranks, "cores": arguments.cores, "options": options.split("+"),
            "seconds": arguments.seconds, "side": SIDE}  # fmt: skip
    script = pathlib.Path(__file__).with_name("torch_ddp.py")
    _, out = run_pinned([python, "-W", "ignore", script], None, json.dumps(task))
    return json.loads(out.strip().splitlines()[-1])["median"]


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


def measure(own, network, batch, arguments, python):
    """A row of the table, and which options were tried."""
    ranks = arguments.ranks
    tried = {options: run_torch(network, batch, ranks, options, arguments, python) for options in OPTIONS}
    chosen = min(tried, key=tried.get)
    times = {name: [] for name in ("own", "own one", "torch", "torch one")}
    ratios, gains, torch_gains, shares = [], [], [], []
    for done in range(arguments.repeat):
        one, _ = own.run(network, batch, 1)
        several, share = own.run(network, batch, ranks)
        torch_several = run_torch(network, batch, ranks, chosen, arguments, python)
        torch_one = run_torch(network, batch, 1, chosen, arguments, python)
        again, _ = own.run(network, batch, ranks)
        for name, value in (("own", several), ("own", again), ("own one", one), ("torch", torch_several), ("torch one", torch_one)):
            times[name].append(value)
        shares.append(share)
        gains.append(one / several)
        torch_gains.append(torch_one / torch_several)
        ratios += [torch_several / several, torch_several / again]
        say(f"{network}, batch {batch}, round {done + 1}: {OWN} {number(one)} and {number(several)} ms on {ranks} ranks, "
            f"PyTorch {number(torch_one)} and {number(torch_several)} ms")  # fmt: skip
    row = [network, str(batch), str(ranks), range_text(times["own"]), f"{100 * statistics.median(shares):.1f} %",
           number(statistics.median(gains)), range_text(times["torch"]), number(statistics.median(torch_gains)),
           number(statistics.median(ratios)), options_text(chosen)]  # fmt: skip
    note = f"{network}, batch {batch}, options tried, ms: " + "; ".join(f"{name} {number(value)}" for name, value in tried.items())
    return row, note


def run(arguments):
    """Measures, and prints the table."""
    for program in (arguments.krossfold,):
        if not os.access(program, os.X_OK):
            raise BenchError(f"cannot run {program} (it is not there) build it, or name it with --krossfold")
    python, versions = peer_python(arguments.venv, ("torch", "numpy"))
    head = [
        "; ".join(versions),
        f"{arguments.ranks} ranks of one thread, each on a core of its own; lstm: names of 8 letters, 4 x 128, Adam; cnn: 28x28, conv 32 3x3, "
        f"dense 128; mlp: dense 512, 256; rounds: {arguments.repeat}; median (smallest-largest), of ratios the median; "
        f"load average {os.getloadavg()[0]:.1f}",
    ]
    print("\n".join(head), flush=True)
    rows, notes = [], []
    with tempfile.TemporaryDirectory() as folder:
        own = Own(arguments, folder)
        for network, batch in arguments.trainings:
            row, note = measure(own, network, batch, arguments, python)
            rows.append(row)
            notes.append(note)
    show_table(head, HEADINGS, rows, notes, arguments.markdown)
