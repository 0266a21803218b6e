// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// Which ranks receive a sum.
enum class SumOn { all, root };

/// Sums arrays of `length` numbers over shards. Every rank has equally many shards, rank r those from r shards / ranks
/// on. Each element is added in shard order, so that the sum is bitwise independent of the number of ranks.
///
/// SumOn::all: each rank receives and sums one part of the array, then sends it to the others (reduce-scatter and
/// all-gather); a rank sends about (shards / ranks + 1) length numbers. SumOn::root: all ranks send their arrays to the
/// root. Device memory is passed to MPI directly if mpi_accepts() it, else staged in host memory.
///
/// begin(), add() and end() are separate to overlap communication with computation. Several sums may be begun before
/// the first is added, but all ranks must call the phases of all sums on a communicator in the same order.
template <class Exec>
class OrderedSum {
public:
  /// Collective. Throws a run error if the ranks do not divide the shards or the arrays are too long for MPI's counts.
  OrderedSum(const Communicator& comm, int shards, std::int64_t length, SumOn on);
  ~OrderedSum();
  OrderedSum(OrderedSum&&) noexcept;

  /// Starts sending numbers first ... first + length - 1 of own: (own shard, number), which must not change before
  /// end().
  void begin(const Exec& exec, const Matrix<const float, Exec>& own, std::int64_t first = 0);
  /// Waits for the other ranks' numbers, sums this rank's part into its place in `sum`, and starts sending it.
  void add(const Exec& exec, const Vector<float, Exec>& sum);
  /// Waits until `sum`, as passed to add(), is complete. With SumOn::root only the root's is changed.
  void end(const Vector<float, Exec>& sum);

  /// Runs all three phases.
  void operator()(const Exec& exec, const Vector<float, Exec>& sum, const Matrix<const float, Exec>& own) {
    begin(exec, own);
    add(exec, sum);
    end(sum);
  }

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace krossfold::parallel
