# SPDX-License-Identifier: BSD-3-Clause
"""The command line of tools/scaling_study."""

import argparse
import os
import pathlib
import shutil

from scaling import batch, formations, rules


def positive(word):
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise argparse.ArgumentTypeError(f"'{word}' does not fit (a whole number from 1 is needed)")
    return int(word)


def numbers(word):
    return [str(positive(part)) for part in word.split(",")]


def formation_list(word):
    names = ["x".join(str(positive(part)) for part in name.split("x")) for name in word.split(",")]
    if not all(name.count("x") == 1 for name in names):
        raise argparse.ArgumentTypeError(f"'{word}' is no list of formations (each is NODESxRANKS) write 1x4,2x4, say")
    return names


def default_program(tools):
    if tools.parts[-3:] == ("share", "krossfold", "tools"):
        return str(tools.parents[2] / "bin" / "krossfold")
    built = tools.parent / "build" / "release" / "bin" / "krossfold"
    return os.environ.get("KROSSFOLD_EXECUTABLE") or os.environ.get("KROSSFOLD") or (str(built) if built.exists() else "krossfold")


def arguments_of(words, description, tools):
    """The parsed command line; `tools` is the folder of the tools."""
    parser = argparse.ArgumentParser(prog="scaling_study", description=description, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="scaling_study {svm,bag,train} -o FILE.h5 [OPTION]... -- OPTIONS-OF-KROSSFOLD...")  # fmt: skip
    add = parser.add_argument
    add("study", choices=sorted(rules.GROWS), help="what is run")
    add("-o", "--output", metavar="FILE.h5", type=pathlib.Path, required=True, help="where every run is kept; the same command continues")
    where = parser.add_mutually_exclusive_group().add_argument
    where("--ranks", metavar="LIST", type=numbers, help="numbers of ranks; the fewest are the base case (1,2)")
    where("--nodes", metavar="LIST", type=numbers, help="numbers of nodes, each with --ranks-per-node")
    where("--formation", metavar="LIST", type=formation_list, help="any nodes and ranks a node: 1x1,1x4,2x4")
    add("--ranks-per-node", metavar="N", type=positive, help="with --nodes (1)")
    add("--repeats", metavar="N", type=positive, default=6, help="runs of each (6: the fewest that give 95 %% confidence)")
    add("--kind", choices=("strong", "weak"), default="strong", help="the same work for all, or work that grows with the ranks (strong)")
    add("--time", choices=("process", "study"), default="process", help="what speed-up is of: the whole process, or without its set-up (process)")
    add("--launcher", metavar="COMMAND", default=os.environ.get("KROSSFOLD_LAUNCH"), help=f"starts the ranks; numbers are added (mpirun; of a batch job: {batch.LAUNCHER})")
    add("--krossfold", metavar="PROGRAM", default=default_program(tools), help="the program (%(default)s)")
    add("--max-time", type=positive, metavar="SECONDS", help="begin no run after this time; exit code 75")
    add("--retry-failed", action="store_true", help="run again what failed; the failures stay in the file")
    add("--sbatch", metavar="DIR", type=pathlib.Path, help="run nothing: write there the script of a job array with a task for each formation")
    add("--sbatch-options", metavar="OPTIONS", default="", help="more options of sbatch: --sbatch-options='--partition=gpu --time=1:00:00'")
    add("--collect", metavar="DIR", type=pathlib.Path, help="run nothing: take the runs that the array's tasks have stored there into FILE.h5")
    add("--only", metavar="FORMATION", help="run only this one, as the tasks of an array do")
    split = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:split])
    arguments.options = words[split + 1 :]
    for name in ("-o", "--output", "--max-time", "--dry-run"):
        if any(word == name or word.startswith(f"{name}=") for word in arguments.options):
            parser.error(f"{name} does not go after -- (every run has an output of its own and must end) leave it out")
    if arguments.ranks_per_node and not arguments.nodes:
        parser.error("--ranks-per-node is given without --nodes (it is the ranks of each of them) give --nodes, or --ranks alone")
    arguments.formations = formations.ordered(
        arguments.formation or arguments.ranks or [f"{n}x{arguments.ranks_per_node or 1}" for n in arguments.nodes or ()] or ["1", "2"]
    )
    if arguments.only and arguments.only not in arguments.formations:
        parser.error(f"--only {arguments.only} is not in this study (it has {', '.join(arguments.formations)}) name one of these")
    if arguments.sbatch and arguments.collect:
        parser.error("--sbatch and --collect exclude each other (the jobs run in between) give one of them")
    arguments.launcher = arguments.launcher or (batch.LAUNCHER if arguments.sbatch or arguments.collect else "mpirun")
    found = shutil.which(arguments.krossfold)
    if not found:
        parser.error(f"{arguments.krossfold} is no program (it was not built, or is not in PATH) name it with --krossfold")
    arguments.krossfold = str(pathlib.Path(found).resolve())
    return arguments
