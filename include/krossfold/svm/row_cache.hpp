// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/svm/kernel_rows.hpp"
#include "krossfold/svm/points.hpp"

namespace krossfold::svm {

/// Squared distances of n samples, row by row: the values are the same wherever they come from.
template <class Exec>
class DistanceRows {
public:
  virtual ~DistanceRows() = default;
  /// Where the rows of `samples` (host) and `list` (the same on Exec) lie until the next call; at most most_rows of them.
  virtual Vector<const KernelRow, Exec> rows(const Exec& exec, std::span<const int> samples,
                                             const Vector<const int, Exec>& list, const Poll& poll = {}) = 0;
  int most_rows = 0;
};

/// A whole matrix in memory.
template <class Exec>
class WholeDistances : public DistanceRows<Exec> {
public:
  explicit WholeDistances(const Matrix<const float, Exec>& distance) : distance_(distance) {
    this->most_rows = static_cast<int>(distance.extent(0));
  }
  Vector<const KernelRow, Exec> rows(const Exec& exec, std::span<const int> samples,
                                     const Vector<const int, Exec>& list, const Poll& poll = {}) override;

private:
  Matrix<const float, Exec> distance_;
};

/// Formed from the samples on demand, for n beyond memory.
template <class Exec>
class PointDistances : public DistanceRows<Exec> {
public:
  explicit PointDistances(const Points<Exec>& points);
  Vector<const KernelRow, Exec> rows(const Exec& exec, std::span<const int> samples,
                                     const Vector<const int, Exec>& list, const Poll& poll = {}) override;

private:
  Points<Exec> points_;
  Matrix<float, Exec> block_;  ///< the rows asked for
  Matrix<float, Exec> tile_;   ///< rows of tiles that they are taken from, where distances are rounded
};

/// The rows of K - 1 of one gamma that were asked for last, in a fixed number of places; the least recently fetched row
/// gives way.
template <class Exec>
class RowCache : public KernelRows<Exec> {
public:
  /// `places` rows of `samples` values; at least 4.
  RowCache(const Exec& exec, std::unique_ptr<DistanceRows<Exec>> distances, int samples, int places);
  /// Empties the cache. gamma is in the units of the distances.
  void set_gamma(double gamma);
  /// Empty again if a poll or an error ends it.
  void fetch(std::span<const int> samples) override;

  std::int64_t computed() const { return computed_; }  ///< rows so far
  static std::uint64_t bytes_per_row(int samples) {
    return sizeof(float) * static_cast<std::uint64_t>(padded<float>(samples));
  }

private:
  void touch(int place);
  void compute(const std::vector<int>& samples, const std::vector<int>& places, const std::vector<int>& gone);

  Exec exec_;
  std::unique_ptr<DistanceRows<Exec>> distances_;
  double gamma_ = 1;
  Matrix<float, Exec> rows_;       ///< (place, sample)
  Vector<KernelRow, Exec> table_;  ///< (sample): its row, or null
  std::vector<int> place_of_, sample_at_, next_,
      prev_;  ///< the places are a ring, the most recently fetched after head
  std::int64_t computed_ = 0;
};

}  // namespace krossfold::svm
