# SPDX-License-Identifier: BSD-3-Clause
"""Some cells of the search of bench_peers svm --data-set with scikit-learn; runs in the virtual environment of the peers.

Reads {"tool", "file", "C", "gamma", "cells", "bounds", "tolerance", "cache_mb", "cap"} as JSON from stdin and prints {"seconds",
"capped", "wrong"} as JSON: seconds[cell][fold] of training and prediction, `cap` where a fit was ended then (capped: how many),
and wrong[cell][fold] held-out samples, null for those.
"""

import json
import os
import select
import signal
import sys
import time


def in_child(work, cap):
    """What work() returns, or None if it takes longer than cap seconds; in a process of its own, so that it can be ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    try:
        if not select.select([reading], [], [], cap)[0]:
            os.kill(child, signal.SIGKILL)
            return None
        answer = os.read(reading, 1 << 16)
        return json.loads(answer)
    finally:
        os.close(reading)
        os.waitpid(child, 0)


def main():
    task = json.load(sys.stdin)
    if task["tool"].startswith("sklearnex"):
        from sklearnex import patch_sklearn

        patch_sklearn(verbose=False)
    import numpy as np
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    with np.load(task["file"]) as file:
        x, y = file["X"].astype(np.float64), file["y"]

    def fit(c, gamma, train, held):
        start = time.perf_counter()
        model = SVC(kernel="rbf", C=c, gamma=gamma, tol=task["tolerance"], cache_size=task["cache_mb"])
        model = model if task["tool"].endswith("ovo") else OneVsRestClassifier(model)
        wrong = int((model.fit(x[train], y[train]).predict(x[held]) != y[held]).sum())
        return time.perf_counter() - start, wrong

    answer = {"seconds": [], "capped": 0, "wrong": []}
    for g, c in task["cells"]:
        seconds, wrong = [], []
        for first, last in zip(task["bounds"], task["bounds"][1:]):
            train = np.r_[0:first, last : len(y)]
            found = in_child(lambda t=train, h=slice(first, last): fit(task["C"][c], task["gamma"][g], t, h), task["cap"])
            answer["capped"] += found is None
            seconds.append(task["cap"] if found is None else found[0])
            wrong.append(None if found is None else found[1])
        answer["seconds"].append(seconds)
        answer["wrong"].append(wrong)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
