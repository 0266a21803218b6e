// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Gathers a batch: x(i, s) = sample(row[first + s], i) at i * batch + s, label_out(s) = label(row[first + s]).
template <class Exec>
void gather_batch(const Exec& exec, const Vector<float, Exec>& x, const Vector<int, Exec>& label_out,
                  const Matrix<const float, Exec>& sample, const Vector<const int, Exec>& label,
                  const Vector<const int, Exec>& row, std::int64_t first, int batch);

}  // namespace krossfold::kernels
