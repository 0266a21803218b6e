// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::svm {

/// The systems (D + Q) u = b of an interior-point step on m members, Q = diag(y) K diag(y).
template <class Exec>
struct InteriorSystem {
  bool whole = false;               ///< `rows` is Q; otherwise Q = rows^T rows
  Matrix<double, Exec> rows;        ///< (r, m)
  Vector<double, Exec> d, inverse;  ///< (m): D and D^-1
  Matrix<double, Exec> factored;    ///< (1, r * r): D + Q, or 1 + rows D^-1 rows^T, by Cholesky
  Flags<int> size, failed;          ///< of the factorisation
  Vector<double, Exec> image;       ///< (r): rows u
  Matrix<double, Exec> small;       ///< (1, r): right-hand side and solution of the factored system
  Vector<double, Exec> residual, preconditioned, direction, product;  ///< (m)
  Flags<double> partial;                                              ///< for sums over m or r

  int members() const { return static_cast<int>(rows.extent(1)); }
  int rank() const { return static_cast<int>(rows.extent(0)); }
};

/// The systems of these samples with the signs y, by a factor of that rank, or by K whole (rank 0).
template <class Exec>
InteriorSystem<Exec> make_interior_system(const Exec& exec, PreciseKernel<Exec>& kernel, int rank,
                                          const Vector<const int, Exec>& sample, const Vector<const double, Exec>& sign,
                                          const Poll& poll);

/// product = Q u; leaves rows u in `image`, unless the matrix is whole.
template <class Exec>
void multiply(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& u,
              const Vector<double, Exec>& product);

/// Factors the matrix for the present d, with a ridge where rounding makes that necessary. False if that does not help.
template <class Exec>
bool factor(const Exec& exec, const InteriorSystem<Exec>& system);

/// Solves (D + Q) u = b by conjugate gradients, preconditioned by the factored matrix, until no residual exceeds `accuracy` times the
/// largest b_i, or for 30 iterations.
template <class Exec>
void solve(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& b,
           const Vector<double, Exec>& u, double accuracy);

/// out_k = sum_r t(r, k) f_r, for the first `count` rows of t.
template <class Exec>
void add_rows(const Exec& exec, const Matrix<const double, Exec>& t, int count, const Vector<const double, Exec>& f,
              const Vector<double, Exec>& out);

}  // namespace krossfold::svm
