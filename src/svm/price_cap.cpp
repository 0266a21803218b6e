// SPDX-License-Identifier: BSD-3-Clause
#include "price_cap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "block_sums.hpp"
#include "krossfold/svm/interior_point.hpp"

namespace krossfold::svm {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double share_after_interior = 0.25;
constexpr int max_refreshes = 20;  // of one fit; two or three are usual
constexpr int first_rank = 32;     // the price of this one is the first at which SMO may be given up

/// sum of beta_i^2.
template <class Exec>
double squares_of(const Exec& exec, const DualProblems<Exec>& duals, int p) {
  const int n = duals.samples();
  const auto beta = duals.beta;
  const Flags<double> partial("krossfold::svm::squares", reduction_blocks(n));
  return sum_over(
      exec, n, partial, KOKKOS_LAMBDA(int i) { return beta(p, i) * beta(p, i); });
}

/// The root of the mean square of K - 1, from four rows.
template <class Exec>
double entry_of(const Exec& exec, KernelRows<Exec>& kernel, int n) {
  const Flags<double> partial("krossfold::svm::squares", reduction_blocks(n));
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int i = static_cast<int>(static_cast<std::int64_t>(n) * (2 * k + 1) / 8);
    kernel.fetch(std::span<const int>(&i, 1));
    const auto row = kernel.row;
    sum += sum_over(
        exec, n, partial, KOKKOS_LAMBDA(int j) {
          const double value = row(i).value[j];
          return value * value;
        });
  }
  return std::sqrt(sum / (4.0 * n));
}

/// g = y - K beta with K in double. A poll that throws leaves the gradient undefined.
template <class Exec>
void set_gradient(const Exec& exec, const DualProblems<Exec>& duals, int p, PreciseKernel<Exec>& kernel,
                  const Poll& poll) {
  const int n = duals.samples();
  const auto gradient = duals.gradient;
  const auto sign = duals.sign;
  const Vector<const double, Exec> beta(&duals.beta(p, 0), n);
  const Vector<double, Exec> product(&gradient(p, 0), n);
  kernel.multiply(beta, product, poll);
  Kokkos::parallel_for(
      "krossfold::svm::refresh", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { gradient(p, i) = sign(p, i) - gradient(p, i); });
  fence(exec, "krossfold::svm::refresh");
}

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

/// Computes the gradient of a solution of SMO in double, if its error in float may exceed the tolerance: then the problem must be
/// looked at again.
template <class Exec>
bool PriceCap<Exec>::refresh(int p, const SolveParams& params, Progress& progress) {
  constexpr double rounding = 0x1p-25;
  const int n = duals_.samples();
  const double error = rounding * std::sqrt(squares_of(exec_, duals_, p));
  if (!(error > 2 * params.tolerance)) return false;
  if (entry_ == 0) entry_ = entry_of(exec_, kernel_, n);
  if (!(error * entry_ > 2 * params.tolerance)) return false;
  // Sums of independent rounding errors; above that size each element of K costs an exponential.
  const double cost = PreciseKernel<Exec>::may_be_whole(n) ? 4.0 * n * members_[p] : 400.0 * n * members_[p];
  if (!PreciseKernel<Exec>::may_be_whole(n) && cost > progress.cost) return false;
  progress.cost += cost;
  set_gradient(exec_, duals_, p, *precise_, poll_of(params.stop));
  return true;
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
  std::vector<std::int64_t> refreshed(follow.size(), -1);  // SMO iterations when the gradient was computed anew
  std::vector<int> refreshes(follow.size(), 0);
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
      const bool moved = progress[p].iterations > refreshed[p] && refreshes[p] < max_refreshes;
      if (progress[p].converged && precise_ != nullptr && moved && refresh(static_cast<int>(p), params, progress[p])) {
        refreshed[p] = progress[p].iterations;
        ++refreshes[p];
        left[p] = 1;
        any = true;
      }
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
