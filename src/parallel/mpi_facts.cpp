// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/parallel/mpi_facts.hpp"

#include <cstdlib>

#include "krossfold/core/error.hpp"
#include "krossfold/parallel/communicator.hpp"

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace krossfold::parallel {

ThreadLevel thread_level() {
  int granted = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&granted), "MPI_Query_thread");
  if (granted >= MPI_THREAD_MULTIPLE) return ThreadLevel::multiple;
  if (granted >= MPI_THREAD_SERIALIZED) return ThreadLevel::serialized;
  return granted >= MPI_THREAD_FUNNELED ? ThreadLevel::funneled : ThreadLevel::single;
}

std::string name_of(ThreadLevel level) {
  switch (level) {
    case ThreadLevel::single:
      return "MPI_THREAD_SINGLE";
    case ThreadLevel::funneled:
      return "MPI_THREAD_FUNNELED";
    case ThreadLevel::serialized:
      return "MPI_THREAD_SERIALIZED";
    case ThreadLevel::multiple:
      break;
  }
  return "MPI_THREAD_MULTIPLE";
}

void require_threads() {
  if (thread_level() >= ThreadLevel::serialized) return;
  throw_run_error("this MPI library allows only the main thread to call it", "", "Use one built with thread support.");
}

bool gpu_aware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  if (MPIX_Query_cuda_support() == 1) return true;
#endif
  const char* mpich = std::getenv("MPICH_GPU_SUPPORT_ENABLED");
  return mpich != nullptr && std::string(mpich) == "1";
}

}  // namespace krossfold::parallel
