// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/checkpoint.hpp"

#include <gtest/gtest.h>

namespace krossfold::studies {
namespace {

/// Three problems, two values of C, four samples, two of them outside; the first two problems are done.
svm::PathSolution<Device> sample_path() {
  auto path = svm::begin_path<Device>(3, 2, 4, 2);
  const auto decision = on_host(path.decision), coefficient = on_host(path.coefficient);
  for (int r = 0; r < 6; ++r) {
    path.fit[static_cast<std::size_t>(r)].iterations = 100 + r;
    path.fit[static_cast<std::size_t>(r)].bias = 0.1 * r;
    for (int k = 0; k < 2; ++k) decision(r, k) = 10 * r + k + 0.3;
  }
  for (int p = 0; p < 3; ++p) {
    for (int i = 0; i < 4; ++i) coefficient(p, i) = p - 0.7 * i;
  }
  path.decision = on_device<Device>(decision);
  path.coefficient = on_device<Device>(coefficient);
  path.done = 2;
  return path;
}

TEST(SvmPart, brings_back_what_is_done_and_nothing_of_the_rest) {
  const auto path = sample_path();
  const auto back = from_part(to_part(path), 3, 2, 4, 2);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->done, 2);
  EXPECT_FALSE(back->complete());
  const auto decision = on_host(back->decision), coefficient = on_host(back->coefficient);
  for (int p = 0; p < 2; ++p) {
    for (int k = 0; k < 2; ++k) {
      const int r = 3 * k + p;
      EXPECT_EQ(back->fit[static_cast<std::size_t>(r)].iterations, 100 + r);
      EXPECT_EQ(back->fit[static_cast<std::size_t>(r)].bias, 0.1 * r);
      for (int i = 0; i < 2; ++i) EXPECT_EQ(decision(r, i), 10 * r + i + 0.3);
    }
    for (int i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(coefficient(p, i), p - 0.7 * i);
  }
  for (int i = 0; i < 4; ++i) EXPECT_EQ(coefficient(2, i), 0);  // where the solver starts
}

TEST(SvmPart, of_other_sizes_is_nothing) {
  const auto bytes = to_part(sample_path());
  EXPECT_FALSE(from_part(bytes, 2, 2, 4, 2));
  EXPECT_FALSE(from_part(bytes, 3, 3, 4, 2));
  EXPECT_FALSE(from_part(bytes, 3, 2, 5, 2));
  EXPECT_FALSE(from_part(bytes, 3, 2, 4, 1));
}

}  // namespace
}  // namespace krossfold::studies
