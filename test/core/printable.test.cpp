// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/printable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace krossfold {
namespace {

TEST(Printable, text_of_any_language_stays_as_it_is) {
  for (const std::string text : {"", "setosa", "grün", "日本語", "Ω ≥ 3 %", "\U0001F436 dog", "back\\slash \"quoted\""})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, control_characters_are_escaped) {
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable("a\rb\tc\x7f"), "a\\x0db\\x09c\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b31m"), "\\x9b31m");  // CSI of eight bits, as UTF-8
}

TEST(Printable, line_ends_are_escaped) { EXPECT_EQ(printable("a\nb"), "a\\x0ab"); }

TEST(Printable, marks_that_change_the_direction_of_text_are_escaped) {
  EXPECT_EQ(printable("user\u202egnp.exe"), "user\\u202egnp.exe");
  EXPECT_EQ(printable("\u2066a\u2069"), "\\u2066a\\u2069");
}

TEST(Printable, bytes_that_are_not_utf8_are_escaped_one_by_one) {
  EXPECT_EQ(printable("Jos\xe9"), "Jos\\xe9");
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");  // cut
}

TEST(Printable, nothing_that_it_gives_is_escaped_again) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string shown = printable(std::string{static_cast<char>(a), static_cast<char>(b)});
      EXPECT_EQ(printable(shown), shown);
    }
  }
}

}  // namespace
}  // namespace krossfold
