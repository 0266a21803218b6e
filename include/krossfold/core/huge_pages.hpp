// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "krossfold/core/poll.hpp"
#include "krossfold/core/view.hpp"

namespace krossfold {

/// Asks Linux (with transparent_hugepage/enabled = madvise) to back host memory with huge pages; a no-op elsewhere.
/// Call it before the first write. Weight rows stream at full memory bandwidth only from huge pages.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// Sets all of `vector` to 0, polling every 16 MiB: the first write to some gigabytes takes seconds.
template <class Exec>
void set_zero(const Vector<float, Exec>& vector, const Poll& poll = {}) {
  constexpr std::size_t piece = 1 << 22;
  for (std::size_t first = 0; first < vector.extent(0); first += piece) {
    call(poll);
    const std::size_t last = poll ? std::min(first + piece, vector.extent(0)) : vector.extent(0);
    Kokkos::deep_copy(Kokkos::subview(vector, Kokkos::make_pair(first, last)), 0.0f);
    if (!poll) return;
  }
}

/// `size` zeros in the memory of Exec, backed by huge pages on the host.
template <class Exec>
Vector<float, Exec> zeros(const std::string& label, std::int64_t size, const Poll& poll = {}) {
  const Vector<float, Exec> vector(uninitialized(label), static_cast<std::size_t>(size));
  if constexpr (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) {
    prefer_huge_pages(vector.data(), sizeof(float) * vector.extent(0));
  }
  set_zero<Exec>(vector, poll);
  return vector;
}

}  // namespace krossfold
