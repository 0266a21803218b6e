// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// One function for each check: a pure function of what the ranks found, which are in rank order and at least one.

#include <vector>

#include "krossfold/doctor/finding.hpp"
#include "krossfold/doctor/rank_facts.hpp"
#include "krossfold/doctor/slurm_facts.hpp"
#include "krossfold/storage/folder_probe.hpp"

namespace krossfold::doctor {

using Ranks = std::vector<RankFacts>;

// The program: what it was built for and the libraries that it uses.
Finding check_build(const Ranks& ranks);
Finding check_processor(const Ranks& ranks);
Finding check_blas(const Ranks& ranks);
Finding check_hdf5(const Ranks& ranks);

// The ranks: how they were started, what MPI grants them, and where they compute.
Finding check_launch(const Ranks& ranks);
Finding check_mpi(const Ranks& ranks);
Finding check_threads(const Ranks& ranks);
Finding check_kokkos(const Ranks& ranks);
Finding check_devices(const Ranks& ranks);
Finding check_gpu_aware(const Ranks& ranks);
/// Whether each rank can have a core of its own: a maximum matching of the ranks of a host with the cores that they may use.
Finding check_cores(const Ranks& ranks);

// The machines.
Finding check_shared_memory(const Ranks& ranks);
Finding check_memory(const Ranks& ranks);
Finding check_limits(const Ranks& ranks);
Finding check_clock(const Ranks& ranks);
Finding check_environment(const Ranks& ranks);

// The folder of the output, as rank 0 found it and as the others see it.
Finding check_output(const Ranks& ranks, const storage::FolderFacts& folder);
Finding check_room(const storage::FolderFacts& folder);
Finding check_locks(const Ranks& ranks, const storage::FolderFacts& folder);

/// The batch job. now: seconds since the epoch.
Finding check_slurm(const Ranks& ranks, const SlurmFacts& job, double now);

}  // namespace krossfold::doctor
