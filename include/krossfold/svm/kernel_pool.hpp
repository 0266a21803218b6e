// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace krossfold::svm {

/// Where the kernel matrices of working sets lie in a memory that is smaller than the largest of all of them together. Host
/// bookkeeping only; the first gap that is large enough is taken.
class KernelPool {
public:
  KernelPool(int slots, std::size_t entries) : entries_(entries), place_(static_cast<std::size_t>(slots)) {}

  /// Gives slot s a place for that many entries: the first of those that it has, if they are enough, else another, for which it
  /// gives up its own. False if there is no gap as large; the slot then has no place.
  bool place(int s, std::size_t entries);
  void release(int s) { place_[static_cast<std::size_t>(s)] = {}; }
  bool holds(int s) const { return place_[static_cast<std::size_t>(s)].size > 0; }
  /// The first entry of a slot that has a place.
  std::size_t origin(int s) const { return place_[static_cast<std::size_t>(s)].first; }

private:
  struct Place {
    std::size_t first = 0, size = 0;  ///< size 0: none
  };
  std::size_t entries_;
  std::vector<Place> place_;  ///< (slot)
};

}  // namespace krossfold::svm
