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

SPARSE = "captures each array of sparse samples as a View; pointers would be shorter"
SCAN = "the sum that a scan carries has an address"
PATH = "captures all of Follow, which one team reads through a whole stretch of a path; a launch for each stretch"

# The numbers are those of sm_90 and CUDA 13.0; registers are rounded up to eight, as a GPU allots them.
SPECIAL = {
    ("kernels::backward_of_rows<16, Cuda> lambda 1", "registers"): Limit(168, "holds x and the sums of two rows for 16 samples"),
    ("kernels::dropout<Cuda> lambda 1", "stack"): Limit(16, "the words of a draw are indexed at run time"),
    ("kernels::refine_near<Cuda> lambda 1", "functor"): Limit(592, SPARSE),
    ("kernels::sparse_products<Cuda> lambda 1", "functor"): Limit(512, SPARSE),
    ("svm::Follow<Cuda>", "functor"): Limit(1496, PATH),
    ("svm::Follow<Cuda>", "registers"): Limit(184, "one team follows a path alone, so that no other needs the registers of its multiprocessor"),
    ("svm::Follow<Cuda>", "stack"): Limit(184, "its state has a frame, of which ptxas says that no register was spilled"),
    ("svm::add_row<Cuda> lambda 1", "functor"): Limit(640, "captures the points and the factor; a launch for each row of the factor"),
    ("svm::fill_rows<Cuda> lambda 1", "functor"): Limit(728, "of precise_rows.cpp: captures a source of rows for dense and sparse samples"),
    ("svm::choose_working_sets<Cuda> lambda 1", "stack"): Limit(128, "teams of 1,024 threads leave 64 registers for each, and it had 120"),
    ("svm::launch_smo<Cuda> lambda 1", "registers"): Limit(64, "its teams may have 1,024 threads, which have 65,536 registers between them"),
    ("svm::launch_smo<Cuda> lambda 1", "stack"): Limit(32, "1,024 threads leave 64 registers for each, and ptxas spills nine"),
    ("svm::launch_smo<Cuda> lambda 2", "stack"): Limit(96, "the form of 16 members a thread needs more than the 128 registers of 512 threads"),
    ("svm::list_members<Cuda, svm::find_direction<Cuda>(Cuda const&, svm::Lagrangian<Cuda> const&) lambda 1", "stack"): Limit(8, SCAN),
    ("svm::list_members<Cuda, svm::find_image<Cuda>(Cuda const&, svm::Lagrangian<Cuda> const&) lambda 1", "stack"): Limit(8, SCAN),
    ("svm::list_members<Cuda, svm::move<Cuda>(Cuda const&, svm::Lagrangian<Cuda> const&, double) lambda 1", "stack"): Limit(8, SCAN),
    ("svm::load<Cuda> lambda 1", "functor"): Limit(1512, PATH),
    ("svm::store<Cuda> lambda 1", "functor"): Limit(1512, PATH),
}


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
