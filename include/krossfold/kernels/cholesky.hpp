// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Cholesky factorisations of many symmetric matrices at once: A = L L^T in place.
/// a: (matrix, c * size + r), of which the lower triangle r >= c is read and becomes L (LAPACK's column-major order; the upper
/// triangle of rows that lie one after the other); the other triangle and matrices of size 0 are left alone.
/// failed(k) becomes 1 where matrix k is not positive definite to rounding, else 0.
///
/// Host: recursion over BLAS's matrix product, matrix after matrix (Kokkos' threads each take some). Device: one team a
/// matrix.
template <class Exec>
void cholesky(const Exec& exec, const Matrix<double, Exec>& a, const Flags<const int>& size, const Flags<int>& failed);

/// Solves A x = b for `sets` right-hand sides with the factors of cholesky(). b: (matrix, set * size + r), in place.
template <class Exec>
void cholesky_solve(const Exec& exec, const Matrix<const double, Exec>& a, const Flags<const int>& size, int sets,
                    const Matrix<double, Exec>& b);

}  // namespace krossfold::kernels
