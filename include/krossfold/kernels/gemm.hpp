// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

enum class Transpose { no, yes };

/// C = alpha op(A) op(B) + beta C with op(A): m x k, op(B): k x n, C: m x n; T is float or double.
///
/// The only caller of KokkosBlas. The bits of an element depend on the shape of the call, on the BLAS kernel and on
/// the number of BLAS threads: callers that need the same bits on every path use the same shapes (or whole numbers small
/// enough to be exact).
/// Throws a run error if the shapes do not fit.
template <class Exec, class T>
void gemm(const Exec& exec, const Matrix<T, Exec>& c, const Matrix<const T, Exec>& a, Transpose transpose_a,
          const Matrix<const T, Exec>& b, Transpose transpose_b, T alpha = 1, T beta = 0);

}  // namespace krossfold::kernels
