// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold::kernels {

/// Memory of a device for cholesky() of so many matrices, kept from call to call; a host needs none.
template <class Exec>
struct CholeskyWork {
  Vector<int, Exec> live;        ///< (matrix): its size, or 0 once it has failed
  Matrix<double, Exec> inverse;  ///< (matrix, 64 * 64): of a diagonal block
};
template <class Exec>
CholeskyWork<Exec> make_cholesky_work(int matrices);

/// Batched in-place Cholesky factorisation of symmetric matrices: A = L L^T.
/// a: (matrix, c * size + r). The lower triangle r >= c in LAPACK's column-major order (the upper one in row-major
/// order) is read and becomes L. The other triangle and matrices of size 0 are left unchanged.
/// failed(k) becomes 1 if matrix k is numerically not positive definite, else 0.
///
/// Host: a recursive algorithm on BLAS matrix products, with matrices distributed over Kokkos' threads. Device: blocks of columns of all
/// matrices at once, three launches for each 64.
template <class Exec>
void cholesky(const Exec& exec, const Matrix<double, Exec>& a, const Flags<const int>& size, const Flags<int>& failed,
              const CholeskyWork<Exec>& work);

/// Solves A x = b for `sets` right-hand sides with the factors of cholesky(). b: (matrix, set * size + r), in place.
template <class Exec>
void cholesky_solve(const Exec& exec, const Matrix<const double, Exec>& a, const Flags<const int>& size, int sets,
                    const Matrix<double, Exec>& b);

}  // namespace krossfold::kernels
