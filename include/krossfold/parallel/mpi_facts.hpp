// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the MPI library granted and can do.

#include <string>

namespace krossfold::parallel {

/// Which threads of a process may call MPI, in ascending order.
enum class ThreadLevel { single, funneled, serialized, multiple };

/// What MPI granted at its start.
ThreadLevel thread_level();

/// "MPI_THREAD_MULTIPLE".
std::string name_of(ThreadLevel level);

/// Throws a run error unless MPI granted at least MPI_THREAD_SERIALIZED, which every run needs: a thread of its own receives
/// messages while the main thread computes.
void require_threads();

/// True if MPI accepts pointers to the memory of accelerators: if Open MPI reports support for CUDA, or with
/// MPICH_GPU_SUPPORT_ENABLED=1.
bool gpu_aware();

}  // namespace krossfold::parallel
