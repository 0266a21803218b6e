// SPDX-License-Identifier: BSD-3-Clause
#include "precise_rows.hpp"

#include "krossfold/core/simd.hpp"
#include "row_sums.hpp"

namespace krossfold::svm {

template <class Exec>
void fill_rows(const Exec& exec, const Matrix<double, Exec>& rows, const Vector<const int, Exec>& sample,
               const Vector<const int, Exec>& place, const RowSource<Exec>& source,
               const Vector<const double, Exec>& beta) {
  constexpr int width = 4096;
  const int n = static_cast<int>(rows.extent(1)), pieces = (n + width - 1) / width;
  const bool known = source.distance.extent(0) > 0, filled = source.block.extent(0) > 0, all = beta.extent(0) == 0;
  const int few = known || filled ? 0 : static_cast<int>(source.across.extent(0));
  Kokkos::parallel_for(
      "krossfold::svm::precise_kernel",
      Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(sample.extent(0)) * pieces, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const RowSource<Exec> from = source;
        const int k = member.league_rank() / pieces, first = member.league_rank() % pieces * width;
        const int count = first + width < n ? width : n - first, i = sample(k);
        double* row = &rows(place(k), first);
        if (few > 0) {
          const double own = from.across(0, i);
          const double* other = &from.across(0, first);
          team_simd_for(member, count, [=](int j) { row[j] = (other[j] - own) * (other[j] - own); });
          for (int f = 1; f < few; ++f) {
            const double at = from.across(f, i);
            const double* feature = &from.across(f, first);
            team_simd_for(member, count, [=](int j) { row[j] += (feature[j] - at) * (feature[j] - at); });
          }
        } else {
          Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), [=](int j) {
            if (known) {
              row[j] = static_cast<double>(from.distance(i, first + j));
            } else if (filled) {
              row[j] = from.block(k, first + j);
            } else {
              row[j] = all || beta(first + j) != 0 ? distance_of(from.points, i, from.points, first + j) : 0.0;
            }
          });
        }
        member.team_barrier();
        from.values.row(member, row, i, first, count);
      });
  fence(exec, "krossfold::svm::precise_kernel");
}

template <class Exec>
void enter_rows(const Exec& exec, const Vector<PreciseRow, Exec>& table, const Matrix<const double, Exec>& rows,
                const Vector<const int, Exec>& sample, const Vector<const int, Exec>& place,
                const Vector<const int, Exec>& gone) {
  const int leave = static_cast<int>(gone.extent(0)), come = static_cast<int>(sample.extent(0));
  Kokkos::parallel_for(
      "krossfold::svm::precise_rows", Kokkos::RangePolicy<Exec>(exec, 0, leave + come), KOKKOS_LAMBDA(int k) {
        if (k < leave) {
          table(gone(k)).value = nullptr;
        } else {
          table(sample(k - leave)).value = &rows(place(k - leave), 0);
        }
      });
  fence(exec, "krossfold::svm::precise_rows");
}

template <class Exec>
Matrix<double, Exec> by_feature(const Exec& exec, const DensePoints<Exec>& points, int features, int n) {
  const Matrix<double, Exec> across(uninitialized("krossfold::svm::features"), features, n);
  Kokkos::parallel_for(
      "krossfold::svm::features", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(int i) {
        for (int f = 0; f < features; ++f) {
          across(f, i) = points.form == PointForm::whole_float ? static_cast<double>(points.in_float(i, f))
                                                               : points.in_double(i, f);
        }
      });
  fence(exec, "krossfold::svm::features");
  return across;
}

template <class Exec>
void subtract_rows(const Exec& exec, const Matrix<const double, Exec>& rows, int count,
                   const Vector<const double, Exec>& weight, const Vector<double, Exec>& out) {
  constexpr int width = 512;
  const int n = static_cast<int>(out.extent(0));
  Kokkos::parallel_for(
      "krossfold::svm::precise_product", Kokkos::TeamPolicy<Exec>(exec, (n + width - 1) / width, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * width, size = first + width < n ? width : n - first;
        team_subtract_rows(member, out.data() + first, size, count, weight.data(),
                           [&](int r) { return &rows(r, first); });
      });
  fence(exec, "krossfold::svm::precise_product");
}

template <class Exec>
void multiply_rows(const Exec& exec, const Matrix<const double, Exec>& rows, const Vector<const double, Exec>& beta,
                   const Vector<double, Exec>& out) {
  const int n = static_cast<int>(beta.extent(0));
  Kokkos::parallel_for(
      "krossfold::svm::precise_product", Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(out.extent(0)), Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int k = member.league_rank();
        const double *row = &rows(k, 0), *b = beta.data();
        const double sum = team_simd_sum(member, n, [=](int j) { return b[j] * row[j]; });
        Kokkos::single(Kokkos::PerTeam(member), [&]() { out(k) = sum; });
      });
  fence(exec, "krossfold::svm::precise_product");
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                    \
  template void fill_rows<Exec>(const Exec&, const Matrix<double, Exec>&, const Vector<const int, Exec>&,              \
                                const Vector<const int, Exec>&, const RowSource<Exec>&,                                \
                                const Vector<const double, Exec>&);                                                    \
  template void enter_rows<Exec>(const Exec&, const Vector<PreciseRow, Exec>&, const Matrix<const double, Exec>&,      \
                                 const Vector<const int, Exec>&, const Vector<const int, Exec>&,                       \
                                 const Vector<const int, Exec>&);                                                      \
  template Matrix<double, Exec> by_feature<Exec>(const Exec&, const DensePoints<Exec>&, int, int);                     \
  template void subtract_rows<Exec>(const Exec&, const Matrix<const double, Exec>&, int,                               \
                                    const Vector<const double, Exec>&, const Vector<double, Exec>&);                   \
  template void multiply_rows<Exec>(const Exec&, const Matrix<const double, Exec>&, const Vector<const double, Exec>&, \
                                    const Vector<double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
