// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "krossfold/core/view.hpp"

namespace krossfold::studies {

/// The decision values of held-out samples that the units of a search have found, kept for the out-of-fold units of the best
/// cell, which would otherwise solve the same path again. Holds at most `max_bytes` of them: the values of the most promising
/// units stay.
class DecisionCache {
public:
  explicit DecisionCache(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Keeps the values of a unit, (C problems, held-out sample), in place of less promising ones if there is no room.
  /// c: its values of C; promise: larger for units that are more likely to hold the best cell.
  void put(double gamma, int fold, const std::vector<double>& c, const Matrix<const double>& decision, double promise);

  /// The values (problem, held-out sample) at the end of a path, one row after another; empty if they are not kept. Values at
  /// the same C that were reached along other values of C (in another round of the search) differ in their last bits.
  /// path: not empty.
  std::vector<double> find(double gamma, int fold, const std::vector<double>& path) const;

  std::uint64_t bytes() const;

private:
  struct Entry {
    double gamma;
    int fold;
    std::vector<double> c;
    std::vector<double> decision;  ///< (C, problem, held-out sample)
    double promise;
  };
  std::uint64_t max_bytes_;
  std::vector<Entry> entries_;
};

}  // namespace krossfold::studies
