// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/smo.hpp"

#include <algorithm>
#include <type_traits>

#include "krossfold/core/simd.hpp"
#include "one_problem.hpp"
#include "smo_device.hpp"

namespace krossfold::svm {

namespace {

/// The second-order partner of i, or -1 if there is none. Sets `gap` to the violation, g_i minus the smallest gradient
/// that can shrink.
template <class Member>
KOKKOS_INLINE_FUNCTION int second_order_partner(const Member& member, const OneProblem& q, int i, float g_i,
                                                float& gap) {
  const float* row = q.row(i);
  const float* gradient = q.gradient;
  const float* shrink = q.shrink;
  return team_simd_choose(
      member, q.places, q.mask,
      [=](int k) {
        const float d = (g_i - gradient[k]) * shrink[k];
        return d > 0 ? d : 0.0f;  // 0 for NaN too
      },
      [=](int k, float d) {
        const float a = -2.0f * row[k];
        const float score = d * d * rough_reciprocal(a > 1e-12f ? a : 1e-12f);
#if defined(__x86_64__)
        return score;  // what is not a number, as the padding may give, is negative here and so below all keys
#else
        return d > 0 ? score : 0.0f;
#endif
      },
      gap);
}

/// g -= t (K_i - K_j); returns a member with (nearly) the largest gradient that can grow, or -1 if none exceeds `low`.
template <class Member>
KOKKOS_INLINE_FUNCTION int update_gradient(const Member& member, const OneProblem& q, int i, int j, float t,
                                           float low) {
  const float *row_i = q.row(i), *row_j = q.row(j);
  float* gradient = q.gradient;
  const float* grow = q.grow;
  return team_simd_choose(member, q.places, q.mask, [=](int k) {
    const float g = gradient[k] - t * (row_i[k] - row_j[k]);
    gradient[k] = g;
    const float above = (g - low) * grow[k];
    return above > 0 ? above : 0.0f;  // 0 for NaN too: the padding may hold anything
  });
}

/// On a host, where the loops over members are vector loops.
template <class Member>
KOKKOS_INLINE_FUNCTION void smo_of_team(const Member& member, const MemberRows& subs, int s) {
  const OneProblem q(subs, s);
  const double tolerance = subs.slot(s).inner_tolerance;
  const std::int64_t steps = subs.slot(s).steps;
  int i = begin_smo(member, subs, s, q);
  SmoEnd end;
  float& gap = end.gap;
  for (;; ++end.steps) {
    if (i < 0) {
      gap = 0;
      break;
    }
    if (q.row(i) == nullptr) {
      end.missing = i;
      break;
    }
    const float g_i = q.gradient[i];
    const int j = second_order_partner(member, q, i, g_i, gap);
    if (!(gap > tolerance) || end.steps == steps) break;
    if (j < 0) {
      end.stuck = true;
      break;
    }
    if (q.row(j) == nullptr) {
      end.missing = j;
      break;
    }
    const double room_i = q.upper(i) - q.beta[i], room_j = q.beta[j] - q.lower(j);
    const double t = step_length(g_i, q.gradient[j], q.row(i)[j], room_i, room_j);
    member.team_barrier();  // every thread has read beta before one writes it
    Kokkos::single(Kokkos::PerTeam(member), [&]() {
      // Exactly the bound where a bound is reached, so that comparisons with it hold.
      q.beta[i] = t == room_i ? q.upper(i) : q.beta[i] + t;
      q.beta[j] = t == room_j ? q.lower(j) : q.beta[j] - t;
      set_freedom(subs, s, i, q.beta[i], q.bound[i]);
      set_freedom(subs, s, j, q.beta[j], q.bound[j]);
    });
    member.team_barrier();
    i = update_gradient(member, q, i, j, static_cast<float>(t), g_i - gap);
    if (i < 0) i = find_largest(member, q);  // no gradient that can grow exceeds the old `low`
  }
  end_smo(member, subs, s, end, i);
}

}  // namespace

template <class Exec>
void launch_smo(const Exec& exec, const SubProblems<Exec>& subs) {
  const MemberRows work(subs);
  int members = 0;
  for (int s = 0; s < subs.slots; ++s) {
    if (subs.slot(s).active != 0 && subs.slot(s).inner != 0)
      members = std::max(members, size_of(subs.slot(s), work.samples));
  }
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    if (places(members) > most_in_registers) {
      Kokkos::parallel_for(
          "krossfold::svm::smo_of_many", smo_policy<1024>(exec, subs.slots, members),
          KOKKOS_LAMBDA(const Team<Exec>& member) {
            const int s = member.league_rank();
            if (work.slot(s).active != 0 && work.slot(s).inner != 0) smo_of_threads(member, work, s);
          });
      return;
    }
  }
#endif
  Kokkos::parallel_for(
      "krossfold::svm::smo", smo_policy<threads_with_registers>(exec, subs.slots, members),
      KOKKOS_LAMBDA(const Team<Exec>& member) {
        const int s = member.league_rank();
        if (work.slot(s).active == 0 || work.slot(s).inner == 0) return;
#if KROSSFOLD_ON_HOST
        smo_of_team(member, work, s);
#else
        smo_on_device(member, work, s);
#endif
      });
}

template <class Exec>
void smo(const Exec& exec, const SubProblems<Exec>& subs) {
  launch_smo(exec, subs);
  fence(exec, "krossfold::svm::smo");
}

#define KROSSFOLD_INSTANTIATE(Exec)                                      \
  template void launch_smo<Exec>(const Exec&, const SubProblems<Exec>&); \
  template void smo<Exec>(const Exec&, const SubProblems<Exec>&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
