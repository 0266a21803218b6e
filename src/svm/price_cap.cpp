// SPDX-License-Identifier: BSD-3-Clause
#include "price_cap.hpp"

#include <algorithm>
#include <limits>

#include "krossfold/svm/interior_point.hpp"

namespace krossfold::svm {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double share_after_interior = 0.25;
constexpr int first_rank = 32;  // the price of this one is the first at which SMO may be given up

}  // namespace

double factor_tolerance(double c) { return std::clamp(3e-7 / c, 2e-14, 1e-7); }

template <class Exec>
PriceCap<Exec>::PriceCap(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel,
                         const DualProblems<Exec>& duals, PreciseKernel<Exec>* precise)
    : exec_(exec), solver_(solver), kernel_(kernel), duals_(duals), precise_(precise), share_(duals.problems(), 1.0) {
  const auto sign = on_host(duals.sign);
  for (int p = 0; p < duals.problems(); ++p) {
    int members = 0;
    for (int i = 0; i < duals.samples(); ++i) members += sign(p, i) != 0 ? 1 : 0;
    members_.push_back(members);
  }
}

/// Solves a problem that SMO has given up by interior points, if their price is reached; otherwise sets the next budget.
template <class Exec>
bool PriceCap<Exec>::give_way(int p, const SolveParams& params, Progress& progress, FitSummary& fit) {
  const int members = members_[p], n = precise_->samples();
  const double reached = progress.cost / share_[p];
  const Poll poll = poll_of(params.stop);
  const int limit = affordable_rank(members, reached);
  int rank = precise_->rank_for(factor_tolerance(params.c), limit, poll);
  const bool too_large = rank == 0 && limit >= PreciseKernel<Exec>::max_rank(n);
  if (rank == 0 && !too_large) {
    progress.budget = 2 * progress.cost;
    return false;
  }
  if (too_large) {
    const double price = interior_cost(members, 0);
    const bool possible = PreciseKernel<Exec>::may_be_whole(n);
    if (!possible || price > reached) {
      progress.budget = possible ? share_[p] * price : unlimited;
      return false;
    }
  }
  const InteriorFit interior =
      solve_interior<Exec>(exec_, duals_, p, *precise_, {params.c, params.tolerance, 100, rank, poll});
  fit.interior_steps += interior.steps;
  fit.rank = rank > 0 ? rank : n;
  if (!interior.converged) {
    progress.budget = unlimited;
    return false;
  }
  share_[p] = share_after_interior;
  return true;
}

template <class Exec>
bool PriceCap<Exec>::solve(const SolveParams& given, const std::vector<int>& follow, std::vector<FitSummary>& fit) {
  SolveParams params = given;
  std::vector<Progress> progress(follow.size());
  std::vector<int> left = follow;
  for (std::size_t p = 0; p < follow.size(); ++p) {
    if (follow[p] == 0) continue;
    fit[p] = FitSummary();
    progress[p].budget = precise_ != nullptr ? share_[p] * interior_cost(members_[p], first_rank) : unlimited;
  }
  for (;;) {
    if (!solver_.solve(duals_, kernel_, params, left, progress)) return false;
    bool any = false;
    for (std::size_t p = 0; p < left.size(); ++p) {
      if (left[p] == 0) continue;
      left[p] = 0;
      fit[p].iterations = progress[p].iterations;
      fit[p].converged = progress[p].converged ? 1 : 0;
      if (!progress[p].given_up) continue;
      if (give_way(static_cast<int>(p), params, progress[p], fit[p])) {
        fit[p].converged = 1;
      } else {
        left[p] = 1;
        any = true;
      }
    }
    if (!any) return true;
    params.resume = true;
  }
}

#define KROSSFOLD_INSTANTIATE(Exec) template class PriceCap<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
