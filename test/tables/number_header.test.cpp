// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <random>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/table.hpp"
#include "own_tables.hpp"

namespace krossfold::tables {
namespace {

using test::own_table;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const auto doubted = Contains(AllOf(HasSubstr("line 1 was taken for a sample, but looks like a header"),
                                    HasSubstr("header yes"), HasSubstr("header no")));

TEST(NumberHeader, is_doubted_in_spectra_times_years_ages_percentiles_and_dates) {
  for (const char* name : {"nm", "wavenumbers", "times", "years", "ages", "percentiles", "dates", "tens"}) {
    SCOPED_TRACE(name);
    const std::string file = own_table(text("header_", name, ".csv"));
    const Table found = read_table(file, {.label = "1"});
    EXPECT_EQ(found.size(), 41);
    EXPECT_THAT(found.warning, doubted);
    const Table with = read_table(file, {.label = "1", .header = "yes"});
    EXPECT_EQ(with.size(), 40);
    EXPECT_EQ(with.label.word.size(), 2u);
    EXPECT_THAT(with.warning, Not(Contains(HasSubstr("line 1"))));
    EXPECT_THAT(read_table(file, {.label = "1", .header = "no"}).warning, Not(doubted));
  }
}

TEST(NumberHeader, is_doubted_where_its_label_occurs_in_no_sample) {
  std::string lines;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 60; ++i) lines += text(normal(random), ",", normal(random), ",", i % 2, "\n");
  for (const char* header : {"1,2,3\n", "10,20,30\n", "0.0,1.0,2.0\n", "0,1,1.1\n"}) {
    EXPECT_THAT(parse_table(test::bytes_of(header + lines), "t.csv").warning, doubted) << header;
  }
  EXPECT_THAT(parse_table(test::bytes_of("0.1,0.2,1\n" + lines), "t.csv").warning, Not(doubted));
}

TEST(NumberHeader, of_two_levels_is_doubted_and_read_if_said_so) {
  const std::string plain = own_table("two_levels.csv");
  const Table found = read_table(plain);
  EXPECT_EQ(found.size(), 41);
  EXPECT_THAT(found.warning, Contains(AllOf(HasSubstr("line 2 was taken for a sample, but looks like a second line of "
                                                      "the header"),
                                            HasSubstr("header 2"), HasSubstr("header yes"))));
  EXPECT_THAT(read_table(plain, {.header = "yes"}).warning, Not(Contains(HasSubstr("line 2"))));
  const Table both = read_table(plain, {.header = "2"});
  EXPECT_EQ(both.size(), 40);
  EXPECT_EQ(both.column[4].name, "emg 1");
  EXPECT_EQ(both.label_name, "kind 0");
  EXPECT_THAT(both.warning, testing::IsEmpty());
  const std::string index = own_table("two_levels_index.csv");
  test::expect_input_error([&] { read_table(index); }, {"line 2, column 1", "belongs to the header, say --header 2"});
  EXPECT_EQ(read_table(index, {.drop = {"1"}, .header = "2"}).size(), 40);
  EXPECT_THAT(read_table(index, {.drop = {"1"}}).warning, Contains(HasSubstr("line 2 was taken for a sample")));
}

TEST(NumberHeader, with_a_line_of_units_is_refused_with_what_to_do) {
  const std::string file = own_table("units.csv");
  test::expect_input_error([&] { read_table(file); }, {"line 2, column 1 (length): 'mm' is not a number", "header 2"});
  const Table both = read_table(file, {.header = "2"});
  EXPECT_EQ(both.size(), 40);
  EXPECT_EQ(both.column[0].name, "length mm");
  test::expect_input_error([&] { read_table(file, {.header = "6"}); }, {"header", "'6'"});
}

TEST(NumberHeader, is_not_looked_for_in_a_second_line_of_another_length) {
  test::expect_input_error([] { parse_table(test::bytes_of("a,b,kind\n1,2\n"), "t.csv"); }, {"line 2 has 2 fields"});
  test::expect_input_error([] { parse_table(test::bytes_of("a,b,kind\n1,2\n100,200,300\n1,2,0\n2,3,1\n"), "t.csv"); },
                           {"line 2 has 2 fields"});
}

/// The share of tables of a family that get a warning about their first line, or about their second below a header of words.
double share_of_false_warnings(const std::function<std::string(std::mt19937&, int)>& line, int columns, int rows,
                               int tables, unsigned seed) {
  int doubts = 0;
  for (int t = 0; t < tables; ++t) {
    std::mt19937 random(seed + static_cast<unsigned>(t));
    std::string content, header;
    for (int i = 0; i < rows; ++i) content += line(random, i) + "," + std::to_string(random() % 3) + "\n";
    for (int j = 0; j <= columns; ++j) header += text(j == 0 ? "" : ",", "name", j);
    for (const bool named : {false, true}) {
      const Table table = parse_table(test::bytes_of(named ? header + "\n" + content : content), "t.csv");
      doubts += std::any_of(table.warning.begin(), table.warning.end(),
                            [](const std::string& one) { return one.find("looks like a") != std::string::npos; });
    }
  }
  return doubts / (2.0 * tables);
}

std::string joined(int columns, const std::function<double(int)>& value) {
  std::ostringstream out;
  out << std::setprecision(4);
  for (int j = 0; j < columns; ++j) out << (j == 0 ? "" : ",") << value(j);
  return out.str();
}

TEST(NumberHeader, is_hardly_ever_seen_in_ordinary_tables_without_one) {
  using Line = std::function<std::string(std::mt19937&, int, int)>;
  const std::vector<std::pair<const char*, Line>> families{
      {"normal",
       [](std::mt19937& r, int d, int) {
         std::normal_distribution<double> x;
         return joined(d, [&](int) { return x(r); });
       }},
      {"heavy tails",
       [](std::mt19937& r, int d, int) {
         std::cauchy_distribution<double> x;
         return joined(d, [&](int) { return x(r); });
       }},
      {"lognormal",
       [](std::mt19937& r, int d, int) {
         std::lognormal_distribution<double> x(0, 2);
         return joined(d, [&](int) { return x(r); });
       }},
      {"sorted lines",
       [](std::mt19937& r, int d, int) {
         std::vector<double> x(static_cast<std::size_t>(d));
         for (double& v : x) v = r() % 10000 * 1e-3;
         std::sort(x.begin(), x.end());
         return joined(d, [&](int j) { return x[static_cast<std::size_t>(j)]; });
       }},
      {"sorted columns",
       [](std::mt19937& r, int d, int i) { return joined(d, [&](int) { return i + 1e-4 * (r() % 10000); }); }},
      {"counts",
       [](std::mt19937& r, int d, int) {
         std::poisson_distribution<int> x(3);
         return joined(d, [&](int) { return x(r); });
       }},
      {"digits", [](std::mt19937& r, int d, int) { return joined(d, [&](int) { return r() % 10; }); }},
      {"ages", [](std::mt19937& r, int d, int) { return joined(d, [&](int) { return 18 + r() % 70; }); }},
      {"one-hot",
       [](std::mt19937& r, int d, int) {
         const auto k = static_cast<int>(r() % static_cast<unsigned>(d));
         return joined(d, [&](int j) { return j == k ? 1 : 0; });
       }},
      {"images",
       [](std::mt19937& r, int d, int) {
         double v = 0;
         return joined(d, [&](int) {
           v = r() % 3 == 0 ? r() % 256 : r() % 4 == 0 ? v : 0;
           return v;
         });
       }},
      {"curves",
       [](std::mt19937& r, int d, int) {
         const double at = r() % 628 * 0.01;
         return joined(d, [&](int j) { return std::sin(at + 3.0 * j / d); });
       }},
      {"walks",
       [](std::mt19937& r, int d, int) {
         std::normal_distribution<double> x;
         double v = 0;
         return joined(d, [&](int) { return v += x(r); });
       }},
      {"lines of a scale each",
       [](std::mt19937& r, int d, int) {
         std::normal_distribution<double> x;
         const double s = std::exp(2 * x(r));
         return joined(d, [&](int) { return s * x(r); });
       }},
  };
  const char* many = std::getenv("KROSSFOLD_LONG_TESTS");
  const int tables = many != nullptr && *many != 0 ? 300 : 20;
  int wrong = 0, all = 0;
  for (const auto& [name, line] : families) {
    for (const int columns : {2, 3, 5, 8, 20}) {
      for (const int rows : {12, 40, 200}) {
        const double share = share_of_false_warnings(
            [&](std::mt19937& random, int i) { return line(random, columns, i); }, columns, rows, tables, 4000);
        wrong += static_cast<int>(std::lround(share * 2 * tables));
        all += 2 * tables;
        if (tables > 100 && share > 0)
          std::printf("%s, %d columns, %d lines: %.2f %%\n", name, columns, rows, 100 * share);
        EXPECT_LE(share, 0.05) << name << ", " << columns << " columns, " << rows << " lines";
      }
    }
  }
  std::printf("%d of %d tables without a header of numbers are doubted\n", wrong, all);
  EXPECT_LE(wrong, all / 1000);
}

}  // namespace
}  // namespace krossfold::tables
