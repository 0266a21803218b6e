// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// Where a row of the kernel matrix starts. (A View of pointers would be taken for one of a higher rank.)
struct KernelRow {
  const float* value = nullptr;
};

/// The kernel matrix K - 1 of n samples as the solver reads it: row by row. Whether all rows are there from the start or
/// appear when they are asked for is the business of whoever made it; the values are the same.
template <class Exec>
class KernelRows {
public:
  virtual ~KernelRows() = default;
  /// Makes sure that row[i] is in place for all i of `samples` until the next call; at most `most_rows` of them. Of rows
  /// fetched one by one the latest stay, at least two for each problem at work; row[i] of a row that is not there is null.
  virtual void fetch(std::span<const int> samples) = 0;

  Vector<KernelRow, Exec>
      row;  ///< (n): where row i starts; n values, and padding up to a multiple of 16 that may be anything
  bool complete = false;  ///< all rows are in place for good: no need to call fetch
  int most_rows = 0;      ///< for fetch, at least 1
  Poll poll;              ///< called on the way by fetch and by whoever reads many rows
};

/// A whole matrix in memory.
template <class Exec>
class WholeKernel : public KernelRows<Exec> {
public:
  WholeKernel(const Exec& exec, const Matrix<const float, Exec>& kernel);
  void fetch(std::span<const int>) override {}
};

}  // namespace krossfold::svm
