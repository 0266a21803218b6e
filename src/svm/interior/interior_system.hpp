// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/cholesky.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::svm {

/// The systems (D + Q) u = b of an interior-point step on m members, Q = diag(y) K diag(y). With a factor T of Q = T^T T, of r rows,
///
///   u = D^-1 (b - T^T s),   M s = T D^-1 b,   M = 1 + T D^-1 T^T.
template <class Exec>
struct InteriorSystem {
  bool whole = false;               ///< `rows` is Q; otherwise it is T
  Matrix<double, Exec> rows;        ///< (r, m)
  double reach = 0;                 ///< the largest |column of T|
  Vector<double, Exec> d, inverse;  ///< (m): D and D^-1
  Matrix<double, Exec> factored;    ///< (1, r * r): D + Q, or M, by Cholesky
  Flags<int> size, failed;          ///< of the factorisation
  kernels::CholeskyWork<Exec> work;
  Matrix<double, Exec> small;                         ///< (1, r): right-hand side and solution of the factored system
  Vector<double, Exec> residual, direction, product;  ///< (r): of the conjugate gradients
  Vector<double, Exec> image;                         ///< (r): T u
  Vector<double, Exec> change;                        ///< (m)
  Matrix<double, Exec> block_image;                   ///< (blocks of columns, r), on the host
  Flags<double> partial;                              ///< for sums over m or r

  int members() const { return static_cast<int>(rows.extent(1)); }
  int rank() const { return static_cast<int>(rows.extent(0)); }
};

/// The systems of these samples with the signs y, by a factor of that rank, or by K whole (rank 0).
template <class Exec>
InteriorSystem<Exec> make_interior_system(const Exec& exec, PreciseKernel<Exec>& kernel, int rank,
                                          const Vector<const int, Exec>& sample, const Vector<const double, Exec>& sign,
                                          const Poll& poll);

/// product = Q u; leaves T u in `image`, unless the matrix is whole.
template <class Exec>
void multiply(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& u,
              const Vector<double, Exec>& product);

/// Factors the matrix for the present d, with a ridge where rounding makes that necessary. False if that does not help.
template <class Exec>
bool factor(const Exec& exec, const InteriorSystem<Exec>& system);

/// Solves (D + Q) u = b by conjugate gradients, on M if there is a factor, preconditioned by the factored matrix, until no residual
/// b - (D + Q) u exceeds `accuracy` times the largest b_i, or for 30 iterations. The host reads T twice, and once more in each iteration; a
/// device three times, and twice more.
template <class Exec>
void solve(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& b,
           const Vector<double, Exec>& u, double accuracy);

}  // namespace krossfold::svm
