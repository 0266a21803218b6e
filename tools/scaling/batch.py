# SPDX-License-Identifier: BSD-3-Clause
"""Scaling studies as job arrays of Slurm: the batch script, the files of its tasks, and what these hold together."""

import pathlib
import shlex

from scaling import formations, study_file
from krossfold.result_file import ResultFileError

SCRIPTS = pathlib.Path(__file__).resolve().parents[1] / "slurm"
# That of the scripts there.
LAUNCHER = "srun --mpi=pmix --kill-on-bad-exit=1"

SCRIPT = """#!/usr/bin/env bash
# A job array that tools/scaling_study wrote (docs/scaling.md). Each task times one formation and stores its runs in a file of its own;
# a task that meets its end goes on when it is queued again. Once all have ended, this merges their files:
#   {collect}
#SBATCH --job-name=krossfold-scaling
#SBATCH --array=0-{last}
{size}
#SBATCH --exclusive
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR2@120
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output={log}
{options}source {job}
formations=({formations})
formation=${{formations[SLURM_ARRAY_TASK_ID]:?no formation for this array index}}
cd {folder} || exit
echo "formation $formation on ${{SLURM_JOB_NODELIST:-$HOSTNAME}}"
run_step {command}
status=''
requeue_or_exit
"""


def task_file(folder, output, formation):
    return folder / f"{output.stem}.{formation}.h5"


def size_of(names):
    """The #SBATCH options that have room for every formation."""
    if any(formations.nodes(name) is None for name in names):
        return f"#SBATCH --ntasks={max(map(formations.ranks, names))}"
    most = max(formations.ranks(name) // formations.nodes(name) for name in names)
    return f"#SBATCH --nodes={max(map(formations.nodes, names))}\n#SBATCH --ntasks-per-node={most}"


def write_script(folder, output, names, options, command, collect):
    """Writes the script of the array. `command` runs one formation into a file, given as words of the shell. Throws ResultFileError where
    another script is in its place. Returns its path."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{output.stem}.sbatch"
    script = SCRIPT.format(
        collect=collect.replace("\n", "\n#   "),
        last=len(names) - 1,
        size=size_of(names),
        log=shlex.quote(f"{folder}/%x.%A-%a.out"),
        options="".join(f"#SBATCH {shlex.quote(word)}\n" for word in options),
        job=shlex.quote(str(SCRIPTS / "job.sh")),
        formations=" ".join(names),
        folder=shlex.quote(str(pathlib.Path.cwd())),
        command=command('"$formation"', f'{shlex.quote(f"{folder}/{output.stem}")}."$formation".h5'),
    )
    if path.exists() and path.read_text(encoding="utf-8") != script:
        raise ResultFileError(f"{path} is there and differs (no script is overwritten) remove it to go on with its tasks' files, or name another folder")
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return path


def submissions(script, names):
    """Lines that submit the array with the most nodes for every task, and each formation with its own."""
    quoted = shlex.quote(str(script))
    yield f"sbatch {quoted}"
    if len({formations.nodes(name) for name in names}) > 1 and all(formations.nodes(name) for name in names):
        yield from (f"sbatch --array={k} --nodes={formations.nodes(name)} {quoted}" for k, name in enumerate(names))


def collected(settings, rows, folder, output):
    """The rows of the study and those of its tasks' files, in the order of the rounds. Throws ResultFileError where two hold the same run."""
    known = {str(row) for row in rows}
    merged, found = list(rows), False
    for name in settings["formations"]:
        path = task_file(folder, output, name)
        if not path.exists():
            continue
        found = True
        its, fresh = study_file.read(path)
        if other := [key for key in settings if its.get(key) != settings[key]]:
            raise ResultFileError(f"{path} is of another study (its {other[0]} is {its.get(other[0])}, not {settings[other[0]]}) name another folder")
        merged += [row for row in fresh if str(row) not in known]
    if not found:
        raise ResultFileError(f"{folder} has no files of this study (no task has stored a run) submit its script, then collect")
    done = [(row["round"], row["formation"]) for row in merged if row["exit_code"] == 0]
    for r, name in sorted(set(done)):
        if done.count((r, name)) > 1:
            raise ResultFileError(f"{output} and {task_file(folder, output, name)} hold different runs of round {r + 1} on {formations.described(name)} "
                                  "(neither replaces the other) collect into another -o")  # fmt: skip
    places = settings["formations"]
    return sorted(merged, key=lambda row: (row["round"], places.index(row["formation"]), row["started"]))
