// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Whether something that is done many times keeps memory.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <functional>

namespace krossfold::test {

/// Bytes that this process has allocated and not freed (glibc).
inline std::size_t memory_in_use() {
#if __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

/// Does it `few` times and then until it was done `many` times, and expects no more memory in use than after the few: none of the
/// times may keep a hundred bytes.
inline void expect_no_memory_is_kept(const std::function<void()>& action, int few = 10, int many = 1000) {
  if (memory_in_use() == 0) GTEST_SKIP() << "the C library does not tell how much memory is in use";
  for (int i = 0; i < few; ++i) action();
  const std::size_t before = memory_in_use();
  for (int i = few; i < many; ++i) action();
  const std::size_t after = memory_in_use();
  EXPECT_LE(after, before + 100 * static_cast<std::size_t>(many - few))
      << (after - before) / (many - few) << " bytes a time";
}

}  // namespace krossfold::test
