// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// Where a rank computes.
struct RankPlace {
  std::string host;
  int local_rank = 0;   ///< among the ranks of its host
  int device = -1;      ///< number of its accelerator on the host; -1 on a CPU
  std::string backend;  ///< "Serial", "OpenMP (4 threads)", "CUDA (NVIDIA H100)"
};

/// The accelerator for this rank: local rank modulo the visible ones, -1 without any. To be known before Kokkos starts.
int choose_device(const Communicator& comm);

/// The places of all ranks, in rank order, on every rank.
std::vector<RankPlace> find_places(const Communicator& comm, int device);

/// One line a host: "node7: ranks 0-3 on Serial", "node8: rank 4 on device 0, CUDA (NVIDIA H100); rank 5 on device 1, ...".
std::string describe(const std::vector<RankPlace>& places);

/// "2x3xCUDA": hosts x ranks per host x backend; the ranks listed with + where hosts differ ("3+2xSerial").
std::string formation(const std::vector<RankPlace>& places);

}  // namespace krossfold::parallel
