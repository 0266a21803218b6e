// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/math.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/svm/kernel_form.hpp"
#include "krossfold/svm/points.hpp"

namespace krossfold::svm {

/// |x_i - y_j|^2 in double, from the differences, so that near samples lose no digits; or the given kernel value.
template <class Exec>
KOKKOS_INLINE_FUNCTION double distance_of(const DensePoints<Exec>& x, int i, const DensePoints<Exec>& y, int j) {
  double sum = 0;
  if (x.form == PointForm::kernel_values) return static_cast<double>(x.in_float(i, j));
  if (x.form == PointForm::whole_float) {
    const int features = static_cast<int>(x.in_float.extent(1));
    const float *a = &x.in_float(i, 0), *b = &y.in_float(j, 0);
    KROSSFOLD_SIMD(reduction(+ : sum))
    for (int f = 0; f < features; ++f) {
      const double by = static_cast<double>(a[f]) - static_cast<double>(b[f]);
      sum += by * by;
    }
  } else {
    const int features = static_cast<int>(x.in_double.extent(1));
    const double *a = &x.in_double(i, 0), *b = &y.in_double(j, 0);
    KROSSFOLD_SIMD(reduction(+ : sum))
    for (int f = 0; f < features; ++f) {
      const double by = a[f] - b[f];
      sum += by * by;
    }
  }
  return sum;
}

/// The number of features if a loop over the samples is faster than one over these, 0 otherwise.
template <class Exec>
int few_features(const Points<Exec>& points) {
  if (points.form == PointForm::kernel_values) return 0;
  if (points.is_sparse()) return 0;
  constexpr std::size_t few = 32;
  const std::size_t features =
      points.form == PointForm::whole_float ? points.in_float.extent(1) : points.in_double.extent(1);
  return features <= few ? static_cast<int>(features) : 0;
}

/// Turns the squared distances from sample i, or given kernel values, of samples first ... first + count - 1 into kernel values.
template <class Exec>
struct ValuesOf {
  bool rbf;
  double gamma;
  KernelEntry entry;
  Vector<const double, Exec> side, lift;

  ValuesOf(const KernelForm<Exec>& form, double unit)
      : rbf(form.is_rbf()),
        gamma(form.function.gamma * unit),
        entry(form.entry(unit)),
        side(form.side),
        lift(form.lift) {}

  KOKKOS_INLINE_FUNCTION double operator()(double source, int i, int j) const {
    return rbf ? math::exp(-gamma * source) : entry.precise(source, side(i), side(j), lift(i), lift(j));
  }
  KOKKOS_INLINE_FUNCTION double diagonal(int i) const { return rbf ? 1.0 : 1 + 2 * lift(i); }
  template <class Member>
  KOKKOS_INLINE_FUNCTION void row(const Member& member, double* value, int i, int first, int count) const {
    if (rbf) {
      const double by = gamma;
      team_simd_for(member, count, [=](int k) { value[k] = math::exp(-by * value[k]); });
      return;
    }
    const KernelEntry one = entry;
    const double *sides = side.data() + first, *lifts = lift.data() + first;
    const double a = side(i), e = lift(i);
    team_simd_for(member, count, [=](int k) { value[k] = one.precise(value[k], a, sides[k], e, lifts[k]); });
  }
};

}  // namespace krossfold::svm
