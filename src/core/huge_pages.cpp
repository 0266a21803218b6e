// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/huge_pages.hpp"

#include <memory>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace krossfold {

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (std::align(page, page, memory, bytes) == nullptr) return;  // there is no whole page
  // Only a hint: the memory works without it.
  static_cast<void>(madvise(memory, bytes / page * page, MADV_HUGEPAGE));
#endif
}

}  // namespace krossfold
