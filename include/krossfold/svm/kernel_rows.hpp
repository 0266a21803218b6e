// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// Start of a row of the kernel matrix. (Kokkos would take a View of pointers for a View of higher rank.)
struct KernelRow {
  const float* value = nullptr;
};

/// Row access to the kernel matrix of n samples as KernelForm keeps it, K - 1 if it is rbf. Implementations hold all rows from the
/// start or compute them on demand, with identical values.
template <class Exec>
class KernelRows {
public:
  virtual ~KernelRows() = default;
  /// Makes row[i] valid for all i in `samples` (at most `max_rows`) until the next call. Of rows fetched one by one,
  /// the most recent stay valid, at least two per active problem; row[i] is null for rows that are not in memory.
  virtual void fetch(std::span<const int> samples) = 0;

  Vector<KernelRow, Exec> row;  ///< (n): start of row i: n values, then padding of any values up to a multiple of 16
  bool complete = false;        ///< all rows stay in memory: no need to call fetch
  int max_rows = 0;             ///< limit of one fetch, at least 1
  double unit = 1;              ///< KernelForm::unit of these rows
  Vector<const double, Exec> half;  ///< (n): KernelForm::half, empty for rbf: then K has the diagonal 1
  Poll poll;                        ///< called regularly by fetch and by code that reads many rows
};

/// A whole matrix in memory, which it keeps alive.
template <class Exec>
class WholeKernel : public KernelRows<Exec> {
public:
  WholeKernel(const Exec& exec, const Matrix<const float, Exec>& kernel);
  void fetch(std::span<const int>) override {}

private:
  Matrix<const float, Exec> kernel_;
};

}  // namespace krossfold::svm
