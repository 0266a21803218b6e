// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "block_sum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::ensemble {

/// Throws a run error unless `fit`.
inline void check_shapes(bool fit, const std::string& function) {
  if (!fit) throw_run_error(text("ensemble::", function, " was called with mismatched shapes"));
}

/// Throws a run error unless there is a label for each of `samples` >= 1 samples, all in [0, classes).
template <class Exec>
void check_labels(const Exec& exec, const Vector<const int, Exec>& label, int samples, int classes,
                  const std::string& function) {
  check_shapes(samples > 0 && static_cast<int>(label.extent(0)) == samples, function);
  const int outside = block_sum<int>(
      exec, samples, KOKKOS_LAMBDA(int i) { return label(i) < 0 || label(i) >= classes ? 1 : 0; });
  if (outside > 0) {
    throw_run_error(text("ensemble::", function, " was called with ", outside, " labels outside 0 ... ", classes - 1));
  }
}

}  // namespace krossfold::ensemble
