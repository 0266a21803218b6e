// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "block_sums.hpp"
#include "krossfold/svm/dual_problem.hpp"

namespace krossfold::svm {

/// One problem over its m members, the samples with a sign and a bound other than 0, in terms of alpha_i = y_i beta_i:
///
///   minimise  1/2 alpha^T Q alpha - sum_i alpha_i   subject to  y^T alpha = 0,  0 <= alpha_i <= u_i.
template <class Exec>
struct Box {
  Vector<const int, Exec> sample;                 ///< (m)
  Vector<double, Exec> sign, upper;               ///< (m): y and u = C w
  double positive_upper = 0, negative_upper = 0;  ///< sums of u over either sign; 0 if it has no members

  int members() const { return static_cast<int>(sample.extent(0)); }
  bool has_both_signs() const { return positive_upper > 0 && negative_upper > 0; }
};

/// Numbers of n members or rows, of no value yet.
template <class Exec>
Vector<double, Exec> numbers(int n) {
  return Vector<double, Exec>(uninitialized("krossfold::svm::numbers"), n);
}

template <class Exec>
Box<Exec> box_of(const DualProblems<Exec>& duals, int problem, double c) {
  const auto sign = on_host(Kokkos::subview(duals.sign, problem, Kokkos::ALL));
  const auto weight = on_host(duals.weight);
  std::vector<int> sample;
  std::vector<double> y, upper;
  Box<Exec> box;
  for (int i = 0; i < duals.samples(); ++i) {
    if (sign(i) == 0 || !(weight(i) > 0)) continue;
    sample.push_back(i);
    y.push_back(sign(i));
    upper.push_back(c * weight(i));
    (sign(i) > 0 ? box.positive_upper : box.negative_upper) += upper.back();
  }
  const auto on_exec = [](const std::vector<double>& values) {
    const Vector<double, Host> host(uninitialized("krossfold::svm::box_host"), values.size());
    std::copy(values.begin(), values.end(), host.data());
    return on_device<Exec>(host);
  };
  box.sample = list_on<Exec>("krossfold::svm::box_sample", sample);
  box.sign = on_exec(y);
  box.upper = on_exec(upper);
  return box;
}

/// The distance of a variable from the nearer of its bounds.
template <class Exec>
struct Spare {
  Vector<const double, Exec> value, upper;
  KOKKOS_INLINE_FUNCTION double operator()(int i) const {
    return value(i) < upper(i) - value(i) ? value(i) : upper(i) - value(i);
  }
};

/// Makes y^T alpha = 0 by changes of the free variables in proportion to their distances from their bounds. False if these have no room
/// for it; nothing is changed then, nor if rounding alone keeps the sum from 0, as it does where no variable is free.
template <class Exec>
bool balance(const Exec& exec, const Box<Exec>& box, const Flags<double>& partial, const Vector<double, Exec>& alpha) {
  const int m = box.members();
  const auto sign = box.sign;
  const Spare<Exec> spare{alpha, box.upper};
  const double excess = sum_over(
      exec, m, partial, KOKKOS_LAMBDA(int i) { return sign(i) * alpha(i); });
  const double total = sum_over(exec, m, partial, spare);
  constexpr double rounding = 1e-14;
  if (!(std::abs(excess) <= 0.1 * total)) {
    return std::abs(excess) <= rounding * (box.positive_upper + box.negative_upper);
  }
  const double share = total > 0 ? excess / total : 0.0;
  Kokkos::parallel_for(
      "krossfold::svm::balance", Kokkos::RangePolicy<Exec>(exec, 0, m),
      KOKKOS_LAMBDA(int i) { alpha(i) -= sign(i) * share * spare(i); });
  return true;
}

/// The violation of the optimality conditions by alpha, as DualProblems defines it. q: Q alpha.
template <class Exec>
double violation_of(const Exec& exec, const Box<Exec>& box, const Flags<double>& partial,
                    const Vector<const double, Exec>& alpha, const Vector<const double, Exec>& q) {
  const int m = box.members();
  const auto sign = box.sign, upper = box.upper;
  const double high = max_over(
      exec, m, partial, KOKKOS_LAMBDA(int i) {
        const bool grows = sign(i) > 0 ? alpha(i) < upper(i) : alpha(i) > 0;
        return grows ? sign(i) * (1 - q(i)) : -HUGE_VAL;
      });
  const double low = -max_over(
      exec, m, partial, KOKKOS_LAMBDA(int i) {
        const bool shrinks = sign(i) > 0 ? alpha(i) > 0 : alpha(i) < upper(i);
        return shrinks ? -sign(i) * (1 - q(i)) : -HUGE_VAL;
      });
  return high - low;
}

/// Writes alpha to the coefficients of the problem; a variable at its upper bound becomes exactly the bound of beta.
template <class Exec>
void store_coefficients(const Exec& exec, const DualProblems<Exec>& duals, int problem, const Box<Exec>& box, double c,
                        const Vector<const double, Exec>& alpha) {
  const auto beta = duals.beta;
  const auto y = duals.sign;
  const auto weight = duals.weight;
  const auto sample = box.sample;
  const auto sign = box.sign, upper = box.upper;
  Kokkos::parallel_for(
      "krossfold::svm::clear_coefficients", Kokkos::RangePolicy<Exec>(exec, 0, duals.samples()),
      KOKKOS_LAMBDA(int i) { beta(problem, i) = 0; });
  Kokkos::parallel_for(
      "krossfold::svm::store_coefficients", Kokkos::RangePolicy<Exec>(exec, 0, box.members()), KOKKOS_LAMBDA(int k) {
        const int i = sample(k);
        beta(problem, i) = alpha(k) >= upper(k) ? bound_of(y(problem, i), c, weight(i)) : sign(k) * alpha(k);
      });
}

/// g = y - product of all samples, where `gradient` holds the product K beta.
template <class Exec>
void gradient_from_product(const Exec& exec, const DualProblems<Exec>& duals, int problem) {
  const auto gradient = duals.gradient;
  const auto y = duals.sign;
  Kokkos::parallel_for(
      "krossfold::svm::gradient_from_product", Kokkos::RangePolicy<Exec>(exec, 0, duals.samples()),
      KOKKOS_LAMBDA(int i) { gradient(problem, i) = y(problem, i) - gradient(problem, i); });
  fence(exec, "krossfold::svm::gradient_from_product");
}

}  // namespace krossfold::svm
