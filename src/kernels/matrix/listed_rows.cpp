// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/listed_rows.hpp"

#include <algorithm>
#include <type_traits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/kernels/gemm.hpp"

namespace krossfold::kernels {

template <class Exec>
void multiply_rows(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const double, Exec>& p,
                   const Vector<double, Exec>& out) {
  const int rows = static_cast<int>(t.extent(0)), columns = static_cast<int>(t.extent(1));
  if constexpr (std::is_same_v<Exec, Host>) {
    Kokkos::parallel_for(
        "krossfold::kernels::multiply_rows", Kokkos::RangePolicy<Exec>(exec, 0, listed_blocks(rows)),
        KOKKOS_LAMBDA(int b) {
          const int last = std::min((b + 1) * listed_block, rows);
          const double* by = p.data();
          for (int i = b * listed_block; i < last; i += 4) {
            const auto row = [&](int k) { return &t(i + k < last ? i + k : i, 0); };
            const double *t0 = row(0), *t1 = row(1), *t2 = row(2), *t3 = row(3);
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            KROSSFOLD_SIMD(reduction(+ : s0, s1, s2, s3))
            for (int r = 0; r < columns; ++r) {
              s0 += t0[r] * by[r];
              s1 += t1[r] * by[r];
              s2 += t2[r] * by[r];
              s3 += t3[r] * by[r];
            }
            const double sum[] = {s0, s1, s2, s3};
            for (int k = 0; k < 4 && i + k < last; ++k) out(i + k) = sum[k];
          }
        });
  } else {
    const Matrix<const double, Exec> column(p.data(), columns, 1);
    const Matrix<double, Exec> product(out.data(), rows, 1);
    gemm<Exec, double>(exec, product, t, Transpose::no, column, Transpose::no);
  }
}

template <class Exec>
void add_listed_rows(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const int, Exec>& list,
                     int count, const Vector<const double, Exec>& value, const Matrix<double, Exec>& partial,
                     const Vector<double, Exec>& out) {
  const int columns = static_cast<int>(t.extent(1)), blocks = listed_blocks(count);
  if (static_cast<int>(partial.extent(0)) < blocks || partial.extent(1) != t.extent(1)) {
    throw_run_error("add_listed_rows was given too few partial sums", text(count, " rows of ", columns));
  }
  Kokkos::parallel_for(
      "krossfold::kernels::listed_rows", Kokkos::TeamPolicy<Exec>(exec, blocks, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * listed_block,
                  last = first + listed_block < count ? first + listed_block : count;
        double* sum = &partial(member.league_rank(), 0);
        team_simd_for(member, columns, [=](int r) { sum[r] = 0; });
        for (int k = first; k < last; ++k) {
          const int i = list(k);
          const double by = value(i);
          const double* row = &t(i, 0);
          team_simd_for(member, columns, [=](int r) { sum[r] += by * row[r]; });
        }
      });
  Kokkos::parallel_for(
      "krossfold::kernels::add_listed_blocks", Kokkos::RangePolicy<Exec>(exec, 0, columns), KOKKOS_LAMBDA(int r) {
        double sum = 0;
        for (int b = 0; b < blocks; ++b) sum += partial(b, r);
        out(r) += sum;
      });
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                    \
  template void multiply_rows<Exec>(const Exec&, const Matrix<const double, Exec>&, const Vector<const double, Exec>&, \
                                    const Vector<double, Exec>&);                                                      \
  template void add_listed_rows<Exec>(const Exec&, const Matrix<const double, Exec>&, const Vector<const int, Exec>&,  \
                                      int, const Vector<const double, Exec>&, const Matrix<double, Exec>&,             \
                                      const Vector<double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::kernels
