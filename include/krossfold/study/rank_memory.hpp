// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/study/run_study.hpp"

namespace krossfold::study {

/// The memory that a rank may use, and what sets the bound.
struct MemoryBound {
  std::uint64_t bytes = 0;
  std::string why;
  int ranks = 1;  ///< on this machine
};

/// The bound of this rank: 95 % of the machine's memory shared by the ranks on it, or --memory-limit if that is less. On a
/// device only --memory-limit bounds it: its runtime refuses what does not fit.
MemoryBound rank_memory(const Surroundings& around, const RunParams& run);

/// All memory of this machine.
std::uint64_t machine_memory();

}  // namespace krossfold::study
