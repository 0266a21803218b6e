// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/squared_distance.hpp"

#include <algorithm>

#include "krossfold/core/error.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/kernels/gemm.hpp"

namespace krossfold::kernels {

namespace {

/// norm(i) = |x_i|^2.
template <class Exec, class T>
void squared_norm(const Exec& exec, const Vector<T, Exec>& norm, const Matrix<const T, Exec>& x) {
  const int features = static_cast<int>(x.extent(1));
  Kokkos::parallel_for(
      "krossfold::kernels::squared_norm", Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(x.extent(0))),
      KOKKOS_LAMBDA(int i) {
        const T* row = &x(i, 0);
        T sum = 0;
        KROSSFOLD_SIMD(reduction(+ : sum))
        for (int j = 0; j < features; ++j) sum += row[j] * row[j];
        norm(i) = sum;
      });
}

template <class Exec, class T>
struct Tile {
  int row, column, rows, columns;
  Matrix<const T, Exec> product;
};

/// Computes a tile of d2 from its scalar products and, if `mirror`, copies it transposed above the diagonal.
template <class Exec, class T>
void combine_tile(const Exec& exec, const Matrix<float, Exec>& d2, const Tile<Exec, T>& tile,
                  const Vector<T, Exec>& norm_x, const Vector<T, Exec>& norm_y, bool mirror) {
  const auto product = tile.product;
  const int row = tile.row, column = tile.column, columns = tile.columns;
  Kokkos::parallel_for(
      "krossfold::kernels::squared_distance", Kokkos::TeamPolicy<Exec>(exec, tile.rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int r = member.league_rank(), i = row + r;
        const double norm = static_cast<double>(norm_x(i));
        float* out = &d2(i, column);
        const T* xy = &product(r, 0);
        const T* other = &norm_y(column);
        team_simd_for(member, columns, [=](int c) {
          const double d = norm + static_cast<double>(other[c]) - 2.0 * static_cast<double>(xy[c]);
          out[c] = static_cast<float>(d > 0 ? d : 0);
        });
      });
  if (!mirror) return;
  const int rows = tile.rows;
  Kokkos::parallel_for(
      "krossfold::kernels::squared_distance_mirror", Kokkos::TeamPolicy<Exec>(exec, columns, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int j = column + member.league_rank();
        team_simd_for(member, rows, [=](int r) {
          const int i = row + r;
          if (i > j) d2(j, i) = d2(i, j);
          if (i == j) d2(j, j) = 0;
        });
      });
}

template <class Exec, class T>
void all_tiles(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x,
               const Matrix<const T, Exec>& y, bool symmetric, const TileShare& share, const Poll& poll) {
  const int m = static_cast<int>(x.extent(0)), n = static_cast<int>(y.extent(0));
  if (x.extent(1) != y.extent(1) || d2.extent(0) != x.extent(0) || d2.extent(1) != y.extent(0)) {
    throw_run_error(
        "squared_distance was given shapes that do not match",
        text("d2 ", d2.extent(0), "x", d2.extent(1), ", x ", m, "x", x.extent(1), ", y ", n, "x", y.extent(1)));
  }
  Vector<T, Exec> norm_x(uninitialized("krossfold::kernels::squared_distance_norm_x"), m);
  squared_norm<Exec, T>(exec, norm_x, x);
  Vector<T, Exec> norm_y = norm_x;
  if (!symmetric) {
    norm_y = Vector<T, Exec>(uninitialized("krossfold::kernels::squared_distance_norm_y"), n);
    squared_norm<Exec, T>(exec, norm_y, y);
  }
  Matrix<T, Exec> buffer(uninitialized("krossfold::kernels::squared_distance_tile"), std::min(distance_tile, m),
                         std::min(distance_tile, n));
  for (int row = share.index * distance_tile; row < m; row += share.count * distance_tile) {
    const int rows = std::min(distance_tile, m - row);
    const Matrix<const T, Exec> x_part = Kokkos::subview(x, Kokkos::make_pair(row, row + rows), Kokkos::ALL);
    for (int column = 0; column < (symmetric ? row + rows : n); column += distance_tile) {
      call(poll);
      const int columns = std::min(distance_tile, n - column);
      const Matrix<const T, Exec> y_part = Kokkos::subview(y, Kokkos::make_pair(column, column + columns), Kokkos::ALL);
      const Matrix<T, Exec> product =
          Kokkos::subview(buffer, Kokkos::make_pair(0, rows), Kokkos::make_pair(0, columns));
      gemm<Exec, T>(exec, product, x_part, Transpose::no, y_part, Transpose::yes);
      combine_tile<Exec, T>(exec, d2, {row, column, rows, columns, product}, norm_x, norm_y, symmetric);
    }
  }
  fence(exec, "krossfold::kernels::squared_distance");
}

}  // namespace

bool exact_in_float(double bound, int features) { return features * bound * bound <= 16777216.0; }

template <class Exec, class T>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x,
                      const Matrix<const T, Exec>& y, const Poll& poll) {
  all_tiles<Exec, T>(exec, d2, x, y, false, {}, poll);
}

template <class Exec, class T>
void squared_distance(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x,
                      const TileShare& share, const Poll& poll) {
  all_tiles<Exec, T>(exec, d2, x, x, true, share, poll);
}

template <class Exec, class T>
void squared_distance_band(const Exec& exec, const Matrix<float, Exec>& d2, const Matrix<const T, Exec>& x, int first,
                           const Poll& poll) {
  const int n = static_cast<int>(x.extent(0)), rows = static_cast<int>(d2.extent(0));
  const auto part = [&](int from) {
    const Matrix<const T, Exec> tile =
        Kokkos::subview(x, Kokkos::make_pair(from, std::min(from + distance_tile, n)), Kokkos::ALL);
    return tile;
  };
  if (first % distance_tile != 0 || rows != static_cast<int>(part(first).extent(0)) ||
      static_cast<int>(d2.extent(1)) != n) {
    throw_run_error("squared_distance_band was not asked for one row of tiles", text("rows ", first, " + ", rows));
  }
  Vector<T, Exec> norm(uninitialized("krossfold::kernels::squared_distance_norm_x"), n);
  squared_norm<Exec, T>(exec, norm, x);
  const Matrix<T, Exec> buffer(uninitialized("krossfold::kernels::squared_distance_tile"), std::min(distance_tile, n),
                               std::min(distance_tile, n));
  for (int column = 0; column < n; column += distance_tile) {
    call(poll);
    const int columns = static_cast<int>(part(column).extent(0));
    const bool above = column > first;  // computed as its mirror image below the diagonal
    const Matrix<T, Exec> product = Kokkos::subview(buffer, Kokkos::make_pair(0, above ? columns : rows),
                                                    Kokkos::make_pair(0, above ? rows : columns));
    gemm<Exec, T>(exec, product, part(above ? column : first), Transpose::no, part(above ? first : column),
                  Transpose::yes);
    Kokkos::parallel_for(
        "krossfold::kernels::squared_distance_band", Kokkos::TeamPolicy<Exec>(exec, rows, Kokkos::AUTO),
        KOKKOS_LAMBDA(const Team<Exec>& member) {
          const int r = member.league_rank(), i = first + r;
          team_simd_for(member, columns, [=](int c) {
            const int j = column + c, low = i < j ? i : j, high = i < j ? j : i;
            // In the diagonal tile, the upper triangle mirrors the lower one.
            const T xy = above ? product(c, r) : column == first ? product(high - first, low - first) : product(r, c);
            const double d =
                static_cast<double>(norm(high)) + static_cast<double>(norm(low)) - 2.0 * static_cast<double>(xy);
            d2(r, j) = i == j ? 0.0f : static_cast<float>(d > 0 ? d : 0);
          });
        });
  }
  fence(exec, "krossfold::kernels::squared_distance_band");
}

#define KROSSFOLD_INSTANTIATE_FOR(Exec, T)                                                                            \
  template void squared_distance<Exec, T>(const Exec&, const Matrix<float, Exec>&, const Matrix<const T, Exec>&,      \
                                          const Matrix<const T, Exec>&, const Poll&);                                 \
  template void squared_distance<Exec, T>(const Exec&, const Matrix<float, Exec>&, const Matrix<const T, Exec>&,      \
                                          const TileShare&, const Poll&);                                             \
  template void squared_distance_band<Exec, T>(const Exec&, const Matrix<float, Exec>&, const Matrix<const T, Exec>&, \
                                               int, const Poll&);
#define KROSSFOLD_INSTANTIATE(Exec) KROSSFOLD_INSTANTIATE_FOR(Exec, float) KROSSFOLD_INSTANTIATE_FOR(Exec, double)
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
