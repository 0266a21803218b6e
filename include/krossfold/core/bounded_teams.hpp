// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <type_traits>

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold {

/// A policy of teams of `threads` threads of `lanes` vector lanes, together at most Most, such that a multiprocessor of a CUDA device can
/// hold AtOnce of them with Most: its 65,536 registers are shared out so. Elsewhere the space chooses how many threads a team has.
template <int Most, int AtOnce = 1, class Exec>
auto bounded_teams(const Exec& exec, int teams, [[maybe_unused]] int threads, int lanes = 1) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    return Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Most, AtOnce>>(exec, teams, threads, lanes);
  } else
#endif
  {
    return Kokkos::TeamPolicy<Exec>(exec, teams, Kokkos::AUTO, lanes);
  }
}

}  // namespace krossfold
