// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace krossfold::svm {

/// Which rows of a matrix of n rows are kept in a fixed number of places. The least recently used row gives way to a new one.
class RowPlaces {
public:
  RowPlaces() = default;
  RowPlaces(int samples, int places);

  /// What take() has changed.
  struct Change {
    std::vector<int> sample, place;  ///< rows to be filled in, and where
    std::vector<int> gone;           ///< rows that gave way
  };
  /// Gives every one of `samples`, of which there may be no more than places, a place; none of them gives way to another.
  Change take(std::span<const int> samples);
  /// Forgets all rows.
  void clear();

  bool has(int sample) const { return place_of_[static_cast<std::size_t>(sample)] >= 0; }
  int places() const { return static_cast<int>(sample_at_.size()); }

private:
  void touch(int place);

  std::vector<int> place_of_, sample_at_, next_,
      prev_;  ///< the places form a ring; the most recently used one follows the head, the last entry
};

}  // namespace krossfold::svm
