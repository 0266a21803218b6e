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
/// On all ranks: each sums a part of the array, whose numbers the others send it, and sends the sums to them; that moves
/// (shards / ranks + 1) length numbers a rank. On the root: the others send it their arrays. Device memory goes to MPI where the
/// library takes it (gpu_aware()), else through host memory.
///
/// begin(), add(), end() are its three parts, so that numbers are on their way while a rank computes others. Several sums may be begun
/// before the first is added, but all ranks call the parts of all sums of a communicator in the same order.
template <class Exec>
class OrderedSum {
public:
  /// Collective. Throws a run error if the shards cannot be shared equally, or the arrays are too long for MPI's counts.
  OrderedSum(const Communicator& comm, int shards, std::int64_t length, SumOn on);
  ~OrderedSum();
  OrderedSum(OrderedSum&&) noexcept;

  /// Sends numbers first ... first + length - 1 of own: (own shard, number). They may not change before end().
  void begin(const Exec& exec, const Matrix<const float, Exec>& own, std::int64_t first = 0);
  /// Waits for those of the others, adds what this rank adds, into its place in sum, and sends it.
  void add(const Exec& exec, const Vector<float, Exec>& sum);
  /// Returns when sum, the same as in add(), is the sum over all shards. On other ranks than the root with SumOn::root it is left alone.
  void end(const Vector<float, Exec>& sum);

  /// All three.
  void operator()(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& own) {
    begin(exec, own);
    add(exec, sum);
    end(sum);
  }

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// True if MPI takes pointers to device memory: what Open MPI says, or MPICH_GPU_SUPPORT_ENABLED=1.
bool gpu_aware();

}  // namespace krossfold::parallel
