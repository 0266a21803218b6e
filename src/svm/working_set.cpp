// SPDX-License-Identifier: BSD-3-Clause
// choose_working_sets of sub_problem.hpp.
#include "krossfold/core/simd.hpp"
#include "krossfold/svm/sub_problem.hpp"

namespace krossfold::svm {

namespace {

/// What the choice is made from: one problem's gradient and freedom.
struct Candidates {
  const double *beta, *gradient;
  const std::int8_t* sign;
  double c;
  int samples;
  double high, low;       ///< the largest gradient that can grow, the smallest that can shrink
  double floor, ceiling;  ///< a sample at a bound is wanted if it can grow above the floor or shrink below the ceiling

  KOKKOS_INLINE_FUNCTION bool wanted(int i) const {
    const std::uint8_t freedom = freedom_of(beta[i], sign[i], c);
    const double g = gradient[i];
    return freedom == (can_grow | can_shrink) || (freedom == can_grow && g > floor) ||
           (freedom == can_shrink && g < ceiling);
  }
  KOKKOS_INLINE_FUNCTION bool free(int i) const { return freedom_of(beta[i], sign[i], c) == (can_grow | can_shrink); }
  /// How urgent a change of a sample at a bound is: its gradient if it can grow (side +1), or minus that if it can shrink.
  KOKKOS_INLINE_FUNCTION double urgency(int i, int side) const {
    const std::uint8_t freedom = freedom_of(beta[i], sign[i], c);
    return freedom == (side > 0 ? can_grow : can_shrink) ? side * gradient[i] : -HUGE_VAL;
  }
};

/// The extremes that a choice starts from, found in one pass.
struct Extremes {
  double high, minus_low;            ///< of the gradients that can grow; of those that can shrink
  double free_high, minus_free_low;  ///< of the free samples' gradients
  int free;                          ///< number of free samples
};

template <class Member>
KOKKOS_INLINE_FUNCTION Extremes find_extremes(const Member& member, const Candidates& from) {
  const TeamPart part = TeamPart::of(member, from.samples);
  double high = -HUGE_VAL, low = -HUGE_VAL, free_high = -HUGE_VAL, free_low = -HUGE_VAL;
  int free = 0;
  const double *beta = from.beta, *gradient = from.gradient;
  const std::int8_t* sign = from.sign;
  const double c = from.c;
#if KROSSFOLD_ON_HOST
  KROSSFOLD_SIMD(reduction(max : high, low, free_high, free_low) reduction(+ : free))
  for (int i = part.first; i < part.last; ++i) {
#else
  for (int i = part.first; i < part.last; i += part.step) {
#endif
    const double y = sign[i], b = beta[i], g = gradient[i];
    const double up = b < (y > 0 ? c : 0.0) ? g : -HUGE_VAL, down = b > (y < 0 ? -c : 0.0) ? -g : -HUGE_VAL;
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

/// A level such that at most `quota` samples are more urgent and, but for equal ones, at least `quota` as urgent.
template <class Member>
KOKKOS_INLINE_FUNCTION double urgency_level(const Member& member, const Candidates& from, int side, int quota) {
  double most = side > 0 ? from.high : -from.low, least = side > 0 ? from.low : -from.high;
  least = least < most ? least : most;
  const auto above = [&](double level) {
    return team_simd_count(member, from.samples, [=](int i) { return from.urgency(i, side) > level ? 1 : 0; });
  };
  if (above(least) <= quota) return least;
  // Bisection on the number line: after 60 halvings the levels are equal to rounding.
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (most + least);
    if (!(middle > least && middle < most)) break;
    const int count = above(middle);
    (count > quota ? least : most) = middle;
    if (count <= quota && count > quota - quota / 8) break;  // near enough
  }
  return most;
}

/// Marks the quota / 2 most urgent samples on either side (of equal ones the first), to an eighth, beside those that are
/// marked already.
template <class Member>
KOKKOS_INLINE_FUNCTION void mark_most_urgent(const Member& member, const Candidates& from, int quota,
                                             std::uint8_t* mark) {
  for (int side = 1; side >= -1; side -= 2) {
    const double level = urgency_level(member, from, side, quota / 2);
    const int above =
        team_simd_count(member, from.samples, [=](int i) { return from.urgency(i, side) > level ? 1 : 0; });
    const int room = quota / 2 - above;
    Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, from.samples), [=](int i, int& equal, bool last_pass) {
      const double urgency = from.urgency(i, side);
      if (last_pass && (urgency > level || (urgency == level && urgency > -HUGE_VAL && equal < room))) mark[i] = 1;
      equal += urgency == level ? 1 : 0;
    });
    member.team_barrier();
  }
}

/// Gives the marked samples places in slot s: those of members that are not marked first, then new ones.
template <class Exec, class Member>
KOKKOS_INLINE_FUNCTION void place_members(const Member& member, const SubProblems<Exec>& subs, int s, int n,
                                          int marked) {
  const std::uint8_t* mark = &subs.mark(s, 0);
  int* position = &subs.position(s, 0);
  int* sample = &subs.sample(s, 0);
  int* fresh = &subs.fresh(s, 0);
  int* fresh_sample = &subs.fresh_sample(s, 0);
  int* sorted = &subs.sorted(s, 0);
  int members = subs.slot(s).members;
  int kept = team_simd_count(member, members, [=](int r) { return mark[sample[r]] != 0 ? 1 : 0; });
  const int after = marked > members ? marked : members;
  // Places of members that are not needed cost a little in every iteration; a new start costs all kernel entries.
  const bool restart = after > subs.slot(s).stride || after > 3 * marked + 128;
  member.team_barrier();
  if (restart) {
    team_simd_for(member, members, [=](int r) { position[sample[r]] = -1; });
    members = kept = 0;
  }
  const int stale = members - kept, coming = marked - kept;
  // The places of unneeded members, in ascending order, stand in `fresh` first; as many as are taken lose their members.
  Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, members), [=](int r, int& rank, bool last_pass) {
    const bool unneeded = mark[sample[r]] == 0;
    if (last_pass && unneeded) {
      fresh[rank] = r;
      if (rank < coming) position[sample[r]] = -1;
    }
    rank += unneeded ? 1 : 0;
  });
  member.team_barrier();
  // Two ranks in one: among the new members, and (times 2^32) among all.
  Kokkos::parallel_scan(Kokkos::TeamThreadRange(member, n), [=](int i, std::int64_t& ranks, bool last_pass) {
    const bool comes = mark[i] != 0 && position[i] < 0, belongs = comes || position[i] >= 0;
    if (last_pass && comes) fresh_sample[ranks & 0xffffffff] = i;
    if (last_pass && belongs) sorted[ranks >> 32] = i;
    ranks += (comes ? 1 : 0) + (belongs ? std::int64_t{1} << 32 : 0);
  });
  member.team_barrier();
  team_simd_for(member, coming, [=](int k) {
    const int place = k < stale ? fresh[k] : members + k - stale;
    fresh[k] = place;
    sample[place] = fresh_sample[k];
    position[fresh_sample[k]] = place;
  });
  Kokkos::single(Kokkos::PerTeam(member), [&]() {
    Slot& slot = subs.slot(s);
    slot.members = stale > coming ? members : members + coming - stale;
    slot.fresh = coming;
    if (restart) {
      const int room = marked + marked / 4 + 64;
      slot.stride = places(room < subs.capacity ? room : subs.capacity);
    }
  });
  member.team_barrier();
}

/// Chooses the working set of slot s.
template <class Exec, class Member>
KOKKOS_INLINE_FUNCTION void choose_members(const Member& member, const SubProblems<Exec>& subs, int s,
                                           const Candidates& from, int free) {
  std::uint8_t* mark = &subs.mark(s, 0);
  int marked = team_simd_count(member, from.samples, [=](int i) {
    mark[i] = from.wanted(i) ? 1 : 0;
    return static_cast<int>(mark[i]);
  });
  // Besides the free samples about as many others, the most urgent: more would wait for these to move.
  int quota = free > 512 ? free : 512;
  quota = quota > from.samples / 8 ? quota : from.samples / 8;
  const bool capped = marked > free + quota;
  const int wanted = capped ? free + quota : marked;
  const bool whole = wanted > subs.capacity || wanted > from.samples / 2;
  Kokkos::single(Kokkos::PerTeam(member), [&]() {
    subs.slot(s).capped = capped ? 1 : 0;
    subs.slot(s).whole = whole ? 1 : 0;
    if (whole) subs.slot(s).fresh = 0;
  });
  if (whole) return;
  if (capped) {
    team_simd_for(member, from.samples, [=](int i) { mark[i] = from.free(i) ? 1 : 0; });
    member.team_barrier();
    mark_most_urgent(member, from, quota, mark);
    marked = team_simd_count(member, from.samples, [=](int i) { return mark[i] != 0 ? 1 : 0; });
  }
  place_members(member, subs, s, from.samples, marked);
}

}  // namespace

template <class Exec>
void choose_working_sets(const Exec& exec, const SubProblems<Exec>& subs, const DualProblems<Exec>& duals, double c,
                         double tolerance) {
  const int n = duals.samples();
  const auto beta = duals.beta, gradient = duals.gradient;
  const auto sign = duals.sign;
  const SubProblems<Exec> work = subs;
  constexpr double theta = 0.7;  // of the way from there to the worst violator
  Kokkos::parallel_for(
      "krossfold::svm::choose_working_sets", Kokkos::TeamPolicy<Exec>(exec, subs.slots, Kokkos::AUTO),
      KOKKOS_LAMBDA(const typename Kokkos::TeamPolicy<Exec>::member_type& member) {
        const int s = member.league_rank();
        if (work.slot(s).active == 0) return;
        const int p = work.slot(s).problem;
        Candidates from{&beta(p, 0), &gradient(p, 0), &sign(p, 0), c, n, 0, 0, 0, 0};
        const Extremes extremes = find_extremes(member, from);
        from.high = extremes.high;
        from.low = -extremes.minus_low;
        const double violation = from.high - from.low;
        const bool ends = !(violation > tolerance) || work.slot(s).stuck != 0;
        member.team_barrier();  // all have read the slot
        Kokkos::single(Kokkos::PerTeam(member), [&]() {
          work.slot(s).violation = violation;
          work.slot(s).active = ends ? 0 : 1;
        });
        member.team_barrier();
        if (ends) return;
        // After scale_to the free samples of either sign have one gradient each, and the scaled bias lies between them.
        const double free_high = extremes.free_high, free_low = -extremes.minus_free_low;
        if (free_high >= free_low) {
          const double level = 0.5 * (free_high + free_low);
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
                                          double);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
