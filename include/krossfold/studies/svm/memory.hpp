// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/studies/svm/layout.hpp"

namespace krossfold::studies {

/// What is kept of the kernel matrix. The results are the same bits in every mode.
enum class KernelMode {
  whole,           ///< all squared distances and all of K of one gamma
  distances_rows,  ///< all squared distances; rows of K on demand, the latest kept
  points_rows      ///< rows of K on demand, formed from the samples, the latest kept
};

/// The memory of one rank.
struct MemoryPlan {
  KernelMode mode = KernelMode::whole;
  int cached_rows = 0;            ///< in the modes with rows on demand
  bool shared_distances = false;  ///< one copy of the distances for all ranks of the node
  std::uint64_t distances = 0;    ///< bytes, this rank's share
  std::uint64_t kernel = 0;       ///< bytes of K or of its cached rows
  std::uint64_t rest = 0;         ///< samples, solver, solutions

  std::uint64_t total() const { return distances + kernel + rest; }
};

/// What a rank may use and what it shares with others.
struct MemoryRoom {
  std::uint64_t bytes = 0;        ///< for each rank
  std::uint64_t node_memory = 0;  ///< that ranks of the node can share
  int ranks = 1;                  ///< on this node
  std::string why;                ///< who says so: for the error message
};

/// The fastest mode that fits. Throws an input error that names both sizes if none does.
MemoryPlan plan_memory(const SvmLayout& search, const MemoryRoom& room);

/// "distances and kernel matrix whole, 1.2 GiB a rank".
std::string describe(const MemoryPlan& plan);

}  // namespace krossfold::studies
