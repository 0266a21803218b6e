// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::svm {

struct InteriorParams {
  double c = 1;
  double tolerance = 1e-3;  ///< of the KKT violation
  int max_steps = 100;      ///< a problem takes 10 to 40, whatever C is
  int rank = 0;             ///< of the kernel's factor, which must be there; 0: the whole kernel matrix
  Poll poll{};              ///< called in every step; if it throws, the problem is unchanged
};

struct InteriorFit {
  int steps = 0;
  bool converged = false;  ///< violation <= tolerance
  double cost = 0;         ///< of these steps, as interior_cost() counts
};

/// An iterate in which no variable has been decided, to start from at a larger C.
template <class Exec>
struct InteriorIterate {
  double c = 0;                            ///< 0: none
  Vector<double, Exec> alpha, room, z, w;  ///< (m): over the members of the problem
  double nu = 0;
};

/// Solves problem p of `duals` at C by a primal-dual interior-point method, from the beginning or from `iterate`. In terms of alpha_i = y_i beta_i,
/// Q = diag(y) K diag(y), the multipliers z, w > 0 of the two bounds and nu of the sum,
///
///   Q alpha - 1 + nu y - z + w = 0,   y^T alpha = 0,   alpha_i z_i = mu,   (C_i - alpha_i) w_i = mu,   mu -> 0,
///
/// by Mehrotra's predictor and corrector (SIAM J. Optim. 2 (1992) 575) and up to two centrality correctors (Gondzio, Comput. Optim.
/// Appl. 6 (1996) 137). Each step solves systems with D + Q, D = z / alpha + w / (C -
/// alpha) + rho, and a factor T^T T of K (Fine and Scheinberg 2001) takes n r^2 operations for it, by the matrix 1 + T D^-1 T^T; the
/// whole K n^3 / 3. rho, at most 1e-5 / C, makes the step that of a proximal point method: it bounds the condition of these matrices
/// and moves no solution. Conjugate gradients make up for what rounding then spoils.
///
/// A variable whose multiplier is far from 0 is put exactly to its bound, and sum beta is 0; the problem is solved when the
/// violation of these coefficients, by the definition of DualProblems with the factor's K, is within the tolerance. Sets beta and
/// the gradient of all samples then; otherwise the problem stays as it is.
///
/// iterate: empty, or what it was left with at a smaller C, times whose ratio the method then starts; replaced by one of this C.
template <class Exec>
InteriorFit solve_interior(const Exec& exec, const DualProblems<Exec>& duals, int problem, PreciseKernel<Exec>& kernel,
                           const InteriorParams& params, InteriorIterate<Exec>* iterate = nullptr);

/// The residual of the kernel's factor, in terms of its trace over n, that moves objectives at C, the largest bound of a coefficient, by less
/// than 1e-6 of themselves.
/// 3e-7 / C, if rounding lets it be reached.
double factor_tolerance(double c);
double wanted_factor_residual(double c);
/// The least residual that rounding lets be reached.
inline constexpr double least_factor_tolerance = 2e-14;
/// Steps that the price of a problem pays for.
inline constexpr double usual_interior_steps = 30;
/// What a problem of so many members is expected to cost with a factor of that rank, or with K whole (rank 0): in the unit of
/// newton_cost(), for usual_interior_steps.
double interior_cost(int members, int rank);
/// Bytes for the systems of one problem with so many of the samples.
std::uint64_t interior_memory(int samples, int members);

}  // namespace krossfold::svm
