// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "krossfold/core/simd.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "svm/kernel/row_sums.hpp"

namespace krossfold::svm {

/// The free variables F of one problem, with A = K_FF + rho 1, its inverse, and the solutions of
///
///   A x = -s_F,   A y = 1,
///
/// all of which are updated in |F|^2 operations when a variable joins or leaves.
template <class Exec>
struct FreeSet {
  using Row = Vector<double, Exec>;

  double rho;
  int limit;
  Vector<const PreciseRow, Exec> row;    ///< (n): rows of K, at least those of the members
  Row shift;                             ///< (n): s
  Vector<int, Exec> member;              ///< (free)
  Row beta, x, y;                        ///< (free)
  Row first, second, third;              ///< (free): what a step of the algebra needs
  Matrix<double, Exec> matrix, inverse;  ///< (free, free): A and its inverse

  void allocate(int most) {
    limit = most;
    const auto vector = [most] { return Row(uninitialized("krossfold::svm::free_set"), most); };
    member = Vector<int, Exec>(uninitialized("krossfold::svm::free_set_member"), most);
    for (auto* v : {&beta, &x, &y, &first, &second, &third}) *v = vector();
  }

  /// out -= A v or A^-1 v, for f variables.
  KOKKOS_INLINE_FUNCTION static void subtract_product(const Team<Exec>& team, double* out,
                                                      const Matrix<double, Exec>& a, int f, const double* v) {
    team.team_barrier();
    team_subtract_rows(team, out, f, f, v, [&](int k) { return &a(k, 0); });
    team.team_barrier();
  }

  /// A^-1 += by v v^T.
  KOKKOS_INLINE_FUNCTION void add_square(const Team<Exec>& team, int f, const double* v, double by) const {
    team.team_barrier();
    for (int r = 0; r < f; ++r) {
      double* row = &inverse(r, 0);
      const double weight = by * v[r];
      team_simd_for(team, f, [=](int k) { row[k] += weight * v[k]; });
    }
    team.team_barrier();
  }

  /// Extends the inverse by row and column f of the matrix, and x and y by their elements. False if rounding has made that impossible.
  KOKKOS_INLINE_FUNCTION bool extend(const Team<Exec>& team, int f) const {
    constexpr double accurate = 1e-3;
    double *u = first.data(), *d = second.data(), *e = third.data();
    const double* k = &matrix(f, 0);
    team.team_barrier();
    team_simd_for(team, f, [=](int r) { u[r] = 0; });
    subtract_product(team, u, inverse, f, k);
    team_simd_for(team, f, [=](int r) { u[r] = -u[r]; });
    double rest = matrix(f, f) - team_simd_sum(team, f, [=](int r) { return k[r] * u[r]; });
    // Without refinement the inverse is lost where K_FF has a rank below f.
    for (int refinement = 0; refinement < 2; ++refinement) {
      team_simd_for(team, f, [=](int r) { d[r] = k[r]; });
      subtract_product(team, d, matrix, f, u);
      const double error = team_simd_sum(team, f, [=](int r) { return std::fabs(u[r] * d[r]); });
      if (error <= accurate * rest) break;
      team_simd_for(team, f, [=](int r) { e[r] = 0; });
      subtract_product(team, e, inverse, f, d);
      team_simd_for(team, f, [=](int r) { u[r] -= e[r]; });
      rest = matrix(f, f) - team_simd_sum(team, f, [=](int r) { return k[r] * u[r]; });
    }
    if (!(rest > 0.25 * rho)) return false;
    add_square(team, f, u, 1 / rest);
    const double to_x = (-shift(member(f)) - team_simd_sum(team, f, [=, this](int r) { return k[r] * x(r); })) / rest;
    const double to_y = (1 - team_simd_sum(team, f, [=, this](int r) { return k[r] * y(r); })) / rest;
    team.team_barrier();
    team_simd_for(team, f, [=, this](int r) {
      inverse(f, r) = -u[r] / rest;
      inverse(r, f) = -u[r] / rest;
      x(r) -= to_x * u[r];
      y(r) -= to_y * u[r];
    });
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() {
      inverse(f, f) = 1 / rest;
      x(f) = to_x;
      y(f) = to_y;
    });
    team.team_barrier();
    return true;
  }

  /// Computes the inverse anew.
  KOKKOS_INLINE_FUNCTION bool rebuild(const Team<Exec>& team, int free) const {
    for (int f = 0; f < free; ++f) {
      if (!extend(team, f)) return false;
    }
    return true;
  }

  /// Makes sample i with that beta the free variable number f, but for the inverse.
  KOKKOS_INLINE_FUNCTION void join(const Team<Exec>& team, int f, int i, double b) const {
    team.team_barrier();
    const double* values = row(i).value;
    team_simd_for(team, f, [=, this](int r) {
      const double entry = values[member(r)];
      matrix(f, r) = entry;
      matrix(r, f) = entry;
    });
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() {
      matrix(f, f) = values[i] + rho;
      member(f) = i;
      beta(f) = b;
    });
    team.team_barrier();
  }

  /// Takes variable k of `free` out, with its row of the inverse; the last one takes its place.
  KOKKOS_INLINE_FUNCTION void leave(const Team<Exec>& team, int free, int k) const {
    const int f = free - 1;
    double* u = first.data();
    team.team_barrier();
    // The last one and k change places.
    team_simd_for(team, free, [=, this](int r) {
      const double moved = matrix(f, r), kept = inverse(f, r), gone = inverse(k, r);
      matrix(k, r) = moved;
      inverse(k, r) = kept;
      inverse(f, r) = gone;
    });
    team.team_barrier();
    team_simd_for(team, free, [=, this](int r) {
      const double moved = matrix(r, f), kept = inverse(r, f), gone = inverse(r, k);
      matrix(r, k) = moved;
      inverse(r, k) = kept;
      inverse(r, f) = gone;
    });
    team.team_barrier();
    const double pivot = inverse(f, f), gone_x = x(k) / pivot, gone_y = y(k) / pivot;
    team_simd_for(team, f, [=, this](int r) { u[r] = inverse(f, r); });
    add_square(team, f, u, -1 / pivot);
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() {
      member(k) = member(f);
      beta(k) = beta(f);
      x(k) = x(f);
      y(k) = y(f);
      matrix(k, k) = row(member(k)).value[member(k)] + rho;
    });
    team.team_barrier();
    team_simd_for(team, f, [=, this](int r) {
      x(r) -= gone_x * u[r];
      y(r) -= gone_y * u[r];
    });
    team.team_barrier();
  }

  /// v += A^-1 (right - A v); returns the largest residual before.
  template <class Right>
  KOKKOS_INLINE_FUNCTION double refine_once(const Team<Exec>& team, int f, const Row& v, const Right& right) const {
    double *r = first.data(), *e = second.data(), *out = v.data();
    team.team_barrier();
    team_simd_for(team, f, [=](int k) {
      r[k] = right(k);
      e[k] = 0;
    });
    subtract_product(team, r, matrix, f, out);
    const double residual = team_simd_largest(team, f, [=](int k) { return std::fabs(r[k]); }).value;
    subtract_product(team, e, inverse, f, r);
    team_simd_for(team, f, [=](int k) { out[k] -= e[k]; });
    team.team_barrier();
    return residual;
  }

  /// Improves x and y. False if the inverse is too inaccurate for it.
  KOKKOS_INLINE_FUNCTION bool refine(const Team<Exec>& team, int f) const {
    constexpr double accurate = 1e-3;  // residual before the last refinement, relative to the right-hand side
    constexpr int most = 6;
    const auto s = shift;
    const auto index = member;
    const double largest = team_simd_largest(team, f, [=](int k) { return std::fabs(s(index(k))); }).value;
    bool good = largest == 0;
    if (good) team_simd_for(team, f, [=, this](int k) { x(k) = 0; });
    for (int k = 0; k < most && !good; ++k)
      good = refine_once(team, f, x, [=](int r) { return -s(index(r)); }) <= accurate * largest;
    if (!good) return false;
    good = false;
    for (int k = 0; k < most && !good; ++k) good = refine_once(team, f, y, [](int) { return 1.0; }) <= accurate;
    return good;
  }
};

}  // namespace krossfold::svm
