// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What each rank sees of its machine and of its set-up.

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/parallel/communicator.hpp"
#include "krossfold/parallel/device_map.hpp"
#include "krossfold/parallel/mpi_facts.hpp"
#include "krossfold/storage/folder_probe.hpp"

namespace krossfold::doctor {

/// Facts of one rank. Sizes are in bytes; 0 where a limit is not set.
struct RankFacts {
  parallel::RankPlace place;   ///< host, device and backend; the backend is "" if Kokkos could not start
  std::string device_problem;  ///< why there is no device for this rank, or what is wrong with it; "" if nothing is
  bool cpu_backend = true;
  bool optimised = true;    ///< compiled with optimisation
  bool gpu_aware = false;   ///< MPI is
  bool mps = false;         ///< kernels of processes that share the device run at the same time
  bool core_files = false;  ///< a crash leaves a core file
  int concurrency = 1;      ///< threads of Kokkos on the host
  int nvidia_gpus = 0;      ///< that the machine shows to this process, whatever the program was built for
  int processor_level = 0, build_level = 0;
  int processor_count = 1;  ///< of the machine
  int blas_threads = 0;     ///< 0 if unknown
  parallel::ThreadLevel threads = parallel::ThreadLevel::multiple;
  std::string build;                 ///< version, commit, compiler and Kokkos
  std::string processor;             ///< model
  std::string missing_instructions;  ///< compiled in, but not in the processor: "avx512f avx512bw"
  std::string mpi;
  std::string launch_problem;     ///< set if the launcher started several processes, but this one is alone in its world
  std::string blas, better_blas;  ///< kernel in use, and the value of OPENBLAS_CORETYPE that would be better
  std::string hdf5, hdf5_headers;      ///< versions
  std::vector<int> processors, cores;  ///< usable logical processors, and the core of each
  double processor_quota = 0;          ///< of its control group
  std::uint64_t shared_memory = 0;     ///< free in /dev/shm
  std::uint64_t memory = 0, free_memory = 0, group_memory = 0;
  std::uint64_t open_files = 0, address_space = 0;
  double clock = 0;                   ///< seconds since the epoch, read by all ranks at once
  std::vector<std::string> settings;  ///< watched environment variables that are set: "NAME=VALUE"
  storage::ProbeView view{};          ///< of rank 0's file in the output folder
};

/// The environment variables that RankFacts::settings looks for.
const std::vector<std::string>& watched_variables();

/// The facts of this rank other than clock and view; `place` says where it computes.
RankFacts facts_of_this_rank(const parallel::Communicator& world, const parallel::RankPlace& place,
                             const std::string& device_problem);

/// Every rank's facts, in rank order, on every rank. Sets the clocks, read after a barrier. Collective.
std::vector<RankFacts> gather(const parallel::Communicator& world, RankFacts facts);

/// Serialisation for messages between ranks.
std::string to_bytes(const RankFacts& facts);
RankFacts facts_from_bytes(const std::string& bytes);

}  // namespace krossfold::doctor
