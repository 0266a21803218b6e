// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/view.hpp"

namespace krossfold::svm {

/// The duals of P binary C-SVMs over the same n samples and the same kernel matrix, with their current solution.
///
/// Problem p separates the samples of sign y = +1 from those of sign -1 and ignores those of sign 0 (the held-out fold,
/// the other classes of one-vs-one). In terms of beta_i = y_i alpha_i the dual (Cortes and Vapnik 1995) reads
///
///   maximise  W(beta) = sum_i y_i beta_i - 1/2 sum_ij beta_i K_ij beta_j
///   subject to  sum_i beta_i = 0  and  A_i <= beta_i <= B_i,
///   [A_i, B_i] = [0, C w_i] if y_i = +1, [-C w_i, 0] if y_i = -1
///
/// with the weights w_i >= 0 of the samples (1 unless given; a sample of weight 0 is ignored)
/// with gradient g = y - K beta. It is optimal when no i that can grow has a larger gradient than a j that can shrink,
/// to a tolerance on the violation max{g_i : beta_i < B_i} - min{g_j : beta_j > A_j} (Keerthi et al. 2001).
///
/// The gradient is kept for all samples; where y = 0, the decision value of the sample is bias - g.
/// Because sum beta = 0, K and the stored K - 1 (kernels/rbf.hpp) have the same gradient.
template <class Exec>
struct DualProblems {
  Matrix<const std::int8_t, Exec> sign;  ///< (P, n): y
  Vector<const double, Exec> weight;     ///< (n): w
  Matrix<double, Exec> beta;             ///< (P, n)
  Matrix<double, Exec> gradient;         ///< (P, n)

  int problems() const { return static_cast<int>(sign.extent(0)); }
  int samples() const { return static_cast<int>(sign.extent(1)); }
};

/// The bound of beta other than 0 at C: y C w. Sign is the stored type, or double where that vectorises better among other doubles.
template <class Sign>
KOKKOS_INLINE_FUNCTION double bound_of(Sign sign, double c, double weight) {
  return static_cast<double>(sign) * (c * weight);
}
/// The bounds A and B of a beta whose bound other than 0 is `bound`.
KOKKOS_INLINE_FUNCTION double lower_bound(double bound) { return bound < 0 ? bound : 0.0; }
KOKKOS_INLINE_FUNCTION double upper_bound(double bound) { return bound > 0 ? bound : 0.0; }

inline constexpr std::uint8_t can_grow = 1, can_shrink = 2;

/// Whether beta_i < B_i (bit can_grow) and beta_i > A_i (bit can_shrink).
KOKKOS_INLINE_FUNCTION std::uint8_t freedom_of(double beta, double bound) {
  return static_cast<std::uint8_t>((beta < upper_bound(bound) ? can_grow : 0) |
                                   (beta > lower_bound(bound) ? can_shrink : 0));
}

/// Allocates the solutions of the problems and sets them to beta = 0, g = y. weight: (n), or empty for 1.
template <class Exec>
DualProblems<Exec> make_problems(const Exec& exec, const Matrix<const std::int8_t, Exec>& sign,
                                 const Vector<const double, Exec>& weight = {});

/// Warm start: makes the solution at `c_before` feasible at `c` by scaling beta by r = c / c_before. Variables at a
/// bound stay there, and g = y - r (y - g) needs no product with K. Problems with follow(p) == 0 are left unchanged.
template <class Exec>
void scale_to(const Exec& exec, const DualProblems<Exec>& duals, double c_before, double c,
              const Flags<const int>& follow);

/// Summary of one solution.
struct FitSummary {
  std::int64_t iterations = 0;  ///< of SMO
  int converged = 0;            ///< violation <= tolerance, or the duality gap is small enough
  int interior_steps = 0;       ///< of interior points or multipliers, 0 where SMO alone solved it
  int rank = 0;                 ///< of the kernel matrix that these used, n for all of it
  double operations =
      0;  ///< what the solution cost, as smo_cost(), newton_cost(), event_cost() and interior_cost() count
  double objective_error = 0;  ///< of continue_factor_path(); 0 of other paths
  double gradient_error = 0;   ///< of continue_factor_path(); 0 of other paths
  int support = 0;             ///< number of beta != 0
  int bounded = 0;             ///< number of |beta| = C w, other than 0
  double violation = 0;        ///< of the KKT conditions; 0 if no variable can move
  double dual_objective = 0;   ///< W = 1/2 sum beta (y + g)
  double bias = 0;             ///< b of the decision value sum_i beta_i K(x_i, x) + b
};

/// Summarises every problem's solution at C; fills all that these determine.
/// The bias is the midpoint of the two gradients that define the violation (Keerthi et al. 2001); where only variables that
/// rounding keeps from their bounds, by at most 10^-13 sum |beta|, are between them, the midpoint of the interval that all others leave, in
/// which any bias is optimal. If
/// one sign has no samples, the bias and all decision values equal the other sign. Sums are formed in blocks of 512, combined in order.
template <class Exec>
void summarise(const Exec& exec, const DualProblems<Exec>& duals, double c, const Flags<FitSummary>& summary);

}  // namespace krossfold::svm
