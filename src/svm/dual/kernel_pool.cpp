// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/kernel_pool.hpp"

#include <algorithm>

namespace krossfold::svm {

bool KernelPool::place(int s, std::size_t entries) {
  Place& own = place_[static_cast<std::size_t>(s)];
  if (own.size >= entries) {
    own.size = entries;
    return true;
  }
  own = {};
  std::vector<Place> taken;
  for (const Place& place : place_) {
    if (place.size > 0) taken.push_back(place);
  }
  std::sort(taken.begin(), taken.end(), [](const Place& a, const Place& b) { return a.first < b.first; });
  taken.push_back({entries_, 0});  // the end
  std::size_t gap = 0;
  for (const Place& next : taken) {
    if (next.first - gap >= entries) {
      own = {gap, entries};
      return true;
    }
    gap = next.first + next.size;
  }
  return false;
}

}  // namespace krossfold::svm
