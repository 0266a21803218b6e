// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/core/kokkos_compat.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// Where a rank computes.
struct RankPlace {
  std::string host;
  int local_rank = 0;   ///< among the ranks of its host
  int device = -1;      ///< index of its accelerator among those that it sees; -1 on a CPU
  std::string backend;  ///< "Serial", "OpenMP (4 threads)", "CUDA (NVIDIA H100)"
  int devices = 0;      ///< number of accelerators available to the ranks of its host
  DeviceState state{};  ///< of its accelerator when all ranks were there

  /// Whether both use the same accelerator. Each rank may see but one, number 0, as under srun --gpus-per-task.
  bool shares_device(const RankPlace& other) const {
    return host == other.host && device == other.device && state.id == other.state.id;
  }
};

/// The value of gpu: nothing if it is not set, an empty list for all accelerators, else their indices.
using DeviceWish = std::optional<std::vector<int>>;

/// The accelerators that the ranks of a host use: the requested ones, or all `visible` ones; none on a CPU backend.
/// Throws an input error if a requested one does not exist, if there is none for a program built for accelerators, or if any is
/// requested of a program built for CPUs. reason: why none is visible, if that is known.
std::vector<int> usable_devices(const DeviceWish& wish, int visible, bool cpu_backend, const std::string& reason = {});

/// The accelerator of a rank: usable[local rank modulo their number], -1 if there are none.
int device_of(int local_rank, const std::vector<int>& usable);

/// The accelerators available to this rank on its host. Call before Kokkos is initialised. Collective; throws on every
/// rank what usable_devices throws on any.
std::vector<int> find_devices(const Communicator& comm, const DeviceWish& wish = {});

/// The accelerator that this rank uses of them.
int choose_device(const Communicator& comm, const std::vector<int>& usable);

/// The places of all ranks, in rank order, on every rank; `devices` is the number of accelerators of this host.
std::vector<RankPlace> find_places(const Communicator& comm, int device, int devices = 0);

/// If hosts have more accelerators than ranks: how many are idle, with the mpirun and srun lines that run `command` on
/// all of them; "" if none is idle.
std::string idle_devices(const std::vector<RankPlace>& places, const std::string& command);

/// One line per host: "node7: ranks 0-3 on Serial", "node8: rank 4 on device 0, CUDA (NVIDIA H100); rank 5 on ...".
std::string describe(const std::vector<RankPlace>& places);

/// "2x3xCUDA": hosts x ranks per host x backend; if hosts differ, their ranks are joined with + ("3+2xSerial").
std::string formation(const std::vector<RankPlace>& places);

}  // namespace krossfold::parallel
