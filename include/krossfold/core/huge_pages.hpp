// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold {

/// Asks Linux (with transparent_hugepage/enabled = madvise) to back host memory with huge pages; a no-op elsewhere.
/// Call it before the first write. Weight rows stream at full memory bandwidth only from huge pages.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// `size` zeros in the memory of Exec, backed by huge pages on the host.
template <class Exec>
Vector<float, Exec> zeros(const std::string& label, std::int64_t size) {
  const Vector<float, Exec> vector(uninitialized(label), static_cast<std::size_t>(size));
  if constexpr (std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>) {
    prefer_huge_pages(vector.data(), sizeof(float) * vector.extent(0));
  }
  Kokkos::deep_copy(vector, 0.0f);
  return vector;
}

}  // namespace krossfold
