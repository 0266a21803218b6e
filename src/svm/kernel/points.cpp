// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/points.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sparse_samples.hpp"
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

/// The points list(0), list(1), ....
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

/// The entries in the order of rows, each divided by its divisor.
SparseMatrix<double> scaled_entries(const SparseMatrix<float>& rows, const data::Scale& scale, bool whole) {
  const std::int64_t first = rows.begin(0);
  const Vector<std::int64_t> begin(uninitialized("krossfold::svm::sparse_begin"), rows.begin.extent(0));
  const Vector<double> value(uninitialized("krossfold::svm::sparse_value"), static_cast<std::size_t>(entries_of(rows)));
  const Vector<const int> column = Kokkos::subview(rows.column, Kokkos::make_pair(first, first + entries_of(rows)));
  for (std::size_t i = 0; i < begin.extent(0); ++i) begin(i) = rows.begin(i) - first;
  for (std::size_t e = 0; e < value.extent(0); ++e) {
    value(e) = static_cast<double>(rows.value(static_cast<std::size_t>(first) + e)) /
               (whole ? 1.0 : scale.divisor_of(column(e)));
  }
  return {begin, column, value, rows.columns};
}

}  // namespace

PointForm best_form(const data::Dataset& samples, const data::Scale& scale) {
  if (samples.is_sparse()) {
    const double bound = std::max(std::abs(samples.lowest), std::abs(samples.highest));
    const bool whole = samples.integer && scale.uniform() && bound * bound * samples.features() < 0x1p52;
    return whole ? PointForm::sparse_whole : PointForm::sparse_scaled;
  }
  if (!samples.integer || !scale.uniform()) return PointForm::scaled_double;
  double bound = 0;
  for (std::size_t j = 0; j < scale.offset.size(); ++j) {
    const double centre = centre_of(scale, static_cast<int>(j));
    bound = std::max({bound, std::abs(samples.lowest - centre), std::abs(samples.highest - centre)});
  }
  if (kernels::exact_in_float(bound, samples.features())) return PointForm::whole_float;
  return bound * bound * samples.features() < 0x1p52 ? PointForm::whole_double : PointForm::scaled_double;
}

void require_dense(const data::Dataset& samples, KernelKind kind) {
  require(kind == KernelKind::rbf || !samples.is_sparse(), text(samples.name, ": sparse samples"),
          text("the kernel function ", kernel_word(kind), " takes their dense form"),
          "Use rbf, or read them without keeping them sparse.");
}

PointForm best_form(const data::Dataset& samples, const data::Scale& scale, KernelKind kind) {
  require_dense(samples, kind);
  return kind == KernelKind::precomputed ? PointForm::kernel_values : best_form(samples, scale);
}

double numbers_of_distance(const data::Dataset& samples, KernelKind kind) {
  if (kind == KernelKind::precomputed) return 1;
  if (!samples.is_sparse()) return samples.features();
  return static_cast<double>(samples.sparse.value.extent(0)) / std::max(samples.size(), 1);
}

double distance_unit(PointForm form, const data::Scale& scale) {
  const bool scaled =
      form == PointForm::scaled_double || form == PointForm::kernel_values || form == PointForm::sparse_scaled;
  return scaled ? 1.0 : 1.0 / (scale.divisor[0] * scale.divisor[0]);
}

PointForm common_form(PointForm a, PointForm b) {
  if (is_sparse(a) == is_sparse(b)) return std::max(a, b);
  const PointForm sparse = std::max(a, b), dense = std::min(a, b);
  return dense == PointForm::scaled_double ? PointForm::sparse_scaled : sparse;
}

template <class Exec>
Points<Exec> make_points(const data::Dataset& samples, const data::Scale& scale, PointForm form) {
  const int n = samples.size(), d = samples.features();
  Points<Exec> points;
  points.form = form;
  if (is_sparse(form)) {
    const bool whole = form == PointForm::sparse_whole;
    if (whole) points.unit = 1.0 / (scale.divisor[0] * scale.divisor[0]);
    points.sparse = kernels::make_sparse_samples<Exec>(scaled_entries(data::sparse_values(samples), scale, whole));
    return points;
  }
  if (samples.is_sparse()) throw_run_error(text(samples.name, ": sparse samples have no dense points"));
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
void squared_distance_rows(const Exec& exec, const Matrix<float, Exec>& d2, const Points<Exec>& points,
                           const Vector<const int, Exec>& list, const Poll& poll) {
  if (points.form == PointForm::scaled_double) throw_run_error("rows of rounded distances need their tiles");
  if (points.is_sparse()) {
    kernels::sparse_distance<Exec, float>(exec, d2, points.sparse, {0, list}, points.sparse, poll);
  } else {
    squared_distance<Exec>(exec, d2, pick_points<Exec>(exec, points, list), 0, points, poll);
  }
}

template <class Exec>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Points<Exec>& x, int first,
                      const Points<Exec>& y, const Poll& poll) {
  if (x.form != y.form) throw_run_error("squared_distance needs both sets of points in the same form");
  if (x.is_sparse()) return kernels::sparse_distance<Exec, float>(exec, d2, x.sparse, {first, {}}, y.sparse, poll);
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
  if (x.is_sparse()) {
    const int n = x.size(), step = kernels::distance_tile;
    for (int first = share.index * step; first < n; first += share.count * step) {
      const Matrix<float, Exec> part =
          Kokkos::subview(d2, Kokkos::make_pair(first, std::min(first + step, n)), Kokkos::ALL);
      kernels::sparse_distance<Exec, float>(exec, part, x.sparse, {first, {}}, x.sparse, poll);
    }
  } else if (x.form == PointForm::kernel_values) {
    for (int first = share.index * kernels::distance_tile; first < x.size();
         first += share.count * kernels::distance_tile) {
      call(poll);
      const auto band = Kokkos::make_pair(first, std::min(first + kernels::distance_tile, x.size()));
      Kokkos::deep_copy(exec, Kokkos::subview(d2, band, Kokkos::ALL), Kokkos::subview(x.in_float, band, Kokkos::ALL));
    }
    fence(exec, "krossfold::svm::kernel_values");
  } else if (x.form == PointForm::whole_float) {
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
  template void squared_distance_rows<Exec>(const Exec&, const Matrix<float, Exec>&, const Points<Exec>&, \
                                            const Vector<const int, Exec>&, const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
