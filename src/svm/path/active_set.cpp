// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "active_set_path.hpp"
#include "krossfold/core/simd.hpp"

namespace krossfold::svm {

namespace {

/// Prepares the path from the present beta: sides, shifts and the free variables.
template <class Exec>
int begin(const Follow<Exec>& follow, Place& at) {
  constexpr double near = 0.05, spread = 0.04, margin = 0.04;
  const int n = follow.n, p = follow.p;
  const auto beta = on_host(Kokkos::subview(follow.duals.beta, p, Kokkos::ALL)),
             gradient = on_host(Kokkos::subview(follow.duals.gradient, p, Kokkos::ALL));
  const auto sign = on_host(Kokkos::subview(follow.duals.sign, p, Kokkos::ALL));
  const auto weight = on_host(follow.duals.weight);
  std::vector<std::uint8_t> freedom(n);
  double high = -HUGE_VAL, low = HUGE_VAL;
  for (int i = 0; i < n; ++i) {
    freedom[i] = freedom_of(beta(i), bound_of<double>(sign(i), follow.c, weight(i)));
    if ((freedom[i] & can_grow) != 0) high = std::max(high, gradient(i));
    if ((freedom[i] & can_shrink) != 0) low = std::min(low, gradient(i));
  }
  at.level = 0.5 * (high + low);
  at.violation = std::max(high - low, 0.0);
  const double violation = 0.5 * at.violation;
  const Vector<double> value("krossfold::svm::path_value", n), shift("krossfold::svm::path_shift", n);
  const Vector<double> offset("krossfold::svm::path_offset", n);
  const Vector<std::int8_t> side("krossfold::svm::path_side", n);
  std::vector<int> free;
  for (int i = 0; i < n; ++i) {
    const double off = at.level - gradient(i);
    if (freedom[i] == (can_grow | can_shrink)) {
      shift(i) = off;
      free.push_back(i);
    } else if (freedom[i] != 0) {
      const double s = (freedom[i] & can_grow) != 0 ? -1 : 1, wrong = std::max(off * s, 0.0);
      side(i) = static_cast<std::int8_t>(s);
      shift(i) =
          s * (wrong + (wrong > 0 || std::fabs(off) < near * violation ? spread * own_share(i) * violation : 0.0));
    }
    const double own = side(i) * margin * follow.tolerance * own_share(i + n);
    value(i) = gradient(i) + shift(i) + own;
    offset(i) = own + follow.free_set.rho * beta(i);
  }
  if (static_cast<int>(free.size()) > follow.free_set.limit) return static_cast<int>(free.size());
  at.free = static_cast<int>(free.size());
  Kokkos::deep_copy(follow.value, value);
  Kokkos::deep_copy(follow.shift, shift);
  Kokkos::deep_copy(follow.offset, offset);
  Kokkos::deep_copy(follow.side, side);
  const Vector<int> member("krossfold::svm::path_member", follow.free_set.limit);
  std::copy(free.begin(), free.end(), member.data());
  Kokkos::deep_copy(follow.free_set.member, member);
  return at.free;
}

template <class Exec>
std::vector<int> first_of(const Vector<int, Exec>& list, int count) {
  const auto host = on_host(Vector<const int, Exec>(Kokkos::subview(list, Kokkos::make_pair(0, count))));
  return {host.data(), host.data() + count};
}

template <class Exec>
void fetch_members(PreciseKernel<Exec>& kernel, const FreeSet<Exec>& set, int free, const Poll& poll) {
  kernel.fetch(first_of<Exec>(set.member, free), {}, poll);
}

/// Fetches the row of a sample that is to become free; those of all samples that the stretch has changed stay.
template <class Exec>
void fetch_wanted(PreciseKernel<Exec>& kernel, const Follow<Exec>& follow, const Place& at, const Poll& poll) {
  kernel.fetch(std::span<const int>(&at.wanted, 1), first_of<Exec>(follow.touched, at.changed), poll);
}

template <class Exec>
void load(const Exec& exec, const Follow<Exec>& follow, int free) {
  Kokkos::parallel_for(
      "krossfold::svm::path_matrix", Kokkos::TeamPolicy<Exec>(exec, free, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& team) {
        const FreeSet<Exec> set = follow.free_set;
        const int r = team.league_rank(), i = set.member(r);
        const auto matrix = set.matrix;
        const auto member = set.member;
        const double rho = set.rho;
        const double* row = set.row(i).value;
        team_simd_for(team, free, [=](int k) { matrix(r, k) = row[member(k)] + (k == r ? rho : 0.0); });
        Kokkos::single(Kokkos::PerTeam(team), [&]() { set.beta(r) = follow.duals.beta(follow.p, i); });
      });
}

/// Stores the free variables, whose sum makes that of all 0.
template <class Exec>
void store(const Exec& exec, const Follow<Exec>& follow, int free) {
  Kokkos::parallel_for(
      "krossfold::svm::path_end", Kokkos::TeamPolicy<Exec>(exec, 1, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& team) {
        const auto beta = follow.duals.beta;
        const auto own = follow.free_set.beta;
        const auto member = follow.free_set.member;
        const int p = follow.p;
        const Follow<Exec> path = follow;
        const auto value = follow.value, offset = follow.offset, shift = follow.shift;
        const auto gradient = follow.duals.gradient;
        const double left = 1 - follow.place(0).t, rho = follow.free_set.rho;
        team_simd_for(team, free, [=](int k) { beta(p, member(k)) = own(k); });
        team.team_barrier();
        const double sum = team_simd_sum(team, follow.n, [=](int i) { return beta(p, i); });
        const Largest room = team_simd_largest(team, free, [=](int k) {
          const double end = path.bound(member(k));
          return sum > 0 ? own(k) - lower_bound(end) : upper_bound(end) - own(k);
        });
        Kokkos::single(Kokkos::PerTeam(team), [&]() {
          if (free > 0 && room.value > std::fabs(sum)) beta(p, member(room.index)) -= sum;
        });
        team.team_barrier();
        team_simd_for(team, follow.n,
                      [=](int i) { gradient(p, i) = value(i) - left * shift(i) - offset(i) + rho * beta(p, i); });
      });
  fence(exec, "krossfold::svm::path_end");
}

template <class Exec>
void allocate(Follow<Exec>& follow) {
  const auto vector = [](int size) { return Vector<double, Exec>(uninitialized("krossfold::svm::path"), size); };
  const auto numbers = [](int size) { return Vector<int, Exec>(uninitialized("krossfold::svm::path_index"), size); };
  const auto marks = [](int size) {
    return Vector<std::int8_t, Exec>(uninitialized("krossfold::svm::path_side"), size);
  };
  const int n = follow.n, limit = follow.free_set.limit;
  for (auto* v : {&follow.value, &follow.slope, &follow.shift, &follow.offset, &follow.time}) *v = vector(n);
  follow.side = marks(n);
  follow.is_touched = marks(n);
  follow.place_of = numbers(n);
  follow.direction = vector(limit);
  follow.listed = numbers(list_capacity);
  follow.list_value = vector(list_capacity);
  follow.list_slope = vector(list_capacity);
  follow.touched = numbers(limit + stretch_events);
  follow.change = vector(limit + stretch_events);
}

}  // namespace

std::uint64_t active_set_memory(int samples, int members) {
  const auto n = static_cast<std::uint64_t>(samples),
             limit = static_cast<std::uint64_t>(std::min(members / 2, largest_active_set));
  return PreciseKernel<Host>::row_places(samples) > 0
             ? 8 * (2 * limit * limit + list_capacity * limit + 9 * limit + 8 * n)
             : 0;
}

template <class Exec>
ActiveSetFit follow_active_set(const Exec& exec, const DualProblems<Exec>& duals, int problem,
                               PreciseKernel<Exec>& kernel, const ActiveSetParams& params) {
  constexpr double least_rho = 1e-9;  // rounding errors of the inverse are some 1e-13 / rho
  constexpr int max_rounds = 5;
  const int n = duals.samples(), places = kernel.places();
  const int limit = std::min({params.max_free, n, places < n ? places - stretch_events : n});
  Follow<Exec> follow;
  follow.c = params.c;
  follow.tolerance = params.tolerance;
  follow.max_cost = params.max_cost;
  follow.n = n;
  follow.p = problem;
  follow.max_events = params.max_events;
  follow.duals = duals;
  FreeSet<Exec>& set = follow.free_set;
  set.allocate(limit);
  set.rho = std::max(0.1 * params.tolerance / params.c, least_rho);
  allocate(follow);
  set.shift = follow.shift;
  follow.place = Flags<Place>("krossfold::svm::path_place", 1);
  Place& at = follow.place(0);
  ActiveSetFit fit;
  for (int round = 0; round < max_rounds; ++round) {
    at = Place{0, -1, fit.events, -1, 0, 0, 0, 0, fit.cost, 0, 0, 0, 1};
    const int free = begin(follow, at);
    if (round > 0 && at.violation <= params.tolerance) break;
    fit.complete = false;
    if (free == 0 || free > limit) break;
    if (set.matrix.extent(0) == 0) {
      set.matrix = Matrix<double, Exec>(uninitialized("krossfold::svm::path_matrix"), limit, limit);
      set.inverse = Matrix<double, Exec>(uninitialized("krossfold::svm::path_inverse"), limit, limit);
      follow.rows = Matrix<double, Exec>(uninitialized("krossfold::svm::path_rows"), limit, list_capacity);
    }
    fetch_members(kernel, set, free, params.poll);
    set.row = kernel.rows();
    load(exec, follow, free);
    while (at.ended == 0 && at.failed == 0) {
      call(params.poll);
      follow.at_once = 1 + static_cast<int>(1e8 / (stretch_events * event_cost(at.free, n)));
      Kokkos::parallel_for("krossfold::svm::active_set", Kokkos::TeamPolicy<Exec>(exec, 1, Kokkos::AUTO), follow);
      fence(exec, "krossfold::svm::active_set");
      if (at.wanted >= 0) fetch_wanted(kernel, follow, at, params.poll);
    }
    store(exec, follow, at.free);
    fit.events = at.events;
    fit.free = at.free;
    fit.cost = at.cost + 4.0 * free * free * free + 100.0 * n;
    fit.complete = at.ended != 0;
    if (!fit.complete) break;
  }
  return fit;
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                \
  template ActiveSetFit follow_active_set<Exec>(const Exec&, const DualProblems<Exec>&, int, PreciseKernel<Exec>&, \
                                                const ActiveSetParams&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
