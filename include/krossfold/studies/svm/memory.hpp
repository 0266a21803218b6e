// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/parts_layout.hpp"

namespace krossfold::studies {

/// How much of the kernel matrix K of a gamma is kept in memory. The results are bitwise identical in every mode but the last.
enum class KernelMode {
  whole,           ///< all squared distances and all of K
  distances_rows,  ///< all squared distances and a cache of rows of K
  points_rows,  ///< a cache of rows of K, which are computed from the samples; not planned if the kernel is precomputed
  factor        ///< only a factor of K, where the options ask for it: the one mode that the results depend on
};

/// The memory of one rank. Most searches need K in double (svm::PreciseKernel) for few fits or for none: what its users need is
/// reserved, but until the first of them asks for it a cache of rows of K may have that memory.
struct MemoryPlan {
  KernelMode mode = KernelMode::whole;
  int cached_rows = 0;              ///< in the modes with a cache of rows
  int rows_at_first = 0;            ///< the same until a fit needs K in double; at least cached_rows
  int factor_rank = 0;              ///< the largest, in the mode factor
  int folds_together = 1;           ///< folds of a gamma that are one unit, for devices and teams of threads
  int folds_at_once = 1;            ///< of these, so many have their problems in the solver side by side
  bool given_values = false;        ///< the kernel values of a precomputed kernel take the place of the distances
  bool shared_distances = false;    ///< one copy of the distances for all ranks of the node
  std::uint64_t distances = 0;      ///< bytes, this rank's share
  std::uint64_t kernel = 0;         ///< bytes of K or of its cached rows
  std::uint64_t rest = 0;           ///< bytes of samples, solver and solutions, and of K in double
  std::uint64_t usual = 0;          ///< bytes of all that a search takes on a CPU which needs no K in double
  std::uint64_t for_distances = 0;  ///< from which on there would be room for the distances, in the mode points_rows
  std::uint64_t solver_room = 0;    ///< of these, what the solver may take on a device (see svm::solver_size)

  std::uint64_t total() const { return distances + kernel + rest; }
};

/// The memory that is available to a rank.
struct MemoryRoom {
  std::uint64_t bytes = 0;        ///< of its own
  std::uint64_t node_memory = 0;  ///< bytes that the ranks of the node can share
  int ranks = 1;                  ///< on this node
  std::string why;                ///< what limits the memory, for the error message
  bool keeps_results = false;     ///< of all ranks, in this memory
};

/// The bytes of decision values that an executor keeps (see DecisionCache): those of all units, but at most 256 MiB and a
/// quarter of a matrix of all samples.
std::uint64_t kept_decisions(const SvmLayout& search);

/// Bytes of the results of a search, on the rank that keeps those of all.
struct ResultsMemory {
  std::uint64_t records = 0;  ///< payloads of all units of searches (FoldResult)
  std::uint64_t file =
      0;  ///< the result file while it is written: its fields, and its bytes twice or what the fields are made of
  std::uint64_t decisions = 0;  ///< out-of-fold, and of the test samples: in records, in the study and in the file
};

/// Sums over all (gamma, C, fold) of the grid, of rounds of refinement and of nested searches, with their binary problems.
ResultsMemory results_memory(const SvmLayout& search);

/// Plans the fastest mode that fits. Throws an input error that names both sizes if none does.
MemoryPlan plan_memory(const SvmLayout& search, const MemoryRoom& room);

/// The plan of the largest part of a search in parts, and what the rank needs besides: the samples, and the machines of all
/// parts when they are joined. Throws like plan_memory().
MemoryPlan plan_parts_memory(const PartsLayout& search, const MemoryRoom& room);

/// What `ranks` ranks that share a device lose by it, whose plan for `room` each is `plan`; empty if one rank with all of their memory
/// would do no better.
std::string loss_by_sharing(const SvmLayout& search, const MemoryRoom& room, int ranks, const MemoryPlan& plan);

/// "distances and kernel matrix whole, 400 MiB a rank, at most 1.2 GiB".
std::string describe(const MemoryPlan& plan);
/// run::with_program() of such a plan, which counts the samples in memory, too.
std::string with_program(const MemoryPlan& plan, const data::Task& task);

}  // namespace krossfold::studies
