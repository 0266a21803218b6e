# SPDX-License-Identifier: BSD-3-Clause
"""Weak scaling: the option that multiplies the work of each kind of study.

svm: --repeats, as each draws new folds for the same grid.  bag: --bootstraps, each with its own search.  train: --batch and --epochs
together, so that every rank takes the same number of steps over the same number of samples.
"""

GROWS = {"svm": {"repeats": 1}, "bag": {"bootstraps": 12}, "train": {"batch": None, "epochs": None}}


class RuleError(Exception):
    """A message in the form PROBLEM (WHY) SUGGESTION."""


def value_of(options, name):
    """The value of --name among the options, None if it is not there."""
    found = None
    for k, word in enumerate(options):
        if word == f"--{name}" and k + 1 < len(options):
            found = options[k + 1]
        elif word.startswith(f"--{name}="):
            found = word.partition("=")[2]
    return found


def without(options, name):
    kept, skip = [], False
    for word in options:
        if skip or word == f"--{name}":
            skip = not skip
        elif not word.startswith(f"--{name}="):
            kept.append(word)
    return kept


def grown(study, options, factor):
    """The options for `factor` times the work. Throws RuleError where the rule does not apply."""
    if study == "train" and value_of(options, "strategy") in ("single", "model-parallel"):
        raise RuleError(f"--strategy {value_of(options, 'strategy')} has no weak scaling (ranks share no batch) use ddp or data-parallel")
    if any(word == "--config" or word.startswith("--config=") for word in options):
        raise RuleError("--config has no weak scaling (its file may set what grows with the ranks) give its options after --")
    result = list(options)
    for name, default in GROWS[study].items():
        word = value_of(result, name)
        if word is None and default is None:
            raise RuleError(f"--{name} is not given (weak scaling multiplies it) give --{name} N after --")
        if word is not None and not (word.isascii() and word.isdigit() and int(word) > 0):
            raise RuleError(f"--{name} {word} cannot grow (a whole number is needed) give --{name} N after --")
        result = [*without(result, name), f"--{name}", str(factor * int(word or default))]
    return result
