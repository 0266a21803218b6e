# SPDX-License-Identifier: BSD-3-Clause
"""The search of bench_peers svm --data-set with scikit-learn, LIBSVM or TorchKM; runs in the virtual environment of the peers.

Reads {"tool", "file", "C", "gamma", "cells", "bounds", "tolerance", "cache_mb", "cap"} as JSON from stdin and prints {"seconds",
"capped", "wrong", "open"} as JSON: seconds[cell][fold] of training and prediction, `cap` where a fit was ended then (capped: how
many), wrong[cell][fold] held-out samples, null where a fit did not end, and open: how many cells did not converge, null where
the program does not say. TorchKM takes all values of C and all folds of a gamma at once: seconds[gamma][0], and `cap` is that of
such a path. Its cells are all, gamma after gamma.
"""

import contextlib
import io
import json
import os
import re
import select
import signal
import sys
import time

import numpy as np

TORCHKM_PASSES = 100_000  # over a path, as in its documentation; with its default of 1,000 most paths end half way, in silence


def in_child(work, cap):
    """What work() returns, or None if it takes longer than cap seconds; in a process of its own, so that it can be ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as pipe:
            pipe.write(json.dumps(work()))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        try:
            if not select.select([pipe], [], [], cap)[0]:
                os.kill(child, signal.SIGKILL)
                return None
            answer = pipe.read()
        finally:
            _, status = os.waitpid(child, 0)
    if not answer:
        sys.exit(f"a fit failed (its process ended with status {status}) is there enough memory?")
    return json.loads(answer)


def splits(bounds):
    """(training samples, held-out samples) of every fold."""
    return [(np.r_[0:first, last : bounds[-1]], np.arange(first, last)) for first, last in zip(bounds, bounds[1:])]


def sklearn_fit(task, x, y):
    """fit(C, gamma, fold): (seconds, held-out samples that are wrong)."""
    if task["tool"].startswith("sklearnex"):
        from sklearnex import patch_sklearn

        patch_sklearn(verbose=False)
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    def model(c, gamma):
        svc = SVC(kernel="rbf", C=c, gamma=gamma, tol=task["tolerance"], cache_size=task["cache_mb"])
        return svc if task["tool"].endswith("ovo") else OneVsRestClassifier(svc)

    folds = splits(task["bounds"])
    model(1.0, 1.0).fit(np.eye(3), [0, 1, 2]).predict(np.eye(3))  # what the first call alone takes is paid here, not by every process

    def fit(c, gamma, fold):
        train, held = folds[fold]
        start = time.perf_counter()
        wrong = int((model(c, gamma).fit(x[train], y[train]).predict(x[held]) != y[held]).sum())
        return time.perf_counter() - start, wrong

    return fit


def libsvm_fit(task, x, y):
    """As sklearn_fit. LIBSVM's nodes, which hold the entries that are not 0, are made before, in one block as svm-train has them.

    Of classes with equal votes LIBSVM takes that which comes first in the training samples: they are in the order of the classes.
    """
    from libsvm import svmutil
    from scipy.sparse import csr_matrix

    def problem(rows):
        return svmutil.svm_problem(y[rows].astype(np.float64), csr_matrix(x[rows]))

    folds = [(problem(train[np.argsort(y[train], kind="stable")]), problem(held)) for train, held in splits(task["bounds"])]

    def fit(c, gamma, fold):
        train, held = folds[fold]
        options = f"-s 0 -t 2 -c {c!r} -g {gamma!r} -e {task['tolerance']!r} -m {task['cache_mb']} -q"
        start = time.perf_counter()
        model = svmutil.svm_train(train, svmutil.svm_parameter(options))
        wrong = sum(svmutil.libsvm.svm_predict(model, held.x[k]) != held.y[k] for k in range(held.l))
        return time.perf_counter() - start, wrong

    return fit


def cell_by_cell(task, fit):
    """The answer of a program that takes one cell and one fold at a time."""
    answer = {"seconds": [], "capped": 0, "wrong": [], "open": None}
    for g, c in task["cells"]:
        found = [in_child(lambda k=k: fit(task["C"][c], task["gamma"][g], k), task["cap"]) for k in range(len(task["bounds"]) - 1)]
        answer["capped"] += found.count(None)
        answer["seconds"].append([task["cap"] if one is None else one[0] for one in found])
        answer["wrong"].append([None if one is None else one[1] for one in found])
    return answer


def torchkm_path(task, x, y):
    """path(gamma): (seconds, wrong[C][fold], open), where open are the numbers of the values of C that did not converge.

    TorchKM minimises lambda a'Ka + mean hinge loss over all n samples, those held out having no loss: lambda = 1 / (2 n C). Its kernel is
    exp(-2 sigma d^2). It stops at a norm of the KKT violations of its own.
    """
    import torch
    from torchkm.cvksvm import cvksvm
    from torchkm.functions import rbf_kernel

    torch.set_num_threads(1)
    bounds, points = task["bounds"], torch.from_numpy(x)
    sign = torch.from_numpy(np.where(y == 1, 1.0, -1.0))
    penalty = torch.from_numpy(1 / (2 * len(y) * np.array(task["C"])))
    fold = torch.from_numpy(np.repeat(np.arange(1, len(bounds)), np.diff(bounds)))

    def path(gamma):
        start, said = time.perf_counter(), io.StringIO()
        with contextlib.redirect_stdout(said):
            model = cvksvm(rbf_kernel(points, gamma / 2), sign, len(penalty), penalty, foldid=fold, nfolds=len(bounds) - 1,
                           maxit=TORCHKM_PASSES, gamma=1e-8, is_exact=0, device="cpu")  # fmt: skip
            model.fit()
        settled = (model.converged & (model.cvnpass.cumsum(0) <= model.nmaxit)).tolist()
        counts = path_counts(model.pred.numpy(), y, bounds, model.jerr, settled, said.getvalue())
        return time.perf_counter() - start, *counts

    return path


def path_counts(score, y, bounds, error, settled, said):
    """(wrong[C][fold], numbers of the values of C that did not converge) of TorchKM's path: score[sample][C]. A path without passes left
    has error -k - 1 and no scores from the k-th C on: null. What it prints names values of C with folds that did not converge; `settled`
    says of each whether all samples converged."""
    reached = score.shape[1] if error == 0 else -error - 1
    miss = (score > 0) != (np.asarray(y) == 1)[:, None]
    wrong = [[int(miss[a:b, k].sum()) if k < reached else None for a, b in zip(bounds, bounds[1:])] for k in range(score.shape[1])]
    named = {int(word) for word in re.findall(r"for lambda (\d+)", said)}
    return wrong, [k for k in range(score.shape[1]) if k >= reached or not settled[k] or k in named]


def path_by_path(task, path):
    """The answer of TorchKM."""
    answer = {"seconds": [], "capped": 0, "wrong": [], "open": 0}
    for gamma in task["gamma"]:
        found = in_child(lambda gamma=gamma: path(gamma), task["cap"])
        answer["capped"] += found is None
        answer["seconds"].append([task["cap"] if found is None else found[0]])
        answer["wrong"] += [[None] * (len(task["bounds"]) - 1)] * len(task["C"]) if found is None else found[1]
        answer["open"] += 0 if found is None else len(found[2])
    return answer


def main():
    task = json.load(sys.stdin)
    with np.load(task["file"]) as file:
        x, y = file["X"].astype(np.float64), file["y"]
    if task["tool"] == "torchkm":
        answer = path_by_path(task, torchkm_path(task, x, y))
    else:
        answer = cell_by_cell(task, (libsvm_fit if task["tool"] == "libsvm" else sklearn_fit)(task, x, y))
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
