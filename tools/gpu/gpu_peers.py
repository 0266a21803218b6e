# SPDX-License-Identifier: BSD-3-Clause
"""What other programs take on this machine: python3 gpu_peers.py torch|cuml|torchkm MNIST_FOLDER.

Prints [{"what", "ms", "where"}] as JSON. Only what is installed here is used; the images are random where MNIST is not there.
torch is compared with the benchmarks of bench/cnn and bench/lstm of the same sizes, cuml with krossfold on the same cell and
folds (step "peer krossfold"); torchkm knows two classes only and stands by itself.
"""

import gzip
import json
import pathlib
import sys
import time

NETWORKS = ((13, 8, 227), (100, 5, 500), (237, 10, 1215), (253, 4, 1769))  # channels, kernel, hidden: as bench/cnn
BATCH, SECONDS, SAMPLES, FOLDS = 10, 2.0, 5000, 5
INFERRED, INFERRED_BATCH = 10_000, 256  # as bench/cnn
C, GAMMA = 10.0, 1e-3  # near the best cell; stages.py has krossfold search it, too
MIDDLE, DEVIATION = 127.5, 255 / 12**0.5  # as krossfold scales pixels


def images(folder, count):
    """(pixels 0 to 255, labels) of the first images."""
    import numpy as np

    try:
        pixels, labels = (gzip.decompress((pathlib.Path(folder) / f"train-{name}-ubyte.gz").read_bytes()) for name in ("images-idx3", "labels-idx1"))
        return np.frombuffer(pixels, np.uint8, count * 784, 16).reshape(count, 784), np.frombuffer(labels, np.uint8, count, 8)
    except OSError:
        random = np.random.default_rng(1)
        return random.integers(0, 256, (count, 784), np.uint8), random.integers(0, 10, count, np.uint8)


def timed(step, batch=5):
    """Milliseconds of step(number), on the average of a few seconds."""
    import torch

    wait = torch.cuda.synchronize if torch.cuda.is_available() else lambda: None
    for number in range(5):
        step(number)
    wait()
    begun, number = time.perf_counter(), 0
    while time.perf_counter() - begun < SECONDS:
        for _ in range(batch):
            step(number)
            number += 1
        wait()
    return 1e3 * (time.perf_counter() - begun) / number


def torch_networks(folder, device):
    """A training step of each network, SGD with momentum, in batches of 10; and 10,000 images in batches of 256 through it."""
    import torch

    pixels, labels = images(folder, SAMPLES)
    x = ((torch.from_numpy(pixels.copy()).float() - MIDDLE) / DEVIATION).reshape(-1, 1, 28, 28).to(device)
    y = torch.from_numpy(labels.copy()).long().to(device)
    for channels, kernel, hidden in NETWORKS:
        nn, features = torch.nn, channels * (29 - kernel) ** 2
        layers = (nn.Conv2d(1, channels, kernel), nn.ReLU(), nn.Flatten(), nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, 10))
        model = nn.Sequential(*layers).to(device)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)

        def step(number):
            first = number % (SAMPLES // BATCH) * BATCH
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(model(x[first : first + BATCH]), y[first : first + BATCH]).backward()
            optimiser.step()

        def recorded(number):
            first = number % (SAMPLES // BATCH) * BATCH
            batch.copy_(x[first : first + BATCH])
            truth.copy_(y[first : first + BATCH])
            graph.replay()

        @torch.no_grad()
        def infer(_):
            for done in range(0, INFERRED, INFERRED_BATCH):
                count = min(INFERRED_BATCH, INFERRED - done)
                first = done % (SAMPLES - INFERRED_BATCH)
                torch.softmax(model(x[first : first + count]), 1)

        yield f"training step {channels}/{kernel}/{hidden}/{BATCH}", timed(step)
        if device == "cuda":  # the same step as one graph, as torch.cuda.graph records it
            batch, truth, graph = x[:BATCH].clone(), y[:BATCH].clone(), torch.cuda.CUDAGraph()
            optimiser.zero_grad(set_to_none=True)
            try:
                with torch.cuda.graph(graph):
                    torch.nn.functional.cross_entropy(model(batch), truth).backward()
                    optimiser.step()
                yield f"training step {channels}/{kernel}/{hidden}/{BATCH} as a CUDA graph", timed(recorded)
            except RuntimeError as error:
                print(f"gpu_peers: PyTorch records no graph ({error})", file=sys.stderr)
        yield f"{INFERRED} images through {channels}/{kernel}/{hidden}", timed(infer, 1)


def torch_characters(device):
    """A step of the character model of bench/lstm: 31 symbols, windows of 8, 4 layers of 128 units, dropout, Adam."""
    import torch

    symbols, steps, layers, hidden, nn = 31, 8, 4, 128, torch.nn
    lstm, dense = nn.LSTM(symbols, hidden, layers, dropout=0.1).to(device), nn.Linear(hidden, symbols).to(device)
    optimiser = torch.optim.Adam([*lstm.parameters(), *dense.parameters()], fused=True)
    for windows in (1024, 64):
        text = torch.randint(symbols, (steps + 1, windows), generator=torch.Generator().manual_seed(1)).to(device)
        x, y = nn.functional.one_hot(text[:-1], symbols).float(), text[1:].flatten()

        def step(_):
            optimiser.zero_grad()
            nn.functional.cross_entropy(dense(lstm(x)[0]).flatten(0, 1), y).backward()
            optimiser.step()

        yield f"step of the character model with {windows} windows", timed(step)


def torch_steps(folder):
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    where = torch.cuda.get_device_name() if device == "cuda" else "processor"
    found = [*torch_networks(folder, device), *torch_characters(device)]
    return [{"what": f"PyTorch {torch.__version__}, {what}", "ms": milliseconds, "where": where} for what, milliseconds in found]


def folds():
    bounds = [round(SAMPLES * fold / FOLDS) for fold in range(FOLDS + 1)]
    return list(zip(bounds, bounds[1:]))


def cuml_fits(folder):
    """One cell of the search, one-vs-rest, over all folds."""
    import cuml
    import numpy as np
    from cuml.multiclass import OneVsRestClassifier
    from cuml.svm import SVC

    pixels, labels = images(folder, SAMPLES)
    x = (pixels.astype(np.float32) - MIDDLE) / np.float32(DEVIATION)

    def cross_validate():
        wrong = 0
        for first, last in folds():
            held = np.arange(first, last)
            kept = np.setdiff1d(np.arange(SAMPLES), held)
            model = OneVsRestClassifier(SVC(C=C, gamma=GAMMA, tol=1e-3)).fit(x[kept], labels[kept].astype(np.int32))
            wrong += int((np.asarray(model.predict(x[held])) != labels[held]).sum())
        return wrong

    cross_validate()  # loads what it needs
    begun = time.perf_counter()
    wrong = cross_validate()
    what = f"cuML {cuml.__version__}, one cell (C = {C:g}, gamma = {GAMMA:g}), 5 folds, one-vs-rest, {SAMPLES} images: {wrong} wrong"
    return [{"what": what, "ms": 1e3 * (time.perf_counter() - begun), "where": "card"}]


def torchkm_path(folder):
    """The first class against all others: 8 values of C at one gamma, with all folds."""
    import numpy as np
    import torch
    from torchkm.cvksvm import cvksvm
    from torchkm.functions import rbf_kernel

    device = "cuda" if torch.cuda.is_available() else "cpu"
    pixels, labels = images(folder, SAMPLES)
    x = torch.from_numpy((pixels.astype(np.float64) - MIDDLE) / DEVIATION)
    sign = torch.from_numpy(np.where(labels == 0, 1.0, -1.0))
    penalty = torch.from_numpy(1 / (2 * SAMPLES * np.logspace(-1, 2, 8)))
    fold = torch.from_numpy(np.concatenate([np.full(last - first, number + 1) for number, (first, last) in enumerate(folds())]))
    begun = time.perf_counter()
    model = cvksvm(rbf_kernel(x, GAMMA / 2), sign, len(penalty), penalty, foldid=fold, nfolds=FOLDS, maxit=100_000, gamma=1e-8, is_exact=0, device=device)
    model.fit()
    if device == "cuda":
        torch.cuda.synchronize()
    where = torch.cuda.get_device_name() if device == "cuda" else "processor"
    return [{"what": f"TorchKM, 8 values of C at one gamma, 5 folds, two classes, {SAMPLES} images", "ms": 1e3 * (time.perf_counter() - begun), "where": where}]


if __name__ == "__main__":
    print(json.dumps({"torch": torch_steps, "cuml": cuml_fits, "torchkm": torchkm_path}[sys.argv[1]](sys.argv[2])))
