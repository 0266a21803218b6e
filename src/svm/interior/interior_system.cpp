// SPDX-License-Identifier: BSD-3-Clause
#include "interior_system.hpp"

#include <algorithm>
#include <cmath>

#include "block_sums.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/kernels/cholesky.hpp"
#include "krossfold/kernels/weighted_gram.hpp"

namespace krossfold::svm {

namespace {

constexpr int together = 8;  ///< rows that are read side by side, so that the vector is read once for all of them

/// f_r = sum_k t(r, k) u_k.
template <class Exec>
void dot_rows(const Exec& exec, const Matrix<const double, Exec>& t, const Vector<const double, Exec>& u,
              const Vector<double, Exec>& f) {
  const int rows = static_cast<int>(t.extent(0)), columns = static_cast<int>(t.extent(1));
  Kokkos::parallel_for(
      "krossfold::svm::dot_rows", Kokkos::TeamPolicy<Exec>(exec, (rows + together - 1) / together, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * together;
        const auto row = [&](int r) { return &t(first + r < rows ? first + r : first, 0); };
        const double *t0 = row(0), *t1 = row(1), *t2 = row(2), *t3 = row(3), *t4 = row(4), *t5 = row(5), *t6 = row(6),
                     *t7 = row(7), *by = u.data();
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
        const TeamPart part = TeamPart::of(member, columns);
#if KROSSFOLD_ON_HOST
        KROSSFOLD_SIMD(reduction(+ : s0, s1, s2, s3, s4, s5, s6, s7))
        for (int k = part.first; k < part.last; ++k) {
#else
        for (int k = part.first; k < part.last; k += part.step) {
#endif
          s0 += t0[k] * by[k];
          s1 += t1[k] * by[k];
          s2 += t2[k] * by[k];
          s3 += t3[k] * by[k];
          s4 += t4[k] * by[k];
          s5 += t5[k] * by[k];
          s6 += t6[k] * by[k];
          s7 += t7[k] * by[k];
        }
        double sum[together] = {s0, s1, s2, s3, s4, s5, s6, s7};
        for (int r = 0; r < together; ++r) {
          member.team_reduce(Kokkos::Sum<double>(sum[r]));
          if (first + r < rows) Kokkos::single(Kokkos::PerTeam(member), [&]() { f(first + r) = sum[r]; });
        }
      });
}

/// out = (D + Q) u.
template <class Exec>
void apply(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& u,
           const Vector<double, Exec>& out) {
  multiply<Exec>(exec, system, u, out);
  const auto d = system.d;
  Kokkos::parallel_for(
      "krossfold::svm::add_diagonal", Kokkos::RangePolicy<Exec>(exec, 0, system.members()),
      KOKKOS_LAMBDA(int i) { out(i) += d(i) * u(i); });
}

/// out = P b with P the factored matrix' inverse: with a factor of K, D^-1 b - D^-1 T^T (1 + T D^-1 T^T)^-1 T D^-1 b.
template <class Exec>
void precondition(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& b,
                  const Vector<double, Exec>& out) {
  const int m = system.members(), rank = system.rank();
  const auto inverse = system.inverse;
  const auto small = system.small;
  if (system.whole) {
    Kokkos::parallel_for(
        "krossfold::svm::take_side", Kokkos::RangePolicy<Exec>(exec, 0, m),
        KOKKOS_LAMBDA(int i) { small(0, i) = b(i); });
    kernels::cholesky_solve<Exec>(exec, system.factored, system.size, 1, small);
    Kokkos::parallel_for(
        "krossfold::svm::take_solution", Kokkos::RangePolicy<Exec>(exec, 0, m),
        KOKKOS_LAMBDA(int i) { out(i) = small(0, i); });
    return;
  }
  Kokkos::parallel_for(
      "krossfold::svm::divide", Kokkos::RangePolicy<Exec>(exec, 0, m),
      KOKKOS_LAMBDA(int i) { out(i) = inverse(i) * b(i); });
  const Vector<double, Exec> side(small.data(), rank);
  dot_rows<Exec>(exec, system.rows, out, side);
  kernels::cholesky_solve<Exec>(exec, system.factored, system.size, 1, small);
  add_rows<Exec>(exec, system.rows, rank, side, out);
  Kokkos::parallel_for(
      "krossfold::svm::subtract", Kokkos::RangePolicy<Exec>(exec, 0, m),
      KOKKOS_LAMBDA(int i) { out(i) = inverse(i) * (b(i) - out(i)); });
}

template <class Exec>
double dot(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& a,
           const Vector<const double, Exec>& b) {
  return sum_over(
      exec, system.members(), system.partial, KOKKOS_LAMBDA(int i) { return a(i) * b(i); });
}

template <class Exec>
double largest(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& a) {
  return max_over(
      exec, system.members(), system.partial, KOKKOS_LAMBDA(int i) { return a(i) < 0 ? -a(i) : a(i); });
}

/// Adds `ridge` times itself to each diagonal element, and `constant` to the row of D^-1.
template <class Exec>
void fill(const Exec& exec, const InteriorSystem<Exec>& system, double ridge) {
  const int rank = system.rank(), m = system.members();
  const auto rows = system.rows, factored = system.factored;
  const auto d = system.d, inverse = system.inverse;
  if (system.whole) {
    Kokkos::parallel_for(
        "krossfold::svm::interior_matrix", Kokkos::TeamPolicy<Exec>(exec, m, Kokkos::AUTO),
        KOKKOS_LAMBDA(const Team<Exec>& member) {
          const int r = member.league_rank();
          const double* from = &rows(r, 0);
          double* to = &factored(0, 0) + static_cast<std::size_t>(r) * m;
          team_simd_for(member, m, [=](int k) { to[k] = from[k]; });
          member.team_barrier();
          Kokkos::single(Kokkos::PerTeam(member), [&]() { to[r] = (to[r] + d(r)) * (1 + ridge); });
        });
    return;
  }
  // Columns that hardly change the matrix, all together, are left to the conjugate gradients.
  kernels::weighted_gram<Exec>(exec, factored, rows, inverse, 1e-3 / m);
  Kokkos::parallel_for(
      "krossfold::svm::interior_diagonal", Kokkos::RangePolicy<Exec>(exec, 0, rank), KOKKOS_LAMBDA(int r) {
        double& value = factored(0, static_cast<std::size_t>(r) * rank + r);
        value = (1 + value) * (1 + ridge);
      });
}

}  // namespace

template <class Exec>
void add_rows(const Exec& exec, const Matrix<const double, Exec>& t, int count, const Vector<const double, Exec>& f,
              const Vector<double, Exec>& out) {
  constexpr int width = 512;
  const int columns = static_cast<int>(t.extent(1)), whole = count / together * together;
  Kokkos::parallel_for(
      "krossfold::svm::add_rows", Kokkos::TeamPolicy<Exec>(exec, (columns + width - 1) / width, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * width, size = first + width < columns ? width : columns - first;
        double* sum = out.data() + first;
        team_simd_for(member, size, [=](int k) { sum[k] = 0; });
        for (int r = 0; r < whole; r += together) {
          const double *t0 = &t(r, first), *t1 = &t(r + 1, first), *t2 = &t(r + 2, first), *t3 = &t(r + 3, first);
          const double *t4 = &t(r + 4, first), *t5 = &t(r + 5, first), *t6 = &t(r + 6, first), *t7 = &t(r + 7, first);
          const double f0 = f(r), f1 = f(r + 1), f2 = f(r + 2), f3 = f(r + 3);
          const double f4 = f(r + 4), f5 = f(r + 5), f6 = f(r + 6), f7 = f(r + 7);
          team_simd_for(member, size, [=](int k) {
            sum[k] += ((t0[k] * f0 + t1[k] * f1) + (t2[k] * f2 + t3[k] * f3)) +
                      ((t4[k] * f4 + t5[k] * f5) + (t6[k] * f6 + t7[k] * f7));
          });
        }
        for (int r = whole; r < count; ++r) {
          const double* row = &t(r, first);
          const double by = f(r);
          team_simd_for(member, size, [=](int k) { sum[k] += by * row[k]; });
        }
      });
}

template <class Exec>
InteriorSystem<Exec> make_interior_system(const Exec& exec, PreciseKernel<Exec>& kernel, int rank,
                                          const Vector<const int, Exec>& sample, const Vector<const double, Exec>& sign,
                                          const Poll& poll) {
  const int m = static_cast<int>(sample.extent(0)), rows = rank > 0 ? rank : m;
  const bool whole = rank == 0;
  const Matrix<const double, Exec> from = whole ? kernel.whole(poll) : kernel.factor();
  InteriorSystem<Exec> system;
  system.whole = whole;
  system.rows = Matrix<double, Exec>(uninitialized("krossfold::svm::interior_rows"), rows, m);
  system.d = Vector<double, Exec>(uninitialized("krossfold::svm::interior_diagonal"), m);
  system.inverse = Vector<double, Exec>(uninitialized("krossfold::svm::interior_inverse"), m);
  system.factored =
      Matrix<double, Exec>(uninitialized("krossfold::svm::interior_matrix"), 1, static_cast<std::size_t>(rows) * rows);
  system.size = Flags<int>("krossfold::svm::interior_size", 1);
  system.failed = Flags<int>("krossfold::svm::interior_failed", 1);
  system.size(0) = rows;
  system.image = Vector<double, Exec>(uninitialized("krossfold::svm::interior_image"), rows);
  system.small = Matrix<double, Exec>(uninitialized("krossfold::svm::interior_small"), 1, rows);
  system.residual = Vector<double, Exec>(uninitialized("krossfold::svm::interior_residual"), m);
  system.preconditioned = Vector<double, Exec>(uninitialized("krossfold::svm::interior_preconditioned"), m);
  system.direction = Vector<double, Exec>(uninitialized("krossfold::svm::interior_direction"), m);
  system.product = Vector<double, Exec>(uninitialized("krossfold::svm::interior_product"), m);
  system.partial = Flags<double>("krossfold::svm::interior_partial", reduction_blocks(m));
  const auto to = system.rows;
  Kokkos::parallel_for(
      "krossfold::svm::interior_rows", Kokkos::TeamPolicy<Exec>(exec, rows, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int r = member.league_rank();
        const double* all = &from(whole ? sample(r) : r, 0);
        const double by = whole ? sign(r) : 1.0;
        const int* column = sample.data();
        const double* signs = sign.data();
        double* row = &to(r, 0);
        team_simd_for(member, m, [=](int k) { row[k] = by * signs[k] * all[column[k]]; });
      });
  return system;
}

template <class Exec>
void multiply(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& u,
              const Vector<double, Exec>& product) {
  if (system.whole) return add_rows<Exec>(exec, system.rows, system.rank(), u, product);
  dot_rows<Exec>(exec, system.rows, u, system.image);
  add_rows<Exec>(exec, system.rows, system.rank(), system.image, product);
}

template <class Exec>
bool factor(const Exec& exec, const InteriorSystem<Exec>& system) {
  const auto d = system.d, inverse = system.inverse;
  Kokkos::parallel_for(
      "krossfold::svm::interior_inverse", Kokkos::RangePolicy<Exec>(exec, 0, system.members()),
      KOKKOS_LAMBDA(int i) { inverse(i) = 1 / d(i); });
  for (double ridge = 0; ridge < 1e-6; ridge = ridge == 0 ? 1e-15 : 10 * ridge) {
    fill(exec, system, ridge);
    kernels::cholesky<Exec>(exec, system.factored, system.size, system.failed);
    fence(exec, "krossfold::svm::interior_cholesky");
    if (system.failed(0) == 0) return true;
  }
  return false;
}

template <class Exec>
void solve(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& b,
           const Vector<double, Exec>& u, double accuracy) {
  constexpr int iterations = 30;
  const auto residual = system.residual, z = system.preconditioned, p = system.direction, ap = system.product;
  const Kokkos::RangePolicy<Exec> members(exec, 0, system.members());
  const double enough = accuracy * largest<Exec>(exec, system, b);
  precondition<Exec>(exec, system, b, u);
  apply<Exec>(exec, system, u, residual);
  Kokkos::parallel_for(
      "krossfold::svm::first_residual", members, KOKKOS_LAMBDA(int i) { residual(i) = b(i) - residual(i); });
  double before = 1;
  for (int k = 0; k < iterations && !(largest<Exec>(exec, system, residual) <= enough); ++k) {
    precondition<Exec>(exec, system, residual, z);
    const double now = dot<Exec>(exec, system, residual, z);
    if (!(now > 0)) return;  // the rounding is as large as the residual
    const double keep = k == 0 ? 0.0 : now / before;
    Kokkos::parallel_for(
        "krossfold::svm::conjugate", members, KOKKOS_LAMBDA(int i) { p(i) = z(i) + (keep == 0 ? 0.0 : keep * p(i)); });
    apply<Exec>(exec, system, p, ap);
    const double curvature = dot<Exec>(exec, system, p, ap);
    if (!(curvature > 0)) return;
    const double by = now / curvature;
    Kokkos::parallel_for(
        "krossfold::svm::improve", members, KOKKOS_LAMBDA(int i) {
          u(i) += by * p(i);
          residual(i) -= by * ap(i);
        });
    before = now;
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                    \
  template InteriorSystem<Exec> make_interior_system<Exec>(const Exec&, PreciseKernel<Exec>&, int,                     \
                                                           const Vector<const int, Exec>&,                             \
                                                           const Vector<const double, Exec>&, const Poll&);            \
  template void multiply<Exec>(const Exec&, const InteriorSystem<Exec>&, const Vector<const double, Exec>&,            \
                               const Vector<double, Exec>&);                                                           \
  template bool factor<Exec>(const Exec&, const InteriorSystem<Exec>&);                                                \
  template void solve<Exec>(const Exec&, const InteriorSystem<Exec>&, const Vector<const double, Exec>&,               \
                            const Vector<double, Exec>&, double);                                                      \
  template void add_rows<Exec>(const Exec&, const Matrix<const double, Exec>&, int, const Vector<const double, Exec>&, \
                               const Vector<double, Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
