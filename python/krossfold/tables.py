# SPDX-License-Identifier: BSD-3-Clause
"""Datasets of a result as tables of pandas and xarray, which are imported only here and only when asked for."""

import importlib

import numpy as np


def required(module, purpose):
    """The module. Throws ImportError with what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        raise ImportError(f"{purpose} needs {module} ({missing}) install it: pip install {module}") from missing


def _coordinates(result, path):
    """{axis: values along it}; numbers from 0 where the file does not say."""
    shape = np.shape(result[path])
    found = {}
    for axis, size in zip(result.axes(path), shape):
        values = result.coordinate(path, axis)
        found[axis] = values if values is not None and np.shape(values) == (size,) else np.arange(size)
    return found


def to_pandas(result, paths):
    """See Result.to_pandas."""
    pandas = required("pandas", "to_pandas")
    paths = list(dict.fromkeys(paths))
    if not paths:
        raise ValueError("to_pandas takes the paths of datasets, for example /fold_error")
    axes = {path: result.axes(path) for path in paths}
    if len(set(axes.values())) > 1:
        raise ValueError(f"these datasets have different axes ({axes}) take those of the same axes together")
    coordinates = _coordinates(result, paths[0])
    for path in paths[1:]:
        for axis, values in _coordinates(result, path).items():
            if not pandas.Index(values).equals(pandas.Index(coordinates[axis])):
                raise ValueError(f"{paths[0]} and {path} have different values along {axis} (each group of a file may have axes of its own) make a "
                                 "table of each")  # fmt: skip
    names = [path.rsplit("/", 1)[1] for path in paths]
    columns = {path if names.count(name) > 1 else name: np.ravel(result[path]) for path, name in zip(paths, names)}
    if not coordinates:
        return pandas.DataFrame(columns)
    if len(coordinates) == 1:
        ((axis, values),) = coordinates.items()
        index = pandas.Index(values, name=axis)
    else:
        index = pandas.MultiIndex.from_product(coordinates.values(), names=coordinates.keys())
    return pandas.DataFrame(columns, index=index)


def to_xarray(result, group):
    """See Result.to_xarray."""
    xarray = required("xarray", "to_xarray")
    prefix = "/" + group.strip("/") if group.strip("/") else ""
    variables, coordinates = {}, {}
    for path in result.datasets(group):
        place, name = path.rsplit("/", 1)
        if place != prefix:
            continue
        attributes = {"units": result.units(path), "long_name": result.meaning(path)}
        axes = result.axes(path)
        if axes == (name,):
            coordinates[name] = (axes, result[path], attributes)
            continue
        # Files of version 1 give both axes of a confusion matrix the same name.
        axes = tuple(axis if axis not in axes[:k] else f"{axis}_{k}" for k, axis in enumerate(axes))
        variables[name] = (axes, result[path], attributes)
        for axis, values in _coordinates(result, path).items():
            coordinates.setdefault(axis, ((axis,), values))
    return xarray.Dataset(variables, coordinates, result.attributes if not prefix else {})
