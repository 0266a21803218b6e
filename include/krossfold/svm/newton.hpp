// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/view.hpp"
#include "krossfold/svm/sub_problem.hpp"

namespace krossfold::svm {

/// How far a Newton step of one slot is. In memory that host and device see.
struct NewtonState {
  int running = 0;       ///< 1 while rounds go on
  int unknowns = 0;      ///< free members not fixed at a bound so far
  int feasible = 0;      ///< the last solution keeps all bounds
  int ended = 0;         ///< gave up: no factorisation
  double ridge = 0;      ///< added to the diagonal
  double fixed_sum = 0;  ///< sum of the steps of those fixed
};

/// Memory for Newton steps with at most `limit` free members.
template <class Exec>
struct NewtonWork {
  int limit = 0;
  Flags<NewtonState> state;
  Flags<int> size, failed;        ///< of the factorisations
  Matrix<double, Exec> factor;    ///< (slot, limit * limit)
  Matrix<double, Exec> solution;  ///< (slot, 2 * limit): K^-1 g and K^-1 1
  Matrix<int, Exec> free, unknown,
      next;  ///< (slot, k): free members; unknowns as indices into free, this round and next
  Matrix<double, Exec> gradient, step, first_step;  ///< (slot, k): by free member
  Matrix<double, Exec> product;                     ///< (slot, r): K_WF step
};

template <class Exec>
NewtonWork<Exec> make_newton_work(int slots, int capacity, int limit);

/// One Newton step on the free members F of every sub-problem whose slot says `newton` and has 3 ... limit of them:
/// the maximum of the dual over beta_F with all else held fast and sum beta_F kept,
///   K_FF d + nu 1 = g_F,   1^T d = 0,
/// by a Cholesky factorisation of K_FF in double (a ridge from 1e-12 up where it fails). Members that d would take out of
/// their box are fixed at the bound they pass, and the rest is solved again, up to 10 rounds. Then an exact search along the
/// feasible segment; if the rounds end without a feasible d, along the first d up to the first bound (ratio test).
///
/// Never lowers the dual. Polls before each factorisation, when nothing has moved yet. Updates beta, anchor, gradient, grow and
/// shrink of the sub-problems, and clears `newton`.
template <class Exec>
void newton(const Exec& exec, const SubProblems<Exec>& subs, const NewtonWork<Exec>& work, double c,
            const Poll& poll = {});

/// Floating-point operations of a Newton step with f free of m members, in units of an SMO iteration's: a factorisation
/// does its operations about four times as fast.
double newton_cost(int free, int members);
/// The same of one SMO iteration on m members.
double smo_cost(int members);

}  // namespace krossfold::svm
