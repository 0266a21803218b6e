# SPDX-License-Identifier: BSD-3-Clause
"""Formations, by their names: 2x4 is two nodes with four ranks each (docs/planning.md), 4 is four ranks wherever the launcher puts them."""

import os
import shlex

from scaling.rules import RuleError


def nodes(name):
    """None where the launcher chooses them."""
    return int(name.partition("x")[0]) if "x" in name else None


def ranks(name):
    return (nodes(name) or 1) * int(name.rpartition("x")[2])


def ordered(names):
    """By ranks, then by nodes, each once."""
    return sorted(set(names), key=lambda name: (ranks(name), nodes(name) or 0))


def described(name):
    if nodes(name) is not None:
        return name
    return f"{name} rank{'s' * (name != '1')}"


def launch(launcher, name):
    """The words that start the ranks of a formation. Throws RuleError where the launcher cannot be told the nodes."""
    try:
        words, total = shlex.split(launcher), ranks(name)
    except ValueError as error:
        raise RuleError(f"--launcher {launcher} is no command ({error}) quote it as for a shell") from error
    if not words:
        raise RuleError("--launcher is empty (a program has to start the ranks) leave it out for mpirun")
    if nodes(name) is None:
        return [*words, "-n", str(total)]
    each, program = total // nodes(name), os.path.basename(words[0])
    if program == "srun":
        return [*words, f"--nodes={nodes(name)}", f"--ntasks={total}", f"--ntasks-per-node={each}"]
    if program in ("mpirun", "mpiexec", "orterun"):
        return [*words, "-n", str(total), "--map-by", f"ppr:{each}:node"]
    raise RuleError(f"cannot place ranks on nodes with {words[0]} (only srun and Open MPI's mpirun are known) use one of these as --launcher, or --ranks")
