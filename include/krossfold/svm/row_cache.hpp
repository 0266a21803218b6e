// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>

#include "krossfold/core/view.hpp"
#include "krossfold/svm/kernel_form.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/points.hpp"
#include "krossfold/svm/row_places.hpp"

namespace krossfold::svm {

/// Row access to the squared distances of n samples, or to the given values of a precomputed kernel. All implementations give identical values.
template <class Exec>
class DistanceRows {
public:
  virtual ~DistanceRows() = default;
  /// The rows of `samples` (host; `list` is its copy on Exec), at most max_rows of them, valid until the next call.
  virtual Vector<const KernelRow, Exec> rows(const Exec& exec, std::span<const int> samples,
                                             const Vector<const int, Exec>& list, const Poll& poll = {}) = 0;
  int max_rows = 0;
};

/// A whole matrix in memory.
template <class Exec>
class WholeDistances : public DistanceRows<Exec> {
public:
  explicit WholeDistances(const Matrix<const float, Exec>& distance) : distance_(distance) {
    this->max_rows = static_cast<int>(distance.extent(0));
  }
  Vector<const KernelRow, Exec> rows(const Exec& exec, std::span<const int> samples,
                                     const Vector<const int, Exec>& list, const Poll& poll = {}) override;

private:
  Matrix<const float, Exec> distance_;
};

/// Rows computed from the samples on demand, for matrices that exceed memory.
template <class Exec>
class PointDistances : public DistanceRows<Exec> {
public:
  explicit PointDistances(const Points<Exec>& points);
  Vector<const KernelRow, Exec> rows(const Exec& exec, std::span<const int> samples,
                                     const Vector<const int, Exec>& list, const Poll& poll = {}) override;

private:
  Points<Exec> points_;
  Matrix<float, Exec> block_;  ///< the rows requested
  Matrix<float, Exec> tile_;   ///< one band of tiles to copy rows from, if distances are rounded
};

/// An LRU cache of rows of the kernel matrix for one gamma, with a number of places that can become smaller.
template <class Exec>
class RowCache : public KernelRows<Exec> {
public:
  /// Holds `places` rows (at least 4, else a run error) of `samples` values.
  RowCache(const Exec& exec, std::unique_ptr<DistanceRows<Exec>> distances, int samples, int places);
  /// Empties the cache. gamma is in the units of the distances; the kernel is rbf.
  void set_gamma(double gamma);
  /// Empties the cache. distance_unit: that of the distances (see Points).
  void set_kernel(const KernelForm<Exec>& form, double distance_unit);
  /// Empties the cache and holds at most `places` rows (at least 4) from now on; frees the memory of the others.
  void shrink(int places);
  /// Leaves the cache empty if a poll or an error throws.
  void fetch(std::span<const int> samples) override;

  std::int64_t computed() const { return computed_; }  ///< number of rows computed so far
  static std::uint64_t bytes_per_row(int samples) {
    return sizeof(float) * static_cast<std::uint64_t>(padded<float>(samples));
  }

private:
  void allocate(int places);
  void clear();
  void compute(const RowPlaces::Change& change);

  Exec exec_;
  std::unique_ptr<DistanceRows<Exec>> distances_;
  KernelForm<Exec> form_;
  double distance_unit_ = 1;
  Matrix<float, Exec> rows_;       ///< (place, sample)
  Vector<KernelRow, Exec> table_;  ///< (sample): its row, or null
  RowPlaces places_;
  std::int64_t computed_ = 0;
};

}  // namespace krossfold::svm
