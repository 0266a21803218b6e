// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "block_sums.hpp"
#include "box.hpp"
#include "interior_direction.hpp"
#include "interior_system.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/kernels/row_products.hpp"

namespace krossfold::svm {

namespace {

template <class Exec>
Interior<Exec> make_interior(const DualProblems<Exec>& duals, int problem, double c) {
  Interior<Exec> point;
  point.box = box_of(duals, problem, c);
  point.sign = point.box.sign;
  point.upper = point.box.upper;
  const int m = point.members();
  for (auto* view : {&point.alpha, &point.room, &point.z, &point.w, &point.q, &point.side, &point.u, &point.by_sign,
                     &point.d_alpha, &point.d_z, &point.d_w, &point.e_alpha, &point.e_z, &point.e_w, &point.rounded}) {
    *view = numbers<Exec>(m);
  }
  return point;
}

/// Starts in the middle of the box of the rarer sign, with y^T alpha = 0, and with multipliers of at least 1. False if a sign has no
/// members.
template <class Exec>
bool start(const Exec& exec, Interior<Exec>& point, const InteriorSystem<Exec>& system) {
  const int m = point.members();
  const auto sign = point.sign, upper = point.upper, alpha = point.alpha, room = point.room, z = point.z, w = point.w,
             q = point.q;
  if (!point.box.has_both_signs()) return false;
  const double positive = point.box.positive_upper, negative = point.box.negative_upper;
  const double up = 0.5 * std::min(1.0, negative / positive), down = 0.5 * std::min(1.0, positive / negative);
  const Kokkos::RangePolicy<Exec> members(exec, 0, m);
  Kokkos::parallel_for(
      "krossfold::svm::interior_start", members, KOKKOS_LAMBDA(int i) {
        const double share = sign(i) > 0 ? up : down;
        alpha(i) = share * upper(i);
        room(i) = (1 - share) * upper(i);
      });
  multiply<Exec>(exec, system, alpha, q);
  Kokkos::parallel_for(
      "krossfold::svm::interior_multipliers", members, KOKKOS_LAMBDA(int i) {
        const double slope = q(i) - 1;
        z(i) = 1 + (slope > 0 ? slope : 0.0);
        w(i) = 1 + (slope < 0 ? -slope : 0.0);
      });
  return true;
}

/// Starts from the iterate of a smaller C times the ratio of both: there, the dual residual is that ratio less 1 in every component.
template <class Exec>
void start_from(const Exec& exec, Interior<Exec>& point, const InteriorIterate<Exec>& from, double c) {
  const double ratio = c / from.c;
  const auto alpha = point.alpha, room = point.room, z = point.z, w = point.w;
  const auto alpha_before = from.alpha, room_before = from.room, z_before = from.z, w_before = from.w;
  Kokkos::parallel_for(
      "krossfold::svm::interior_warm_start", Kokkos::RangePolicy<Exec>(exec, 0, point.members()), KOKKOS_LAMBDA(int i) {
        alpha(i) = ratio * alpha_before(i);
        room(i) = ratio * room_before(i);
        z(i) = ratio * z_before(i);
        w(i) = ratio * w_before(i);
      });
  point.nu = ratio * from.nu;
}

/// Keeps an iterate, to start from at a larger C.
template <class Exec>
void keep(const Exec& exec, const Interior<Exec>& point, InteriorIterate<Exec>& iterate, double c) {
  if (static_cast<int>(iterate.alpha.extent(0)) != point.members()) {
    for (auto* view : {&iterate.alpha, &iterate.room, &iterate.z, &iterate.w}) *view = numbers<Exec>(point.members());
  }
  iterate.c = c;
  iterate.nu = point.nu;
  Kokkos::deep_copy(exec, iterate.alpha, point.alpha);
  Kokkos::deep_copy(exec, iterate.room, point.room);
  Kokkos::deep_copy(exec, iterate.z, point.z);
  Kokkos::deep_copy(exec, iterate.w, point.w);
}

/// Puts the variables whose multipliers are far from 0 exactly to their bounds and shares the sum that this leaves among the others.
/// Returns the violation of the result, infinity if there is no room for the sum; q becomes Q times it.
template <class Exec>
double round_to_bounds(const Exec& exec, const Interior<Exec>& point, const InteriorSystem<Exec>& system,
                       double tolerance) {
  const int m = point.members();
  const auto alpha = point.alpha, room = point.room, z = point.z, w = point.w, rounded = point.rounded,
             sign = point.sign, upper = point.upper, q = point.q;
  const double clear = tolerance / 8;
  constexpr double near = 1e-3;
  const Kokkos::RangePolicy<Exec> members(exec, 0, m);
  Kokkos::parallel_for(
      "krossfold::svm::interior_round", members, KOKKOS_LAMBDA(int i) {
        const bool low = z(i) > clear && alpha(i) < near * upper(i);
        const bool high = w(i) > clear && room(i) < near * upper(i);
        rounded(i) = low ? 0.0 : high ? upper(i) : alpha(i);
      });
  if (!balance(exec, point.box, system.partial, rounded)) return HUGE_VAL;
  multiply<Exec>(exec, system, rounded, q);
  return violation_of<Exec>(exec, point.box, system.partial, rounded, q);
}

/// Writes the solution to the problem, with the gradient g = y - K beta of all samples.
template <class Exec>
void store(const Exec& exec, const DualProblems<Exec>& duals, int problem, const Interior<Exec>& point,
           const InteriorSystem<Exec>& system, PreciseKernel<Exec>& kernel, double c) {
  store_coefficients<Exec>(exec, duals, problem, point.box, c, point.rounded);
  const Vector<double, Exec> product = Kokkos::subview(duals.gradient, problem, Kokkos::ALL);
  if (system.whole) {
    const Vector<const double, Exec> all = Kokkos::subview(duals.beta, problem, Kokkos::ALL);
    kernels::add_rows<Exec>(exec, kernel.whole(), duals.samples(), all, product);
  } else {
    kernels::add_rows<Exec>(exec, kernel.factor(), system.rank(), system.image, product);
  }
  gradient_from_product(exec, duals, problem);
}

/// solve_interior(), once. `warm` tells whether it started from the iterate.
template <class Exec>
InteriorFit solve_once(const Exec& exec, const DualProblems<Exec>& duals, int problem, PreciseKernel<Exec>& kernel,
                       const InteriorParams& params, InteriorIterate<Exec>* iterate, bool& warm) {
  Interior<Exec> point = make_interior(duals, problem, params.c);
  const int m = point.members();
  InteriorFit fit;
  if (m == 0) return fit;
  const auto system = make_interior_system<Exec>(exec, kernel, params.rank, point.box.sample, point.sign, params.poll);
  warm =
      iterate != nullptr && iterate->c > 0 && iterate->c < params.c && static_cast<int>(iterate->alpha.extent(0)) == m;
  if (warm) {
    start_from(exec, point, *iterate, params.c);
  } else if (!start(exec, point, system)) {
    return fit;
  }
  bool kept = iterate == nullptr;
  constexpr double undecided = 0.1;  // times C: the complementarity of the iterate that is kept
  // A corrector takes products with the factor's rows; what it saves are Gram matrices of them.
  const int correctors = params.rank > 0 && params.rank < 128 ? 1 : 2;
  const double rho = std::max(1e-5 / params.c, 1e-13);
  const auto sign = point.sign, alpha = point.alpha, room = point.room, z = point.z, w = point.w, d = system.d;
  const double cost_of_step = interior_cost(m, params.rank) / usual_interior_steps;
  for (; fit.steps < params.max_steps; ++fit.steps, fit.cost += cost_of_step) {
    call(params.poll);
    const double mu = complementarity(exec, point, system, 0) / (2.0 * m);
    if (!std::isfinite(mu)) return fit;
    if (!kept && mu <= undecided * params.c) {
      keep(exec, point, *iterate, params.c);
      kept = true;
    }
    // Every variable is near one of its bounds, or has multipliers near 0.
    if (mu <= params.tolerance * params.c &&
        round_to_bounds(exec, point, system, params.tolerance) <= 0.99 * params.tolerance) {
      fit.converged = true;
      store(exec, duals, problem, point, system, kernel, params.c);
      return fit;
    }
    multiply<Exec>(exec, system, alpha, point.q);
    const double balance = sum_over(
        exec, m, system.partial, KOKKOS_LAMBDA(int i) { return sign(i) * alpha(i); });
    Kokkos::parallel_for(
        "krossfold::svm::interior_scaling", Kokkos::RangePolicy<Exec>(exec, 0, m),
        KOKKOS_LAMBDA(int i) { d(i) = z(i) / alpha(i) + w(i) / room(i) + rho; });
    if (!factor<Exec>(exec, system)) return fit;
    solve<Exec>(exec, system, sign, point.by_sign, 1e-6);
    const auto by_sign = point.by_sign;
    const double sign_by_sign = sum_over(
        exec, m, system.partial, KOKKOS_LAMBDA(int i) { return sign(i) * by_sign(i); });
    find_direction(exec, point, system, 0, false, balance, sign_by_sign);
    const double ahead = longest_step(exec, point, system);
    const double centring = std::pow(complementarity(exec, point, system, ahead) / (2.0 * m) / mu, 3);
    double change = find_direction(exec, point, system, centring * mu, true, balance, sign_by_sign);
    double length = longest_step(exec, point, system);
    for (int k = 0; k < correctors && length < 0.9; ++k) {
      const double before = length;
      length = correct_centrality(exec, point, system, centring * mu, length, sign_by_sign, change);
      if (length == before) break;
    }
    move(exec, point, std::min(1.0, 0.995 * length), change);
  }
  return fit;
}

}  // namespace

template <class Exec>
InteriorFit solve_interior(const Exec& exec, const DualProblems<Exec>& duals, int problem, PreciseKernel<Exec>& kernel,
                           const InteriorParams& params, InteriorIterate<Exec>* iterate) {
  bool warm = false;
  const InteriorFit fit = solve_once(exec, duals, problem, kernel, params, iterate, warm);
  if (fit.converged || !warm) return fit;
  iterate->c = 0;
  InteriorFit again = solve_once(exec, duals, problem, kernel, params, iterate, warm);
  again.steps += fit.steps;
  again.cost += fit.cost;
  return again;
}

double wanted_factor_residual(double c) { return std::min(3e-7 / c, 1e-7); }

double factor_tolerance(double c) { return std::max(wanted_factor_residual(c), least_factor_tolerance); }

double interior_cost(int members, int rank) {
  const double m = members, r = rank > 0 ? rank : members;
  const double matrix = rank > 0 ? 0.4 * m * r * r : m * m, products = (rank > 0 ? 150 : 60) * m * r;
  return usual_interior_steps * (matrix + 0.3 * r * r * r + products + 200 * m);
}

std::uint64_t interior_memory(int samples, int members) {
  const auto n = static_cast<std::uint64_t>(samples), m = static_cast<std::uint64_t>(members),
             r = static_cast<std::uint64_t>(PreciseKernel<Host>::max_rank(samples));
  const std::uint64_t factor = m * r + r * r + m * r / kernels::column_block,
                      whole = PreciseKernel<Host>::may_be_whole(samples) ? 2 * m * m : 0;
  return 8 * (std::max(factor, whole) + 30 * n);
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                            \
  template InteriorFit solve_interior<Exec>(const Exec&, const DualProblems<Exec>&, int, PreciseKernel<Exec>&, \
                                            const InteriorParams&, InteriorIterate<Exec>*);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
