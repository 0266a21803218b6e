// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/sparse_distance.hpp"

#include <algorithm>
#include <type_traits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::kernels {

namespace {

/// Rows whose products are formed between two polls: few for the cache of a processor, many for the teams of an accelerator.
template <class Exec>
constexpr int rows_at_once = std::is_same_v<Exec, Host> ? 64 : 512;
constexpr double near = 1e-3;

template <class Exec>
SparseMatrix<double, Exec> moved(const SparseMatrix<double>& matrix) {
  return {on_device<Exec>(matrix.begin), on_device<Exec>(matrix.column), on_device<Exec>(matrix.value), matrix.columns};
}

/// norm(i) = |x_i|^2, summed in the order in which sparse_products() sums.
template <class Exec>
void squared_norm(const Exec& exec, const Vector<double, Exec>& norm, const SparseMatrix<double, Exec>& x) {
  const auto begin = x.begin;
  const auto value = x.value;
  Kokkos::parallel_for(
      "krossfold::kernels::sparse_norm", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(norm.extent(0))),
      KOKKOS_LAMBDA(int i) {
        double sum = 0;
        for (std::int64_t e = begin(i); e < begin(i + 1); ++e) sum += value(e) * value(e);
        norm(i) = sum;
      });
  fence(exec, "krossfold::kernels::sparse_norm");
}

/// sum(r, j) = x_i . y_j for i = choice(first + r), `count` rows.
template <class Exec>
void sparse_products(const Exec& exec, const Matrix<double, Exec>& sum, int first, int count,
                     const SparseMatrix<double, Exec>& x, const RowChoice<Exec>& choice,
                     const SparseMatrix<double, Exec>& y_columns) {
  const int n = static_cast<int>(sum.extent(1));
  const auto begin = x.begin, y_begin = y_columns.begin;
  const auto column = x.column, y_row = y_columns.column;
  const auto value = x.value, y_value = y_columns.value;
  Kokkos::parallel_for(
      "krossfold::kernels::sparse_products", Kokkos::TeamPolicy<Exec>(exec, count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int r = member.league_rank(), i = choice(first + r);
        double* out = &sum(r, 0);
        team_simd_for(member, n, [=](int j) { out[j] = 0; });
        for (std::int64_t e = begin(i); e < begin(i + 1); ++e) {
          member.team_barrier();
          const double by = value(e);
          const std::int64_t from = y_begin(column(e));
          const int* at = y_row.data() + from;
          const double* other = y_value.data() + from;
          team_simd_for(member, static_cast<int>(y_begin(column(e) + 1) - from),
                        [=](int k) { out[at[k]] += by * other[k]; });  // no two entries of a column share a row
        }
      });
}

template <class Exec, class T>
void combine(const Exec& exec, const Matrix<T, Exec>& d2, int first, int count, const Matrix<double, Exec>& sum,
             const Vector<double, Exec>& norm_x, const RowChoice<Exec>& choice, const Vector<double, Exec>& norm_y,
             bool same) {
  const int n = static_cast<int>(sum.extent(1));
  Kokkos::parallel_for(
      "krossfold::kernels::sparse_distance", Kokkos::TeamPolicy<Exec>(exec, count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int r = member.league_rank(), i = choice(first + r);
        const double own = norm_x(i);
        const double *product = &sum(r, 0), *other = norm_y.data();
        T* out = &d2(first + r, 0);
        team_simd_for(member, n, [=](int j) {
          const double d = own + other[j] - 2.0 * product[j];
          out[j] = static_cast<T>(d > 0 ? d : 0);
        });
        member.team_barrier();
        if (same) Kokkos::single(Kokkos::PerTeam(member), [=]() { out[i] = 0; });
      });
}

/// The distances of near samples from the differences of their entries.
template <class Exec>
void refine_near(const Exec& exec, const Matrix<double, Exec>& d2, int first, int count,
                 const SparseSamples<Exec>& x_samples, const RowChoice<Exec>& choice,
                 const SparseSamples<Exec>& y_samples) {
  const int n = static_cast<int>(d2.extent(1));
  const auto norm_x = x_samples.norm, norm_y = y_samples.norm;
  const auto x_begin = x_samples.rows.begin, y_begin = y_samples.rows.begin;
  const auto x_column = x_samples.rows.column, y_column = y_samples.rows.column;
  const auto x_value = x_samples.rows.value, y_value = y_samples.rows.value;
  Kokkos::parallel_for(
      "krossfold::kernels::sparse_near", Kokkos::TeamPolicy<Exec>(exec, count, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int i = choice(first + member.league_rank());
        double* out = &d2(first + member.league_rank(), 0);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n), [=](int j) {
          if (out[j] >= near * (norm_x(i) + norm_y(j))) return;
          std::int64_t a = x_begin(i), b = y_begin(j);
          const std::int64_t a_end = x_begin(i + 1), b_end = y_begin(j + 1);
          double squares = 0;
          while (a < a_end || b < b_end) {
            const bool left = b == b_end || (a < a_end && x_column(a) <= y_column(b));
            const bool right = a == a_end || (b < b_end && y_column(b) <= x_column(a));
            const double by = (left ? x_value(a) : 0.0) - (right ? y_value(b) : 0.0);
            squares += by * by;
            a += left ? 1 : 0;
            b += right ? 1 : 0;
          }
          out[j] = squares;
        });
      });
}

}  // namespace

template <class Exec>
SparseSamples<Exec> make_sparse_samples(const SparseMatrix<double>& rows) {
  SparseSamples<Exec> samples;
  samples.rows = moved<Exec>(rows);
  samples.columns = moved<Exec>(transposed(rows));
  samples.norm = Vector<double, Exec>(uninitialized("krossfold::kernels::sparse_norm"), rows.rows());
  squared_norm<Exec>(Exec(), samples.norm, samples.rows);
  return samples;
}

template <class Exec, class T>
void sparse_distance(const Exec& exec, const Matrix<T, Exec>& d2, const SparseSamples<Exec>& x,
                     const RowChoice<Exec>& choice, const SparseSamples<Exec>& y, const Poll& poll) {
  const int rows = static_cast<int>(d2.extent(0)), n = y.size();
  const bool listed = choice.list.extent(0) > 0;
  if (x.rows.columns != y.rows.columns || static_cast<int>(d2.extent(1)) != n ||
      (listed ? rows != static_cast<int>(choice.list.extent(0)) : choice.first < 0 || choice.first + rows > x.size())) {
    throw_run_error(
        "sparse_distance was given shapes that do not match",
        text("d2 ", rows, "x", d2.extent(1), ", x ", x.size(), "x", x.rows.columns, ", y ", n, "x", y.rows.columns));
  }
  const bool same = x.norm.data() == y.norm.data();
  constexpr int step = rows_at_once<Exec>;
  const auto sum = padded_matrix<double, Exec>("krossfold::kernels::sparse_products", std::min(rows, step), n);
  for (int first = 0; first < rows; first += step) {
    call(poll);
    const int count = std::min(step, rows - first);
    sparse_products<Exec>(exec, sum, first, count, x.rows, choice, y.columns);
    combine<Exec, T>(exec, d2, first, count, sum, x.norm, choice, y.norm, same);
    if constexpr (std::is_same_v<T, double>) refine_near<Exec>(exec, d2, first, count, x, choice, y);
  }
  fence(exec, "krossfold::kernels::sparse_distance");
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                 \
  template SparseSamples<Exec> make_sparse_samples<Exec>(const SparseMatrix<double>&);                              \
  template void sparse_distance<Exec, float>(const Exec&, const Matrix<float, Exec>&, const SparseSamples<Exec>&,   \
                                             const RowChoice<Exec>&, const SparseSamples<Exec>&, const Poll&);      \
  template void sparse_distance<Exec, double>(const Exec&, const Matrix<double, Exec>&, const SparseSamples<Exec>&, \
                                              const RowChoice<Exec>&, const SparseSamples<Exec>&, const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
