// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/augmented_lagrangian.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/kernels/listed_rows.hpp"
#include "krossfold/kernels/row_products.hpp"
#include "lagrangian.hpp"
#include "newton_steps.hpp"
#include "svm/interior/block_sums.hpp"
#include "svm/interior/box.hpp"

namespace krossfold::svm {

namespace {

constexpr double narrower = 2;  // by how much less h is from stage to stage
constexpr int max_stages = 60;

/// w = 0 and the bias for which y^T alpha = 0 with the first h.
template <class Exec>
void start(const Exec& exec, const Lagrangian<Exec>& l) {
  const auto w = l.w;
  const int rank = l.rank();
  const double positive = l.box.positive_upper, negative = l.box.negative_upper;
  const double bias = (positive - negative) / (positive + negative);
  Kokkos::deep_copy(exec, l.multiplier, 0.0);
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_start", Kokkos::RangePolicy<Exec>(exec, 0, rank + 1),
      KOKKOS_LAMBDA(int r) { w(r) = r < rank ? 0.0 : bias; });
}

/// The alpha of a smaller C in the same ratio to C, and its w, which has at most as many components.
template <class Exec>
void start_from(const Exec& exec, const Lagrangian<Exec>& l, const LagrangianIterate<Exec>& from, double c) {
  const auto w = l.w, before = from.w, multiplier = l.multiplier, alpha = from.alpha;
  const int rank = l.rank(), known = static_cast<int>(before.extent(0)) - 1;
  const double ratio = c / from.c;
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_warm_start", Kokkos::RangePolicy<Exec>(exec, 0, rank + 1), KOKKOS_LAMBDA(int r) {
        w(r) = r == rank ? before(known) : r < known ? before(r) : 0.0;
      });
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_multipliers", Kokkos::RangePolicy<Exec>(exec, 0, l.members()),
      KOKKOS_LAMBDA(int i) { multiplier(i) = ratio * alpha(i); });
}

/// slack = 1 - q_i^T w - y_i b, alpha at these, and its image, all from the beginning.
template <class Exec>
void begin_stage(const Exec& exec, const Lagrangian<Exec>& l) {
  kernels::multiply_rows<Exec>(exec, l.rows, l.w, l.slack);
  const auto slack = l.slack, alpha = l.alpha;
  const auto upper = l.box.upper;
  const Wanted<Exec> wanted = wanted_of(l);
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_begin", Kokkos::RangePolicy<Exec>(exec, 0, l.members()), KOKKOS_LAMBDA(int i) {
        slack(i) = 1 - slack(i);
        alpha(i) = clipped(wanted(i), upper(i));
      });
  find_image(exec, l);
}

/// Makes alpha the multipliers. Returns the largest |slack| of a variable that is at none of its bounds.
template <class Exec>
double take_multipliers(const Exec& exec, const Lagrangian<Exec>& l) {
  Kokkos::deep_copy(exec, l.multiplier, l.alpha);
  const auto alpha = l.alpha, slack = l.slack;
  const auto upper = l.box.upper;
  return max_over(
      exec, l.members(), l.partial, KOKKOS_LAMBDA(int i) {
        if (alpha(i) <= 0 || alpha(i) >= upper(i)) return 0.0;
        return slack(i) < 0 ? -slack(i) : slack(i);
      });
}

/// About by how much rounding moves the slacks, as sums over alpha.
template <class Exec>
double rounding_of(const Exec& exec, const Lagrangian<Exec>& l) {
  return 0x1p-53 * l.reach * l.reach * std::sqrt(dot<Exec>(exec, l.partial, l.alpha, l.alpha));
}

/// Whether alpha, with y^T alpha = 0, solves the problem. It has its image then.
template <class Exec>
bool is_solved(const Exec& exec, const Lagrangian<Exec>& l, double tolerance) {
  if (!balance(exec, l.box, l.partial, l.alpha)) return false;
  find_image(exec, l);
  Kokkos::deep_copy(exec, Kokkos::subview(l.image, l.rank()), 0.0);
  kernels::multiply_rows<Exec>(exec, l.rows, l.image, l.change);
  return violation_of<Exec>(exec, l.box, l.partial, l.alpha, l.change) <= 0.99 * tolerance;
}

}  // namespace

template <class Exec>
LagrangianFit solve_lagrangian(const Exec& exec, const DualProblems<Exec>& duals, int problem,
                               PreciseKernel<Exec>& kernel, const LagrangianParams& params,
                               LagrangianIterate<Exec>* iterate) {
  LagrangianFit fit;
  const auto box = box_of(duals, problem, params.c);
  const bool warm = iterate != nullptr && iterate->c > 0 && iterate->c <= params.c &&
                    static_cast<int>(iterate->alpha.extent(0)) == box.members() &&
                    static_cast<int>(iterate->w.extent(0)) <= params.rank + 1;
  if (!box.has_both_signs() || box.members() < params.members_a_row * params.rank) return fit;
  Lagrangian<Exec> l = make_lagrangian(exec, box, kernel, params.rank);
  if (warm) {
    start_from(exec, l, *iterate, params.c);
  } else {
    start(exec, l);
  }
  if (iterate != nullptr) iterate->c = 0;
  for (int stage = 0; stage < max_stages && fit.steps < params.max_steps; ++stage) {
    begin_stage(exec, l);
    if (!minimise(exec, l, params, fit)) return fit;
    if (take_multipliers(exec, l) <= params.tolerance) {
      if (rounding_of(exec, l) > params.tolerance) return fit;
      fit.converged = is_solved(exec, l, params.tolerance);
      if (fit.converged) break;
    }
    l.h = std::max(l.h / narrower, params.tolerance);
  }
  if (!fit.converged) return fit;
  if (iterate != nullptr) {
    iterate->c = params.c;
    iterate->alpha = l.alpha;
    iterate->w = l.w;
  }
  store_coefficients<Exec>(exec, duals, problem, box, params.c, l.alpha);
  const Vector<double, Exec> product = Kokkos::subview(duals.gradient, problem, Kokkos::ALL);
  kernels::add_rows<Exec>(exec, kernel.factor(), l.rank(), l.image, product);
  gradient_from_product(exec, duals, problem);
  return fit;
}

double lagrangian_cost(int members, int rank) {
  constexpr double steps = 60, free = 0.2, changed = 0.2;  // of the members, on average
  return steps * (step_cost(members, rank, free * members) + listed_cost(changed * members, rank));
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                \
  template LagrangianFit solve_lagrangian<Exec>(const Exec&, const DualProblems<Exec>&, int, PreciseKernel<Exec>&, \
                                                const LagrangianParams&, LagrangianIterate<Exec>*);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
