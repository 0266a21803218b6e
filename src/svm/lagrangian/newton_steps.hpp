// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "krossfold/kernels/cholesky.hpp"
#include "krossfold/kernels/listed_rows.hpp"
#include "krossfold/kernels/weighted_gram.hpp"
#include "krossfold/svm/augmented_lagrangian.hpp"
#include "lagrangian.hpp"
#include "svm/interior/ridge.hpp"

namespace krossfold::svm {

/// Of one pass over so many rows of the factor, in the unit of interior_cost().
inline double listed_cost(double count, double rank) { return 22 * count * rank; }

/// Of a Newton step with `free` members in J, but for the change of alpha.
inline double step_cost(double members, double rank, double free) {
  return 0.6 * free * rank * rank + 0.3 * rank * rank * rank + listed_cost(members + 2 * free, rank) + 400 * members;
}

/// The Newton matrix with `ridge` times itself added to each diagonal element. J: the first `free` of the list; weight: of all members.
template <class Exec>
void fill_newton_matrix(const Exec& exec, const Lagrangian<Exec>& l, int free, const Vector<const double, Exec>& weight,
                        double ridge) {
  const int size = l.rank() + 1;
  const auto factored = l.factored;
  // Without members in J, nothing else holds the bias.
  const double alone = free > 0 ? 0.0 : std::max(l.box.positive_upper, l.box.negative_upper) / (2 * l.h);
  kernels::listed_gram<Exec>(exec, factored, l.rows, l.list, free, weight);
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_diagonal", Kokkos::RangePolicy<Exec>(exec, 0, size), KOKKOS_LAMBDA(int r) {
        double& value = factored(0, static_cast<std::size_t>(r) * size + r);
        value = (value + (r < size - 1 ? 1.0 : alone)) * (1 + ridge);
      });
}

/// The Newton direction in `small`, what it does to the slacks in `change`. Returns how many are in J, or -1 if the matrix cannot be
/// factored.
template <class Exec>
int find_direction(const Exec& exec, const Lagrangian<Exec>& l) {
  const int size = l.rank() + 1;
  const auto small = l.small;
  const auto image = l.image, w = l.w, weight = l.change;
  const auto upper = l.box.upper;
  const double by = 1 / (2 * l.h);
  const Wanted<Exec> wanted = wanted_of(l);
  const int free = list_members(
      exec, l, KOKKOS_LAMBDA(int i) {
        const double a = wanted(i);
        return a > 0 && a < upper(i);
      });
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_weights", Kokkos::RangePolicy<Exec>(exec, 0, l.members()),
      KOKKOS_LAMBDA(int i) { weight(i) = upper(i) * by; });
  if (!factor_with_ridge(exec, l.factored, l.size, l.failed, l.work, false,
                         [&](double ridge) { fill_newton_matrix<Exec>(exec, l, free, weight, ridge); })) {
    return -1;
  }
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_side", Kokkos::RangePolicy<Exec>(exec, 0, size),
      KOKKOS_LAMBDA(int r) { small(0, r) = image(r) - (r < size - 1 ? w(r) : 0.0); });
  kernels::cholesky_solve<Exec>(exec, l.factored, l.size, 1, small);
  kernels::multiply_rows<Exec>(exec, l.rows, Vector<const double, Exec>(small.data(), size), l.change);
  return free;
}

/// |gradient|, with y^T alpha as its last component.
template <class Exec>
double gradient_norm(const Exec& exec, const Lagrangian<Exec>& l) {
  const auto image = l.image, w = l.w;
  const int rank = l.rank();
  return std::sqrt(sum_over(
      exec, rank + 1, l.partial, KOKKOS_LAMBDA(int r) {
        const double g = image(r) - (r < rank ? w(r) : 0.0);
        return g * g;
      }));
}

/// The derivative of a stage's function after a step of length t:
///
///   w^T p + t p^T p - sum_i alpha_i(s_i - t change_i) change_i.
template <class Exec>
struct AlongLine {
  const Exec& exec;
  const Lagrangian<Exec>& l;
  double w_p, p_p;

  double derivative(double t) const {
    const auto change = l.change;
    const auto upper = l.box.upper;
    const Wanted<Exec> wanted = wanted_of(l);
    return w_p + t * p_p -
           sum_over(
               exec, l.members(), l.partial, KOKKOS_LAMBDA(int i) {
                 const double a = wanted(i) - t * (upper(i) * wanted.by * change(i));
                 return clipped(a, upper(i)) * change(i);
               });
  }

  /// Where the derivative is at most a tenth of what it is at the start, `at_start` < 0: between two signs of it, by secants (Illinois) and
  /// by halves of the length or of its logarithm.
  double length(double at_start) const {
    constexpr int trials = 60;
    const double enough = 0.1 * std::abs(at_start);
    double low = 0, high = 1, at_low = at_start, at_high = derivative(high);
    while (at_high < -enough && high < 64) {
      low = high;
      at_low = at_high;
      high *= 2;
      at_high = derivative(high);
    }
    if (at_high <= enough) return high;
    for (int k = 0; k < trials; ++k) {
      const double halved = low == 0 ? 0.01 * high : high > 100 * low ? std::sqrt(low * high) : 0.5 * (low + high);
      const double t = k % 3 < 2 ? low - (high - low) * at_low / (at_high - at_low) : halved;
      const double at = derivative(t);
      if (std::abs(at) <= enough) return t;
      if (at < 0) {
        low = t;
        at_low = at;
        at_high /= 2;
      } else {
        high = t;
        at_high = at;
        at_low /= 2;
      }
    }
    return low;
  }
};

template <class Exec>
AlongLine<Exec> along_direction(const Exec& exec, const Lagrangian<Exec>& l) {
  const Vector<const double, Exec> p(l.small.data(), l.rank());  // without the bias
  return {exec, l, dot<Exec>(exec, l.partial, p, l.w), dot<Exec>(exec, l.partial, p, p)};
}

/// Goes on by that part of the direction: w, the slacks, alpha and its image. Returns how many of alpha changed.
template <class Exec>
int move(const Exec& exec, const Lagrangian<Exec>& l, double length) {
  const auto w = l.w, slack = l.slack, change = l.change, alpha = l.alpha;
  const auto small = l.small;
  const auto upper = l.box.upper;
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_move", Kokkos::RangePolicy<Exec>(exec, 0, l.rank() + 1),
      KOKKOS_LAMBDA(int r) { w(r) += length * small(0, r); });
  const Wanted<Exec> wanted = wanted_of(l);
  // `change` holds from here on what alpha changes by.
  Kokkos::parallel_for(
      "krossfold::svm::lagrangian_alpha", Kokkos::RangePolicy<Exec>(exec, 0, l.members()), KOKKOS_LAMBDA(int i) {
        slack(i) -= length * change(i);
        const double moved = clipped(wanted(i), upper(i));
        change(i) = moved - alpha(i);
        alpha(i) = moved;
      });
  const int count = list_members(
      exec, l, KOKKOS_LAMBDA(int i) { return change(i) != 0; });
  kernels::add_listed_rows<Exec>(exec, l.rows, l.list, count, change, l.partial_rows, l.image);
  return count;
}

/// One stage. Before the last ones the steps need not be as small as the tolerance, as the next stage begins elsewhere anyway; in these, w and
/// the image of alpha must agree, because alpha alone is the solution. False if a Newton matrix cannot be factored.
template <class Exec>
bool minimise(const Exec& exec, const Lagrangian<Exec>& l, const LagrangianParams& params, LagrangianFit& fit) {
  constexpr int max_steps = 40;
  constexpr double close = 0.1;  // in units of h: the root mean square of the last changes of the slacks of J
  const bool last = l.h <= params.tolerance;
  double norm = HUGE_VAL;
  for (int k = 0; k < max_steps && fit.steps < params.max_steps; ++k) {
    call(params.poll);
    const int free = find_direction(exec, l);
    if (free < 0) return false;
    ++fit.steps;
    fit.cost += step_cost(l.members(), l.rank(), free);
    const auto change = l.change;
    const auto list = l.list;
    const double squares = sum_over(
        exec, free, l.partial, KOKKOS_LAMBDA(int k) { return change(list(k)) * change(list(k)); });
    const double most = largest<Exec>(exec, l.partial, change);
    const AlongLine<Exec> line = along_direction(exec, l);
    const double at_start = line.derivative(0);
    if (!std::isfinite(at_start)) return false;
    if (!(at_start < 0)) return true;  // what is left is rounding
    const double length = line.length(at_start);
    if (length == 0) return true;
    fit.cost += listed_cost(move(exec, l, length), l.rank());
    const double before = norm;
    norm = gradient_norm(exec, l);
    const bool agree = l.reach * norm <= 0.1 * params.tolerance || norm > 0.5 * before;
    // Without members in J, small changes say nothing: the bias may be on its way.
    const bool small = most <= l.h || (!last && squares <= close * close * l.h * l.h * free);
    if (small && (agree || (!last && free > 0))) break;
  }
  return true;
}

}  // namespace krossfold::svm
