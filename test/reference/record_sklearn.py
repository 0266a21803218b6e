"""Record reference error counts of scikit-learn's one-vs-rest RBF SVM on digits.

Writes up to two CSV files over the same 7 x 7 subset of a 24 x 24 (gamma, C) grid:
  * the wrong held-out rows of each fold of a 5-fold cross-validation on the
    training part (the first 80 % of the rows);
  * where a second file is named, the wrong test rows (the remaining rows) of a
    refit on the training part.

The folds are recorded twice, at the tolerance of the comparison and at a far
tighter one: a cell whose counts differ between the two is not determined by
the tolerance of the comparison, and the test leaves it out.

  export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
  python record_sklearn.py digits.csv.gz digits_ovr_sklearn.csv digits_refit_sklearn.csv
  python record_sklearn.py --tol 1e-9 digits.csv.gz digits_ovr_sklearn_tight.csv
"""

import argparse
import os
import platform
import time
import warnings

import numpy as np
import sklearn
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

FOLDS = 5
INDICES = (0, 4, 8, 12, 16, 20, 23)  # of the 24 grid values, for gamma and for C
C_GRID = 10.0 ** np.linspace(-3, 6, 24)
GAMMA_GRID = 10.0 ** (np.linspace(-6, -2, 24) + np.log10(784 / 64))
DEFAULT_TOL = 1e-5
CACHE_MB = 2000
DIVISOR = 4.618802153517006  # 16 / sqrt(12): the standard deviation of a uniform pixel


def load(path):
    """Scaled pixels and labels; a pixel p in 0..16 becomes (p - 8) / DIVISOR."""
    table = np.loadtxt(path, delimiter=",")
    return (table[:, :-1] - 8.0) / DIVISOR, table[:, -1].astype(int)


def count_wrong(train, held_out, gamma, c, tol):
    """(wrong rows of held_out, rows of held_out whose largest decision value is tied)."""
    svc = SVC(kernel="rbf", C=c, gamma=gamma, tol=tol, cache_size=CACHE_MB, max_iter=-1)
    model = OneVsRestClassifier(svc).fit(*train)
    x, y = held_out
    values = model.decision_function(x)
    predicted = model.classes_[values.argmax(axis=1)]
    ties = (values == values.max(axis=1, keepdims=True)).sum(axis=1) > 1
    return int((predicted != y).sum()), int(ties.sum())


def header(args, data, n_train, bounds):
    """The comment lines common to both files: how they were made."""
    words = [] if args.tol == DEFAULT_TOL else [f"--tol {args.tol:g}"]
    words += [os.path.basename(p) for p in (args.data, args.cv_out, args.refit_out) if p]
    return [
        f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, "
        f"python {platform.python_version()}",
        "command: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 "
        f"python record_sklearn.py {' '.join(words)}",
        f"data: {len(data[1])} rows; training part: the first {n_train}, in file order; "
        f"x = (p - 8) / {DIVISOR!r}",
        f"folds: contiguous, bounds {' '.join(map(str, bounds))}",
        f"model: OneVsRestClassifier(SVC(kernel='rbf', C=C, gamma=gamma, tol={args.tol:g}, "
        f"cache_size={CACHE_MB}, max_iter=-1)), prediction: argmax of decision_function",
        "grid: C = 10 ** linspace(-3, 6, 24)[c_index], "
        "gamma = 10 ** (linspace(-6, -2, 24) + log10(784 / 64))[gamma_index]",
    ]


def write(path, comments, columns, rows):
    with open(path, "w", encoding="ascii", newline="\n") as out:
        out.writelines(f"# {line}\n" for line in comments)
        out.write(columns + "\n")
        out.writelines(",".join(map(str, row)) + "\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="digits.csv.gz: 64 pixels, then the label, per row")
    parser.add_argument("cv_out", help="CSV to write: wrong held-out rows of each fold")
    parser.add_argument("refit_out", nargs="?",
                        help="CSV to write: wrong test rows after the refit; none: no refit")
    parser.add_argument("--tol", type=float, default=DEFAULT_TOL,
                        help="stopping tolerance of each SVC (default: %(default)g)")
    args = parser.parse_args()
    warnings.simplefilter("always")  # let no ConvergenceWarning pass unseen

    x, y = load(args.data)
    n_train = round(0.8 * len(y))
    bounds = [round(float(b)) for b in np.linspace(0, n_train, FOLDS + 1)]
    train, test = (x[:n_train], y[:n_train]), (x[n_train:], y[n_train:])
    row_ids = np.arange(n_train)

    start, ties = time.perf_counter(), 0
    cv_rows, refit_rows = [], []
    for gi in INDICES:
        for ci in INDICES:
            gamma, c = float(GAMMA_GRID[gi]), float(C_GRID[ci])
            errors = []
            for fold, (lo, hi) in enumerate(zip(bounds, bounds[1:])):
                held = (row_ids >= lo) & (row_ids < hi)
                wrong, tied = count_wrong((x[:n_train][~held], y[:n_train][~held]),
                                          (x[lo:hi], y[lo:hi]), gamma, c, args.tol)
                cv_rows.append((gi, ci, fold, repr(gamma), repr(c), wrong, hi - lo))
                errors.append(wrong)
                ties += tied
            line = f"gamma {gi:2} C {ci:2}: cv {sum(errors)}/{n_train} {errors}"
            if args.refit_out:
                wrong, tied = count_wrong(train, test, gamma, c, args.tol)
                refit_rows.append((gi, ci, wrong, len(test[1])))
                ties += tied
                line += f", test {wrong}/{len(test[1])}"
            print(f"{line}, {time.perf_counter() - start:.1f} s", flush=True)

    comments = header(args, (x, y), n_train, bounds)
    write(args.cv_out, comments + ["wrong: misclassified rows of the held-out fold"],
          "gamma_index,c_index,fold,gamma,C,wrong,size", cv_rows)
    if args.refit_out:
        write(args.refit_out, comments[:3] + comments[4:]
              + ["wrong: misclassified rows of the rest, after a fit on the whole training part"],
              "gamma_index,c_index,wrong,size", refit_rows)
    print(f"rows with a tied largest decision value: {ties}")


if __name__ == "__main__":
    main()
