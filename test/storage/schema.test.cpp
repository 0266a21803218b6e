// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/schema.hpp"

#include <gtest/gtest.h>

namespace {

using namespace krossfold::storage;

TEST(Schema, an_array_of_a_field_has_its_path_units_and_meaning) {
  const Array array = make_array(field::unit_seconds, {2, 1}, std::vector<double>{1.5, 2}, {"/search/gamma", ""});
  EXPECT_EQ(array.path, "/unit/seconds");
  EXPECT_EQ(array.units, "s");
  EXPECT_EQ(array.long_name, "computing time of the unit");
  EXPECT_EQ(array.shape, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(std::get<std::vector<double>>(array.values), (std::vector<double>{1.5, 2}));
  EXPECT_EQ(array.scales, (std::vector<std::string>{"/search/gamma", ""}));
}

TEST(Schema, a_round_has_its_datasets_under_the_last_word_of_those_of_the_grid) {
  EXPECT_EQ(refined_path(field::search_c, 2), "/refine/2/C");
  EXPECT_EQ(refined_path(field::fold_error, 1), "/refine/1/fold_error");
}

}  // namespace
