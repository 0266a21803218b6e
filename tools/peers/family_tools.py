# SPDX-License-Identifier: BSD-3-Clause
"""The programs that bench_peers svm --data-set compares with krossfold, in the order of tables and plots."""

from typing import NamedTuple

GAP = 0.001  # of the peer gap: krossfold again, with --gap


class Tool(NamedTuple):
    title: str
    multiclass: str  # the krossfold --multiclass that does the same
    packages: tuple = ()  # to install with pip


TOOLS = {
    "sklearn-ovr": Tool("scikit-learn, one-vs-rest", "ovr", ("scikit-learn",)),
    "sklearnex-ovr": Tool("scikit-learn-intelex, one-vs-rest", "ovr", ("scikit-learn", "scikit-learn-intelex")),
    "sklearn-ovo": Tool("scikit-learn, one-vs-one", "ovo", ("scikit-learn",)),
    "libsvm": Tool("LIBSVM, one-vs-one", "ovo", ("libsvm-official",)),
    "liquidsvm": Tool("liquidSVM", "ovr"),
    "torchkm": Tool("TorchKM", "ovr", ("torchkm", "torch")),
    "before": Tool("an earlier krossfold", "ovr"),
    "gap": Tool(f"krossfold --gap {GAP:g}", "ovr"),
}
BINARY_ONLY = ("torchkm",)
SAMPLED = ("sklearn-ovr", "sklearnex-ovr", "sklearn-ovo", "libsvm")  # run some cells of the grid, one at a time


def packages_of(names):
    """The packages of these peers, each once."""
    return tuple(dict.fromkeys(package for name in names for package in TOOLS[name].packages))


def own_name(tool):
    """The krossfold beside which a peer runs, as tables name it."""
    return "krossfold-ovo" if TOOLS[tool].multiclass == "ovo" else "krossfold"
