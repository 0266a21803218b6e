// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/report/format.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <regex>
#include <string>
#include <vector>

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

TEST(CsvField, is_quoted_exactly_if_it_holds_a_separator_a_quote_or_a_line_end) {
  for (const std::string plain : {"", "a b", "3.5", "it's", "a:b|c"}) EXPECT_EQ(csv_field(plain), plain);
  EXPECT_EQ(csv_field("a;b"), "\"a;b\"");
  EXPECT_EQ(csv_field("a\tb"), "\"a\tb\"");
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
  EXPECT_EQ(csv_field("\t=1"), "\"'\t'=1\"");
}

TEST(CsvField, that_spreadsheets_would_split_into_formulas_gets_an_apostrophe_before_each) {
  EXPECT_EQ(csv_field("a;=cmd()"), "\"a;'=cmd()\"");
  EXPECT_EQ(csv_field("a;;@b;-;c"), "\"a;;'@b;'-;c\"");
  EXPECT_EQ(csv_field("a\n=1+1\r\n+b"), "\"a\n'=1+1\r\n'+b\"");
  EXPECT_EQ(csv_field("a;\"=1"), "\"a;'\"\"=1\"");
  EXPECT_EQ(csv_field("=1;=2"), "\"'=1;'=2\"");
  EXPECT_EQ(csv_field("1;-2;3"), "\"1;'-2;3\"");
  EXPECT_EQ(csv_field("a;b=c"), "\"a;b=c\"");
}

/// The cells of a line that a spreadsheet finds which separates at `separator`: quotes count at the beginning of a cell alone.
std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool begins = i == 0 || (!quoted && line[i - 1] == separator);
    if (line[i] == '"' && (begins || quoted)) {
      if (!begins && i + 1 < line.size() && line[i + 1] == '"') {
        cells.back() += line[++i];
      } else {
        quoted = begins;
      }
    } else if (!quoted && (line[i] == separator || line[i] == '\n')) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

bool is_number(const std::string& word) { return std::regex_match(word, std::regex("[+-][0-9]+")); }

TEST(CsvField, has_no_formula_in_any_cell_whichever_letter_separates_them) {
  constexpr unsigned seed = 5;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const std::string letters = "=+-@a1\";,\t\n";
  for (int k = 0; k < 20000; ++k) {
    std::string word;
    for (auto n = 2 + random() % 6; n > 0; --n) word += letters[random() % letters.size()];
    for (const char separator : {',', ';', '\t'}) {
      for (const std::string& cell : cells_of("x," + csv_field(word) + ",0.5", separator)) {
        const bool harmless = cell.find_first_of("=+-@") != 0 || (cell == word && is_number(word));
        EXPECT_TRUE(harmless) << testing::PrintToString(word) << " has the cell " << testing::PrintToString(cell);
      }
    }
  }
}

TEST(CsvField, with_a_sign_that_is_a_number_or_a_single_letter_stays) {
  for (const std::string plain : {"+", "-", "-1", "+3.5e2", "-inf", "a=b", "a-b"}) EXPECT_EQ(csv_field(plain), plain);
}

}  // namespace
}  // namespace krossfold::report
