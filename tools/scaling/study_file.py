# SPDX-License-Identifier: BSD-3-Clause
"""The HDF5 file of a scaling study: settings as JSON in the attribute `settings`, one entry a run in each dataset of /run.

It has the user block of result files, is replaced as a whole after every run, and is verified when it is read.
"""

import contextlib
import fcntl
import io
import json
import os
import tempfile

from scaling import h5py, np
from krossfold.result_file import ResultFileError, open_result, strings, text, user_block, values

VERSION = 2
COLUMNS = {"formation": ("ranks, or nodes x ranks a node", "1", str), "round": ("round of repeats, from 0", "1", int), "exit_code": ("0 done, else failed", "1", int),
           "wall_seconds": ("wall time of the whole process, launcher included", "s", float),
           "study_seconds": ("wall time of units and refit, or of the steps of a training", "s", float),
           "setup_seconds": ("wall time before the first unit", "s", float), "started": ("start, UTC", "1", str), "host": ("host that launched", "1", str),
           "hosts": ("nodes of the ranks, separated by blanks", "1", str), "cores": ("cores that the launcher may use on its host", "1", int),
           "command": ("command line", "1", str), "digest": ("SHA-256 of all results but times and places", "1", str),
           "build": ("program, compiler, processor and BLAS", "1", str), "reason": ("why the run failed", "1", str)}  # fmt: skip


@contextlib.contextmanager
def held(path):
    """No other scaling_study writes the file meanwhile. Throws ResultFileError if one does."""
    try:
        place = path.with_name(f".{path.name}.lock")
        lock = os.fdopen(os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666), "r+b")
    except OSError as error:
        raise ResultFileError(f"cannot write beside {path} ({error.strerror}) make its folder, or name another -o") from error
    with lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ResultFileError(f"another scaling_study writes {path} (its lock is held) wait for its end, or name another -o") from error
        yield


def write(path, settings, rows):
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file.attrs["kind"], file.attrs["settings"] = "scaling", json.dumps(settings)
        for name, (meaning, units, form) in COLUMNS.items():
            column = [row[name] for row in rows]
            data = np.array([os.fsencode(str(word)) for word in column], dtype="S") if form is str else np.array(column, dtype=form)
            file[f"run/{name}"] = data
            file[f"run/{name}"].attrs.update(units=units, long_name=meaning)
    rest = stream.getvalue()
    umask = os.umask(0)
    os.umask(umask)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp", delete=False) as out:
        try:
            out.write(user_block(rest) + rest)
            out.flush()
            os.fsync(out.fileno())
            os.fchmod(out.fileno(), 0o666 & ~umask)
            os.replace(out.name, path)
        except BaseException:
            os.unlink(out.name)
            raise


def settings_of(path, file):
    """The settings, those of version 1 in the form of version 2 (and the cores, which were a setting). Throws ResultFileError."""
    try:
        settings = json.loads(text(file, "settings"))
        version = int(settings["version"])
    except (ValueError, KeyError, TypeError) as error:
        raise ResultFileError(f"{path} has no settings of a scaling study (its attribute `settings` is no JSON of one) give another file") from error
    if version > VERSION:
        raise ResultFileError(f"{path} is of a newer scaling_study (version {version}, known: up to {VERSION}) update Krossfold")
    cores = settings.pop("cores", 0)
    if version == 1:
        settings |= {"version": VERSION, "formations": [str(p) for p in settings.pop("ranks")]}
    return settings, cores


def read(path):
    """(settings, rows). Throws ResultFileError."""
    with open_result(path, study="scaling") as file:
        if text(file, "kind") != "scaling":
            raise ResultFileError(f"{path} is no scaling study (its kind is {text(file, 'kind')}) give what tools/scaling_study wrote")
        settings, cores = settings_of(path, file)
        first = {"formation": int, "hosts": None, "cores": None} if "run/hosts" not in file else {}  # version 1
        forms = {name: first.get(name, form) for name, (_, _, form) in COLUMNS.items()}
        columns = {name: (strings if form is str else values)(file, f"/run/{name}").tolist() for name, form in forms.items() if form}
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    return settings, [{"hosts": "", "cores": cores, **row, "formation": str(row["formation"])} for row in rows]
