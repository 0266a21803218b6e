// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/ranges.hpp"

#include "krossfold/core/text.hpp"

namespace krossfold {

std::string ranges(const std::vector<int>& numbers) {
  std::string all;
  for (std::size_t first = 0, last; first < numbers.size(); first = last + 1) {
    for (last = first; last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;) ++last;
    all += text(all.empty() ? "" : ",", numbers[first]);
    if (last > first) all += text("-", numbers[last]);
  }
  return all;
}

}  // namespace krossfold
