// SPDX-License-Identifier: BSD-3-Clause
// Decimal commas, separators of thousands, and lines above a table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/table.hpp"
#include "krossfold/tables/table_fields.hpp"
#include "test/data/sample_files.hpp"
#include "test/tables/parsed_table.hpp"

namespace krossfold::tables {
namespace {

using test::expect_input_error;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<float> row(const Table& table, int sample) {
  std::vector<float> all;
  for (int j = 0; j < static_cast<int>(table.column.size()); ++j) all.push_back(table.value(sample, j));
  return all;
}

TEST(DecimalMark, commas_are_found_where_no_comma_can_separate_thousands) {
  const Table found = table("a;b;y\n1,5;-0,25;u\n2;3,5e1;v\n");
  EXPECT_EQ(found.format, "text with semicolons, decimal commas and a header");
  EXPECT_THAT(row(found, 0), ElementsAre(1.5F, -0.25F));
  EXPECT_THAT(row(found, 1), ElementsAre(2.0F, 35.0F));
  EXPECT_THAT(row(table("1,5\t,25\tu\n+2,75\t1,234\tv\n"), 1), ElementsAre(2.75F, 1.234F)) << "tabs, no header";
  EXPECT_THAT(row(table("1,5 0,25 u\n2,75 7 v\n"), 1), ElementsAre(2.75F, 7.0F)) << "blanks";
  const std::string quoted = "a,b,y\n\"1,5\",7,u\n\"2,25\",8,v\n";
  expect_input_error([&] { table(quoted); }, {"line 2, column 1 (a): '1,5' has a decimal comma", "--decimal comma"});
  EXPECT_THAT(row(table(quoted, {.decimal = "comma"}), 1), ElementsAre(2.25F, 8.0F));
  EXPECT_THAT(row(table("a;b;y\n-,5;2,;u\n+1,e2;3,5;v\n"), 0), ElementsAre(-0.5F, 2.0F));
  EXPECT_EQ(table("a;b;y\n1.5;2;u\n2;3.5;v\n").format, "text with semicolons and a header");
}

TEST(DecimalMark, the_option_says_which_it_is) {
  const std::string content = "a;y\n1,234;u\n5,678;v\n";
  expect_input_error([&] { table(content); },
                     {"line 2, column 1 (a): '1,234' has a comma", "separate thousands", "--decimal comma"});
  EXPECT_EQ(table(content, {.decimal = "comma"}).value(1, 0), 5.678F);
  expect_input_error([] { table("a;y\n1,5;u\n", {.decimal = "point"}); }, {"'1,5' has a decimal comma"});
  expect_input_error([] { table("a;y\n1,5;u\n", {.decimal = "dot"}); }, {"decimal", "'dot'", "point or comma"});
  EXPECT_EQ(table("a,b,y\n5,,u\n5,2,u\n", {.decimal = "comma", .missing = "mean"}).value(1, 1), 2)
      << "a comma between fields marks no decimals";
  EXPECT_EQ(table("a,b,y\n5,3,u\n7,2,u\n", {.decimal = "comma"}).value(0, 0), 5);
}

TEST(DecimalMark, of_commas_that_may_separate_thousands_both_readings_are_named_the_likelier_first) {
  expect_input_error([] { table("a,n,y\n\"1,518\",17,u\n668,2,v\n\"1,643\",19,u\n"); },
                     {"line 2, column 1 (a): '1,518' has a comma (it may separate thousands or stand before decimals)",
                      "Write numbers without separators of thousands, or say --decimal comma if it stands before"});
  expect_input_error([] { table("a,n,y\n\"1,518\",17,u\n\"6,5\",2,v\n\"1,643\",19,u\n"); },
                     {"line 2, column 1 (a): '1,518' has a comma (it may stand before decimals or separate thousands)",
                      "Say --decimal comma, or write numbers without"});
}

TEST(DecimalMark, a_comma_that_the_user_says_marks_decimals_is_warned_of_where_it_seems_to_separate_thousands) {
  const TableParams comma{.decimal = "comma"};
  const auto warned = Contains(HasSubstr("was read as a decimal comma, as --decimal says, but seems to separate"));
  const std::string begin = "a,n,y\n\"1,518\",17,u\n\"1,643\",2,v\n\"12,040\",19,u\n";
  EXPECT_THAT(
      table(begin + "668,5,u\n", comma).warning,
      Contains("column 1 (a): the comma in '1,518' and in others was read as a decimal comma, as --decimal says, but "
               "seems to separate thousands (if so, write numbers without it)"));
  for (const std::string other : {"\"1,5\"", "\"0,500\"", "\"2,700\"", "1500"})
    EXPECT_THAT(table(begin + other + ",5,u\n", comma).warning, Not(warned)) << other;
  const std::string proof = "a,p,y\n\"1,518\",\"0,5\",u\n\"1,643\",2,v\n\"12,040\",19,u\n668,5,u\n";
  EXPECT_THAT(table(proof, comma).warning, Not(warned)) << "another column proves that commas are decimal";
  EXPECT_THAT(table(proof, {.drop = {"p"}, .decimal = "comma"}).warning, warned) << "that column is not used";
}

TEST(DecimalMark, whole_numbers_that_begin_with_zeros_and_look_like_codes_are_warned_of) {
  const auto warnings = [](const std::string& content, const TableParams& params = {}) {
    return table(content, params).warning;
  };
  const auto warned = Contains(HasSubstr("like codes"));
  const std::string zips = "zip,x,y\n10115,1.5,u\n01005,2.5,v\n80331,0.5,u\n";
  EXPECT_THAT(warnings(zips),
              ElementsAre("column 1 (zip): numbers such as '01005' begin with zeros, those in the first lines have 5 "
                          "digits each, like codes, and are used as numbers (if they are codes, leave the column out, "
                          "or write a letter before each and say --categorical onehot)"));
  EXPECT_THAT(warnings(zips, {.drop = {"zip"}}), Not(warned));
  EXPECT_THAT(warnings(zips, {.label = "zip", .drop = {"y"}}), Not(warned)) << "classes are as they are written";
  EXPECT_THAT(warnings("x,zip,y\n1,\"007\",u\n5,\"123\",v\n2,,u\n", {.missing = "mean"}), warned);
  for (const std::string other : {"1005", "101.5", "-1005", "10115.0", "0"})
    EXPECT_THAT(warnings("zip,x,y\n10115,1.5,u\n01005,2.5,v\n" + other + ",0.5,u\n"), Not(warned)) << other;
  EXPECT_THAT(warnings("hour,x,y\n10,1.5,u\n09,2.5,v\n11,0.5,u\n"), Not(warned)) << "two digits";
  EXPECT_THAT(warnings("zip,x,y\nof home,m,k\n10115,1.5,u\n01005,2.5,v\n", {.header = "2"}), warned)
      << "the second line of the header is no value";
  std::string late = "zip,x,y\n";
  for (int k = 0; k < 1100; ++k) late += text("0", 1000 + k, ",", k * k % 17, k % 2 == 0 ? ",u\n" : ",v\n");
  EXPECT_THAT(warnings(late), warned);
  EXPECT_THAT(warnings(late + "unknown,5,u\n", {.categorical = "onehot"}), Not(warned)) << "a column of text";
  const TableEncoding encoding = fit_encoding(table(zips), {}, {});
  EXPECT_THAT(table(zips, {}, &encoding).warning, Not(warned)) << "data to predict";
}

TEST(DecimalMark, a_file_with_both_is_refused_where_the_other_mark_stands) {
  expect_input_error([] { table("a;b;y\n1,5;2;u\n2;3.5;v\n"); },
                     {"line 2, column 1 (a): '1,5' has a decimal comma", "points", "--decimal comma"});
  expect_input_error([] { table("a;b;y\n1,5;2;u\n2;3.5;v\n", {.decimal = "comma"}); },
                     {"line 3, column 2 (b): '3.5' has a decimal point", "commas", "--decimal says which"});
  expect_input_error([] { table("a;w;y\n1,5;0.5;u\n2;1;v\n", {.weight = "w", .decimal = "comma"}); },
                     {"'0.5' has a decimal point"});
  EXPECT_EQ(table("day;b;y\n12.30;2,5;u\n14.15;3;v\n", {.drop = {"day"}, .decimal = "comma"}).value(0, 0), 2.5F)
      << "a column that is left out may hold points";
  std::string late = "a;y\n";
  for (int k = 0; k < 1200; ++k) late += k % 2 == 0 ? "1;u\n" : "2;v\n";
  expect_input_error([&] { table(late + "1,5;u\n"); }, {"line 1202, column 1 (a)", "--decimal comma"});
  EXPECT_EQ(table(late + "1,5;u\n", {.decimal = "comma"}).value(1200, 0), 1.5F);
}

TEST(DecimalMark, labels_groups_and_weights_have_points_then_and_words_stay) {
  const Table found = table("a;dose;g;w;y\n1,5;2;1,0;0,5;u\n2;3;1;1,5;v\n",
                            {.label = "dose", .group = "g", .weight = "w", .drop = {"y"}});
  EXPECT_THAT(found.weight, ElementsAre(0.5, 1.5));
  EXPECT_THAT(found.group.code, ElementsAre(0, 0)) << "1,0 is 1";
  EXPECT_THAT(table("a;y\n1,5;0,5\n2;1,5\n").label.word, ElementsAre("0.5", "1.5"));
  EXPECT_THAT(table("a;b;y\n1,5;2,5;u\n2;x;v\n", {.categorical = "onehot"}).words[1].word, ElementsAre("2,5", "x"));
  EXPECT_THAT(table("a,5;b;y\n1,5;2;u\n2;3;v\n", {.drop = {"a,5"}}).column[0].name, "b") << "names stay as they are";
}

TEST(DecimalMark, separators_of_thousands_are_refused) {
  for (const std::string number : {"1.234,5", "1.234.567", "12.345.678,25"})
    expect_input_error([&] { table("a;b;y\n1,5;2;u\n2;" + number + ";v\n"); },
                       {"line 3, column 2 (b)", number, "separators of thousands"});
  for (const std::string number : {"1,234.5", "1,234,567"})
    expect_input_error([&] { table("a;b;y\n1.5;2;u\n2;" + number + ";v\n"); },
                       {"line 3, column 2 (b)", number, "separators of thousands"});
}

TEST(DecimalMark, marks_that_may_separate_thousands_are_warned_of) {
  const std::string content = "size;price;y\n1;950;u\n2;1.234;v\n3;12.500;u\n4;-3.999;v\n5;;u\n7;-9;v\n";
  const auto warnings = [](const std::string& text, const TableParams& params = {}) {
    return table(text, params).warning;
  };
  const auto warned = Contains(HasSubstr("may separate thousands"));
  EXPECT_THAT(warnings(content, {.missing = "mean"}),
              Contains(HasSubstr("column 2 (price): the point in '1.234' and in others was read as a decimal point")));
  EXPECT_THAT(warnings(content, {.drop = {"price"}}), Not(warned));
  EXPECT_THAT(warnings(content, {.decimal = "point", .missing = "mean"}), Not(warned));
  for (const std::string others : {"0.950", "1950", "9.5", "word", "1.234.567"}) {
    const std::string rows = "a;b;y\n1;" + others + ";u\n2;1.234;v\n3;12.500;u\n4;3.999;v\n";
    EXPECT_THAT(warnings(rows, {.categorical = "onehot"}), Not(warned)) << others;
  }
  EXPECT_THAT(warnings("a,y\n950,u\n1.234,v\n12.500,u\n3.999,v\n"), warned) << "commas separate fields";
  EXPECT_THAT(warnings("w;a;y\n950;7;u\n1.234;8;v\n12.500;3;u\n3.999;2;v\n", {.weight = "w"}), warned);
  const std::string all = "b;y\n2.345;u\n1.234;v\n12.500;u\n";
  EXPECT_THAT(warnings(all), warned) << "no other decimals, and semicolons";
  EXPECT_THAT(warnings("b;c;y\n2.345;1.5;u\n1.234;2;v\n12.500;4;u\n"), Not(warned)) << "other decimals are there";
  EXPECT_THAT(warnings("b,y\n2.345,u\n1.234,v\n12.500,u\n"), Not(warned)) << "three decimals, perhaps";
  EXPECT_THAT(warnings("b;c;y\n950;1,5;u\n1,234;2;v\n12,500;4;u\n3,999;4;v\n"),
              Contains(HasSubstr("column 1 (b): the comma in '1,234'")));
  const TableEncoding encoding = fit_encoding(table("b;y\n2345;u\n1234;v\n"), {}, {});
  EXPECT_THAT(table("b;y\n950;u\n1.234;v\n12.500;u\n1.500;v\n", {}, &encoding).warning, warned) << "data to predict";
}

TEST(DecimalMark, of_columns_that_are_not_used_does_not_count) {
  std::string late = "note;x;y\n1,25;7;u\n";
  for (int k = 0; k < 1100; ++k) late += "1;" + std::to_string(k) + (k % 2 == 0 ? ";u\n" : ";v\n");
  EXPECT_EQ(table(late + "1;2.5;u\n", {.drop = {"note"}}).value(1101, 0), 2.5F);
  EXPECT_EQ(table("day;b;y\n12.30;2,5;u\n14.15;3;v\n", {.drop = {"day"}}).value(0, 0), 2.5F);
  const Table words = table("choice;x;y\n1,3;950;u\n1,2,3;1;v\n", {.drop = {"choice"}});
  EXPECT_EQ(words.format, "text with semicolons and a header");
  expect_input_error([] { table("choice;x;y\n1,3;950;u\n1,2,3;1;v\n", {.categorical = "onehot"}); },
                     {"line 2, column 1 (choice)", "'1,3' has a decimal comma"});
}

TEST(DecimalMark, labels_and_groups_with_both_marks_are_refused) {
  expect_input_error([] { table("a;y\n0,5;1\n1;1.000\n2;1,000\n"); },
                     {"line 4, column 2 (y): '1,000' has another decimal mark than those above"});
  expect_input_error([] { table("a;g;y\n0,5;1,0;u\n1;1.000;u\n", {.group = "g"}); }, {"line 3, column 2 (g)"});
  EXPECT_THAT(table("a;y\n0,5;1.2\n1;1.3\n").label.word, ElementsAre("1.2", "1.3")) << "versions, say";
}

TEST(DecimalMark, what_people_read_as_numbers_is_refused_with_the_reason) {
  const std::pair<std::string, std::string> cases[] = {{"1 234,5", "separators of thousands"},
                                                       {"1'234.5", "separators of thousands"},
                                                       {"1\xC2\xA0"
                                                        "234",
                                                        "separators of thousands"},
                                                       {"\xE2\x88\x92"
                                                        "3,5",
                                                        "U+2212"},
                                                       {"12,5 %", "a unit"},
                                                       {"\xE2\x82\xAC 3,50", "a unit"}};
  for (const auto& one : cases) {
    const std::string content = "a;b;y\n1,5;2;u\n2;" + one.first + ";v\n";
    expect_input_error([&] { table(content); }, {"line 3, column 2 (b)", one.first, one.second});
  }
  for (const std::string field : {"12.03.2024", "k.A.", "192.168.1.10"})
    expect_input_error([&] { table("a;b;y\n1,5;2;u\n2;" + field + ";v\n"); }, {field, "is not a number", "--drop"});
}

TEST(DecimalMark, what_may_separate_thousands) {
  for (const char* field : {"1,234", "12,345", "-123,456", "+1,234,567"})
    EXPECT_TRUE(may_have_thousands(field, ',')) << field;
  for (const char* field :
       {"0,123", "1,23", "1234,567", "1,2345", "1,234,5", ",234", "123", "", "-", "1,234 ", "1.234"})
    EXPECT_FALSE(may_have_thousands(field, ',')) << field;
  EXPECT_TRUE(may_have_thousands("1.234", '.'));
}

TEST(DecimalMark, the_values_are_those_of_the_same_table_with_points) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string commas = "a;b;y\n1,5;0;u\n", points = "a;b;y\n1.5;0;u\n";
    for (int k = 0; k < 20; ++k) {
      for (int j = 0; j < 2; ++j) {
        const int digits = static_cast<int>(random() % 9);
        std::string number =
            random() % 5 == 0 ? std::to_string(random()) : fixed(static_cast<double>(random()) / 1e4 - 1e5, digits);
        if (random() % 10 == 0) number += "e-3";
        points += number + ";";
        if (const auto at = number.find('.'); at != std::string::npos) number[at] = ',';
        commas += random() % 8 == 0 ? "\"" + number + "\";" : number + ";";
      }
      commas += k % 2 == 0 ? "u\n" : "v\n";
      points += k % 2 == 0 ? "u\n" : "v\n";
    }
    const Table one = table(commas), other = table(points);
    ASSERT_EQ(one.size(), other.size());
    for (int i = 0; i < one.size(); ++i) ASSERT_EQ(row(one, i), row(other, i)) << commas;
  }
}

TEST(SkipLines, what_stands_above_the_table_is_passed_over) {
  const std::string above = "Spectrometer 7; \"unit\n# 12 of March\n\nserial;17\n";
  const Table found = table(above + "a;b;y\n1;2;u\n3;5;v\n", {.skip_lines = 4});
  EXPECT_THAT(row(found, 1), ElementsAre(3.0F, 5.0F));
  EXPECT_THAT(found.line, ElementsAre(6, 7)) << "lines count from the start of the file";
  EXPECT_THAT(found.warning, ElementsAre("t.csv: the first 4 lines were passed over, as --skip-lines says"));
  expect_input_error([&] { table(above + "a;b;y\n1;2;u\n3;x;v\n", {.skip_lines = 4}); }, {"line 7, column 2 (b)"});
  EXPECT_EQ(table(above + "\n\n1;2;u\n3;5;v\n", {.skip_lines = 5}).size(), 2) << "blank lines";
  EXPECT_EQ(table("\xEF\xBB\xBFtitle\na;b;y\n1;2;u\n", {.skip_lines = 1}).column[0].name, "a");
  EXPECT_EQ(table("a;y\n1;u\n2;v\n", {.skip_lines = 1}).size(), 2) << "a header may be passed over";
  expect_input_error([] { table("a;y\n1;u\n", {.skip_lines = 2}); },
                     {"holds no samples", "--skip-lines 2 passes over all"});
  expect_input_error([] { table("a;y\n1;u\n", {.skip_lines = -1}); }, {"skip-lines is -1"});
}

TEST(SkipLines, are_advised_where_all_lines_below_others_have_equally_many_fields) {
  for (const std::string above : {"Report\n", "Device: 7\nby the lab, March\n\n", "title;2024\n", "a,b,c,d,e\nf;g\n"}) {
    SCOPED_TRACE(above);
    const auto lines = std::count(above.begin(), above.end(), '\n');
    for (const std::string rows : {"a;b;y\n1;2;u\n3;5;v\n", "a\tb\ty\n1,5\t2\tu\n3\t5\tv\n", "1,2,u\n3,5,v\n6,7,u\n"})
      expect_input_error([&] { table(above + rows); },
                         {text("line ", lines + 1, " and all below have 3 fields"), text("--skip-lines ", lines)});
  }
}

TEST(SkipLines, are_not_advised_where_one_line_is_too_long) {
  std::string content = "a,b,y\n1,2,u\n3,4,v\n5,6,7,u\n";
  for (int k = 0; k < 10; ++k) content += "1,2,u\n";
  expect_input_error([&] { table(content); }, {"line 4 has 4 fields"});
  expect_input_error([] { table("a,b,y\n1,2,u\n3,4,v\n5,6,v\n5,6,7,u\n5,6,7,u\n5,6,7,u\n"); }, {"line 5 has 4 fields"});
  expect_input_error([] { table("a,y\n1,5,u\n2,5,v\n3,5,u\n"); }, {"line 2 has 3 fields"});
  expect_input_error([] { table("a,b,y\n1,2,u,\n2,5,v,\n3,5,u,\n"); }, {"line 2 has 4 fields"});
  expect_input_error([] { table("a;y\n1,5;u\n2,5;3;v\n3,5;u\n2,5;u\n"); }, {"line 3 has 3 fields"});
}

TEST(SkipLines, are_advised_below_a_title_that_a_spreadsheet_filled_up) {
  for (const std::string above : {"Report;;\n;;\n", "Report;;\nMarch 2024;;\n"}) {
    expect_input_error([&] { table(above + "a;b;y\n1;2;u\n3;5;v\n"); },
                       {"line 3 has a word in each field", "--skip-lines 2"});
    EXPECT_EQ(table(above + "a;b;y\n1;2;u\n3;5;v\n", {.skip_lines = 2}).size(), 2);
  }
}

TEST(SkipLines, are_not_advised_where_rows_have_names_without_a_heading) {
  const std::string words = "a\tb\nr1\tx\tu\nr2\ty\tv\nr3\tx\tu\n";
  EXPECT_EQ(table(words, {.categorical = "onehot"}).size(), 3);
}

TEST(SkipLines, count_no_empty_lines) {
  EXPECT_EQ(table("Report;;\n;;\na;b;y\n1;2;u\n3;5;v\n", {.skip_lines = 1}).size(), 2);
}

TEST(SkipLines, are_not_advised_for_data_to_predict) {
  const TableParams words{.header = "yes", .categorical = "onehot"};
  const TableEncoding encoding = fit_encoding(table("road;y\nRoute 1;u\nHighway 2;v\n", words), {}, words);
  EXPECT_EQ(table("road\nRoute 66\nHighway 5\nRoute 7\n", {.labelled = false}, &encoding).size(), 3);
}

}  // namespace
}  // namespace krossfold::tables
