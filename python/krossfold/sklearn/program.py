# SPDX-License-Identifier: BSD-3-Clause
"""Finding and running the program krossfold."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import warnings

MESSAGE = "krossfold: error: "
WARNING = "warning: "
PARAMETERS = {"c": "C", "gamma": "gamma"}  # of the estimators, by the options that the program advises


class KrossfoldError(ValueError):
    """The program refused its input, or failed; the message is its own."""


class KrossfoldWarning(UserWarning):
    """The program warns of something, in its own words."""


def find_program(program=None):
    """The path of the program: `program`, else $KROSSFOLD, else krossfold in PATH. Throws KrossfoldError if it is not there."""
    wanted = program or os.environ.get("KROSSFOLD") or "krossfold"
    found = shutil.which(wanted)
    if found is None:
        where = "the parameter program" if program else "$KROSSFOLD" if os.environ.get("KROSSFOLD") else "PATH"
        raise KrossfoldError(f"cannot find the program krossfold ('{wanted}' by {where} is no program) build it, then give its path with "
                             "the parameter program or in the environment variable KROSSFOLD")  # fmt: skip
    return found


@contextlib.contextmanager
def work_folder(output, launcher=None):
    """(folder for what is only passed on, path of the result file): the file lies in the folder too unless an output is named.

    A launcher may start the program on other nodes: the folder then lies beside the output, which they share.
    """
    with tempfile.TemporaryDirectory(prefix="kf-", dir=pathlib.Path(output).resolve().parent if output and launcher else None) as folder:
        yield pathlib.Path(folder), pathlib.Path(folder) / "r.h5" if output is None else pathlib.Path(output)


def in_python(advice):
    """The options in the program's advice as parameters of the estimators."""
    advice = re.sub("--log10-(c|gamma)( or --[a-z-]*)?", lambda found: PARAMETERS[found[1]], advice)
    advice = advice.replace("--kernel-function linear", "kernel='linear'")
    return advice.replace("--select-by balanced-error or roc-auc", "scoring='balanced_accuracy' or 'roc_auc'")


def run(words, program=None, launcher=None, report=False):
    """Runs `krossfold WORDS`, after the words of a launcher such as ["mpirun", "-n", "4"].

    Its warnings, and with report those of the report that it prints, become KrossfoldWarnings, its errors a KrossfoldError.
    """
    if launcher and isinstance(launcher, str):
        raise ValueError(f"launcher is {launcher!r} (it is a list of words) say launcher={launcher.split()}")
    command = [*map(str, launcher or []), find_program(program), *words]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise KrossfoldError(f"cannot start {command[0]} ({error.strerror}) check the parameters launcher and program") from error
    lines = done.stderr.splitlines()
    said = lines + done.stdout.splitlines() if report else lines
    for text in dict.fromkeys(line.strip() for line in said):  # reports repeat what was said of the data
        if text.startswith(WARNING):
            warnings.warn(in_python(text[len(WARNING) :]), KrossfoldWarning, stacklevel=3)
    if done.returncode == 0:
        return
    said = [line[len(MESSAGE) :] for line in lines if line.startswith(MESSAGE)]
    if done.returncode == 75 and not said:
        said = ["the study was stopped before it finished; with the parameter output, another fit continues it"]
    raise KrossfoldError(" ".join(said) or f"{' '.join(command[:4])} ... ended with exit code {done.returncode}: {done.stderr[-2000:].strip()}")
