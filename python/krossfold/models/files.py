# SPDX-License-Identifier: BSD-3-Clause
"""From a result file, a model file or a folder of models to what predicts, as `krossfold predict` finds it."""

import pathlib

from ..checksum import crc64
from ..result_file import ResultFileError
from .characters import CharacterModel
from .contents import Contents
from .networks import Networks, joined
from .svm import SvmModel

ENDINGS = (".h5", ".hdf5")


def load_model(path):
    """The model of a model file, of a result file, whose models lie beside it, or of a folder NAME.ID.models.

    Throws ResultFileError if there is none, or if it is damaged or not the one that the result file was written with.
    """
    from ..open_file import open as open_result

    path = pathlib.Path(path)
    if not path.is_dir():
        return open_result(path).model()
    return _load([open_result(file) for file in _models_in(path)])


def model_of(result):
    """The model of a Result, which is that of a model file or of a study."""
    from ..open_file import open as open_result

    if result.status == "unknown":  # only the results of studies have a status
        return _load([result])
    threshold = Contents(result).numbers("/ood/threshold") if "/ood/threshold" in result else None
    files = [open_result(path) for path in _models_of_study(result)]
    return _load(files, None if threshold is None or not threshold.size else float(threshold[0]))


def _load(files, threshold=None):
    """The model of one or several files; threshold: the entropy above which a sample is unlike the training images."""
    files = [Contents(file) for file in files]
    kind = files[0].kind
    if kind in ("svm-model", "svm-parts-model"):
        return SvmModel(files[0])
    if kind == "lstm-model":
        return CharacterModel(files[0])
    if kind == "network-model":
        return Networks(joined(files), threshold)
    raise ResultFileError(f"{files[0].path} holds no model (its kind is {kind or 'unknown'}) give a result file or a model file of krossfold")


def _models_in(folder):
    """svm.h5, lstm.h5 or network.h5; otherwise, by their numbers, the networks bootstrap_*.h5 or the parts network-*.h5."""
    for only in ("svm.h5", "lstm.h5", "network.h5"):
        if (folder / only).exists():
            return [folder / only]
    found = [*folder.glob("bootstrap_*.h5"), *folder.glob("network-*.h5")]
    if not found and (folder / "lstm_00.h5").exists():
        raise ResultFileError(f"{folder} has character models of several trainings (it does not say which is the best) name one of them, or the "
                              "result file")  # fmt: skip
    if not found:
        raise ResultFileError(f"there is no model in {folder} (svm.h5 is missing, and so are lstm.h5, network.h5 and bootstrap_00.h5) name a "
                              "folder NAME.ID.models")  # fmt: skip
    return sorted(found, key=lambda path: (len(path.name), path.name))  # numbers have two digits or more


def _models_folder(path, run_id):
    """Where the models of a result file lie: NAME.ID.models, also under the name that the result file had before (storage/journal.cpp)."""
    if set(run_id) - set("0123456789abcdef"):  # the result file may be of a stranger
        raise ResultFileError(f"{path} has a run id that is none ({run_id}) name the model file itself")
    name = str(path)
    ending = next((ending for ending in ENDINGS if name.endswith(ending) and name != ending), "")
    usual = pathlib.Path(f"{name.removesuffix(ending)}{'.' if run_id else ''}{run_id}.models")
    if not run_id or usual.exists():
        return usual
    return next(iter(sorted(pathlib.Path(path).parent.glob(f"*.{run_id}.models"))), usual)


def _models_of_study(result):
    """The model files that a result file names. Throws ResultFileError unless they are those that were written with it."""
    about = Contents(result)
    names, checksums = about.word("model", "").split(), about.word("model_checksum", "").split()
    if not names and "/final/model" in result:  # of bagging, in files of version 1
        names, checksums = about.words("/final/model"), about.words("/final/model_checksum")
    named = [(name, checksum) for name, checksum in zip(names, [*checksums, *[""] * len(names)]) if name]
    if not named:
        unfinished = result.status in ("running", "stopped")
        why = "the study is not finished" if unfinished else "it ran without a refit, or its final fits failed or diverged"
        hint = "run its command again to finish it" if unfinished else "its report says what became of its units"
        raise ResultFileError(f"{result.path} has no model ({why}) {hint}")
    folder, paths = _models_folder(result.path, about.word("run_id", "")), []
    for name, checksum in named:
        if "/" in name or "\\" in name or name in (".", ".."):
            raise ResultFileError(f"{result.path} names a model that is not its own ({name}) name the model file itself")
        paths.append(folder / name)
        if not paths[-1].is_file():
            raise ResultFileError(f"{paths[-1]} is missing ({result.path} says that its model is there) keep the folder of models beside its "
                                  "result file")  # fmt: skip
        if f"{crc64(paths[-1].read_bytes()):x}" != checksum:
            raise ResultFileError(f"{paths[-1]} is not the model that {result.path} was written with (its checksum differs) name the model file "
                                  "itself to use it all the same")  # fmt: skip
    return paths
