// SPDX-License-Identifier: BSD-3-Clause
#include "interior_system.hpp"

#include <algorithm>
#include <cmath>

#include "block_sums.hpp"
#include "krossfold/core/simd.hpp"
#include "krossfold/kernels/cholesky.hpp"
#include "krossfold/kernels/row_products.hpp"
#include "krossfold/kernels/weighted_gram.hpp"
#include "ridge.hpp"

namespace krossfold::svm {

namespace {

/// The largest |column of T|; leaves the squares in `change`.
template <class Exec>
double longest_column(const Exec& exec, const InteriorSystem<Exec>& system) {
  constexpr int width = 512;
  const int rank = system.rank(), columns = system.members();
  const auto t = system.rows;
  const auto squares = system.change;
  Kokkos::parallel_for(
      "krossfold::svm::column_squares", Kokkos::TeamPolicy<Exec>(exec, (columns + width - 1) / width, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int first = member.league_rank() * width, size = first + width < columns ? width : columns - first;
        double* sum = squares.data() + first;
        team_simd_for(member, size, [=](int i) { sum[i] = 0; });
        for (int r = 0; r < rank; ++r) {
          const double* row = &t(r, first);
          team_simd_for(member, size, [=](int i) { sum[i] += row[i] * row[i]; });
        }
      });
  return std::sqrt(max_over(
      exec, columns, system.partial, KOKKOS_LAMBDA(int i) { return squares(i); }));
}

/// The matrix to be factored, with `ridge` times itself added to each diagonal element.
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
  system.work = kernels::make_cholesky_work<Exec>(1);
  system.size(0) = rows;
  system.small = Matrix<double, Exec>(uninitialized("krossfold::svm::interior_small"), 1, rows);
  for (auto* view : {&system.residual, &system.direction, &system.product, &system.image}) {
    *view = Vector<double, Exec>(uninitialized("krossfold::svm::interior_conjugate"), rows);
  }
  system.change = Vector<double, Exec>(uninitialized("krossfold::svm::interior_change"), m);
  if (!whole && std::is_same_v<Exec, Host>) {
    system.block_image =
        Matrix<double, Exec>(uninitialized("krossfold::svm::interior_images"), kernels::column_blocks(m), rows);
  }
  system.partial = Flags<double>("krossfold::svm::interior_partial", reduction_blocks(std::max(m, rows)));
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
  if (!whole) system.reach = longest_column(exec, system);
  return system;
}

template <class Exec>
void multiply(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& u,
              const Vector<double, Exec>& product) {
  if (system.whole) return kernels::add_rows<Exec>(exec, system.rows, system.rank(), u, product);
  kernels::dot_rows<Exec>(exec, system.rows, u, system.image);
  kernels::add_rows<Exec>(exec, system.rows, system.rank(), system.image, product);
}

template <class Exec>
bool factor(const Exec& exec, const InteriorSystem<Exec>& system) {
  const auto d = system.d, inverse = system.inverse;
  Kokkos::parallel_for(
      "krossfold::svm::interior_inverse", Kokkos::RangePolicy<Exec>(exec, 0, system.members()),
      KOKKOS_LAMBDA(int i) { inverse(i) = 1 / d(i); });
  return factor_with_ridge(exec, system.factored, system.size, system.failed, system.work, true,
                           [&](double ridge) { fill(exec, system, ridge); });
}

template <class Exec>
void solve(const Exec& exec, const InteriorSystem<Exec>& system, const Vector<const double, Exec>& b,
           const Vector<double, Exec>& u, double accuracy) {
  constexpr int iterations = 30;
  const int m = system.members(), rank = system.rank();
  const bool whole = system.whole;
  const auto residual = system.residual, p = system.direction, ap = system.product, change = system.change;
  const auto inverse = system.inverse, d = system.d, image = system.image;
  const Vector<double, Exec> z(system.small.data(), rank);
  const Kokkos::RangePolicy<Exec> members(exec, 0, m), rows(exec, 0, rank);
  const double enough = accuracy * largest<Exec>(exec, system.partial, b);
  if (whole) {
    Kokkos::deep_copy(exec, z, b);
    kernels::cholesky_solve<Exec>(exec, system.factored, system.size, 1, system.small);
    Kokkos::deep_copy(exec, u, z);
    kernels::add_rows<Exec>(exec, system.rows, rank, u, ap);
    Kokkos::parallel_for(
        "krossfold::svm::first_residual", members,
        KOKKOS_LAMBDA(int i) { residual(i) = b(i) - (ap(i) + d(i) * u(i)); });
  } else {
    Kokkos::parallel_for(
        "krossfold::svm::divide", members, KOKKOS_LAMBDA(int i) { u(i) = inverse(i) * b(i); });
    kernels::dot_rows<Exec>(exec, system.rows, u, z);
    kernels::cholesky_solve<Exec>(exec, system.factored, system.size, 1, system.small);
    kernels::multiply_through<Exec>(
        exec, system.rows, z, KOKKOS_LAMBDA(int i, double back) { return inverse(i) * (b(i) - back); }, u, image,
        system.block_image);
    // u solves the system when s = T u: its residual is T^T (s - T u).
    Kokkos::parallel_for(
        "krossfold::svm::first_residual", rows, KOKKOS_LAMBDA(int r) { residual(r) = z(r) - image(r); });
  }
  const auto is_small = [&] {
    return whole ? largest<Exec>(exec, system.partial, residual) <= enough
                 : system.reach * std::sqrt(dot<Exec>(exec, system.partial, residual, residual)) <= enough;
  };
  double before = 1;
  for (int k = 0; k < iterations && !is_small(); ++k) {
    Kokkos::deep_copy(exec, z, residual);
    kernels::cholesky_solve<Exec>(exec, system.factored, system.size, 1, system.small);
    const double now = dot<Exec>(exec, system.partial, residual, z);
    if (!(now > 0)) return;  // the rounding is as large as the residual
    const double keep = k == 0 ? 0.0 : now / before;
    Kokkos::parallel_for(
        "krossfold::svm::conjugate", rows, KOKKOS_LAMBDA(int r) { p(r) = z(r) + (keep == 0 ? 0.0 : keep * p(r)); });
    if (whole) {
      kernels::add_rows<Exec>(exec, system.rows, rank, p, ap);
    } else {
      kernels::multiply_through<Exec>(
          exec, system.rows, p, KOKKOS_LAMBDA(int i, double back) { return inverse(i) * back; }, change, ap,
          system.block_image);
    }
    Kokkos::parallel_for(
        "krossfold::svm::conjugate_product", rows, KOKKOS_LAMBDA(int r) { ap(r) += whole ? d(r) * p(r) : p(r); });
    const double curvature = dot<Exec>(exec, system.partial, p, ap);
    if (!(curvature > 0)) return;
    const double by = now / curvature;
    Kokkos::parallel_for(
        "krossfold::svm::improve", members, KOKKOS_LAMBDA(int i) { u(i) += by * (whole ? p(i) : change(i)); });
    Kokkos::parallel_for(
        "krossfold::svm::reduce_residual", rows, KOKKOS_LAMBDA(int r) { residual(r) -= by * ap(r); });
    before = now;
  }
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                         \
  template InteriorSystem<Exec> make_interior_system<Exec>(const Exec&, PreciseKernel<Exec>&, int,          \
                                                           const Vector<const int, Exec>&,                  \
                                                           const Vector<const double, Exec>&, const Poll&); \
  template void multiply<Exec>(const Exec&, const InteriorSystem<Exec>&, const Vector<const double, Exec>&, \
                               const Vector<double, Exec>&);                                                \
  template bool factor<Exec>(const Exec&, const InteriorSystem<Exec>&);                                     \
  template void solve<Exec>(const Exec&, const InteriorSystem<Exec>&, const Vector<const double, Exec>&,    \
                            const Vector<double, Exec>&, double);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
