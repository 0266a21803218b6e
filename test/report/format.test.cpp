// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/report/format.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace krossfold::report {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

TEST(Attributes, of_the_asked_type_are_read_and_others_are_as_if_missing) {
  storage::Container content;
  content.attributes = {{"n", std::int64_t{-3}}, {"x", 0.25}, {"word", std::string("7")}};
  EXPECT_EQ(whole(content, "n"), -3);
  EXPECT_EQ(real(content, "x"), 0.25);
  for (const char* name : {"x", "word", "none"}) EXPECT_EQ(whole(content, name), 0) << name;
  for (const char* name : {"n", "word", "none"}) {
    EXPECT_EQ(real(content, name), 0) << name;
    EXPECT_EQ(real(content, name, -1), -1) << name;
  }
}

TEST(Attributes, that_are_not_finite_are_as_if_missing) {
  storage::Container content;
  content.attributes = {{"nan", nan}, {"infinity", infinity}, {"zero", 0.0}};
  EXPECT_EQ(real(content, "nan", 2), 2);
  EXPECT_EQ(real(content, "infinity", 2), 2);
  EXPECT_EQ(real(content, "zero", 2), 0);
}

TEST(Percent, has_two_decimals_and_a_dash_for_nan) {
  EXPECT_EQ(percent(0), "0.00 %");
  EXPECT_EQ(percent(0.0625), "6.25 %");
  EXPECT_EQ(percent(1), "100.00 %");
  EXPECT_EQ(percent(nan), "-");
}

TEST(Counted, has_a_plural_for_all_numbers_but_one) {
  EXPECT_EQ(counted(0, "rank"), "0 ranks");
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(4, "rank"), "4 ranks");
}

TEST(Rounded, keeps_significant_digits) {
  EXPECT_EQ(rounded(0.00123456), "0.001235");
  EXPECT_EQ(rounded(123456), "1.235e+05");
  EXPECT_EQ(rounded(2), "2");
  EXPECT_EQ(rounded(2.71828, 2), "2.7");
  EXPECT_EQ(rounded(nan), "-");
  EXPECT_EQ(rounded(-infinity), "-inf");
}

TEST(CsvField, is_quoted_exactly_if_it_holds_a_comma_a_quote_or_a_line_end) {
  for (const std::string plain : {"", "a b", "3.5", "it's", "a;b"}) EXPECT_EQ(csv_field(plain), plain);
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("a\rb"), "\"a\rb\"");
}

TEST(CsvField, that_spreadsheets_would_run_gets_an_apostrophe) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("@SUM(A1:A2)"), "'@SUM(A1:A2)");
  EXPECT_EQ(csv_field("-2+cmd|' /C calc'!A0"), "'-2+cmd|' /C calc'!A0");
  EXPECT_EQ(csv_field("=HYPERLINK(\"a\",1)"), "\"'=HYPERLINK(\"\"a\"\",1)\"");
  EXPECT_EQ(csv_field("\t=1"), "'\t=1");
}

TEST(CsvField, with_a_sign_that_is_a_number_or_a_single_letter_stays) {
  for (const std::string plain : {"+", "-", "-1", "+3.5e2", "-inf", "a=b", "a-b"}) EXPECT_EQ(csv_field(plain), plain);
}

}  // namespace
}  // namespace krossfold::report
