// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/denormals.hpp"

#include <gtest/gtest.h>

#include "krossfold/core/view.hpp"

namespace krossfold {
namespace {

/// Computes n products below the smallest normal float on all threads; returns how many are flushed to zero.
int zeros(int n) {
  const Vector<float> tiny("krossfold::test::tiny", n);
  Kokkos::deep_copy(tiny, 1e-30f);
  Kokkos::parallel_for("krossfold::test::shrink", Kokkos::RangePolicy<Host>(0, n), [=](int i) { tiny(i) *= 1e-10f; });
  int count = 0;
  for (int i = 0; i < n; ++i) count += tiny(i) == 0 ? 1 : 0;
  return count;
}

TEST(FlushDenormals, acts_on_all_threads_and_only_while_it_lives) {
#if !defined(__SSE2__) && !defined(__aarch64__)
  GTEST_SKIP() << "this processor has no such mode that we know";
#endif
  constexpr int n = 10000;
  EXPECT_EQ(zeros(n), 0);
  {
    const FlushDenormals flush;
    EXPECT_EQ(zeros(n), n);
    const FlushDenormals again;
  }
  EXPECT_EQ(zeros(n), 0);
}

}  // namespace
}  // namespace krossfold
