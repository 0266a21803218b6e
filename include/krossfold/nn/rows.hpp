// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <vector>

namespace krossfold::nn {

/// The indices 0 ... n - 1: every sample once, in order.
inline std::vector<int> all_rows(int n) {
  std::vector<int> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace krossfold::nn
