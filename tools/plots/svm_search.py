# SPDX-License-Identifier: BSD-3-Clause
"""What a result file of krossfold svm says of its (C, gamma) grid, in any measure of the folds."""

from dataclasses import dataclass

from plots import h5py, np
from plots.command import PlotError
from plots.style import plain
from krossfold.result_file import ResultFileError, data_name, has, open_result, option_value, repeats, text, values

TIE = 1e-9  # relative: sums over folds in another order round differently


@dataclass
class Metric:
    """How the values of a dataset (gamma, C, fold) are shown. better is min, max or None where nothing says which."""

    name: str
    axis: str
    better: object = None
    percent: bool = False
    of: str = ""  # of what these are percent

    @property
    def unit(self):
        return f" (% {self.of})" if self.of else " (%)" if self.percent else ""

    def text(self, value):
        if np.isnan(value):
            return "undefined"
        return f"{value:.2f} %" if self.percent else f"{value:.4g}"


METRICS = {
    metric.name: metric
    for metric in (
        Metric("error", "error", min, True, "of the held-out samples"),
        Metric("balanced-error", "balanced error", min, True, "of a class, mean over classes"),
        Metric("f1-macro", "F1, mean over classes", max),
        Metric("precision-macro", "precision, mean over classes", max),
        Metric("recall-macro", "recall, mean over classes", max),
        Metric("mcc", "Matthews correlation coefficient", max),
        Metric("roc-auc", "area under the ROC curve", max),
        Metric("average-precision", "average precision", max),
        Metric("log-loss", "log loss (nats)", min),
        Metric("brier", "Brier score", min),
    )
}


def find_metric(file, name):
    """(metric, dataset) of a measure of METRICS or of the path of a dataset."""
    if name == "error":
        return METRICS["error"], "/fold_error"
    for path in (f"/measure/{name.replace('-', '_')}", "/" + name.strip("/")):
        if has(file, path):
            known = METRICS.get(name) or METRICS.get(path.rsplit("/", 1)[1].replace("_", "-") if path.startswith("/measure/") else "")
            return known or Metric(name.strip("/").replace("/", "-"), path), path
    raise PlotError(f"there is no measure '{name}' in it (it has {', '.join(drawable(file))}) name one of these with --metric")


def drawable(file):
    """What --metric can name: every dataset of the shape of /fold_error."""
    shape, found = np.shape(values(file, "/fold_error")), []

    def visit(name, place):
        if isinstance(place, h5py.Dataset) and place.shape == shape and place.dtype.kind in "fiu" and not name.startswith("refine/"):
            found.append(name.removeprefix("measure/").replace("_", "-") if name.startswith("measure/") else name)

    file.visititems(visit)
    return ["error", *sorted(name for name in found if name != "fold_error")]


class Search:
    """Axes as log10, values of the metric (gamma, C, fold), errors in percent; the best cell (gamma, C) or None.

    computed (gamma, C): whether every fold of a cell is. mean (gamma, C): over the folds in which the metric is defined, as the program and the
    package take it; NaN where there are none and where the cell is not computed.
    """

    def __init__(self, path, verify=True, metric="error"):
        with open_result(path, verify) as file:
            axes = [np.atleast_1d(values(file, name)) for name in ("/C", "/gamma")]
            self.metric, dataset = find_metric(file, metric)
            found, error = values(file, dataset), values(file, "/fold_error")
            self.kernel = option_value(file, "kernel-function", "rbf")
            self.best = None
            if isinstance(file.get("best"), h5py.Group) and "C_index" in file["best"]:
                index = [values(file, f"/best/{name}_index") for name in ("gamma", "C")]
                if any(np.size(value) != 1 for value in index):
                    raise ResultFileError("its /best/gamma_index and /best/C_index are not single numbers")
                self.best = tuple(int(value) for value in index)
            self.refined = None  # (log10 C, log10 gamma, error in percent) of a best cell between those of the grid
            if self.best is not None and "round" in file["best"] and np.any(values(file, "/best/round") != 0):
                refined = [values(file, f"/best/{name}") for name in ("C_value", "gamma_value", "error")]
                if any(np.size(value) != 1 for value in refined) or not min(refined[:2]) > 0:
                    raise ResultFileError("its /best/C_value, /best/gamma_value and /best/error are not single numbers")
                self.refined = (*(float(value) for value in np.log10(refined[:2])), 100 * float(refined[2]))
            self.repeats = repeats(file)
            self.data, self.n_train = data_name(text(file, "data")), file.attrs.get("n_train")
        if any(axis.ndim != 1 or axis.size == 0 or not np.all(axis > 0) for axis in axes):
            raise ResultFileError("its /C and /gamma are not lists of positive numbers")
        self.log_c, self.log_gamma = (np.log10(axis) for axis in axes)
        shape = (self.log_gamma.size, self.log_c.size)
        if np.ndim(found) != 3 or found.shape[:2] != shape or found.shape[2] == 0:
            raise ResultFileError(f"its {dataset} has shape {np.shape(found)} where {shape} and folds were expected")
        self.values = np.asarray(found, dtype=float) * (100 if self.metric.percent else 1)
        if np.ndim(error) != 3 or error.shape[:2] != shape:
            raise ResultFileError(f"its /fold_error has shape {np.shape(error)} where {shape} and folds were expected")
        self.computed = np.isfinite(error).all(axis=2)
        known = self.computed & np.isfinite(self.values).any(axis=2)
        self.mean = np.full(shape, np.nan)
        self.mean[known] = np.nanmean(self.values[known], axis=1)
        self.nearest = False  # whether `best` is the cell of the grid that is nearest to the best cell of a round
        if self.refined is not None:  # the index of the best cell is one into its round, not into the grid
            if not self.computed.any():
                raise ResultFileError("its best cell has a round, though no cell of the grid was computed")
            tied = self.tied()
            self.nearest = not tied.any()
            nearest = (np.abs(self.log_gamma - self.refined[1]).argmin(), np.abs(self.log_c - self.refined[0]).argmin())
            self.best = nearest if self.nearest else tuple(np.argwhere(tied.T)[0][::-1])
        if self.best is not None and not all(0 <= index < size for index, size in zip(self.best, shape)):
            raise ResultFileError(f"its best cell {self.best} lies outside the grid of {shape} cells")

    @property
    def folds(self):
        return self.values.shape[2]

    @property
    def has_gamma(self):
        return self.kernel in ("rbf", "polynomial")

    def cell_text(self, log_c, log_gamma):
        return f"C = {10**log_c:.4g}" + (f", γ = {10**log_gamma:.4g}" if self.has_gamma else "")

    def tied(self):
        """(gamma, C): the cells of the grid whose mean is the best there is. Of a metric without a better side none."""
        known = self.mean[np.isfinite(self.mean)]
        if known.size == 0 or self.metric.better is None:
            return np.zeros(self.mean.shape, dtype=bool)
        best = self.metric.better(known)
        return np.abs(self.mean - best) <= TIE * max(abs(best), 1e-3)

    def heading(self):
        samples = f", {self.n_train:,} training samples" if isinstance(self.n_train, np.integer) else ""
        repeated = f", {self.repeats} repeats" if self.repeats > 1 else ""
        return f"{plain(self.data)}: {self.folds // self.repeats}-fold cross-validation{repeated}{samples}"

    def best_text(self):
        if self.best is None:
            return "search not finished: no best cell yet"
        gamma, c = self.best
        if self.refined is not None:
            log_c, log_gamma, error = self.refined
            return f"best, refined: error {error:.2f} % at {self.cell_text(log_c, log_gamma)}"
        best = "best" if self.computed.all() else "best so far"
        if not self.tied()[self.best]:  # chosen by another measure than the one that is drawn
            best = "cell chosen"
        value = f"{self.metric.axis.split(' (')[0]} {self.metric.text(self.mean[self.best])}"
        return f"{best}: {value} at {self.cell_text(self.log_c[c], self.log_gamma[gamma])}"


def edges(centres):
    """The borders of the cells around the centres."""
    if centres.size == 1:
        return centres[0] + np.array([-0.5, 0.5])
    middle = (centres[1:] + centres[:-1]) / 2
    return np.concatenate(([2 * centres[0] - middle[0]], middle, [2 * centres[-1] - middle[-1]]))


def outline(chosen, across, up):
    """The segments [(x, y), (x, y)] between chosen cells (row, column) and others; across, up: borders of the cells."""
    padded = np.pad(chosen, 1)
    segments = []
    for row, column in np.argwhere(padded[1:, 1:-1] != padded[:-1, 1:-1]):  # above and below
        segments.append([(across[column], up[row]), (across[column + 1], up[row])])
    for row, column in np.argwhere(padded[1:-1, 1:] != padded[1:-1, :-1]):  # left and right
        segments.append([(across[column], up[row]), (across[column], up[row + 1])])
    return segments
