// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/random.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold::nn {

/// Where a parameter stands in device memory: entry i, in PyTorch's order, at (i % inner) * inner_stride + i / inner * outer_stride.
struct ParameterLayout {
  std::int64_t size, inner, inner_stride, outer_stride;

  KOKKOS_INLINE_FUNCTION std::int64_t at(std::int64_t i) const { return i % inner * inner_stride + i / inner * outer_stride; }
};

/// Entry i = bound * u, u uniform in [-1, 1): word i % 4 of block tensor << 40 | i / 4 of the stream.
template <class Exec>
void fill_uniform(const Exec& exec, const Vector<float, Exec>& out, const ParameterLayout& layout, const StreamId& stream,
                  int tensor, double bound);

}  // namespace krossfold::nn
