// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/core/view.hpp"

namespace krossfold {

/// Asks the system to back host memory that nothing has been written to yet with huge pages, where that is for the program to ask
/// (Linux, transparent_hugepage/enabled = madvise). Without effect elsewhere. Rows of weights are read at memory speed only with them.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// `size` zeros in the memory of Exec; in huge pages on hosts.
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
