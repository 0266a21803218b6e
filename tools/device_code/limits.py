# SPDX-License-Identifier: BSD-3-Clause
"""How much each kernel may take of a GPU, and which are known to take more. A new one that does so is a finding."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    most: int
    why: str


UNITS = {
    "registers": "registers for each thread",
    "stack": "bytes of local memory for each thread",
    "functor": "bytes of functor",
}

GENERAL = {
    "registers": Limit(128, "so that 512 threads fit a multiprocessor, which has 65,536"),
    "stack": Limit(0, "an array indexed at run time, or registers spilled, are in global memory"),
    "functor": Limit(511, "Kokkos copies larger ones to constant memory, where the next launch waits for the kernel before"),
}

SPECIAL = {}


def excesses(needs):
    """A line for each limit that one of the project's own kernels exceeds."""
    for need in needs:
        for what, unit in UNITS.items():
            limit, taken = SPECIAL.get((need.name, what), GENERAL[what]), getattr(need, what)
            if need.ours and taken > limit.most:
                yield (
                    f"{need.where}: {need.name} takes {taken} {unit} on sm_{need.arch} (at most {limit.most}: {limit.why}) "
                    "make it smaller, or say in tools/device_code/limits.py why it may"
                )
