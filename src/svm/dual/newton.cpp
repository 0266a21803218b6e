// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/newton.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "krossfold/core/simd.hpp"
#include "krossfold/kernels/cholesky.hpp"
#include "newton_rows.hpp"

namespace krossfold::svm {

namespace {

constexpr int rounds = 10, ridge_trials = 6;

/// Updates the gradient of a sub-problem from its value at `anchor` to its value at beta.
template <class Member>
KOKKOS_INLINE_FUNCTION void catch_up(const Member& member, const MemberRows& subs, int s) {
  const int members = subs.slot(s).members;
  const double *beta = &subs.beta(s, 0), *anchor = &subs.anchor(s, 0);
  double* gradient = &subs.gradient(s, 0);
  const float* kernel = subs.kernel(s);
  const std::size_t stride = static_cast<std::size_t>(subs.slot(s).stride);
  // Four rows at a time, so that the gradient is read and written less often, and rows are waited for together.
  const float *k0 = kernel, *k1 = kernel, *k2 = kernel, *k3 = kernel;
  double d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  int found = 0;
  for (int r = 0; r < members; ++r) {
    const double by = beta[r] - anchor[r];
    if (by != 0) {
      k0 = k1, k1 = k2, k2 = k3, k3 = kernel + static_cast<std::size_t>(r) * stride;
      d0 = d1, d1 = d2, d2 = d3, d3 = by;
      ++found;
    }
    if (found < 4 && (r + 1 < members || found == 0)) continue;
    team_simd_for(member, members, [=](int k) {
      double sum = gradient[k] - d0 * static_cast<double>(k0[k]);
      sum -= d1 * static_cast<double>(k1[k]);
      sum -= d2 * static_cast<double>(k2[k]);
      gradient[k] = sum - d3 * static_cast<double>(k3[k]);
    });
    d0 = d1 = d2 = d3 = 0;
    found = 0;
  }
  member.team_barrier();
}

/// Collects the free members F; all of them are unknowns in the first round.
template <class Exec>
void start(const Exec& exec, const SubProblems<Exec>& subs, const NewtonWork<Exec>& work) {
  const MemberRows sub(subs);
  const NewtonRows rows(work);
  Kokkos::parallel_for(
      "krossfold::svm::newton_start", large_teams(exec, subs.slots), KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank();
        const Slot& slot = sub.slot(s);
        if (slot.active == 0 || slot.newton == 0) {  // SMO may be at work on it
          Kokkos::single(Kokkos::PerTeam(member), [&]() { rows.state(s) = NewtonState{}; });
          return;
        }
        int found = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, slot.members),
            [&](int r, int& sum) { sum += (sub.grow(s, r) != 0 && sub.shrink(s, r) != 0) ? 1 : 0; }, found);
        const bool runs = found >= 3 && found <= rows.limit;
        if (runs) {
          catch_up(member, sub, s);
          Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, slot.members), [&](int r, int& rank, bool last_pass) {
            const bool free = (sub.grow(s, r) != 0 && sub.shrink(s, r) != 0);
            if (last_pass && free) {
              rows.free(s, rank) = r;
              rows.unknown(s, rank) = rank;
              rows.gradient(s, rank) = sub.gradient(s, r);
              rows.step(s, rank) = 0;
            }
            rank += free ? 1 : 0;
          });
          member.team_barrier();
          // The first free member becomes the origin of feature space if samples lie on no sphere of radius 1 about it.
          const float* origin = sub.kernel(s) + static_cast<std::size_t>(rows.free(s, 0)) * slot.stride;
          const bool unit_sphere = sub.unit_sphere;
          const int* free = &rows.free(s, 0);
          double* off = &rows.offset(s, 0);
          team_simd_for(member, found,
                        [=](int k) { off[k] = unit_sphere ? 0.0 : static_cast<double>(origin[free[k]]); });
        }
        member.team_barrier();
        Kokkos::single(Kokkos::PerTeam(member), [&]() {
          NewtonState state;
          state.running = runs ? 1 : 0;
          state.unknowns = runs ? found : 0;
          rows.state(s) = state;
          sub.slot(s).free = found;
          sub.slot(s).newton = 0;
          if (runs) sub.slot(s).next = -1;
        });
      });
  fence(exec, "krossfold::svm::newton_start");
}

/// Fills the matrices K_UU + ridge of the unknowns U and the right-hand sides g_U and 1, for slots with work.size > 0.
template <class Exec>
void fill_systems(const Exec& exec, const SubProblems<Exec>& subs, const NewtonWork<Exec>& work) {
  int most = 0;
  for (int s = 0; s < subs.slots; ++s) most = std::max(most, work.size(s));
  const MemberRows sub(exec, subs);
  const NewtonRows rows(exec, work);
  Kokkos::parallel_for(
      "krossfold::svm::newton_systems", Kokkos::TeamPolicy<Exec>(exec, subs.slots * most, Kokkos::AUTO),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank() / most, r = member.league_rank() % most, n = rows.size(s);
        if (r >= n) return;
        const int* unknown = &rows.unknown(s, 0);
        const int* free = &rows.free(s, 0);
        const float* from = sub.kernel(s) + static_cast<std::size_t>(free[unknown[r]]) * sub.slot(s).stride;
        double* to = &rows.factor(s, 0) + static_cast<std::size_t>(r) * n;
        const double* off = &rows.offset(s, 0);
        const double own = off[unknown[r]];
        team_simd_for(member, n - r, [=](int k) {
          to[r + k] = 1.0 + static_cast<double>(from[free[unknown[r + k]]]) - own - off[unknown[r + k]];
        });
        member.team_barrier();
        Kokkos::single(Kokkos::PerTeam(member), [&]() {
          to[r] += rows.state(s).ridge;
          rows.solution(s, r) = rows.gradient(s, unknown[r]);
          rows.solution(s, n + r) = 1;
        });
      });
  fence(exec, "krossfold::svm::newton_systems");
}

/// Factors the systems of all running slots, with a ridge where needed.
template <class Exec>
void factor_systems(const Exec& exec, const SubProblems<Exec>& subs, const NewtonWork<Exec>& work, const Poll& poll) {
  for (int s = 0; s < subs.slots; ++s) {
    work.size(s) = work.state(s).running != 0 ? work.state(s).unknowns : 0;
  }
  std::vector<int> wanted(static_cast<std::size_t>(subs.slots));
  for (int s = 0; s < subs.slots; ++s) wanted[s] = work.size(s);
  for (int trial = 0;; ++trial) {
    call(poll);
    for (int s = 0; s < subs.slots; ++s) work.state(s).spent += factor_cost(work.size(s));
    fill_systems(exec, subs, work);
    kernels::cholesky<Exec>(exec, work.factor, work.size, work.failed, work.cholesky);
    bool again = false;
    for (int s = 0; s < subs.slots; ++s) {
      const bool failed = work.size(s) > 0 && work.failed(s) != 0;
      if (failed && trial == ridge_trials) {
        work.state(s).running = 0;
        work.state(s).feasible = 0;
        work.state(s).ended = 1;
        wanted[s] = 0;
      }
      work.size(s) = failed && trial < ridge_trials ? work.size(s) : 0;
      if (work.size(s) > 0) {
        double& ridge = work.state(s).ridge;
        ridge = ridge > 0 ? 100 * ridge : 1e-12;
        again = true;
      }
    }
    if (!again) break;
  }
  for (int s = 0; s < subs.slots; ++s) work.size(s) = wanted[s];
}

/// Forms the step of every running slot, fixes members that leave their box and prepares the next round.
template <class Exec>
void take_solutions(const Exec& exec, const SubProblems<Exec>& subs, const NewtonWork<Exec>& work, int round) {
  const MemberRows sub(subs);
  const NewtonRows rows(work);
  Kokkos::parallel_for(
      "krossfold::svm::newton_solutions", large_teams(exec, subs.slots), KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank();
        NewtonState& state = rows.state(s);
        if (state.running == 0) return;
        const int n = state.unknowns;
        const double* u = &rows.solution(s, 0);
        const double* v = u + n;
        double sum_u = 0, sum_v = 0;
        for (int r = 0; r < n; ++r) {  // every thread sums in the same order
          sum_u += u[r];
          sum_v += v[r];
        }
        const double nu = (sum_u + state.fixed_sum) / sum_v;
        const int* unknown = &rows.unknown(s, 0);
        const int* free = &rows.free(s, 0);
        const double* beta = &sub.beta(s, 0);
        const double* bound = &sub.bound(s, 0);
        double* step = &rows.step(s, 0);
        team_simd_for(member, n, [=](int r) { step[unknown[r]] = u[r] - nu * v[r]; });
        member.team_barrier();
        if (round == 0) team_simd_for(member, n, [&](int r) { rows.first_step(s, r) = step[r]; });
        const auto leaves = [=](int r) {
          const int i = free[unknown[r]];
          const double to = beta[i] + step[unknown[r]];
          return !(to >= lower_bound(bound[i]) && to <= upper_bound(bound[i]));
        };
        int leaving = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(member, n), [&](int r, int& sum) { sum += leaves(r) ? 1 : 0; }, leaving);
        const bool last = leaving == 0 || round == rounds - 1 || n - leaving < 2;
        if (!last) {
          // `next` lists the members that stay, then those that leave.
          Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, n), [&](int r, int& rank, bool last_pass) {
            const bool out = leaves(r);
            if (last_pass) rows.next(s, out ? n - leaving + rank : r - rank) = unknown[r];
            rank += out ? 1 : 0;
          });
          member.team_barrier();
          const int staying = n - leaving;
          team_simd_for(member, leaving, [&](int k) {
            const int f = rows.next(s, staying + k), i = free[f];
            const double low = lower_bound(bound[i]) - beta[i], high = upper_bound(bound[i]) - beta[i];
            step[f] = step[f] < low ? low : high;
          });
          member.team_barrier();
          for (int k = 0; k < leaving; ++k) {
            const int f = rows.next(s, staying + k);
            const float* row = sub.kernel(s) + static_cast<std::size_t>(free[f]) * sub.slot(s).stride;
            const double by = step[f];
            team_simd_for(member, staying, [&](int r) {
              const int other = rows.next(s, r);
              rows.gradient(s, other) -=
                  by * (1.0 + static_cast<double>(row[free[other]]) - rows.offset(s, f) - rows.offset(s, other));
            });
          }
          team_simd_for(member, staying, [&](int r) { rows.unknown(s, r) = rows.next(s, r); });
        }
        member.team_barrier();
        Kokkos::single(Kokkos::PerTeam(member), [&]() {
          if (!last) {
            for (int k = 0; k < leaving; ++k) state.fixed_sum += step[rows.next(s, n - leaving + k)];
            state.unknowns = n - leaving;
          } else {
            state.running = 0;
            state.feasible = leaving == 0 ? 1 : 0;
          }
        });
      });
  fence(exec, "krossfold::svm::newton_solutions");
}

/// product = K_WF step of one slot.
template <class Member>
KOKKOS_INLINE_FUNCTION void multiply(const Member& member, const MemberRows& subs, const NewtonRows& work, int s,
                                     const double* step) {
  const int members = subs.slot(s).members, n = subs.slot(s).free;
  const std::size_t stride = static_cast<std::size_t>(subs.slot(s).stride);
  const float* kernel = subs.kernel(s);
  double* product = &work.product(s, 0);
  team_simd_for(member, members, [=](int r) { product[r] = 0; });
  for (int k = 0; k < n; k += 4) {
    const int at[4] = {k, k + 1 < n ? k + 1 : k, k + 2 < n ? k + 2 : k, k + 3 < n ? k + 3 : k};
    const double d0 = step[k], d1 = k + 1 < n ? step[k + 1] : 0.0, d2 = k + 2 < n ? step[k + 2] : 0.0,
                 d3 = k + 3 < n ? step[k + 3] : 0.0;
    const float *k0 = kernel + static_cast<std::size_t>(work.free(s, at[0])) * stride,
                *k1 = kernel + static_cast<std::size_t>(work.free(s, at[1])) * stride,
                *k2 = kernel + static_cast<std::size_t>(work.free(s, at[2])) * stride,
                *k3 = kernel + static_cast<std::size_t>(work.free(s, at[3])) * stride;
    team_simd_for(member, members, [=](int r) {
      double sum = product[r] + d0 * static_cast<double>(k0[r]);
      sum += d1 * static_cast<double>(k1[r]);
      sum += d2 * static_cast<double>(k2[r]);
      product[r] = sum + d3 * static_cast<double>(k3[r]);
    });
  }
  member.team_barrier();
}

/// Moves along `step` as far as the dual increases: at most the full step if feasible, else at most to the first bound.
/// Returns false if the dual does not increase along it.
template <class Member>
KOKKOS_INLINE_FUNCTION bool move_along(const Member& member, const MemberRows& subs, const NewtonRows& work, int s,
                                       const double* step, bool feasible) {
  multiply(member, subs, work, s, step);
  const int members = subs.slot(s).members, n = subs.slot(s).free;
  const int* free = &work.free(s, 0);
  double* beta = &subs.beta(s, 0);
  double* gradient = &subs.gradient(s, 0);
  const double* product = &work.product(s, 0);
  const double* bound = &subs.bound(s, 0);
  double slope = 0, bend = 0, reach = 1;
  int hit = -1;
  for (int k = 0; k < n; ++k) {  // every thread sums in the same order
    const int i = free[k];
    slope += gradient[i] * step[k];
    bend += product[i] * step[k];
    if (feasible) continue;
    const double end = step[k] > 0 ? upper_bound(bound[i]) : lower_bound(bound[i]);
    const double room = step[k] != 0 ? (end - beta[i]) / step[k] : HUGE_VAL;
    if (room < reach) {
      reach = room;
      hit = k;
    }
  }
  member.team_barrier();  // every thread has read the product before a second call overwrites it
  if (!(slope > 0) || !(bend > 0)) return false;
  const double best = slope / bend;
  // The optimal length of a Newton step is 1 up to rounding.
  const double length = feasible && best > 0.999999 ? 1.0 : best < reach ? best : reach;
  if (length < reach) hit = -1;
  team_simd_for(member, n, [=](int k) {
    const int i = free[k];
    const double low = lower_bound(bound[i]), high = upper_bound(bound[i]);
    // Exactly the bound where a bound is reached, so that comparisons with it hold.
    const double to = k == hit ? (step[k] > 0 ? high : low) : beta[i] + length * step[k];
    const bool ends = length == 1.0 && (step[k] == low - beta[i] || step[k] == high - beta[i]);
    const double exact = ends ? (step[k] > 0 ? high : low) : to;
    beta[i] = exact < low ? low : exact > high ? high : exact;
  });
  team_simd_for(member, members, [=](int r) { gradient[r] -= length * product[r]; });
  member.team_barrier();
  team_simd_for(member, members, [&](int r) { set_freedom(subs, s, r, beta[r], bound[r]); });
  member.team_barrier();
  return true;
}

}  // namespace

template <class Exec>
NewtonWork<Exec> make_newton_work(int slots, int capacity, int limit) {
  NewtonWork<Exec> work;
  work.limit = limit;
  work.state = Flags<NewtonState>("krossfold::svm::newton_state", slots);
  work.size = Flags<int>("krossfold::svm::newton_size", slots);
  work.cholesky = kernels::make_cholesky_work<Exec>(slots);
  if constexpr (!std::is_same_v<Exec, Host>) {
    work.copied_state = Vector<NewtonState, Exec>("krossfold::svm::copied_state", slots);
    work.copied_size = Vector<int, Exec>("krossfold::svm::copied_size", slots);
  }
  work.failed = Flags<int>("krossfold::svm::newton_failed", slots);
  const auto doubles = [&](const char* label, std::size_t columns) {
    return Matrix<double, Exec>(uninitialized(label), slots, columns);
  };
  const auto ints = [&](const char* label) { return Matrix<int, Exec>(uninitialized(label), slots, limit); };
  work.factor =
      doubles("krossfold::svm::newton_factor", static_cast<std::size_t>(limit) * static_cast<std::size_t>(limit));
  work.solution = doubles("krossfold::svm::newton_solution", 2 * static_cast<std::size_t>(limit));
  work.free = ints("krossfold::svm::newton_free");
  work.unknown = ints("krossfold::svm::newton_unknown");
  work.next = ints("krossfold::svm::newton_next");
  work.gradient = doubles("krossfold::svm::newton_gradient", limit);
  work.step = doubles("krossfold::svm::newton_step", limit);
  work.first_step = doubles("krossfold::svm::newton_first_step", limit);
  work.offset = doubles("krossfold::svm::newton_offset", limit);
  work.product = doubles("krossfold::svm::newton_product", capacity);
  return work;
}

template <class Exec>
void newton(const Exec& exec, const SubProblems<Exec>& subs, const NewtonWork<Exec>& work, const Poll& poll) {
  start(exec, subs, work);
  const auto running = [&] {
    bool any = false;
    for (int s = 0; s < subs.slots; ++s) any = any || work.state(s).running != 0;
    return any;
  };
  if (!running()) return;
  for (int round = 0; round < rounds && running(); ++round) {
    factor_systems(exec, subs, work, poll);
    kernels::cholesky_solve<Exec>(exec, work.factor, work.size, 2, work.solution);
    take_solutions(exec, subs, work, round);
  }
  const MemberRows sub(subs);
  const NewtonRows rows(work);
  Kokkos::parallel_for(
      "krossfold::svm::newton_move", large_teams(exec, subs.slots), KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank();
        const NewtonState& state = rows.state(s);
        if (state.unknowns == 0) return;
        const bool moved = state.feasible != 0 && move_along(member, sub, rows, s, &rows.step(s, 0), true);
        const bool has_first = state.ended == 0 || state.unknowns != sub.slot(s).free;
        if (!moved && has_first) move_along(member, sub, rows, s, &rows.first_step(s, 0), false);
        team_simd_for(member, sub.slot(s).members, [&](int r) { sub.anchor(s, r) = sub.beta(s, r); });
      });
  fence(exec, "krossfold::svm::newton_move");
}

double factor_cost(int unknowns) {
  const double f = unknowns;
  return 0.3 * f * f * f + 48 * f * f;
}

double newton_cost(int free, int members) { return factor_cost(free) + 4.0 * free * members; }

double smo_cost(int members) { return 2000.0 + 8.0 * members; }

#define KROSSFOLD_INSTANTIATE(Exec)                                \
  template NewtonWork<Exec> make_newton_work<Exec>(int, int, int); \
  template void newton<Exec>(const Exec&, const SubProblems<Exec>&, const NewtonWork<Exec>&, const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
