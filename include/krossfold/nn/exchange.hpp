// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// The samples first ... first + count - 1 of a batch, which one shard computes.
struct Share {
  int first, count;
};

/// The share of one shard. Shares differ by at most one sample; those of a small batch may be empty.
constexpr Share share_of(int batch, int shard, int shards) {
  const auto begin = [&](int s) { return static_cast<int>(std::int64_t{batch} * s / shards); };
  return {begin(shard), begin(shard + 1) - begin(shard)};
}

/// sum(k) = x(0, k) + x(1, k) + ..., added in this order. Does nothing if x has one row and sum is that row.
template <class Exec>
void sum_rows(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x);

/// Communication between the workers of a training, independent of MPI. `shards` logical workers share each batch (or,
/// model parallel, the weights); this worker computes `own` of them, from `first_shard` on, and all workers take the
/// same steps. The base class is the single-worker case: one worker computes all shards.
template <class Exec>
struct Exchange {
  explicit Exchange(int logical_shards = 1) : shards(logical_shards), own(logical_shards) {}

  int shards, first_shard = 0, own;
  bool updates = true;  ///< whether this worker owns and updates the weights
  double seconds = 0;   ///< time spent in communication

  virtual ~Exchange() = default;
  /// Called before weights are read: copies those of the updating worker to all workers.
  virtual void share_weights(const Exec&, const Vector<float, Exec>&) {}
  /// Allocates buffers for sums of arrays of this length, before the first such sum. May throw on some workers only.
  virtual void expect_sums(std::int64_t) {}
  /// sum = the sum over all shards in their order, on all workers that update; own_numbers: (own shard, number).
  virtual void sum_shards(const Exec& exec, const Vector<float, Exec>& sum,
                          const Matrix<const float, Exec>& own_numbers) {
    sum_rows<Exec>(exec, sum, own_numbers);
  }
  /// Allocates buffers for sums of a gradient with layers at these offsets; the last is its length. May throw on some
  /// workers only.
  virtual void expect_gradient(std::span<const std::int64_t>) {}
  /// sum_shards() for a gradient computed from back to front: own numbers from `first` on are final. Called per layer,
  /// or once with 0 by a worker without samples; the last call has first = 0. Communication may overlap with computing
  /// the rest; the sum is complete after end_sum().
  virtual void sum_from(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& own_numbers,
                        std::int64_t first) {
    if (first == 0) sum_rows<Exec>(exec, sum, own_numbers);
  }
  virtual void end_sum(const Exec&, const Vector<float, Exec>&) {}
  /// All-gather into `all`: shard s contributes numbers begin[s] ... begin[s + 1] - 1.
  virtual void gather_shards(const Exec&, const Vector<float, Exec>&, std::span<const std::int64_t>) {}
  /// Gives all workers numbers of which each has some and 0 for the rest.
  virtual void share_numbers(std::span<double>) {}
};

}  // namespace krossfold::nn
