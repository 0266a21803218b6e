// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <climits>
#include <limits>

#include "one_problem.hpp"

namespace krossfold::svm {

/// A member that a team has chosen, with what a step needs to know of it.
struct Chosen {
  int key = 0;         ///< score_key(); at most the mask if there is none
  float gradient = 0;  ///< g
  float kernel = 0;    ///< K - 1 between it and the first of the pair
  double beta = 0, bound = 0;

  KOKKOS_INLINE_FUNCTION int member(int mask) const { return key > mask ? mask - (key & mask) : -1; }
};

/// The value of the only thread for which `chosen` holds.
template <class Member, class T>
KOKKOS_INLINE_FUNCTION void take_from(const Member& member, bool chosen, T& value) {
  value = chosen ? value : -std::numeric_limits<T>::infinity();
  member.team_reduce(Kokkos::Max<T>(value));
}

/// The choice of the team from those of its threads, the one with the largest key, and the largest of `most` (at least 0). `read`
/// completes a choice that is its thread's own. Whatever threads wrote before, and what this reads, is finished for all when it returns;
/// two calls in succession must differ in `turn` (0 or 1).
///
/// CUDA: maxima of warps by one instruction each, those of all warps through shared memory, one barrier. A reduction of Kokkos takes nine
/// barriers of 1,024 threads. Threads number a multiple of 32.
template <class Member, class Read>
KOKKOS_INLINE_FUNCTION Chosen choice_of_team(const Member& member, Chosen own, int mask, [[maybe_unused]] int turn,
                                             float& most, const Read& read) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  constexpr unsigned all = 0xffffffff;
  __shared__ int keys[2][32], largest[2][32];
  __shared__ float gradient[2][32], kernel[2][32];
  __shared__ double beta[2][32], bound[2][32];
  const int warp = member.team_rank() / 32, lane = member.team_rank() % 32, warps = member.team_size() / 32;
  const int key = __reduce_max_sync(all, own.key), high = __reduce_max_sync(all, __float_as_int(most));
  if (lane == 0) {
    keys[turn][warp] = key;
    largest[turn][warp] = high;
  }
  if (own.key == key && key > mask) {  // a key above the mask belongs to one thread
    read(own, own.member(mask));
    gradient[turn][warp] = own.gradient;
    kernel[turn][warp] = own.kernel;
    beta[turn][warp] = own.beta;
    bound[turn][warp] = own.bound;
  }
  __syncthreads();
  const int of_warp = lane < warps ? keys[turn][lane] : INT_MIN;
  own.key = __reduce_max_sync(all, of_warp);
  most = __int_as_float(__reduce_max_sync(all, lane < warps ? largest[turn][lane] : 0));
  const int from = __ffs(static_cast<int>(__ballot_sync(all, of_warp == own.key))) - 1;
  own.gradient = gradient[turn][from];
  own.kernel = kernel[turn][from];
  own.beta = beta[turn][from];
  own.bound = bound[turn][from];
#else
  const int key = own.key;
  member.team_reduce(Kokkos::Max<int>(own.key));
  member.team_reduce(Kokkos::Max<float>(most));
  if (own.key > mask) {
    const bool chosen = key == own.key;
    if (chosen) read(own, own.member(mask));
    take_from(member, chosen, own.gradient);
    take_from(member, chosen, own.kernel);
    take_from(member, chosen, own.beta);
    take_from(member, chosen, own.bound);
  }
  member.team_barrier();  // every thread has read before one writes
#endif
  return own;
}

/// With so many threads each may have 128 registers, and with 1,024 half of that.
inline constexpr int threads_with_registers = 512, most_in_registers = 16 * threads_with_registers;

/// Teams for sub-problems of at most so many members: four members a thread where that is possible.
template <int Most, class Exec>
auto smo_policy(const Exec& exec, int slots, int members) {
  return bounded_teams<Most>(exec, slots, std::clamp((members / 4 + 31) / 32 * 32, 128, Most));
}

/// smo() for one slot, on a device. A thread works on every team_size-th member, and no other thread reads or writes the beta, gradient
/// and freedom of these: what others must know of a member goes through choice_of_team(). So an iteration has two barriers. Kernel
/// elements of several members are read before any gradient is written, so that the loads wait for memory together.
template <class Member>
KOKKOS_INLINE_FUNCTION void smo_of_threads(const Member& member, const MemberRows& subs, int s) {
  constexpr int at_once = 4;
  const OneProblem q(subs, s);
  const int rank = member.team_rank(), threads = member.team_size(), size = q.places, mask = q.mask;
  float* rough = q.gradient;
  const double tolerance = subs.slot(s).inner_tolerance;
  const std::int64_t steps = subs.slot(s).steps;
  const auto read = [&](Chosen& one, int k) {
    one.gradient = rough[k];
    one.beta = q.beta[k];
    one.bound = q.bound[k];
  };
  int i = begin_smo(member, subs, s, q);
  Chosen first;
  if (i >= 0) read(first, i);  // no thread writes before the first choice
  SmoEnd end;
  float& gap = end.gap;
  for (;; ++end.steps) {
    if (i < 0) {
      gap = 0;
      break;
    }
    const float* row_i = q.row(i);
    if (row_i == nullptr) {
      end.missing = i;
      break;
    }
    const float g_i = first.gradient;
    Chosen second;
    second.key = mask;
    gap = 0;
    for (int k = rank; k < size; k += at_once * threads) {
      float d[at_once], a[at_once];
      for (int u = 0; u < at_once; ++u) {
        const int at = k + u * threads;
        d[u] = at < size ? (g_i - rough[at]) * q.shrink[at] : 0.0f;
        a[u] = at < size ? -2.0f * row_i[at] : 0.0f;
      }
      for (int u = 0; u < at_once; ++u) {
        const float positive = d[u] > 0 ? d[u] : 0.0f;  // 0 for NaN too
        gap = positive > gap ? positive : gap;
        const float score = positive * positive * rough_reciprocal(a[u] > 1e-12f ? a[u] : 1e-12f);
        const int key = positive > 0 ? score_key(score, k + u * threads, mask) : mask;
        second.key = key > second.key ? key : second.key;
      }
    }
    second = choice_of_team(member, second, mask, 0, gap, [&](Chosen& one, int k) {
      read(one, k);
      one.kernel = row_i[k];
    });
    if (!(gap > tolerance) || end.steps == steps) break;
    const int j = second.member(mask);
    if (j < 0) {
      end.stuck = true;
      break;
    }
    const float* row_j = q.row(j);
    if (row_j == nullptr) {
      end.missing = j;
      break;
    }
    const double room_i = upper_bound(first.bound) - first.beta, room_j = second.beta - lower_bound(second.bound);
    const double t = step_length(g_i, second.gradient, second.kernel, room_i, room_j);
    // Exactly the bound where a bound is reached, so that comparisons with it hold.
    if (i % threads == rank) {
      q.beta[i] = t == room_i ? upper_bound(first.bound) : first.beta + t;
      set_freedom(subs, s, i, q.beta[i], first.bound);
    }
    if (j % threads == rank) {
      q.beta[j] = t == room_j ? lower_bound(second.bound) : second.beta - t;
      set_freedom(subs, s, j, q.beta[j], second.bound);
    }
    const float by = static_cast<float>(t), low = g_i - gap;
    first.key = mask;
    for (int k = rank; k < size; k += at_once * threads) {
      float g[at_once];
      for (int u = 0; u < at_once; ++u) {
        const int at = k + u * threads;
        g[u] = at < size ? rough[at] - by * (row_i[at] - row_j[at]) : 0.0f;
      }
      for (int u = 0; u < at_once; ++u) {
        const int at = k + u * threads;
        if (at >= size) break;
        rough[at] = g[u];
        const float above = (g[u] - low) * q.grow[at];
        const int key = score_key(above > 0 ? above : 0.0f, at, mask);  // 0 for NaN too: the padding may hold anything
        first.key = key > first.key ? key : first.key;
      }
    }
    float none = 0;
    first = choice_of_team(member, first, mask, 1, none, read);
    i = first.member(mask);
    if (i < 0) {  // no gradient that can grow exceeds the old `low`
      i = find_largest(member, q);
      if (i >= 0) read(first, i);
    }
  }
  end_smo(member, subs, s, end, i);
}

/// The same with the gradients and freedoms of a thread's members, at most N, in registers, as the row of the first of the pair is: an
/// iteration reads two rows of K and little else. Memory has gradients and freedoms again at the end.
template <int N, class Member>
KOKKOS_INLINE_FUNCTION void smo_in_registers(const Member& member, const MemberRows& subs, int s) {
  const OneProblem q(subs, s);
  const int rank = member.team_rank(), threads = member.team_size(), size = q.places, mask = q.mask;
  const double tolerance = subs.slot(s).inner_tolerance;
  const std::int64_t steps = subs.slot(s).steps;
  int i = begin_smo(member, subs, s, q);
  Chosen first;
  const auto recall = [&] {
    first.gradient = q.gradient[i];
    first.beta = q.beta[i];
    first.bound = q.bound[i];
  };
  if (i >= 0) recall();  // no thread writes before the first choice
  float g[N], k_i[N];
  unsigned grow = 0, shrink = 0;  // a bit for each member
  for (int u = 0; u < N; ++u) {
    const int at = rank + u * threads;
    const bool there = at < size;
    g[u] = there ? q.gradient[at] : 0.0f;
    k_i[u] = 0;
    grow |= there && q.grow[at] != 0 ? 1u << u : 0u;
    shrink |= there && q.shrink[at] != 0 ? 1u << u : 0u;
  }
  const auto remember = [&] {
    for (int u = 0; u < N; ++u) {
      const int at = rank + u * threads;
      if (at >= size) break;
      subs.rough(s, at) = g[u];
      subs.grow(s, at) = static_cast<float>(grow >> u & 1u);
      subs.shrink(s, at) = static_cast<float>(shrink >> u & 1u);
    }
  };
  const auto read = [&](Chosen& one, int k) {
    for (int u = 0; u < N; ++u) {
      one.gradient = rank + u * threads == k ? g[u] : one.gradient;
      one.kernel = rank + u * threads == k ? k_i[u] : one.kernel;
    }
    one.beta = q.beta[k];
    one.bound = q.bound[k];
  };
  const auto write = [&](int k, double b, double bound) {
    q.beta[k] = b;
    const std::uint8_t freedom = freedom_of(b, bound);
    const unsigned bit = 1u << (k / threads);
    grow = (freedom & can_grow) != 0 ? grow | bit : grow & ~bit;
    shrink = (freedom & can_shrink) != 0 ? shrink | bit : shrink & ~bit;
  };
  SmoEnd end;
  float& gap = end.gap;
  for (;; ++end.steps) {
    if (i < 0) {
      gap = 0;
      break;
    }
    const float* row_i = q.row(i);
    if (row_i == nullptr) {
      end.missing = i;
      break;
    }
    const float g_i = first.gradient;
    Chosen second;
    second.key = mask;
    gap = 0;
    for (int u = 0; u < N; ++u) {
      const int at = rank + u * threads;
      k_i[u] = at < size ? row_i[at] : 0.0f;
    }
    for (int u = 0; u < N; ++u) {
      const float d = g_i - g[u], a = -2.0f * k_i[u];
      const float positive = d > 0 && (shrink >> u & 1u) != 0 ? d : 0.0f;  // 0 for NaN too, and beyond the last member
      gap = positive > gap ? positive : gap;
      const float score = positive * positive * rough_reciprocal(a > 1e-12f ? a : 1e-12f);
      const int key = positive > 0 ? score_key(score, rank + u * threads, mask) : mask;
      second.key = key > second.key ? key : second.key;
    }
    second = choice_of_team(member, second, mask, 0, gap, read);
    if (!(gap > tolerance) || end.steps == steps) break;
    const int j = second.member(mask);
    if (j < 0) {
      end.stuck = true;
      break;
    }
    const float* row_j = q.row(j);
    if (row_j == nullptr) {
      end.missing = j;
      break;
    }
    float k_j[N];
    for (int u = 0; u < N; ++u) {
      const int at = rank + u * threads;
      k_j[u] = at < size ? row_j[at] : 0.0f;
    }
    const double room_i = upper_bound(first.bound) - first.beta, room_j = second.beta - lower_bound(second.bound);
    const double t = step_length(g_i, second.gradient, second.kernel, room_i, room_j);
    // Exactly the bound where a bound is reached, so that comparisons with it hold.
    if (i % threads == rank) write(i, t == room_i ? upper_bound(first.bound) : first.beta + t, first.bound);
    if (j % threads == rank) write(j, t == room_j ? lower_bound(second.bound) : second.beta - t, second.bound);
    const float by = static_cast<float>(t), low = g_i - gap;
    first.key = mask;
    for (int u = 0; u < N; ++u) {
      g[u] -= by * (k_i[u] - k_j[u]);
      const float above = g[u] - low;
      const int key = above > 0 && (grow >> u & 1u) != 0 ? score_key(above, rank + u * threads, mask) : mask;
      first.key = key > first.key ? key : first.key;
    }
    float none = 0;
    first = choice_of_team(member, first, mask, 1, none, read);
    i = first.member(mask);
    if (i < 0) {  // no gradient that can grow exceeds the old `low`
      remember();
      i = find_largest(member, q);
      if (i >= 0) recall();
    }
  }
  remember();
  end_smo(member, subs, s, end, i);
}

/// smo() for one slot, on a device, in the form for its size.
template <class Member>
KOKKOS_INLINE_FUNCTION void smo_on_device(const Member& member, const MemberRows& subs, int s) {
  const int size = places(size_of(subs.slot(s), subs.samples)), threads = member.team_size();
  if (size <= 2 * threads) {
    smo_in_registers<2>(member, subs, s);
  } else if (size <= 4 * threads) {
    smo_in_registers<4>(member, subs, s);
  } else if (size <= 8 * threads) {
    smo_in_registers<8>(member, subs, s);
  } else if (size <= 16 * threads) {
    smo_in_registers<16>(member, subs, s);
  } else {
    smo_of_threads(member, subs, s);
  }
}

}  // namespace krossfold::svm
