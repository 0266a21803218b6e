// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// Numbers first ... first + count - 1 of an array.
template <class Exec>
Vector<float, Exec> part_of(const Vector<float, Exec>& all, std::int64_t first, std::int64_t count) {
  return Kokkos::subview(all, Kokkos::make_pair(first, first + count));
}

}  // namespace krossfold::nn
