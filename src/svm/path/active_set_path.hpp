// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "free_set.hpp"
#include "krossfold/svm/active_set.hpp"

namespace krossfold::svm {

/// Where a path is. Shared by the host and the kernel.
struct Place {
  int free, last, events, idle, ended, failed;
  double t, level, cost, violation;
  int empty;                  ///< stretches without an event, before this one
  int begun;                  ///< how often the path has begun anew at its end
  double reach;               ///< how far a stretch goes, relative to the first event that is expected beyond its list
  int listed = 0;             ///< samples on its list
  int changed = 0;            ///< samples whose beta it changes
  int left = 0;               ///< events that the stretch may still have; 0: it is finished
  int had = 0;                ///< events before it
  int wanted = -1;            ///< a sample whose row of K must be there for the next event
  double begin = 0, end = 0;  ///< t
};

/// A number in [0.5, 1) that belongs to sample i.
KOKKOS_INLINE_FUNCTION double own_share(int i) {
  auto bits = static_cast<std::uint32_t>(i) * 0x9e3779b9u;
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
  return 0.5 + static_cast<double>(bits >> 9) * 0x1p-24;
}

/// The path is followed in stretches of some events. At the beginning of each, the slopes of all samples are found, and the samples
/// that are to become free next are listed. Only these are looked at until the stretch ends; what has become of the others is found
/// then. One that should have become free within the stretch gets a shift that makes it free now: the end of the path is the same.
inline constexpr int stretch_events = 24, stretch_list = 160, list_capacity = stretch_list + stretch_events;

/// One team follows one path for some stretches.
template <class Exec>
struct Follow {
  using Row = Vector<double, Exec>;

  double c, tolerance, max_cost;
  int n, p, max_events, at_once;
  DualProblems<Exec> duals;
  FreeSet<Exec> free_set;
  Flags<Place> place;
  Row value, slope, shift;               ///< (n): g + (1 - t) s + m - rho (beta - beta_0), its slope, s
  Row offset;                            ///< (n): m + rho beta_0, m the distance of its own
  Row time;                              ///< (n): when a sample would become free, from now
  Vector<std::int8_t, Exec> side;        ///< (n): 1 cannot grow, -1 cannot shrink, 0 free or not in the problem
  Vector<int, Exec> place_of;            ///< (n): in the list, or -1
  Row direction;                         ///< (free)
  Vector<int, Exec> listed;              ///< (list)
  Row list_value, list_slope;            ///< (list)
  Matrix<double, Exec> rows;             ///< (free, list): K
  Vector<int, Exec> touched;             ///< (changed): samples whose beta changes in this stretch
  Row change;                            ///< (changed): beta before, then the change
  Vector<std::int8_t, Exec> is_touched;  ///< (n)

  KOKKOS_INLINE_FUNCTION double bound(int i) const { return bound_of<double>(duals.sign(p, i), c, duals.weight(i)); }

  /// The slopes of all samples: -s - K_F d.
  KOKKOS_INLINE_FUNCTION void find_slopes(const Team<Exec>& team, int f) const {
    double* out = slope.data();
    const double* s = shift.data();
    team_simd_for(team, n, [=](int i) { out[i] = -s[i]; });
    team_subtract_rows(team, out, n, f, direction.data(),
                       [&](int k) { return free_set.row(free_set.member(k)).value; });
    team.team_barrier();
  }

  /// Sets the direction of the free variables and returns the slope of the level.
  KOKKOS_INLINE_FUNCTION double find_direction(const Team<Exec>& team, int f) const {
    const double *x = free_set.x.data(), *y = free_set.y.data();
    double* d = direction.data();
    const double level_slope =
        team_simd_sum(team, f, [=](int k) { return x[k]; }) / team_simd_sum(team, f, [=](int k) { return y[k]; });
    team_simd_for(team, f, [=](int k) { d[k] = x[k] - level_slope * y[k]; });
    team.team_barrier();
    return level_slope;
  }

  /// When the samples at their bounds become free, if the slopes remain as they are; one that moves away slowly may turn.
  KOKKOS_INLINE_FUNCTION void find_times(const Team<Exec>& team, double level, double level_slope) const {
    const double *v = value.data(), *w = slope.data();
    const std::int8_t* where = side.data();
    double* out = time.data();
    const double usual =
        team_simd_sum(team, n, [=](int i) { return where[i] != 0 ? std::fabs(w[i] - level_slope) : 0.0; }) / n;
    team_simd_for(team, n, [=](int i) {
      const double s = where[i], room = (v[i] - level) * s, speed = (level_slope - w[i]) * s;
      const double at_least = 0.25 * usual, by = speed > at_least ? speed : at_least;
      out[i] = s == 0 ? HUGE_VAL : (room > 0 ? room : 0.0) / (by > 1e-300 ? by : 1e-300);
    });
    team.team_barrier();
  }

  /// A time, at most `end`, before which at most stretch_list samples become free, and mostly half as many.
  KOKKOS_INLINE_FUNCTION double find_horizon(const Team<Exec>& team, double end) const {
    const double* when = time.data();
    const auto count = [&](double by) {
      return team_simd_count(team, n, [=](int i) { return when[i] <= by ? 1 : 0; });
    };
    if (count(end) <= stretch_list) return end;
    double low = 0, high = end;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      const int found = count(middle);
      (found > stretch_list ? high : low) = middle;
      if (found <= stretch_list && 2 * found >= stretch_list) break;
    }
    return low;
  }

  /// Lists the samples that become free by that time, in the order of their numbers, with their rows of K_FF. Returns how many.
  KOKKOS_INLINE_FUNCTION int make_list(const Team<Exec>& team, int f, double by) const {
    const int size = static_cast<int>(team.team_size()), rank = static_cast<int>(team.team_rank());
    const int share = (n + size - 1) / size, first = rank * share < n ? rank * share : n;
    const int end = first + share < n ? first + share : n;
    int own = 0;
    for (int i = first; i < end; ++i) own += time(i) <= by ? 1 : 0;
    int total = own;
    team.team_reduce(Kokkos::Sum<int>(total));
    int at = static_cast<int>(team.team_scan(own));
    for (int i = first; i < end; ++i) {
      const bool in = time(i) <= by && at < stretch_list;
      place_of(i) = in ? at : -1;
      is_touched(i) = 0;
      if (in) {
        listed(at) = i;
        list_value(at) = value(i);
        ++at;
      }
    }
    const int m = total < stretch_list ? total : stretch_list;
    team.team_barrier();
    for (int k = 0; k < f; ++k) {
      const double* row = free_set.row(free_set.member(k)).value;
      double* out = &rows(k, 0);
      const int* which = listed.data();
      team_simd_for(team, m, [=](int j) { out[j] = row[which[j]]; });
    }
    team_simd_for(team, f, [=, this](int k) {
      const int i = free_set.member(k);
      touched(k) = i;
      change(k) = free_set.beta(k);
      is_touched(i) = 1;
    });
    team.team_barrier();
    return m;
  }

  /// Free variable k meets its bound and joins the list of m samples.
  KOKKOS_INLINE_FUNCTION int leave(const Team<Exec>& team, int free, int k, int m, int at_side, double level) const {
    const int i = free_set.member(k), f = free - 1;
    const int j = place_of(i) < 0 ? m : place_of(i);
    team.team_barrier();
    const double* last = &rows(f, 0);
    double* out = &rows(k, 0);
    team_simd_for(team, m, [=](int l) { out[l] = last[l]; });
    free_set.leave(team, free, k);
    const double* own = free_set.row(i).value;
    team_simd_for(team, f, [=, this](int r) { rows(r, j) = own[free_set.member(r)]; });
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() {
      const double end = bound(i);
      duals.beta(p, i) = at_side > 0 ? upper_bound(end) : lower_bound(end);
      side(i) = static_cast<std::int8_t>(at_side);
      place_of(i) = j;
      listed(j) = i;
      list_value(j) = level;
    });
    team.team_barrier();
    return j < m ? m : m + 1;
  }

  /// Sample i of the list becomes free variable f. False if rounding forbids it.
  KOKKOS_INLINE_FUNCTION bool join(const Team<Exec>& team, int f, int i, int m, int changed) const {
    free_set.join(team, f, i, duals.beta(p, i));
    const double* row = free_set.row(i).value;
    double* out = &rows(f, 0);
    const int* which = listed.data();
    team_simd_for(team, m, [=](int j) { out[j] = row[which[j]]; });
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() {
      side(i) = 0;
      if (is_touched(i) == 0) {
        touched(changed) = i;
        change(changed) = duals.beta(p, i);
        is_touched(i) = 1;
      }
    });
    team.team_barrier();
    return free_set.extend(team, f) || free_set.rebuild(team, f + 1);
  }

  /// Brings all samples to where the stretch has ended.
  KOKKOS_INLINE_FUNCTION void finish(const Team<Exec>& team, Place& at) const {
    const double length = at.t - at.begin;
    const int changed = at.changed;
    team_simd_for(team, at.free, [=, this](int k) { duals.beta(p, free_set.member(k)) = free_set.beta(k); });
    team.team_barrier();
    team_simd_for(team, changed, [=, this](int q) { change(q) = duals.beta(p, touched(q)) - change(q); });
    team.team_barrier();
    double *v = value.data(), *s = shift.data();
    constexpr int most_begun = 30;
    const double rho = free_set.rho, level = at.level;
    team_simd_for(team, n, [=](int i) { v[i] -= length * s[i]; });
    team_subtract_rows(team, v, n, changed, change.data(), [&](int q) { return free_set.row(touched(q)).value; });
    team.team_barrier();
    team_simd_for(team, changed, [=, this](int q) { value(touched(q)) -= rho * change(q); });
    team.team_barrier();
    // A shift that makes a sample free now if it should have become so before, and one that makes good what rounding did to the free.
    const std::int8_t* where = side.data();
    const double notable = 1e-2 * tolerance;
    const int late =
        team_simd_count(team, n, [=](int i) { return where[i] != 0 && (level - v[i]) * where[i] > notable ? 1 : 0; });
    if (at.ended != 0 && late > 0 && at.begun < most_begun) {  // a path that leads from here to the same end
      team_simd_for(team, n, [=](int i) { s[i] = 0; });
      team_simd_for(team, at.free, [=, this](int k) { free_set.x(k) = 0; });
      team.team_barrier();
      at.t = 0;
      at.ended = 0;
      ++at.begun;
    }
    const double by = at.t < 1 - 1e-6 ? 1 / (1 - at.t) : 0.0;
    if (by > 0) {
      team_simd_for(team, at.free, [=, this](int k) {
        const int i = free_set.member(k);
        shift(i) += (level - value(i)) * by;
        value(i) = level;
      });
      team.team_barrier();  // those samples are other threads' in the next loop, which also writes what it does not change
      team_simd_for(team, n, [=](int i) {
        const double lack = where[i] != 0 && (level - v[i]) * where[i] > 0 ? level - v[i] : 0.0;
        s[i] += lack * by;
        v[i] += lack;
      });
    }
    const double reach = late > 2 ? 0.7 * at.reach : (late == 0 && at.reach < 1 ? 1.2 * at.reach : at.reach);
    at.reach = reach > 0.05 ? reach : 0.05;
    team.team_barrier();
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Team<Exec>& team) const {
    Place at = place(0);
    team.team_barrier();
    at.wanted = -1;
    if (at.idle < 0) {  // the beginning
      at.idle = 0;
      if (!free_set.rebuild(team, at.free)) at.failed = 1;
    }
    for (int k = 0; k < at_once && at.ended == 0 && at.failed == 0 && at.wanted < 0; ++k) stretch(team, at);
    team.team_barrier();
    Kokkos::single(Kokkos::PerTeam(team), [=, this]() { place(0) = at; });
  }

  /// Follows a stretch to its end, or until a row is wanted.
  KOKKOS_INLINE_FUNCTION void stretch(const Team<Exec>& team, Place& at) const {
    constexpr int max_empty = 100;  // stretches in succession without an event
    if (at.left == 0) {
      begin_stretch(team, at);
      if (at.failed != 0) return;
    }
    while (at.left > 0) {
      const int more = next_event(team, at);
      if (at.wanted >= 0) return;
      at.left = more != 0 ? at.left - 1 : 0;
    }
    finish(team, at);
    at.empty = at.events > at.had ? 0 : at.empty + 1;
    if (at.empty > max_empty || at.cost > max_cost) at.failed = 1;
  }

  KOKKOS_INLINE_FUNCTION void begin_stretch(const Team<Exec>& team, Place& at) const {
    if (!free_set.refine(team, at.free) && (!free_set.rebuild(team, at.free) || !free_set.refine(team, at.free))) {
      at.failed = 1;
      return;
    }
    const double level_slope = find_direction(team, at.free);
    find_slopes(team, at.free);
    find_times(team, at.level, level_slope);
    const double horizon = find_horizon(team, 1 - at.t);
    at.begin = at.t;
    at.listed = make_list(team, at.free, horizon);
    at.changed = at.free;
    // Where more samples than the list takes are about to become free at once, those beyond it are found late.
    const double ahead = at.t + at.reach * horizon;
    at.end = ahead > at.t && ahead < 1 ? ahead : 1.0;
    at.cost += stretch_cost(at.free, n);
    at.had = at.events;
    at.left = stretch_events;
  }

  /// Goes to the next event, or to the end of the stretch; returns 0 if that is reached, or the path cannot be followed further, or not
  /// before a row is there that is wanted.
  KOKKOS_INLINE_FUNCTION int next_event(const Team<Exec>& team, Place& at) const {
    const double end = at.end;
    int &m = at.listed, &changed = at.changed;
    constexpr double flat = 1e-14;
    constexpr int max_idle = 100;
    const int f = at.free, last = at.last;
    const double level = at.level, level_slope = find_direction(team, f);
    double *b = free_set.beta.data(), *v = list_value.data(), *w = list_slope.data();
    const double* d = direction.data();
    team_simd_for(team, m, [=, this](int j) { w[j] = -shift(listed(j)); });
    team_subtract_rows(team, w, m, f, d, [&](int k) { return &rows(k, 0); });
    team.team_barrier();
    const Largest meets = team_simd_largest(team, f, [=, this](int k) {
      const double limit = bound(free_set.member(k));
      const double room = d[k] > 0 ? upper_bound(limit) - b[k] : b[k] - lower_bound(limit);
      const double speed = std::fabs(d[k]);
      return speed > flat ? -(room > 0 ? room : 0.0) / speed : -HUGE_VAL;
    });
    const Largest frees = team_simd_largest(team, m, [=, this](int j) {
      const int i = listed(j);
      const double s = side(i), room = (v[j] - level) * s, speed = (w[j] - level_slope) * s;
      return speed < -flat && i != last ? (room > 0 ? room : 0.0) / speed : -HUGE_VAL;
    });
    double length = end - at.t;
    int kind = 0;
    if (-meets.value < length) {
      length = -meets.value;
      kind = 1;
    }
    if (-frees.value < length) {
      length = -frees.value;
      kind = 2;
    }
    if (kind == 2 && free_set.row(listed(frees.index)).value == nullptr) {  // this event again once it is there
      at.wanted = listed(frees.index);
      return 0;
    }
    team.team_barrier();
    team_simd_for(team, f, [=](int k) { b[k] += length * d[k]; });
    team_simd_for(team, m, [=](int j) { v[j] += length * w[j]; });
    team.team_barrier();
    at.t = kind == 0 ? end : at.t + length;
    at.level += length * level_slope;
    if (kind == 0) {
      if (end == 1) at.ended = 1;
      return 0;
    }
    at.cost += step_cost(f);
    ++at.events;
    at.idle = length > 0 ? 0 : at.idle + 1;
    if (kind == 1) {
      const int k = meets.index, i = free_set.member(k);
      m = leave(team, f, k, m, d[k] > 0 ? 1 : -1, at.level);
      at.last = i;
      --at.free;
    } else {
      const int i = listed(frees.index);
      if (f == free_set.limit) {
        at.failed = 1;
        return 0;
      }
      const bool before = is_touched(i) != 0;
      team.team_barrier();
      if (!join(team, f, i, m, changed)) at.failed = 1;
      changed += before ? 0 : 1;
      at.last = -1;
      ++at.free;
    }
    if (at.free == 0 || at.idle > max_idle || at.events >= max_events || at.cost > max_cost) at.failed = 1;
    return at.failed != 0 ? 0 : 1;
  }
};

}  // namespace krossfold::svm
