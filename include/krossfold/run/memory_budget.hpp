// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/run/run_study.hpp"

namespace krossfold::run {

/// The memory that a rank may use, and the reason for that bound.
struct MemoryBound {
  std::uint64_t bytes = 0;
  std::string why;
  int ranks = 1;  ///< on this machine
};

/// The bound of this rank: its share of 95 % of the machine's memory or, on a GPU, its share of 90 % of the memory that was free there when
/// all ranks had started; or the
/// option memory-limit if that is less.
MemoryBound rank_memory(const RunContext& context);

/// The least of the ranks' bounds: which units fit must not depend on which rank computes them. Collective.
MemoryBound least_memory(const RunContext& context);

/// "; with the program and the data 96.4 MiB": the most that a rank on a CPU will have had in memory once it has allocated `bytes` more
/// (of what the ranks of a node share, its part). `at_most`: what it may allocate in rare cases, if that is more. Empty on a GPU.
std::string with_program(std::uint64_t bytes, std::uint64_t at_most = 0);

/// All memory of this machine, or what the control group (of a container or a batch job) allows if that is less.
std::uint64_t machine_memory();

}  // namespace krossfold::run
