// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"

// Products with a few long rows T (r, m), such as those of a factor of a kernel matrix. They are as fast as T can be read, so each reads it
// as few times as it can.

namespace krossfold::kernels {

constexpr int rows_together = 8;   ///< rows that are read side by side, so that the vector is read once for all of them
constexpr int column_block = 256;  ///< columns whose part of T stays in a processor's cache

inline int column_blocks(int columns) { return (columns + column_block - 1) / column_block; }

/// out[k] = sum_i t(row + k, first + i) u_i over this many columns, for the rows that there are from `row` on.
template <class T, class Member>
KOKKOS_INLINE_FUNCTION void dot_together(const Member& member, const T& t, int row, int first, int columns,
                                         const double* u, double* out) {
  const int rows = static_cast<int>(t.extent(0));
  const auto at = [&](int k) { return &t(row + k < rows ? row + k : row, first); };
  const double *t0 = at(0), *t1 = at(1), *t2 = at(2), *t3 = at(3), *t4 = at(4), *t5 = at(5), *t6 = at(6), *t7 = at(7);
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
  const TeamPart part = TeamPart::of(member, columns);
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD(reduction(+ : s0, s1, s2, s3, s4, s5, s6, s7))
  for (int i = part.first; i < part.last; ++i) {
#else
  for (int i = part.first; i < part.last; i += part.step) {
#endif
    s0 += t0[i] * u[i];
    s1 += t1[i] * u[i];
    s2 += t2[i] * u[i];
    s3 += t3[i] * u[i];
    s4 += t4[i] * u[i];
    s5 += t5[i] * u[i];
    s6 += t6[i] * u[i];
    s7 += t7[i] * u[i];
  }
  double sum[rows_together] = {s0, s1, s2, s3, s4, s5, s6, s7};
  for (int k = 0; k < rows_together; ++k) {
    member.team_reduce(Kokkos::Sum<double>(sum[k]));
    if (row + k < rows) Kokkos::single(Kokkos::PerTeam(member), [&]() { out[k] = sum[k]; });
  }
}

/// out[i] = sum_r t(r, first + i) f_r for this many columns and the first `count` rows.
template <class T, class F, class Member>
KOKKOS_INLINE_FUNCTION void add_together(const Member& member, const T& t, int count, int first, int columns,
                                         const F& f, double* out) {
  const int whole = count / rows_together * rows_together;
  team_simd_for(member, columns, [=](int i) { out[i] = 0; });
  for (int r = 0; r < whole; r += rows_together) {
    const double *t0 = &t(r, first), *t1 = &t(r + 1, first), *t2 = &t(r + 2, first), *t3 = &t(r + 3, first);
    const double *t4 = &t(r + 4, first), *t5 = &t(r + 5, first), *t6 = &t(r + 6, first), *t7 = &t(r + 7, first);
    const double f0 = f(r), f1 = f(r + 1), f2 = f(r + 2), f3 = f(r + 3);
    const double f4 = f(r + 4), f5 = f(r + 5), f6 = f(r + 6), f7 = f(r + 7);
    team_simd_for(member, columns, [=](int i) {
      out[i] += ((t0[i] * f0 + t1[i] * f1) + (t2[i] * f2 + t3[i] * f3)) +
                ((t4[i] * f4 + t5[i] * f5) + (t6[i] * f6 + t7[i] * f7));
    });
  }
  for (int r = whole; r < count; ++r) {
    const double* row = &t(r, first);
    const double by = f(r);
    team_simd_for(member, columns, [=](int i) { out[i] += by * row[i]; });
  }
}

/// f_r = sum_i t(r, i) u_i. Bytes: 8 r m.
template <class Exec>
void dot_rows(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const double, Exec>& u,
              const Vector<double, Exec>& f) {
  const int rows = static_cast<int>(t.extent(0)), columns = static_cast<int>(t.extent(1));
  Kokkos::parallel_for(
      "krossfold::kernels::dot_rows",
      Kokkos::TeamPolicy<Exec>(exec, (rows + rows_together - 1) / rows_together, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * rows_together;
        dot_together(member, t, first, 0, columns, u.data(), &f(first));
      });
}

/// out_i = sum_r t(r, i) f_r, for the first `count` rows of t. Bytes: 8 count m.
template <class Exec>
void add_rows(const Exec& exec, const Matrix<const double, Exec>& t, int count, const Vector<const double, Exec>& f,
              const Vector<double, Exec>& out) {
  constexpr int width = 512;
  const int columns = static_cast<int>(t.extent(1));
  Kokkos::parallel_for(
      "krossfold::kernels::add_rows", Kokkos::TeamPolicy<Exec>(exec, (columns + width - 1) / width, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * width, size = first + width < columns ? width : columns - first;
        add_together(member, t, count, first, size, f, out.data() + first);
      });
}

/// multiply_through() of a device.
template <class Exec, class Value>
void multiply_through_rows(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const double, Exec>& f,
                           const Value& value, const Vector<double, Exec>& x, const Vector<double, Exec>& image) {
  const int rows = static_cast<int>(t.extent(0)), columns = static_cast<int>(t.extent(1));
  add_rows<Exec>(exec, t, rows, f, x);
  Kokkos::parallel_for(
      "krossfold::kernels::multiply_between", Kokkos::RangePolicy<Exec>(exec, 0, columns),
      KOKKOS_LAMBDA(int i) { x(i) = value(i, x(i)); });
  dot_rows<Exec>(exec, t, x, image);
}

/// multiply_through() of a host.
template <class Exec, class Value>
void multiply_through_blocks(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const double, Exec>& f,
                             const Value& value, const Vector<double, Exec>& x, const Vector<double, Exec>& image,
                             const Matrix<double, Exec>& block_image) {
  const int rows = static_cast<int>(t.extent(0)), columns = static_cast<int>(t.extent(1));
  const int blocks = column_blocks(columns);
  Kokkos::parallel_for(
      "krossfold::kernels::multiply_through", Kokkos::TeamPolicy<Exec>(exec, blocks, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int b = member.league_rank(), first = b * column_block,
                  size = first + column_block < columns ? column_block : columns - first;
        double* out = x.data() + first;
        add_together(member, t, rows, first, size, f, out);
        team_simd_for(member, size, [=](int i) { out[i] = value(first + i, out[i]); });
        member.team_barrier();
        for (int r = 0; r < rows; r += rows_together) {
          dot_together(member, t, r, first, size, out, &block_image(b, r));
        }
      });
  constexpr int part = 64;
  Kokkos::parallel_for(
      "krossfold::kernels::sum_images", Kokkos::RangePolicy<Exec>(exec, 0, (rows + part - 1) / part),
      KOKKOS_LAMBDA(int p) {
        const int first = p * part, size = first + part < rows ? part : rows - first;
        double* sum = image.data() + first;
        for (int r = 0; r < size; ++r) sum[r] = 0;
        for (int b = 0; b < blocks; ++b) {
          const double* from = &block_image(b, first);
          KROSSFOLD_SIMD()
          for (int r = 0; r < size; ++r) sum[r] += from[r];
        }
      });
}

/// x_i = value(i, sum_r t(r, i) f_r), then image_r = sum_i t(r, i) x_i. Bytes: 8 r m on the host, which takes the columns in blocks that
/// stay in the cache and sums their images, the rows of block_image (column_blocks(m), r), in order; 16 r m on a device, which needs no
/// block_image.
template <class Exec, class Value>
void multiply_through(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const double, Exec>& f,
                      const Value& value, const Vector<double, Exec>& x, const Vector<double, Exec>& image,
                      const Matrix<double, Exec>& block_image) {
  if constexpr (std::is_same_v<Exec, Host>) {
    multiply_through_blocks(exec, t, f, value, x, image, block_image);
  } else {
    multiply_through_rows(exec, t, f, value, x, image);
  }
}

}  // namespace krossfold::kernels
