// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// Which ranks have a sum.
enum class SumOn { all, root };

/// Sums arrays of `length` numbers over shards, of which each rank has as many as the others: rank r those from r shards / ranks on. The
/// numbers of each place are added in the order of the shards, so that the bits do not depend on the number of ranks.
///
/// On all ranks: each sums a part of the array, whose numbers the others send it, and then the parts are gathered; that moves
/// (shards / ranks + 1) length numbers a rank. On the root: the others send it their arrays. Device memory goes to MPI where the
/// library takes it (gpu_aware()), else through host memory.
template <class Exec>
class OrderedSum {
public:
  /// Collective. Throws a run error if the shards cannot be shared equally, or the arrays are too long for MPI's counts.
  OrderedSum(const Communicator& comm, int shards, std::int64_t length, SumOn on);
  ~OrderedSum();

  /// sum = the sum over all shards; own: (own shard, number). Collective; on other ranks than the root with SumOn::root, sum is left alone.
  void operator()(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& own);

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// True if MPI takes pointers to device memory: what Open MPI says, or MPICH_GPU_SUPPORT_ENABLED=1.
bool gpu_aware();

}  // namespace krossfold::parallel
