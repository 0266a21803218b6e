# SPDX-License-Identifier: BSD-3-Clause
"""The search of bench_peers svm with scikit-learn; runs in the virtual environment of the peers.

Reads {"tool", "images", "labels", "limit", "C", "gamma", "bounds", "tolerance", "cache_mb"} as JSON from stdin and
prints {"seconds", "wrong"} as JSON: the seconds of the search alone, and wrong[gamma][C][fold] held-out samples.
"""

import json
import sys
import time

from read_idx import read_idx


def main():
    task = json.load(sys.stdin)
    if task["tool"].startswith("sklearnex"):
        from sklearnex import patch_sklearn

        patch_sklearn(verbose=False)
    import numpy as np
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    pixels, shape = read_idx(task["images"])
    features = shape[1] * shape[2]
    pixels = np.frombuffer(pixels, np.uint8, task["limit"] * features).reshape(-1, features)
    y = np.frombuffer(read_idx(task["labels"])[0], np.uint8, task["limit"])
    # As krossfold scales pixels in 0..255: centred in their range, divided by the deviation of a uniform value in it.
    x = (pixels - 127.5) / (255 / np.sqrt(12))

    def model(c, gamma):
        svc = SVC(kernel="rbf", C=c, gamma=gamma, tol=task["tolerance"], cache_size=task["cache_mb"])
        return svc if task["tool"].endswith("ovo") else OneVsRestClassifier(svc)

    folds = []
    for first, last in zip(task["bounds"], task["bounds"][1:]):
        train = np.r_[0:first, last : len(y)]
        folds.append((train, slice(first, last)))
    start = time.perf_counter()
    wrong = []
    for gamma in task["gamma"]:
        wrong.append([])
        for c in task["C"]:
            counts = []
            for train, held in folds:
                fitted = model(c, gamma).fit(x[train], y[train])
                counts.append(int((fitted.predict(x[held]) != y[held]).sum()))
            wrong[-1].append(counts)
    json.dump({"seconds": time.perf_counter() - start, "wrong": wrong}, sys.stdout)


if __name__ == "__main__":
    main()
