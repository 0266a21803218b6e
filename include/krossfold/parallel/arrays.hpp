// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Collective operations on arrays in the memory of any execution space. Device memory is passed to MPI directly if the
// library supports it, else staged in host memory.

#include <cstdint>
#include <span>

#include "krossfold/core/view.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// True if MPI accepts pointers to the memory of Exec: host memory, or device memory if Open MPI reports support for it
/// or MPICH_GPU_SUPPORT_ENABLED=1. Otherwise arrays must be staged in host memory.
template <class Exec>
bool mpi_accepts();

/// Broadcasts the root's numbers into `numbers`, which has the same length on all ranks.
template <class Exec>
void broadcast(const Communicator& comm, const Vector<float, Exec>& numbers);

/// All-gather in place: rank r contributes numbers begin[r] ... begin[r + 1] - 1. Throws a run error, on all ranks, if
/// there are too many for MPI's counts.
template <class Exec>
void all_gather(const Communicator& comm, const Vector<float, Exec>& numbers, std::span<const std::int64_t> begin);

/// Replaces each number by its sum over all ranks, added in an order that MPI chooses.
void all_sum(const Communicator& comm, std::span<double> numbers);

}  // namespace krossfold::parallel
