// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Joins the arrays of several parts of a batch, which have the same rows. Part p holds the samples from first[p] up to
/// first[p + 1], with `width` numbers each per row, so that number e of sample s in row r moves from
///   from[begin[p] + (r * (first[p + 1] - first[p]) + s - first[p]) * width + e]   to
///   joined[(r * first.back() + s) * width + e].
/// Rows are the inputs of a dense layer (width 1), or the tiles of its output gradient (width unit_tile).
template <class Exec>
void join_samples(const Exec& exec, const Vector<float, Exec>& joined, const Vector<const float, Exec>& from,
                  std::span<const int> first, std::span<const std::int64_t> begin, std::int64_t rows, int width);

}  // namespace krossfold::kernels
