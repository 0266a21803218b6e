# SPDX-License-Identifier: BSD-3-Clause
"""Where MNIST is."""

import os
import pathlib

from peers.measure import UsageError


def mnist_folder(data):
    """Where krossfold finds MNIST too."""
    places = [data] if data else []
    if not data and os.environ.get("KROSSFOLD_DATA"):
        places.append(pathlib.Path(os.environ["KROSSFOLD_DATA"]))
    if not data:
        cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        places.append(pathlib.Path(cache) / "krossfold")
    for place in places:
        if idx_file(place / "mnist", "train-images-idx3-ubyte"):
            return place / "mnist"
    raise UsageError(
        f"cannot find MNIST (looked for mnist/train-images-idx3-ubyte.gz in {', '.join(map(str, places))}) "
        "run tools/fetch-mnist, or give the folder above with --data"
    )


def idx_file(folder, name):
    return next((str(path) for path in (folder / name, folder / f"{name}.gz") if path.is_file()), None)
