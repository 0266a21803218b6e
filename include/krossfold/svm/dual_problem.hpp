// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// The duals of P one-vs-rest C-SVMs over the same n samples and the same kernel matrix, with their current solution.
///
/// Problem p separates class p (y = +1) from the rest (y = -1). In beta_i = y_i alpha_i the dual (Cortes and Vapnik 1995)
/// reads
///
///   maximise  W(beta) = sum_i y_i beta_i - 1/2 sum_ij beta_i K_ij beta_j
///   subject to  sum_i beta_i = 0  and  A_i <= beta_i <= B_i,   [A_i, B_i] = [0, C] if y_i = +1, [-C, 0] if y_i = -1
///
/// with gradient g = y - K beta. It is optimal when no i that can grow has a larger gradient than a j that can shrink:
/// the violation max{g_i : beta_i < B_i} - min{g_j : beta_j > A_j} is at most the tolerance (Keerthi et al. 2001).
///
/// `kernel` holds K - 1 (kernels/rbf.hpp): as sum beta = 0 the gradient is the same.
template <class Exec>
struct DualProblems {
  Matrix<const float, Exec> kernel;  ///< n rows of at least n columns: K - 1
  Vector<const int, Exec> label;     ///< (n) class of each sample
  int problems = 0;                  ///< P = number of classes

  Matrix<double, Exec> beta;           ///< (P, n)
  Matrix<double, Exec> gradient;       ///< (P, n)
  Matrix<std::uint8_t, Exec> freedom;  ///< (P, n): bit 0, beta_i < B_i (can grow); bit 1, beta_i > A_i (can shrink)

  int samples() const { return static_cast<int>(label.extent(0)); }
};

inline constexpr std::uint8_t can_grow = 1, can_shrink = 2;

/// Allocates the solution of P problems and sets it to beta = 0, g = y.
template <class Exec>
DualProblems<Exec> make_problems(const Exec& exec, const Matrix<const float, Exec>& kernel,
                                 const Vector<const int, Exec>& label, int classes);

/// Turns the solution at `c_before` into a feasible start at `c`, by scaling all of beta with r = c / c_before: what was at a
/// bound stays there, and g = y - r (y - g) needs no product with K. Problems with follow(p) == 0 are left as they are.
template <class Exec>
void scale_to(const Exec& exec, const DualProblems<Exec>& duals, double c_before, double c,
              const Vector<const int, Exec>& follow);

/// Recomputes `freedom` from beta and C.
template <class Exec>
void find_freedom(const Exec& exec, const DualProblems<Exec>& duals, double c);

/// What is known of a solution.
struct FitSummary {
  std::int64_t iterations = 0;
  int converged = 0;          ///< violation <= tolerance
  int support = 0;            ///< number of beta != 0
  int bounded = 0;            ///< number of |beta| = C
  double violation = 0;       ///< of the KKT conditions; 0 if nothing can move
  double dual_objective = 0;  ///< W = 1/2 sum beta (y + g)
  double bias = 0;            ///< b of the decision value sum_i beta_i K(x_i, x) + b
};

/// Sums up every problem's solution at C; fills everything but iterations and converged.
/// The bias is the middle of the two gradients that make up the violation (Keerthi et al. 2001); of a class without
/// samples it is -1, as all decisions are. Sums are formed in blocks of 512, combined in order.
template <class Exec>
void summarise(const Exec& exec, const DualProblems<Exec>& duals, double c, const Vector<FitSummary, Exec>& summary);

}  // namespace krossfold::svm
