// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "krossfold/core/simd.hpp"
#include "krossfold/svm/active_set.hpp"

namespace krossfold::svm {

/// Where a path is. Shared by the host and the kernel.
struct Place {
  int free, last, events, idle, ended, failed;
  double t, level, cost, violation;
};

/// A number in [0.5, 1) that belongs to sample i.
KOKKOS_INLINE_FUNCTION double own_share(int i) {
  auto bits = static_cast<std::uint32_t>(i) * 0x9e3779b9u;
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
  return 0.5 + static_cast<double>(bits >> 9) * 0x1p-24;
}

/// One team follows one path for some events.
template <class Exec>
struct Follow {
  using Row = Vector<double, Exec>;

  double c, tolerance, rho, max_cost;
  int n, p, limit, max_events, at_once;
  DualProblems<Exec> duals;
  Matrix<const double, Exec> kernel;
  Flags<Place> place;
  Row value, slope, shift;         ///< (n): g + (1 - t) s + m - rho (beta - beta_0), its slope, s
  Row offset;                      ///< (n): m + rho beta_0, m the distance of its own
  Vector<std::int8_t, Exec> side;  ///< (n): 1 cannot grow, -1 cannot shrink, 0 free or not in the problem
  Vector<int, Exec> member;        ///< (free)
  Row beta, first, second, direction, ones, change;  ///< (free)
  Matrix<double, Exec> matrix, inverse;              ///< (free, free): K_FF + rho 1 and its inverse

  KOKKOS_INLINE_FUNCTION double bound(int i) const { return bound_of<double>(duals.sign(p, i), c, duals.weight(i)); }

  template <class Value>
  KOKKOS_INLINE_FUNCTION double total(const Team<Exec>& team, int count, const Value& of) const {
    const TeamPart part = TeamPart::of(team, count);
    double sum = 0;
#if KROSSFOLD_ON_HOST
    KROSSFOLD_SIMD(reduction(+ : sum))
    for (int k = part.first; k < part.last; ++k) sum += of(k);
#else
    for (int k = part.first; k < part.last; k += part.step) sum += of(k);
#endif
    team.team_reduce(Kokkos::Sum<double>(sum));
    return sum;
  }

  /// x' = A x and y' = A y, for a symmetric A.
  KOKKOS_INLINE_FUNCTION void multiply(const Team<Exec>& team, const Matrix<double, Exec>& a, int f, const double* x,
                                       const double* y, double* x_out, double* y_out) const {
    team.team_barrier();
    const TeamPart part = TeamPart::of(team, f);
    for (int r = part.first; r < part.last; r += part.step) {
      double s = 0, q = 0;
#if KROSSFOLD_ON_HOST
      const double* row = &a(r, 0);
      KROSSFOLD_SIMD(reduction(+ : s, q))
      for (int k = 0; k < f; ++k) {
        s += row[k] * x[k];
        q += row[k] * y[k];
      }
#else
      for (int k = 0; k < f; ++k) {
        s += a(k, r) * x[k];
        q += a(k, r) * y[k];
      }
#endif
      x_out[r] = s;
      y_out[r] = q;
    }
    team.team_barrier();
  }

  /// A += by x x^T.
  KOKKOS_INLINE_FUNCTION void add_square(const Team<Exec>& team, const Matrix<double, Exec>& a, int f, const double* x,
                                         double by) const {
    team.team_barrier();
    for (int r = 0; r < f; ++r) {
      double* row = &a(r, 0);
      const double weight = by * x[r];
      team_simd_for(team, f, [=](int k) { row[k] += weight * x[k]; });
    }
    team.team_barrier();
  }

  /// Extends the inverse by row and column f of the matrix. False if rounding has made that impossible.
  KOKKOS_INLINE_FUNCTION bool extend_inverse(const Team<Exec>& team, int f) const {
    double *u = first.data(), *k = second.data(), *d = direction.data(), *e = ones.data();
    team.team_barrier();
    team_simd_for(team, f, [=, this](int r) { k[r] = matrix(f, r); });
    multiply(team, inverse, f, k, k, u, d);
    for (int refinement = 0; refinement < 2; ++refinement) {
      multiply(team, matrix, f, u, u, d, d);
      team_simd_for(team, f, [=](int r) { d[r] = k[r] - d[r]; });
      multiply(team, inverse, f, d, d, e, e);
      team_simd_for(team, f, [=](int r) { u[r] += e[r]; });
      team.team_barrier();
    }
    const double rest = matrix(f, f) - total(team, f, [=](int r) { return k[r] * u[r]; });
    if (!(rest > 0.25 * rho)) return false;
    add_square(team, inverse, f, u, 1 / rest);
    team_simd_for(team, f, [=, this](int r) {
      inverse(f, r) = -u[r] / rest;
      inverse(r, f) = -u[r] / rest;
    });
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() { inverse(f, f) = 1 / rest; });
    team.team_barrier();
    return true;
  }

  KOKKOS_INLINE_FUNCTION bool rebuild(const Team<Exec>& team, int free) const {
    for (int f = 0; f < free; ++f) {
      if (!extend_inverse(team, f)) return false;
    }
    return true;
  }

  /// Makes sample i the free variable number f, but for the inverse.
  KOKKOS_INLINE_FUNCTION void join(const Team<Exec>& team, int f, int i) const {
    team.team_barrier();
    team_simd_for(team, f, [=, this](int r) {
      const double entry = kernel(i, member(r));
      matrix(f, r) = entry;
      matrix(r, f) = entry;
    });
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() {
      matrix(f, f) = kernel(i, i) + rho;
      member(f) = i;
      beta(f) = duals.beta(p, i);
      side(i) = 0;
    });
    team.team_barrier();
  }

  /// Takes free variable k out, with its row of the inverse; the last one takes its place.
  KOKKOS_INLINE_FUNCTION void leave(const Team<Exec>& team, int free, int k, double end, int at_side,
                                    double level) const {
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
    const double pivot = inverse(f, f);
    team_simd_for(team, f, [=, this](int r) { u[r] = inverse(f, r); });
    add_square(team, inverse, f, u, -1 / pivot);
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() {
      const int i = member(k);
      duals.beta(p, i) = end;
      side(i) = static_cast<std::int8_t>(at_side);
      value(i) = level;
      member(k) = member(f);
      beta(k) = beta(f);
      matrix(k, k) = kernel(member(k), member(k)) + rho;
    });
    team.team_barrier();
  }

  /// Sets `direction` and returns b'. The residual of the equations, relative to s, is that before they were refined.
  KOKKOS_INLINE_FUNCTION double solve(const Team<Exec>& team, int f, double& residual) const {
    double *x = first.data(), *y = second.data(), *d = direction.data(), *e = ones.data(), *r = change.data();
    double* q = change.data() + limit;
    team_simd_for(team, f, [=, this](int k) {
      r[k] = -shift(member(k));
      q[k] = 1;
    });
    multiply(team, inverse, f, r, q, x, y);
    multiply(team, matrix, f, x, y, d, e);
    const double most = team_simd_largest(team, f, [=](int k) { return std::fabs(r[k]); }).value;
    team_simd_for(team, f, [=](int k) {
      r[k] -= d[k];
      q[k] -= e[k];
    });
    team.team_barrier();
    const Largest left = team_simd_largest(team, f, [=](int k) { return std::fabs(r[k]); });
    const Largest rest = team_simd_largest(team, f, [=](int k) { return std::fabs(q[k]); });
    residual = left.value > most * rest.value ? left.value / most : rest.value;
    if (most == 0) residual = rest.value;
    multiply(team, inverse, f, r, q, d, e);
    const double level_slope =
        total(team, f, [=](int k) { return x[k] + d[k]; }) / total(team, f, [=](int k) { return y[k] + e[k]; });
    team_simd_for(team, f, [=](int k) { d[k] += x[k] - level_slope * (y[k] + e[k]); });
    team.team_barrier();
    return level_slope;
  }

  /// slope = -s - K_F d for all samples.
  KOKKOS_INLINE_FUNCTION void find_slopes(const Team<Exec>& team, int f) const {
    const double* d = direction.data();
    double* out = slope.data();
    const double* s = shift.data();
    team_simd_for(team, n, [=](int i) { out[i] = -s[i]; });
    int k = 0;
    for (; k + 8 <= f; k += 8) {
      const double *r0 = &kernel(member(k), 0), *r1 = &kernel(member(k + 1), 0), *r2 = &kernel(member(k + 2), 0),
                   *r3 = &kernel(member(k + 3), 0), *r4 = &kernel(member(k + 4), 0), *r5 = &kernel(member(k + 5), 0),
                   *r6 = &kernel(member(k + 6), 0), *r7 = &kernel(member(k + 7), 0);
      const double d0 = d[k], d1 = d[k + 1], d2 = d[k + 2], d3 = d[k + 3], d4 = d[k + 4], d5 = d[k + 5], d6 = d[k + 6],
                   d7 = d[k + 7];
      team_simd_for(team, n, [=](int i) {
        out[i] -= d0 * r0[i] + d1 * r1[i] + d2 * r2[i] + d3 * r3[i] + d4 * r4[i] + d5 * r5[i] + d6 * r6[i] + d7 * r7[i];
      });
    }
    for (; k < f; ++k) {
      const double* row = &kernel(member(k), 0);
      const double by = d[k];
      team_simd_for(team, n, [=](int i) { out[i] -= by * row[i]; });
    }
    team.team_barrier();
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Team<Exec>& team) const {
    Place at = place(0);
    team.team_barrier();
    if (at.idle < 0) {  // the beginning
      at.idle = 0;
      if (!rebuild(team, at.free)) at.failed = 1;
    }
    for (int step = 0; step < at_once && at.ended == 0 && at.failed == 0; ++step) follow(team, at);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() { place(0) = at; });
  }

  KOKKOS_INLINE_FUNCTION void follow(const Team<Exec>& team, Place& at) const {
    constexpr double inaccurate = 1e-3, flat = 1e-14;
    constexpr int max_idle = 100;
    const int f = at.free;
    double residual = 0, level_slope = solve(team, f, residual);
    if (!(residual < inaccurate)) {
      if (!rebuild(team, f)) {
        at.failed = 1;
        return;
      }
      level_slope = solve(team, f, residual);
      if (!(residual < inaccurate)) {
        at.failed = 1;
        return;
      }
    }
    find_slopes(team, f);
    const double *d = direction.data(), *b = beta.data(), *v = value.data(), *w = slope.data();
    const std::int8_t* where = side.data();
    const double level = at.level;
    const int last = at.last;
    const Largest meets = team_simd_largest(team, f, [=, this](int k) {
      const double end = bound(member(k));
      const double room = d[k] > 0 ? upper_bound(end) - b[k] : b[k] - lower_bound(end);
      const double speed = std::fabs(d[k]);
      return speed > flat ? -(room > 0 ? room : 0.0) / speed : -HUGE_VAL;
    });
    const Largest frees = team_simd_largest(team, n, [=](int i) {
      const double s = where[i], room = (v[i] - level) * s, speed = (w[i] - level_slope) * s;
      return speed < -flat && i != last ? (room > 0 ? room : 0.0) / speed : -HUGE_VAL;
    });
    double length = 1 - at.t;
    int kind = 0;
    if (-meets.value < length) {
      length = -meets.value;
      kind = 1;
    }
    if (-frees.value < length) {
      length = -frees.value;
      kind = 2;
    }
    team.team_barrier();
    team_simd_for(team, f, [=, this](int k) { beta(k) += length * d[k]; });
    team_simd_for(team, n, [=, this](int i) { value(i) += length * w[i]; });
    team.team_barrier();
    at.t += length;
    at.level += length * level_slope;
    at.cost += event_cost(f, n);
    ++at.events;
    at.idle = length > 0 ? 0 : at.idle + 1;
    if (kind == 0) {
      at.ended = 1;
      return;
    }
    if (kind == 1) {
      const int k = meets.index, i = member(k);
      const double end = bound(i), speed = d[k];
      const double stop = speed > 0 ? upper_bound(end) : lower_bound(end);
      leave(team, f, k, stop, speed > 0 ? 1 : -1, at.level);
      at.last = i;
      --at.free;
    } else {
      const int i = frees.index;
      if (f == limit) {
        at.failed = 1;
        return;
      }
      join(team, f, i);
      if (!extend_inverse(team, f) && !rebuild(team, f + 1)) at.failed = 1;
      at.last = -1;
      ++at.free;
    }
    if (at.free == 0 || at.idle > max_idle || at.events >= max_events || at.cost > max_cost) at.failed = 1;
  }
};

}  // namespace krossfold::svm
