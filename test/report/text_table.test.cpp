// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/report/text_table.hpp"

#include <gtest/gtest.h>

namespace krossfold::report {
namespace {

TEST(TextTable, columns_are_as_wide_as_their_widest_cell_and_aligned_by_side) {
  const std::string expected =
      "  name        n   error\n"
      "  a           1  12.5 %\n"
      "  longest  1000       -\n";
  EXPECT_EQ(text_table({{"name", "n", "error"}, {"a", "1", "12.5 %"}, {"longest", "1000", "-"}}, 1), expected);
}

TEST(TextTable, with_more_columns_to_the_left_than_there_are_has_all_to_the_left) {
  EXPECT_EQ(text_table({{"a", "long"}, {"bcd", "e"}}, 9), "  a    long\n  bcd  e   \n");
}

TEST(TextTable, counts_letters_not_bytes) {
  EXPECT_EQ(text_table({{"Größe", "n"}, {"a", "ä"}, {"b", "10"}}, 1), "  Größe   n\n  a       ä\n  b      10\n");
}

TEST(TextTable, of_a_header_alone_is_its_line) { EXPECT_EQ(text_table({{"a", "b"}}, 0), "  a  b\n"); }

TEST(TextTable, lines_may_end_before_the_last_column) {
  EXPECT_EQ(text_table({{"a", "bc"}, {"d"}}, 0), "  a  bc\n  d\n");
}

TEST(TextTable, without_columns_has_empty_lines) { EXPECT_EQ(text_table({{}, {}}, 1), "\n\n"); }

}  // namespace
}  // namespace krossfold::report
