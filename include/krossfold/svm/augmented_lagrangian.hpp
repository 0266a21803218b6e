// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/dual_problem.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::svm {

struct LagrangianParams {
  double c = 1;
  double tolerance = 1e-3;  ///< of the KKT violation
  int max_steps = 250;      ///< Newton steps; a problem takes 1 to 120
  int rank = 1;             ///< of the kernel's factor, which must be there
  int members_a_row = 0;    ///< with fewer members for each row of the factor the problem is left as it is, in no steps
  Poll poll{};              ///< called in every step; if it throws, the problem is unchanged
};

struct LagrangianFit {
  int steps = 0;           ///< Newton steps
  bool converged = false;  ///< violation <= tolerance
  double cost = 0;         ///< of these steps, in the unit of interior_cost()
};

/// A solution, to start from at a larger C.
template <class Exec>
struct LagrangianIterate {
  double c = 0;                ///< 0: none
  Vector<double, Exec> alpha;  ///< (m): over the members of the problem
  Vector<double, Exec> w;      ///< (r + 1): the normal vector in the space of the factor, and the bias
};

/// Solves problem p of `duals` at C on a factor K ~ T^T T of r rows, by the method of multipliers on the dual (Rockafellar, Math.
/// Oper. Res. 1 (1976) 97) with a semismooth Newton method in each of its stages (Li, Sun and Toh, SIAM J. Optim. 28 (2018) 433). In terms of
/// alpha_i = y_i beta_i, u_i = C w_i, q_i = y_i t_i and the slack s_i(w, b) = 1 - q_i^T w - y_i b, a stage minimises over w and b
///
///   1/2 |w|^2 + sum_i h / u_i ([a_i + u_i s_i / 2h]_+^2 - [a_i + u_i s_i / 2h - u_i]_+^2),
///
/// the multipliers a being the alpha of the stage before; its minimum is at alpha_i = min(max(a_i + u_i s_i / 2h, 0), u_i), w = sum alpha_i q_i,
/// y^T alpha = 0. h is halved from stage to stage, down to the tolerance. A Newton step factors
///
///   1 + sum_{i in J} u_i / 2h (q_i, y_i) (q_i, y_i)^T,   J = {i : 0 < alpha_i < u_i},
///
/// in |J| r^2 operations, and reads T once for the slacks and the rows of J twice. J shrinks with h from all or a quarter of the members to little
/// more than the free variables of the solution, whereas an interior-point step has all members in its matrix. A line search (the derivative
/// along a line takes m operations) makes every step a descent.
///
/// alpha is at its bounds exactly. The problem is solved when the violation of these coefficients, with the factor's K and by the
/// definition of DualProblems, is within the tolerance. Sets beta and the gradient of all samples then; otherwise the problem stays
/// as it is.
///
/// iterate: empty, or what it was left with at a smaller C; replaced by the solution. After a failure it is empty.
template <class Exec>
LagrangianFit solve_lagrangian(const Exec& exec, const DualProblems<Exec>& duals, int problem,
                               PreciseKernel<Exec>& kernel, const LagrangianParams& params,
                               LagrangianIterate<Exec>* iterate = nullptr);

/// What a problem of so many members is expected to cost on a factor of that rank, in the unit of interior_cost().
double lagrangian_cost(int members, int rank);

}  // namespace krossfold::svm
