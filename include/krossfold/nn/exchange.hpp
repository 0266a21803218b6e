// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// The samples of a batch that a shard computes: first ... first + count - 1.
struct Share {
  int first, count;
};

/// Shares of a batch differ by one sample at most; those of a small batch may be empty.
constexpr Share share_of(int batch, int shard, int shards) {
  const auto begin = [&](int s) { return static_cast<int>(std::int64_t{batch} * s / shards); };
  return {begin(shard), begin(shard + 1) - begin(shard)};
}

/// sum(k) = x(0, k) + x(1, k) + ..., added in this order. With one row nothing is done if sum is that row.
template <class Exec>
void sum_rows(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& x);

/// How a training meets the other workers, without knowing MPI. A batch (or, model parallel, the weights) is shared by `shards`
/// logical workers, of which this one computes `own`, from `first_shard` on; all workers take the same steps. This one is alone,
/// with all shards.
template <class Exec>
struct Exchange {
  explicit Exchange(int logical_shards = 1) : shards(logical_shards), own(logical_shards) {}

  int shards, first_shard = 0, own;
  bool updates = true;  ///< whether this worker has the weights that count, and changes them
  double seconds = 0;   ///< spent here

  virtual ~Exchange() = default;
  /// Before weights are read: those of the worker that updates, on all.
  virtual void share_weights(const Exec&, const Vector<float, Exec>&) {}
  /// Makes room for sums of arrays of this length, before the first of them. What it throws may be thrown on some workers only.
  virtual void expect_sums(std::int64_t) {}
  /// sum = the sum over all shards, added in their order; own_numbers: (own shard, number). On all workers that update.
  virtual void sum_shards(const Exec& exec, const Vector<float, Exec>& sum,
                          const Matrix<const float, Exec>& own_numbers) {
    sum_rows<Exec>(exec, sum, own_numbers);
  }
  /// Makes room for the sum of a gradient whose layers begin at these numbers; the last is its length. What it throws may be thrown on some
  /// workers only.
  virtual void expect_gradient(std::span<const std::int64_t>) {}
  /// The same sum of a gradient that is found from its end to its beginning: own numbers from `first` on are final. All workers call it
  /// with the same layers, lastly with 0; the sums may be on their way while the rest is computed, and are there after end_sum().
  virtual void sum_from(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& own_numbers,
                        std::int64_t first) {
    if (first == 0) sum_rows<Exec>(exec, sum, own_numbers);
  }
  virtual void end_sum(const Exec&, const Vector<float, Exec>&) {}
  /// all: shard s has the numbers begin[s] ... begin[s + 1] - 1. Each worker comes with those of its shards and leaves with all.
  virtual void gather_shards(const Exec&, const Vector<float, Exec>&, std::span<const std::int64_t>) {}
  /// Numbers of which each worker has some and 0 for the rest, on all.
  virtual void share_numbers(std::span<double>) {}
};

}  // namespace krossfold::nn
