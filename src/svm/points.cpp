// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/points.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/kernels/squared_distance.hpp"

namespace krossfold::svm {

namespace {

/// The rounded offset. Distances do not depend on it; it keeps the scalar products small.
double centre_of(const data::Scale& scale, int feature) { return std::nearbyint(scale.offset_of(feature)); }

template <class Exec, class T>
Matrix<T, Exec> pick_rows(const Exec& exec, const Matrix<const T, Exec>& from, const Vector<const int, Exec>& list) {
  const int count = static_cast<int>(list.extent(0)), features = static_cast<int>(from.extent(1));
  const Matrix<T, Exec> to(uninitialized("krossfold::svm::picked_points"), count, features);
  Kokkos::parallel_for(
      "krossfold::svm::pick_points", Kokkos::RangePolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(int k) {
        for (int j = 0; j < features; ++j) to(k, j) = from(list(k), j);
      });
  fence(exec, "krossfold::svm::pick_points");
  return to;
}

}  // namespace

PointForm best_form(const data::Dataset& samples, const data::Scale& scale) {
  if (!samples.integer || !scale.uniform()) return PointForm::scaled_double;
  double bound = 0;
  for (std::size_t j = 0; j < scale.offset.size(); ++j) {
    const double centre = centre_of(scale, static_cast<int>(j));
    bound = std::max({bound, std::abs(samples.lowest - centre), std::abs(samples.highest - centre)});
  }
  if (kernels::exact_in_float(bound, samples.features())) return PointForm::whole_float;
  return bound * bound * samples.features() < 0x1p52 ? PointForm::whole_double : PointForm::scaled_double;
}

PointForm best_form(const data::Dataset& samples, const data::Scale& scale, KernelKind kind) {
  return kind == KernelKind::precomputed ? PointForm::kernel_values : best_form(samples, scale);
}

double distance_unit(PointForm form, const data::Scale& scale) {
  const bool scaled = form == PointForm::scaled_double || form == PointForm::kernel_values;
  return scaled ? 1.0 : 1.0 / (scale.divisor[0] * scale.divisor[0]);
}

PointForm common_form(PointForm a, PointForm b) { return std::max(a, b); }

template <class Exec>
Points<Exec> make_points(const data::Dataset& samples, const data::Scale& scale, PointForm form) {
  const int n = samples.size(), d = samples.features();
  Points<Exec> points;
  points.form = form;
  if (form == PointForm::scaled_double) {
    points.in_double = on_device<Exec>(data::apply_scale(scale, samples.raw));
    return points;
  }
  if (form == PointForm::kernel_values) {
    const std::vector<int> column = samples.file_rows();
    const Matrix<float> values(uninitialized("krossfold::svm::points"), n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) values(i, j) = samples.raw(i, column[j]);
    }
    points.in_float = on_device<Exec>(values);
    return points;
  }
  points.unit = distance_unit(form, scale);
  const Matrix<float> in_float(uninitialized("krossfold::svm::points"), form == PointForm::whole_float ? n : 0, d);
  const Matrix<double> in_double(uninitialized("krossfold::svm::points"), form == PointForm::whole_float ? 0 : n, d);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < d; ++j) {
      const double x = static_cast<double>(samples.raw(i, j)) - centre_of(scale, j);
      if (form == PointForm::whole_float) {
        in_float(i, j) = static_cast<float>(x);
      } else {
        in_double(i, j) = x;
      }
    }
  }
  points.in_float = on_device<Exec>(in_float);
  points.in_double = on_device<Exec>(in_double);
  return points;
}

template <class Exec>
Points<Exec> pick_points(const Exec& exec, const Points<Exec>& points, const Vector<const int, Exec>& list) {
  Points<Exec> picked = points;
  if (points.is_float()) {
    picked.in_float = pick_rows<Exec, float>(exec, points.in_float, list);
  } else {
    picked.in_double = pick_rows<Exec, double>(exec, points.in_double, list);
  }
  return picked;
}

template <class Exec>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Points<Exec>& x, int first,
                      const Points<Exec>& y, const Poll& poll) {
  if (x.form != y.form) throw_run_error("squared_distance needs both sets of points in the same form");
  const auto part = Kokkos::make_pair(first, first + static_cast<int>(d2.extent(0)));
  if (x.form == PointForm::whole_float) {
    const Matrix<const float, Exec> x_part = Kokkos::subview(x.in_float, part, Kokkos::ALL);
    kernels::squared_distance<Exec, float>(exec, d2, x_part, y.in_float, poll);
  } else {
    const Matrix<const double, Exec> x_part = Kokkos::subview(x.in_double, part, Kokkos::ALL);
    kernels::squared_distance<Exec, double>(exec, d2, x_part, y.in_double, poll);
  }
}

template <class Exec>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Points<Exec>& x,
                      const kernels::TileShare& share, const Poll& poll) {
  if (x.form == PointForm::kernel_values) {
    for (int first = share.index * kernels::distance_tile; first < x.size();
         first += share.count * kernels::distance_tile) {
      call(poll);
      const auto band = Kokkos::make_pair(first, std::min(first + kernels::distance_tile, x.size()));
      Kokkos::deep_copy(exec, Kokkos::subview(d2, band, Kokkos::ALL), Kokkos::subview(x.in_float, band, Kokkos::ALL));
    }
    fence(exec, "krossfold::svm::kernel_values");
    return;
  }
  if (x.form == PointForm::whole_float) {
    kernels::squared_distance<Exec, float>(exec, d2, x.in_float, share, poll);
  } else {
    kernels::squared_distance<Exec, double>(exec, d2, x.in_double, share, poll);
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                       \
  template Points<Exec> make_points<Exec>(const data::Dataset&, const data::Scale&, PointForm);           \
  template void squared_distance<Exec>(const Exec&, const Matrix<float, Exec>&, const Points<Exec>&, int, \
                                       const Points<Exec>&, const Poll&);                                 \
  template void squared_distance<Exec>(const Exec&, const Matrix<float, Exec>&, const Points<Exec>&,      \
                                       const kernels::TileShare&, const Poll&);                           \
  template Points<Exec> pick_points<Exec>(const Exec&, const Points<Exec>&, const Vector<const int, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
