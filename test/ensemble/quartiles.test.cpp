// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/quartiles.hpp"

#include "test/ensemble/random_probabilities.hpp"

namespace krossfold::ensemble {
namespace {

Cube<double> quartiles_of(const Members<Device>& members) {
  const Cube<double, Device> quartile("krossfold::test::quartile", int{quartile_count}, members.samples(),
                                      members.classes());
  quartiles<Device>(Device(), quartile, members);
  fence(Device(), "krossfold::test::quartile");
  return on_host(quartile);
}

TEST(Quartiles, lie_at_their_share_of_the_sorted_values) {
  for (const test::Shape& shape : test::shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    const auto p = test::random_probability(shape);
    const auto found = quartiles_of(test::members_of(p));
    const auto reordered = quartiles_of(test::members_of(p, test::shuffled_models(shape)));
    for (int i = 0; i < shape.samples; ++i) {
      for (int c = 0; c < shape.classes; ++c) {
        std::vector<double> value;
        for (int m = 0; m < shape.models; ++m) value.push_back(static_cast<double>(p(m, i, c)));
        std::sort(value.begin(), value.end());
        for (int q = 0; q < quartile_count; ++q) {
          const double place = q * (shape.models - 1) / 4.0;
          const auto below = static_cast<std::size_t>(place), above = std::min(below + 1, value.size() - 1);
          const double share = place - static_cast<double>(below);
          ASSERT_NEAR(found(q, i, c), (1 - share) * value[below] + share * value[above], 0x1p-52);
          ASSERT_EQ(found(q, i, c), reordered(q, i, c));
        }
      }
    }
  }
}

TEST(Quartiles, of_cases_by_hand) {
  // Five models: the sorted values. Two: interpolation at 1/4, 1/2 and 3/4. One: its value throughout.
  const auto five = quartiles_of(test::members_of(test::cube_of({{{0.5f}}, {{0.125f}}, {{1}}, {{0}}, {{0.25f}}})));
  const auto two = quartiles_of(test::members_of(test::cube_of({{{1}}, {{0.5f}}})));
  const auto one = quartiles_of(test::members_of(test::cube_of({{{0.3f}}})));
  const double of_five[] = {0, 0.125, 0.25, 0.5, 1}, of_two[] = {0.5, 0.625, 0.75, 0.875, 1};
  for (int q = 0; q < quartile_count; ++q) {
    EXPECT_EQ(five(q, 0, 0), of_five[q]);
    EXPECT_EQ(two(q, 0, 0), of_two[q]);
    EXPECT_EQ(one(q, 0, 0), static_cast<double>(0.3f));
  }
}

}  // namespace
}  // namespace krossfold::ensemble
