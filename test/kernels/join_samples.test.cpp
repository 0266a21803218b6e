// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/join_samples.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

TEST(JoinSamples, puts_the_samples_of_all_parts_side_by_side) {
  for (const int width : {1, 16}) {
    for (const std::vector<int>& first : {std::vector<int>{0, 7}, {0, 3, 4, 4, 9}, {0, 0, 5}}) {
      const int rows = 11, samples = first.back();
      const auto whole = test::random_vector(rows * samples * width, 3, -1, 1);
      const Vector<float> parts("krossfold::test::parts", 5 + 2 * whole.extent(0));
      std::vector<std::int64_t> begin;
      std::int64_t next = 5;  // with gaps between the parts
      for (std::size_t p = 0; p + 1 < first.size(); ++p) {
        begin.push_back(next);
        for (int r = 0; r < rows; ++r) {
          for (int s = first[p]; s < first[p + 1]; ++s) {
            for (int e = 0; e < width; ++e) parts(next++) = whole((r * samples + s) * width + e);
          }
        }
        next += 2;
      }
      const Vector<float, Device> joined("krossfold::test::joined", whole.extent(0));
      kernels::join_samples<Device>(Device(), joined, test::to_device(parts), first, begin, rows, width);
      const auto found = on_host(joined);
      for (std::size_t k = 0; k < whole.extent(0); ++k) ASSERT_EQ(found(k), whole(k)) << k;
    }
  }
}

}  // namespace
}  // namespace krossfold
