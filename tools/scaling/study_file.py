# SPDX-License-Identifier: BSD-3-Clause
"""The HDF5 file of a scaling study: settings as JSON in the attribute `settings`, one entry a run in each dataset of /run.

It has the user block of result files, is replaced as a whole after every run, and is verified when it is read.
"""

import io
import json
import os

from scaling import h5py, np
from krossfold.result_file import ResultFileError, open_result, strings, text, user_block, values

COLUMNS = {"formation": ("ranks of the run", "1", int), "round": ("round of repeats, from 0", "1", int), "exit_code": ("0 done, else failed", "1", int),
           "wall_seconds": ("wall time of the whole process, launcher included", "s", float),
           "study_seconds": ("wall time of units and refit, or of the steps of a training", "s", float),
           "setup_seconds": ("wall time before the first unit", "s", float), "started": ("start, UTC", "1", str), "host": ("host that launched", "1", str),
           "command": ("command line", "1", str), "digest": ("SHA-256 of all results but times and places", "1", str),
           "build": ("program, compiler, processor and BLAS", "1", str), "reason": ("why the run failed", "1", str)}  # fmt: skip


def write(path, settings, rows):
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file.attrs["kind"], file.attrs["settings"] = "scaling", json.dumps(settings)
        for name, (meaning, units, form) in COLUMNS.items():
            column = [row[name] for row in rows]
            data = np.array([str(word).encode() for word in column], dtype="S") if form is str else np.array(column, dtype=form)
            file[f"run/{name}"] = data
            file[f"run/{name}"].attrs.update(units=units, long_name=meaning)
    rest = stream.getvalue()
    fresh = path.with_name(path.name + ".new")
    with open(fresh, "wb") as out:
        out.write(user_block(rest) + rest)
        out.flush()
        os.fsync(out.fileno())
    os.replace(fresh, path)


def read(path):
    """(settings, rows). Throws ResultFileError."""
    with open_result(path, study="scaling") as file:
        if text(file, "kind") != "scaling":
            raise ResultFileError(f"{path} is no scaling study (its kind is {text(file, 'kind')}) give what tools/scaling_study wrote")
        columns = {name: (strings if form is str else values)(file, f"/run/{name}").tolist() for name, (_, _, form) in COLUMNS.items()}
        settings = json.loads(text(file, "settings"))
    return settings, [dict(zip(columns, row)) for row in zip(*columns.values())]
