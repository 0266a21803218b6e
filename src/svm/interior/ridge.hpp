// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/cholesky.hpp"

namespace krossfold::svm {

/// Fills a symmetric matrix by fill(ridge) and factors it, with ridges of 10^-15 to 10^-7, each tried where rounding lets the one before fail;
/// first without a ridge if `plain`. False if all fail.
template <class Exec, class Fill>
bool factor_with_ridge(const Exec& exec, const Matrix<double, Exec>& matrix, const Flags<const int>& size,
                       const Flags<int>& failed, const kernels::CholeskyWork<Exec>& work, bool plain,
                       const Fill& fill) {
  constexpr int least = -15, most = -7;
  for (int power = plain ? least - 1 : least; power <= most; ++power) {
    fill(power < least ? 0.0 : std::pow(10.0, power));
    kernels::cholesky<Exec>(exec, matrix, size, failed, work);
    fence(exec, "krossfold::svm::cholesky");
    if (failed(0) == 0) return true;
  }
  return false;
}

}  // namespace krossfold::svm
