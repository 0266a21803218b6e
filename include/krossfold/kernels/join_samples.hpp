// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Arrays of the same rows for parts of a batch, become one: part p has samples first[p] ... first[p + 1] - 1, `width` numbers of
/// each in every row, so that number e of sample s in row r stands at
///   from[begin[p] + (r * (first[p + 1] - first[p]) + s - first[p]) * width + e]   before, and
///   joined[(r * first.back() + s) * width + e]                                    afterwards.
/// That is the input of a dense layer (a row is an input, width 1) or the gradient of its output (a row is a tile, width unit_tile).
template <class Exec>
void join_samples(const Exec& exec, const Vector<float, Exec>& joined, const Vector<const float, Exec>& from,
                  std::span<const int> first, std::span<const std::int64_t> begin, std::int64_t rows, int width);

}  // namespace krossfold::kernels
