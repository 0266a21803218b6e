// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
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
  int devices = 0;      ///< accelerators that the ranks of its host could use
};

/// What --gpu asks for: nothing if the option is not given, an empty list for all accelerators, else their numbers.
using DeviceWish = std::optional<std::vector<int>>;

/// The accelerators that the ranks of a host use: those asked for, or all of the `visible` ones; none on a CPU backend.
/// Throws an input error if one is not there, or if some are asked of a program that was built for CPUs.
std::vector<int> usable_devices(const DeviceWish& wish, int visible, bool cpu_backend);

/// The accelerator for a rank: usable[local rank modulo their number], -1 without any.
int device_of(int local_rank, const std::vector<int>& usable);

/// The accelerators that this rank's host has for it. To be asked before Kokkos starts. Collective; throws on every rank what
/// usable_devices throws on any.
std::vector<int> find_devices(const Communicator& comm, const DeviceWish& wish = {});

/// The one of them for this rank.
int choose_device(const Communicator& comm, const std::vector<int>& usable);

/// The places of all ranks, in rank order, on every rank; `devices` is the number of accelerators its ranks could use.
std::vector<RankPlace> find_places(const Communicator& comm, int device, int devices = 0);

/// Where hosts have more accelerators than ranks: how many idle, and the lines of mpirun and srun that use them all for
/// `command`. "" where none idles.
std::string idle_devices(const std::vector<RankPlace>& places, const std::string& command);

/// One line a host: "node7: ranks 0-3 on Serial", "node8: rank 4 on device 0, CUDA (NVIDIA H100); rank 5 on device 1, ...".
std::string describe(const std::vector<RankPlace>& places);

/// "2x3xCUDA": hosts x ranks per host x backend; the ranks listed with + where hosts differ ("3+2xSerial").
std::string formation(const std::vector<RankPlace>& places);

}  // namespace krossfold::parallel
