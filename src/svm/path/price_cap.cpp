// SPDX-License-Identifier: BSD-3-Clause
#include "price_cap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "krossfold/svm/active_set.hpp"
#include "krossfold/svm/interior_point.hpp"
#include "krossfold/svm/price.hpp"
#include "svm/interior/block_sums.hpp"

namespace krossfold::svm {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double share_after_interior = 0.25;
constexpr int max_refreshes = 20;         // of one fit; two or three are usual
constexpr double share_of_events = 0.45;  // of a path to ten times C, relative to the members
constexpr double share_from_here = 0.2;   // the same from a state of SMO that has nearly converged
/// If SMO cost more than this share of the price of a path at the C before, the path is followed at once.
constexpr double share_of_last = 0.4;
constexpr double dear = 2.5;    // a path is given up beyond so many times its price
constexpr int first_rank = 32;  // the price of this one is the first at which SMO may be given up

/// sum of beta_i^2.
template <class Exec>
double squares_of(const Exec& exec, const DualProblems<Exec>& duals, int p) {
  const int n = duals.samples();
  const auto beta = duals.beta;
  const Flags<double> partial("krossfold::svm::squares", reduction_blocks(n));
  return sum_over(
      exec, n, partial, KOKKOS_LAMBDA(int i) { return beta(p, i) * beta(p, i); });
}

/// sum of lift_i beta_i: by so much the gradient of K in double lacks that of the rows in float, the same for all samples.
template <class Exec>
double lift_of(const Exec& exec, const DualProblems<Exec>& duals, int p, const PreciseKernel<Exec>& kernel) {
  const auto& lift = kernel.lift();
  if (lift.extent(0) == 0) return 0;
  const int n = duals.samples();
  const auto beta = duals.beta;
  const Flags<double> partial("krossfold::svm::lift", reduction_blocks(n));
  return sum_over(
      exec, n, partial, KOKKOS_LAMBDA(int i) { return lift(i) * beta(p, i); });
}

template <class Exec>
void add_to_gradient(const Exec& exec, const DualProblems<Exec>& duals, int p, double value) {
  if (value == 0) return;
  const auto gradient = duals.gradient;
  Kokkos::parallel_for(
      "krossfold::svm::lift_gradient", Kokkos::RangePolicy<Exec>(exec, 0, duals.samples()),
      KOKKOS_LAMBDA(int i) { gradient(p, i) += value; });
  fence(exec, "krossfold::svm::lift_gradient");
}

/// The root of the mean square of the kernel matrix in float, from four rows.
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

template <class Exec>
double largest_weight(const Exec& exec, const DualProblems<Exec>& duals) {
  const auto weight = duals.weight;
  double largest = 0;
  Kokkos::parallel_reduce(
      "krossfold::svm::largest_weight", Kokkos::RangePolicy<Exec>(exec, 0, duals.samples()),
      KOKKOS_LAMBDA(int i, double& found) { found = weight(i) > found ? weight(i) : found; },
      Kokkos::Max<double>(largest));
  return largest;
}

/// Free variables of problem p.
template <class Exec>
int free_of(const Exec& exec, const DualProblems<Exec>& duals, int p, double c) {
  const auto sign = duals.sign;
  const auto weight = duals.weight;
  const auto beta = duals.beta;
  int free = 0;
  Kokkos::parallel_reduce(
      "krossfold::svm::count_free", Kokkos::RangePolicy<Exec>(exec, 0, duals.samples()),
      KOKKOS_LAMBDA(int i, int& sum) {
        const auto freedom = freedom_of(beta(p, i), bound_of<double>(sign(p, i), c, weight(i)));
        sum += freedom == (can_grow | can_shrink) ? 1 : 0;
      },
      free);
  return free;
}

}  // namespace

template <class Exec>
PriceCap<Exec>::PriceCap(const Exec& exec, DualSolver<Exec>& solver, KernelRows<Exec>& kernel,
                         const DualProblems<Exec>& duals, PreciseKernel<Exec>* precise)
    : exec_(exec),
      solver_(solver),
      kernel_(kernel),
      duals_(duals),
      precise_(precise),
      mixed_(duals.problems(), 0.0),
      exact_(duals.problems(), 0),
      exact_cost_(duals.problems(), 0.0),
      rough_(duals.problems(), 0),
      direct_(duals.problems(), 0),
      had_path_(duals.problems(), 0),
      last_cost_(duals.problems(), 0.0),
      price_(duals.problems(), unlimited),
      free_(duals.problems(), 0),
      expected_free_(duals.problems(), 0),
      iterate_(duals.problems()),
      share_(duals.problems(), 1.0) {
  largest_weight_ = largest_weight(exec, duals);
  path_possible_ = precise != nullptr && precise->places() > 0;
  const auto sign = on_host(duals.sign);
  for (int p = 0; p < duals.problems(); ++p) {
    int members = 0;
    for (int i = 0; i < duals.samples(); ++i) members += sign(p, i) != 0 ? 1 : 0;
    members_.push_back(members);
    far_.push_back(0);
    for (const int i : precise != nullptr ? precise->far() : std::vector<int>()) far_.back() |= sign(p, i) != 0 ? 1 : 0;
  }
}

/// Notes that K in double takes over from K in float, or back.
template <class Exec>
void PriceCap<Exec>::take_over(int p) {
  mixed_[p] = std::max(mixed_[p], squares_of(exec_, duals_, p));
}

/// Computes the gradient of a solution of SMO in double, if its error in float may exceed the tolerance: then the problem must be
/// looked at again.
template <class Exec>
bool PriceCap<Exec>::refresh(int p, const SolveParams& params, Progress& progress) {
  constexpr double rounding = 0x1p-25;
  const int n = duals_.samples();
  const double squares = squares_of(exec_, duals_, p);
  const double error = rounding * std::sqrt(std::max(squares, mixed_[p]));
  const double allowed = 0.25 * params.tolerance;        // one standard deviation; the largest of n are some five
  const bool unit_sphere = kernel_.half.extent(0) == 0;  // no entry is larger than 1
  if (unit_sphere && !(error > allowed)) return false;
  if (entry_ == 0) entry_ = entry_of(exec_, kernel_, n);
  if (!(error * entry_ > allowed)) return false;
  // Sums of independent rounding errors.
  mixed_[p] = squares;
  set_exact_gradient(p, params, progress);
  return true;
}

template <class Exec>
void PriceCap<Exec>::set_exact_gradient(int p, const SolveParams& params, Progress& progress) {
  const int n = duals_.samples();
  progress.cost += members_[p] * (PreciseKernel<Exec>::may_be_whole(n) ? 4.0 * n : precise_->row_cost());
  exact_[p] = 1;
  exact_cost_[p] = progress.cost;
  set_precise_gradient(exec_, duals_, p, *precise_, poll_of(params.stop));
  add_to_gradient(exec_, duals_, p, lift_of(exec_, duals_, p, *precise_));
}

/// Keeps the state from which problem p starts at this C.
template <class Exec>
void PriceCap<Exec>::keep_start(int p) {
  const int n = duals_.samples();
  if (start_.extent(0) == 0) {
    start_ = Matrix<double, Exec>(uninitialized("krossfold::svm::path_start"), 2 * duals_.problems(), n);
  }
  Kokkos::deep_copy(exec_, Kokkos::subview(start_, 2 * p, Kokkos::ALL), Kokkos::subview(duals_.beta, p, Kokkos::ALL));
  Kokkos::deep_copy(exec_, Kokkos::subview(start_, 2 * p + 1, Kokkos::ALL),
                    Kokkos::subview(duals_.gradient, p, Kokkos::ALL));
}

/// What SMO may cost before the first look at a factor.
template <class Exec>
double PriceCap<Exec>::first_price(std::size_t p) const {
  const auto price = iterate_[p].without_end ? interior_cost : price_of;
  return share_[p] * price(members_[p], first_rank);
}

/// A share of the members as events for ten times C, with free variables whose number changes from `free` to what is expected.
template <class Exec>
double PriceCap<Exec>::path_price(double share, std::size_t problem, int free) const {
  const double inverse = 4.0 * free * free * free;
  const double events = share * decades_ * members_[problem];
  // K in double: its part of the whole, which the paths of a gamma share, or the rows of the free variables, at first and at every
  // other event.
  double matrix = (free + events / 2) * precise_->row_cost();
  if (PreciseKernel<Exec>::may_be_whole(duals_.samples()))
    matrix = had_path_[problem] != 0 ? 0 : precise_->whole_cost() / 5;
  return events * event_cost((free + expected_free_[problem]) / 2, duals_.samples()) + inverse + matrix;
}

template <class Exec>
void PriceCap<Exec>::back_to_start(int p) {
  Kokkos::deep_copy(exec_, Kokkos::subview(duals_.beta, p, Kokkos::ALL), Kokkos::subview(start_, 2 * p, Kokkos::ALL));
  Kokkos::deep_copy(exec_, Kokkos::subview(duals_.gradient, p, Kokkos::ALL),
                    Kokkos::subview(start_, 2 * p + 1, Kokkos::ALL));
}

/// Follows the solution of problem p by the active-set method, from where it is. True if that came to its end, which SMO then
/// looks at.
template <class Exec>
bool PriceCap<Exec>::follow_path(int p, const SolveParams& params, double max_cost, Progress& progress) {
  ActiveSetParams path;
  path.c = params.c;
  path.tolerance = params.tolerance;
  path.max_free = std::min(members_[p] / 2, largest_active_set);
  path.max_events = 2 * members_[p];
  path.max_cost = max_cost;
  path.poll = poll_of(params.stop);
  if (exact_[p] == 0) refresh(p, params, progress);
  take_over(p);
  precise_->start();
  const double before = lift_of(exec_, duals_, p, *precise_);
  const ActiveSetFit fit = follow_active_set<Exec>(exec_, duals_, p, *precise_, path);
  add_to_gradient(exec_, duals_, p, lift_of(exec_, duals_, p, *precise_) - before);
  take_over(p);
  progress.cost += fit.cost;
  exact_cost_[p] = progress.cost;
  had_path_[p] = 1;
  return fit.complete;
}

/// Solves a problem that SMO has given up by interior points, if their price is reached; otherwise sets the next budget.
/// Where rounding keeps the factor from being as close to K as this C asks for, the gradient of its solution is computed with K itself. If
/// that misses the tolerance by little, the problem ends, not converged (SMO, with K in float, does no better); if by far, the factor was
/// of another problem, and SMO has as much again to solve this one.
template <class Exec>
bool PriceCap<Exec>::give_way(int p, const SolveParams& params, Progress& progress, FitSummary& fit) {
  if (rough_[p] != 0) return true;
  const int members = members_[p], n = precise_->samples();
  const double reached = progress.cost / share_[p];
  const Poll poll = poll_of(params.stop);
  const int limit = std::min(affordable_rank(members, reached), precise_->affordable_rows(reached));
  int rank = precise_->rank_for(factor_tolerance(params.c * largest_weight_), limit, poll);
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
      solve_precisely<Exec>(exec_, duals_, p, *precise_, {params.c, params.tolerance, 100, rank, poll}, iterate_[p]);
  fit.interior_steps += interior.steps;
  fit.rank = rank > 0 ? rank : n;
  fit.operations += interior.cost;
  if (!interior.converged) {
    progress.budget = unlimited;
    return false;
  }
  share_[p] = share_after_interior;
  if (rank > 0 && precise_->residual(rank) > wanted_factor_residual(params.c * largest_weight_)) {
    constexpr double little = 100;  // times the tolerance
    rough_[p] = 1;
    set_exact_gradient(p, params, progress);
    const double violation = kkt_violation(exec_, duals_, p, params.c);
    fit.converged = violation <= params.tolerance ? 1 : 0;
    progress.budget = 2 * progress.cost;
    return violation <= little * params.tolerance;
  }
  add_to_gradient(exec_, duals_, p, lift_of(exec_, duals_, p, *precise_));
  fit.converged = 1;
  return true;
}

template <class Exec>
bool PriceCap<Exec>::solve(const SolveParams& given, const std::vector<int>& follow, std::vector<FitSummary>& fit,
                           std::vector<double>& bias) {
  SolveParams params = given;
  std::vector<Progress> progress(follow.size());
  std::vector<int> left = follow;
  std::vector<int> refreshes(follow.size(), 0), followed(follow.size(), 0);
  if (last_c_ > 0) decades_ = std::log10(params.c / last_c_);
  for (std::size_t p = 0; p < follow.size(); ++p) {
    if (follow[p] == 0) continue;
    fit[p] = FitSummary();
    exact_cost_[p] = rough_[p] = 0;
    progress[p].budget = precise_ != nullptr ? first_price(p) : unlimited;
    if (!path_possible_) continue;
    const int q = static_cast<int>(p);
    if (last_c_ > 0) mixed_[p] *= (params.c / last_c_) * (params.c / last_c_);  // as the start was scaled
    const int before = free_[p];
    free_[p] = free_of<Exec>(exec_, duals_, q, params.c);
    expected_free_[p] = before > 0 ? std::max(free_[p], free_[p] * free_[p] / before) : 2 * free_[p];
    price_[p] = free_[p] > 0 ? path_price(share_of_events, p, free_[p]) : unlimited;
    if (last_cost_[p] > share_of_last * price_[p]) direct_[p] = 1;
    if (direct_[p] != 0 && price_[p] < unlimited) {
      followed[p] = 1;
      if (!follow_path(q, params, dear * price_[p], progress[p])) direct_[p] = 0;
      fit[p].operations = progress[p].cost;
      exact_cost_[p] = 0;  // as the solver's own cost begins
    } else {
      progress[p].budget = std::min(progress[p].budget, price_[p]);
      if (price_[p] < unlimited) keep_start(q);
    }
  }
  last_c_ = params.c;
  for (;;) {
    if (!solver_.solve(duals_, kernel_, params, left, progress)) return false;
    bool any = false;
    for (std::size_t p = 0; p < left.size(); ++p) {
      if (left[p] == 0) continue;
      left[p] = 0;
      fit[p].iterations = progress[p].iterations;
      fit[p].converged = progress[p].converged ? 1 : 0;
      bias[p] = progress[p].bias;
      if (progress[p].cost > exact_cost_[p]) exact_[p] = 0;  // Newton steps cost, too, and are no iterations
      const bool inexact = exact_[p] == 0 && refreshes[p] < max_refreshes;
      if (progress[p].converged && precise_ != nullptr && inexact &&
          refresh(static_cast<int>(p), params, progress[p])) {
        ++refreshes[p];
        left[p] = 1;
        any = true;
      }
      if (!progress[p].given_up) continue;
      double next_path = unlimited;
      if (price_[p] < unlimited && followed[p] == 0) {
        const int q = static_cast<int>(p);
        const int free = free_of<Exec>(exec_, duals_, q, params.c);
        expected_free_[p] = std::min(expected_free_[p], std::max(free, free_[p]));
        price_[p] = path_price(share_of_events, p, free_[p]);
        const double price_here = path_price(share_from_here, p, free), price = std::min(price_[p], price_here);
        if (price <= progress[p].cost) {
          followed[p] = 1;
          const bool from_start = price_[p] < price_here;
          if (from_start) back_to_start(q);
          const bool complete = follow_path(q, params, dear * price, progress[p]);
          direct_[p] = complete ? 1 : 0;
          progress[p].budget = std::max(first_price(p), 2 * progress[p].cost);
          left[p] = 1;
          any = true;
          continue;
        }
        next_path = price;
        const double first = first_price(p);
        if (progress[p].cost < first) {
          progress[p].budget = std::min(first, price);
          left[p] = 1;
          any = true;
          continue;
        }
      }
      if (!give_way(static_cast<int>(p), params, progress[p], fit[p])) {
        progress[p].budget = std::min(progress[p].budget, next_path);
        left[p] = 1;
        any = true;
      }
    }
    if (!any) break;
    params.resume = true;
  }
  std::vector<int> look(follow.size(), 0);
  for (std::size_t p = 0; p < follow.size(); ++p) {
    // SMO has come to its end once more by K in float: how far that is from the end by K in double, the summary will tell, or of a
    // duality gap one more look, without a step.
    if (follow[p] == 0 || fit[p].converged == 0 || exact_[p] != 0 || refreshes[p] < max_refreshes) continue;
    look[p] = refresh(static_cast<int>(p), params, progress[p]) && params.gap > 0 ? 1 : 0;
    progress[p].budget = 0;
  }
  if (std::count(look.begin(), look.end(), 1) > 0 && !solver_.solve(duals_, kernel_, params, look, progress)) {
    return false;
  }
  for (std::size_t p = 0; p < follow.size(); ++p) {
    if (follow[p] == 0) continue;
    if (look[p] != 0) {
      fit[p].converged = progress[p].converged ? 1 : 0;
      bias[p] = progress[p].bias;
    }
    if (far_[p] != 0) fit[p].converged = 0;
    fit[p].operations += progress[p].cost;
    last_cost_[p] = followed[p] == 0 && fit[p].interior_steps == 0 ? progress[p].cost : 0;
  }
  return true;
}

#define KROSSFOLD_INSTANTIATE(Exec) template class PriceCap<Exec>;
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
