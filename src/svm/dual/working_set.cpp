// SPDX-License-Identifier: BSD-3-Clause
// Implements choose_working_sets of sub_problem.hpp.
#include "krossfold/core/simd.hpp"
#include "krossfold/svm/sub_problem.hpp"
#include "sub_problem_rows.hpp"

namespace krossfold::svm {

namespace {

/// The candidates for a working set: one problem's gradient and freedom.
struct Candidates {
  const double *beta, *gradient, *weight;
  const std::int8_t* sign;
  double c;
  int samples;
  double high, low;       ///< the largest gradient that can grow, the smallest that can shrink
  double floor, ceiling;  ///< a sample at a bound is wanted if it can grow with g > floor or shrink with g < ceiling

  KOKKOS_INLINE_FUNCTION bool wanted(int i) const {
    const std::uint8_t freedom = freedom_of(beta[i], bound_of(sign[i], c, weight[i]));
    const double g = gradient[i];
    return freedom == (can_grow | can_shrink) || (freedom == can_grow && g > floor) ||
           (freedom == can_shrink && g < ceiling);
  }
  KOKKOS_INLINE_FUNCTION bool free(int i) const {
    return freedom_of(beta[i], bound_of(sign[i], c, weight[i])) == (can_grow | can_shrink);
  }
  /// The urgency of a sample at a bound: g if it can grow (side +1), -g if it can shrink (side -1), else -infinity.
  KOKKOS_INLINE_FUNCTION float urgency(int i, int side) const {
    const std::uint8_t freedom = freedom_of(beta[i], bound_of(sign[i], c, weight[i]));
    return freedom == (side > 0 ? can_grow : can_shrink) ? static_cast<float>(side * gradient[i]) : -HUGE_VALF;
  }
};

/// The extreme gradients that determine the choice, found in one pass.
struct Extremes {
  double high, minus_low;            ///< largest gradient that can grow; minus the smallest that can shrink
  double free_high, minus_free_low;  ///< the same over the free samples
  int free;                          ///< number of free samples
};

template <class Member>
KOKKOS_INLINE_FUNCTION Extremes find_extremes(const Member& member, const Candidates& from) {
  const TeamPart part = TeamPart::of(member, from.samples);
  double high = -HUGE_VAL, low = -HUGE_VAL, free_high = -HUGE_VAL, free_low = -HUGE_VAL;
  int free = 0;
  const double *beta = from.beta, *gradient = from.gradient, *weight = from.weight;
  const std::int8_t* sign = from.sign;
  const double c = from.c;
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD(reduction(max : high, low, free_high, free_low) reduction(+ : free))
  for (int i = part.first; i < part.last; ++i) {
#else
  for (int i = part.first; i < part.last; i += part.step) {
#endif
    const double y = sign[i], b = beta[i], g = gradient[i];
    const double bound = bound_of(y, c, weight[i]);
    const double up = b < upper_bound(bound) ? g : -HUGE_VAL, down = b > lower_bound(bound) ? -g : -HUGE_VAL;
    const double free_up = down > -HUGE_VAL ? up : -HUGE_VAL, free_down = up > -HUGE_VAL ? down : -HUGE_VAL;
    high = up > high ? up : high;
    low = down > low ? down : low;
    free_high = free_up > free_high ? free_up : free_high;
    free_low = free_down > free_low ? free_down : free_low;
    free += free_up > -HUGE_VAL ? 1 : 0;
  }
  member.team_reduce(Kokkos::Max<double>(high));
  member.team_reduce(Kokkos::Max<double>(low));
  member.team_reduce(Kokkos::Max<double>(free_high));
  member.team_reduce(Kokkos::Max<double>(free_low));
  member.team_reduce(Kokkos::Sum<int>(free));
  return {high, low, free_high, free_low, free};
}

/// The duality gap of beta with the bias `level`, relative to the primal objective (see SolveParams::gap).
template <class Member>
KOKKOS_INLINE_FUNCTION double relative_gap(const Member& member, const Candidates& from, double level) {
  const TeamPart part = TeamPart::of(member, from.samples);
  const double *beta = from.beta, *gradient = from.gradient, *weight = from.weight;
  const std::int8_t* sign = from.sign;
  const double c = from.c;
  double gap = 0, dual = 0;
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD(reduction(+ : gap, dual))
  for (int i = part.first; i < part.last; ++i) {
#else
  for (int i = part.first; i < part.last; i += part.step) {
#endif
    const double y = sign[i], b = beta[i], g = gradient[i], slack = y * (g - level);
    gap += c * weight[i] * (slack > 0 ? slack : 0.0) - b * (g - level);
    dual += 0.5 * b * (y + g);
  }
  member.team_reduce(Kokkos::Sum<double>(gap));
  member.team_reduce(Kokkos::Sum<double>(dual));
  return gap / (dual + gap);
}

/// Marks, in addition to those already marked, the quota / 2 most urgent samples on either side (or up to an eighth
/// fewer); ties go to the lowest index.
template <class Member>
KOKKOS_INLINE_FUNCTION void mark_most_urgent(const Member& member, const Candidates& from, int quota,
                                             std::uint8_t* mark, float* urgency) {
  const int n = from.samples, half = quota / 2;
  for (int side = 1; side >= -1; side -= 2) {
    team_simd_for(member, n, [=](int i) { urgency[i] = from.urgency(i, side); });
    member.team_barrier();
    const auto count_above = [&](float level) {
      return team_simd_count(member, n, [=](int i) { return urgency[i] > level ? 1 : 0; });
    };
    // Bisection for a level exceeded by at most `half` samples; stops when close enough or at the resolution of float.
    float most = static_cast<float>(side > 0 ? from.high : -from.low);
    float least = static_cast<float>(side > 0 ? from.low : -from.high), level = least < most ? least : most;
    int above = count_above(level);
    if (above > half) {
      level = most;
      above = 0;
      for (float middle = 0.5f * (most + least); middle > least && middle < most && above <= half - half / 8;
           middle = 0.5f * (most + least)) {
        const int count = count_above(middle);
        if (count > half) {
          least = middle;
        } else {
          most = level = middle;
          above = count;
        }
      }
    }
    team_simd_for(member, n, [=](int i) { mark[i] = mark[i] != 0 || urgency[i] > level ? 1 : 0; });
    member.team_barrier();
    if (above <= half - half / 8) {  // too few candidates, or many ties
      const int room = half - above;
      Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, n), [=](int i, int& equal, bool last_pass) {
        const bool is_equal = urgency[i] == level;
        if (last_pass && is_equal && equal < room) mark[i] = 1;
        equal += is_equal ? 1 : 0;
      });
    }
    member.team_barrier();
  }
}

/// Assigns the places [0, marked) of slot s to the marked samples. Members already there keep their place, members
/// beyond move to vacated places, and new members take the rest.
template <class Member>
KOKKOS_INLINE_FUNCTION void place_members(const Member& member, const ListRows& subs, int s, int n, int marked) {
  const std::uint8_t* mark = &subs.mark(s, 0);
  int* position = &subs.position(s, 0);
  int* sample = &subs.sample(s, 0);
  int *fresh = &subs.fresh(s, 0), *fresh_sample = &subs.fresh_sample(s, 0);
  int *moved = &subs.moved(s, 0), *moved_to = &subs.moved_to(s, 0);
  int* sorted = &subs.sorted(s, 0);
  int members = subs.slot(s).members;
  const int kept = team_simd_count(member, members, [=](int r) { return mark[sample[r]] != 0 ? 1 : 0; });
  // A new member costs a kernel row and a column, but only a row after a restart.
  const bool restart = marked > subs.slot(s).stride || 2 * kept < marked;
  member.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, members), [=](int r) {
    if (restart || mark[sample[r]] == 0) position[sample[r]] = -1;
  });
  if (restart) members = 0;
  member.team_barrier();
  const int staying = team_simd_count(member, members < marked ? members : marked,
                                      [=](int r) { return position[sample[r]] >= 0 ? 1 : 0; });
  const int moves = restart ? 0 : kept - staying, coming = marked - staying - moves;
  // Two prefix sums in one: ranks among the places to fill and (times 2^32) among the members to move.
  Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, members > marked ? members : marked),
                        [=](int r, std::int64_t& ranks, bool last_pass) {
                          const bool stays = r < members && position[sample[r]] >= 0;
                          if (r < marked && !stays) {
                            if (last_pass) fresh[ranks & 0xffffffff] = r;
                            ranks += 1;
                          } else if (r >= marked && stays) {
                            if (last_pass) moved[ranks >> 32] = r;
                            ranks += std::int64_t{1} << 32;
                          }
                        });
  member.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, moves), [=](int k) {
    const int from = moved[k], to = fresh[coming + k];
    moved_to[k] = to;
    sample[to] = sample[from];
    position[sample[to]] = to;
  });
  member.team_barrier();
  Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, n), [=](int i, std::int64_t& ranks, bool last_pass) {
    if (mark[i] == 0) return;
    const bool comes = position[i] < 0;
    if (last_pass) sorted[ranks >> 32] = i;
    if (last_pass && comes) fresh_sample[ranks & 0xffffffff] = i;
    ranks += (comes ? 1 : 0) + (std::int64_t{1} << 32);
  });
  member.team_barrier();
  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, coming), [=](int k) {
    sample[fresh[k]] = fresh_sample[k];
    position[fresh_sample[k]] = fresh[k];
  });
  Kokkos::single(Kokkos::PerTeam(member), [&]() {
    Slot& slot = subs.slot(s);
    slot.before = members;
    slot.members = marked;
    slot.fresh = coming;
    slot.moved = moves;
    if (restart) {
      const int room = marked + marked / 4 + 64;
      slot.stride = places(room < subs.capacity ? room : subs.capacity);
    }
  });
  member.team_barrier();
}

/// Chooses the working set of slot s.
template <class Member>
KOKKOS_INLINE_FUNCTION void choose_members(const Member& member, const ListRows& subs, int s, const Candidates& from,
                                           int free) {
  std::uint8_t* mark = &subs.mark(s, 0);
  int marked = team_simd_count(member, from.samples, [=](int i) {
    mark[i] = from.wanted(i) ? 1 : 0;
    return static_cast<int>(mark[i]);
  });
  // About as many of the most urgent others as there are free samples: more could not move before these have.
  int quota = free > 512 ? free : 512;
  quota = quota > from.samples / 8 ? quota : from.samples / 8;
  const bool capped = marked > free + quota;
  const int wanted = capped ? free + quota : marked;
  const bool whole = wanted > subs.capacity || wanted > from.samples / 2;
  Kokkos::single(Kokkos::PerTeam(member), [&]() {
    subs.slot(s).capped = capped ? 1 : 0;
    subs.slot(s).whole = whole ? 1 : 0;
    if (whole) subs.slot(s).fresh = subs.slot(s).moved = subs.slot(s).before = 0;
  });
  if (whole) return;
  if (capped) {
    team_simd_for(member, from.samples, [=](int i) { mark[i] = from.free(i) ? 1 : 0; });
    member.team_barrier();
    mark_most_urgent(member, from, quota, mark, &subs.urgency(s, 0));
    marked = team_simd_count(member, from.samples, [=](int i) { return mark[i] != 0 ? 1 : 0; });
  }
  place_members(member, subs, s, from.samples, marked);
}

}  // namespace

template <class Exec>
void choose_working_sets(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals, double c,
                         double tolerance, double gap) {
  const DualRows all(duals);
  const ListRows work(subs);
  constexpr double theta = 0.7;  // fraction of the way from the level to the worst violator
  Kokkos::parallel_for(
      "krossfold::svm::choose_working_sets", large_teams(exec, subs.slots), KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank();
        if (work.slot(s).active == 0) return;
        const int p = work.slot(s).problem;
        Candidates from{&all.beta(p, 0), &all.gradient(p, 0), all.weight, &all.sign(p, 0), c, all.samples, 0, 0, 0, 0};
        const Extremes extremes = find_extremes(member, from);
        from.high = extremes.high;
        from.low = -extremes.minus_low;
        const double violation = from.high - from.low;
        const bool converged = !(violation > tolerance);
        double relative = 0, bias = 0;
        if (gap > 0 && !converged) {
          // Any bias gives a bound; those of the extremes are far from the best while single samples are far out.
          bias = 0.5 * (from.high + from.low);
          relative = relative_gap(member, from, bias);
          const double of_free = 0.5 * (extremes.free_high - extremes.minus_free_low);
          const double there = extremes.free > 0 ? relative_gap(member, from, of_free) : relative;
          if (there < relative) {
            relative = there;
            bias = of_free;
          }
        }
        const bool ends = converged || (gap > 0 && relative <= gap) || work.slot(s).stuck != 0;
        member.team_barrier();  // every thread has read the slot
        Kokkos::single(Kokkos::PerTeam(member), [&]() {
          work.slot(s).violation = violation;
          work.slot(s).gap = relative;
          work.slot(s).gap_bias = bias;
          work.slot(s).active = ends ? 0 : 1;
        });
        member.team_barrier();
        if (ends) return;
        // After scale_to all free samples of one sign share one gradient, and the scaled bias lies between the two.
        const double free_high = extremes.free_high, free_low = -extremes.minus_free_low;
        const bool any_free = free_high >= free_low;
        const double level = 0.5 * (any_free ? free_high + free_low : from.high + from.low);
        Kokkos::single(Kokkos::PerTeam(member), [&]() { work.slot(s).level = level; });
        if (any_free) {
          from.floor = level - theta * (level - from.low);
          from.ceiling = level + theta * (from.high - level);
        } else {
          from.floor = from.low;
          from.ceiling = from.high;
        }
        choose_members(member, work, s, from, extremes.free);
      });
  fence(exec, "krossfold::svm::choose_working_sets");
}

#define KROSSFOLD_INSTANTIATE(Exec)                                                                                 \
  template void choose_working_sets<Exec>(const Exec&, const SubProblems<Exec>&, const DualProblems<Exec>&, double, \
                                          double, double);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
