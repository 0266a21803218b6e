#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records models of LIBSVM's own svm_train with what its svm_predict says of samples, on a part of iris.

Writes JSON: "libsvm" (version), "x" and "y" (samples, labels as they are in training), and for each case the arguments of svm-train, the
model file, and for each sample decision values, label, and with -b 1 the probabilities in the order of the model's labels.
The labels 7, -1, 3 appear in this order. Needs the package libsvm-official.

    test/reference/record_libsvm.py > test/reference/libsvm_models.json
"""

import importlib.metadata
import json
import pathlib
import tempfile

from libsvm import svmutil

CASES = {"rbf": "-t 2 -g 0.5 -c 2 -b 1", "linear": "-t 0 -c 0.5", "polynomial": "-t 1 -d 2 -g 0.4 -r 1 -c 1",
         "two": "-t 2 -g 1 -c 5 -b 1"}


def main():
    rows = [line.split(",") for line in pathlib.Path(__file__).with_name("kernels_sklearn.csv").read_text().splitlines() if line.startswith("sample,")]
    rows = sorted(rows[:60], key=lambda row: row[3] != "0")  # LIBSVM numbers the classes in the order in which they come
    x = [[float(row[1]), float(row[2])] for row in rows]
    y = [(7, -1, 3)[int(row[3])] for row in rows]
    found = {"libsvm": importlib.metadata.version("libsvm-official"), "x": x, "y": y, "cases": {}}
    for name, words in CASES.items():
        samples = [{j + 1: value for j, value in enumerate(row)} for row in x]
        used = [i for i, label in enumerate(y) if name != "two" or label != 3]
        model = svmutil.svm_train([y[i] for i in used], [samples[i] for i in used], words + " -e 1e-8 -q")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m"
            svmutil.svm_save_model(str(path), model)
            text = path.read_text()
            model = svmutil.svm_load_model(str(path))
        again = svmutil.svm_predict(y, samples, model, "-q")
        case = {"arguments": words, "model": text, "label": again[0], "decision": again[2]}
        if "-b 1" in words:
            case["probability"] = svmutil.svm_predict(y, samples, model, "-b 1 -q")[2]
        found["cases"][name] = case
    print(json.dumps(found))


if __name__ == "__main__":
    main()
