// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/precision.hpp"

namespace krossfold::kernels {

enum class Transpose { no, yes };

/// C = alpha op(A) op(B) + beta C, where op(A) is m x k, op(B) is k x n and C is m x n; T is float or double.
///
/// The only caller of KokkosBlas. The exact value of an element depends on the shapes, the BLAS kernel and the number
/// of BLAS threads, so callers that need bitwise identical results on every path must use the same shapes (or integers
/// small enough to be exact).
/// Runs on exec and does not wait for its end (with KokkosBlas 3.4, which knows the default instance only, it waits for both).
/// Factors in double are multiplied as they are whatever `precision` says.
/// Throws a run error if the shapes do not match, and for another precision with a KokkosKernels for CUDA without cuBLAS.
template <class Exec, class T>
void gemm(const Exec& exec, const Matrix<T, Exec>& c, const Matrix<const T, Exec>& a, Transpose transpose_a,
          const Matrix<const T, Exec>& b, Transpose transpose_b, T alpha = 1, T beta = 0,
          Precision precision = Precision::single);

}  // namespace krossfold::kernels
