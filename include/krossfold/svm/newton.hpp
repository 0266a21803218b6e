// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/core/view.hpp"
#include "krossfold/kernels/cholesky.hpp"
#include "krossfold/svm/sub_problem.hpp"

namespace krossfold::svm {

/// Progress of the Newton step of one slot, in memory visible to host and device.
struct NewtonState {
  int running = 0;       ///< 1 while rounds continue
  int unknowns = 0;      ///< free members not yet fixed at a bound
  int feasible = 0;      ///< the last solution respects all bounds
  int ended = 0;         ///< gave up because the factorisation failed
  double ridge = 0;      ///< added to the diagonal; kept from round to round
  double spent = 0;      ///< cost of all that the step has done, as newton_cost()
  double fixed_sum = 0;  ///< sum of the steps of the fixed members
};

/// Memory for Newton steps with at most `limit` free members.
template <class Exec>
struct NewtonWork {
  int limit = 0;
  Flags<NewtonState> state;
  Flags<int> size, failed;                 ///< of the factorisations
  Vector<NewtonState, Exec> copied_state;  ///< (slot): on a device, for kernels of many teams, as is:
  Vector<int, Exec> copied_size;
  kernels::CholeskyWork<Exec> cholesky;
  Matrix<double, Exec> factor;    ///< (slot, limit * limit)
  Matrix<double, Exec> solution;  ///< (slot, 2 * limit): K^-1 g and K^-1 1
  Matrix<int, Exec> free, unknown,
      next;  ///< (slot, k): free members; unknowns as indices into free, this round and next
  Matrix<double, Exec> gradient, step, first_step;  ///< (slot, k): of free member k
  Matrix<double, Exec> offset;                      ///< (slot, k): what is subtracted from rows and columns of K_FF
  Matrix<double, Exec> product;                     ///< (slot, r): K_WF step
};

template <class Exec>
NewtonWork<Exec> make_newton_work(int slots, int capacity, int limit);

/// One Newton step on the free members F of every sub-problem whose slot sets `newton` and has 3 ... limit of them. The
/// step maximises the dual over beta_F with all other beta fixed and sum beta_F preserved,
///   K_FF d + nu 1 = g_F,   1^T d = 0,
/// by a Cholesky factorisation of K_FF in double (with a ridge from 1e-12 upwards if that fails). K is the kernel matrix plus 1; less
/// the first free member's row and column, which no such d can tell, unless the diagonal is constant: then that is not needed to make
/// it positive semidefinite. Members that d would
/// take out of their box are fixed at the bound they cross and the rest is solved again, for up to 10 rounds. An exact
/// line search follows along the feasible d, or else along the first d up to the first bound (ratio test).
///
/// Never decreases the dual. Polls before each factorisation, before any beta has moved. Updates beta, anchor,
/// gradient, grow and shrink of the sub-problems, and clears `newton`.
template <class Exec>
void newton(const Exec& exec, const SubProblems<Exec>& subs, const NewtonWork<Exec>& work, const Poll& poll = {});

/// Cost of one factorisation of `unknowns` rows with its solutions, in the unit of newton_cost().
double factor_cost(int unknowns);
/// Cost of a Newton step of one round with f free of m members, in floating-point operations at the speed of SMO (a factorisation
/// runs its operations about four times as fast).
double newton_cost(int free, int members);
/// Cost of one SMO iteration on m members, in the same unit.
double smo_cost(int members);

}  // namespace krossfold::svm
