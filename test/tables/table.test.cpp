// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/table.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "krossfold/core/text.hpp"
#include "krossfold/tables/readers.hpp"
#include "test/data/sample_files.hpp"
#include "test/tables/parsed_table.hpp"

namespace krossfold::tables {
namespace {

using test::expect_input_error;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

data::Dataset dataset(const std::string& content, const TableParams& params = {}) {
  return table_dataset(table(content, params), params);
}

void refused(const std::string& content, const std::vector<std::string>& parts, const TableParams& params = {}) {
  SCOPED_TRACE(content);
  expect_input_error([&] { dataset(content, params); }, parts);
}

TEST(Table, reads_every_float_as_strtof_does) {
  const unsigned seed = 1818;
  std::mt19937 random(seed);
  const char* const formats[] = {"%.9g", "%.17e", "%.20f", "%.3f", "%.1f", "%.0f", "%.17g", "%.12g"};
  std::string content;
  std::vector<float> written;
  for (int i = 0; i < 40000; ++i) {
    float value = 0;
    const std::uint32_t bits = random();
    std::memcpy(&value, &bits, sizeof value);
    // Values of every size, and values as measurements have them.
    if (!std::isfinite(value) || i % 2 == 0) value = static_cast<float>(static_cast<std::int32_t>(random()) / 1e5);
    char buffer[128];
    std::snprintf(buffer, sizeof buffer, formats[random() % 8],
                  static_cast<double>(value) * (i % 3 == 0 ? 1.0000001 : 1));
    const float expected = std::strtof(buffer, nullptr);
    if (!std::isfinite(expected)) continue;
    content += std::string(buffer) + (written.size() % 4 == 3 ? ",a\n" : ",");
    written.push_back(expected);
  }
  while (written.size() % 4 != 0) {
    content += written.size() % 4 == 3 ? "1,b\n" : "1,";
    written.push_back(1);
  }
  const data::Dataset read = dataset(content);
  ASSERT_EQ(static_cast<std::size_t>(read.size()) * 4, written.size());
  for (std::size_t i = 0; i < written.size(); ++i)
    ASSERT_EQ(read.raw(i / 4, i % 4), written[i]) << "seed " << seed << ", " << i;
}

TEST(Table, rounds_decimals_halfway_between_floats_like_strtof) {
  // 1 + 2^-24 lies half-way between 1 and the next float; the digits that follow it decide.
  for (const std::string number :
       {"1.000000059604644775390625", "1.0000000596046448", "1.0000000596046447", "1.00000005960464478", "16777217.0",
        "16777217", "16777219", "33554434.5", "9007199254740993", "0.1", "-0.3", ".5", "5."}) {
    EXPECT_EQ(dataset(number + ",a\n1,b\n").raw(0, 0), std::strtof(number.c_str(), nullptr)) << number;
  }
}

TEST(Table, keeps_columns_for_their_uses) {
  const std::string content = "id,a,who,kind,b,w\n7,1,x,p,2,1\n8,3,y,q,4,0.5\n9,5,x,p,6,2\n";
  const TableParams params{.label = "kind", .group = "who", .weight = "-1", .drop = {"id"}};
  const data::Dataset read = dataset(content, params);
  EXPECT_THAT(test::row(read, 1), ElementsAre(3, 4));
  EXPECT_THAT(read.feature_names(), ElementsAre("a", "b"));
  EXPECT_THAT(read.class_name, ElementsAre("p", "q"));
  EXPECT_THAT(test::all_labels(read), ElementsAre(0, 1, 0));
  EXPECT_THAT(list_of(read.group), ElementsAre(0, 1, 0));
  EXPECT_THAT(list_of(read.weight), ElementsAre(1, 0.5, 2));
  EXPECT_THAT(table(content, params).dropped, ElementsAre("column 1 (id)"));
  EXPECT_NE(read.digest, dataset(content, {.label = "kind", .drop = {"id", "w", "who"}}).digest);
  const data::Dataset part = data::rows(read, 1, 2);
  EXPECT_THAT(part.feature_names(), ElementsAre("a", "b"));
  EXPECT_THAT(list_of(part.group), ElementsAre(1, 0));
  EXPECT_THAT(list_of(part.weight), ElementsAre(0.5, 2));
}

TEST(Table, takes_the_last_column_without_another_use_for_the_label) {
  EXPECT_THAT(dataset("1,a,0.5\n2,b,1\n", {.weight = "3"}).class_name, ElementsAre("a", "b"));
  refused("1,a\n2,b\n", {"t.csv has no column left"}, {.drop = {"1", "2"}});
  refused("1,a\n2,b\n", {"nothing but a label"}, {.drop = {"1"}});
  refused("1,a\n2,b\n", {"column 1 of t.csv has two uses"}, {.label = "1", .drop = {"1"}});
}

TEST(Table, prefers_a_name_to_a_number_and_warns) {
  const std::string content = "0,1,2,3\n1.5,2.5,x,9\n3.5,4.5,y,9\n";
  const Table read = table(content, {.label = "2", .drop = {"3"}});
  EXPECT_EQ(read.label_column, 3);
  EXPECT_THAT(
      read.warning,
      ElementsAre(HasSubstr("drop 3 was taken for the column of that name, which is column 4, not for column 3"),
                  HasSubstr("label 2 was taken")));
  refused("1.5,x\n2,y\n", {"t.csv has no column 3", "columns 1 to 2"}, {.label = "3"});
  refused("1.5,x\n2,y\n", {"t.csv has no column 0"}, {.label = "0"});
  refused("1.5,x\n2,y\n", {"no column called 'z'", "no header"}, {.label = "z", .header = "no"});
  refused("a,a,b\n1,2,x\n1,2,y\n", {"more than one column called 'a'"}, {.drop = {"a"}});
}

TEST(Table, names_line_and_column_of_what_it_refuses) {
  refused("a,b,c\n1,2,x\n1,zwei,y\n",
          {"t.csv, line 3, column 2 (b)", "'zwei' is not a number", "categorical onehot", "drop"});
  refused("1,2,x\n1,,y\n", {"t.csv, line 2, column 2", "missing", "empty", "mean"});
  refused("1,2,x\n1,NA,y\n", {"t.csv, line 2, column 2", "missing", "'NA'"});
  refused("1,2,x\n1,inf,y\n", {"t.csv, line 2, column 2", "not a finite number"});
  refused("1,2,x\n1,1e39,y\n", {"t.csv, line 2, column 2", "too large"});
  refused("1,2,x\n1,2,\n", {"t.csv, line 2, column 3", "the label is missing"});
  refused("1,2,x\n\n1,2,3,y\n", {"t.csv, line 3 has 4 fields", "line 1 has 3"});
  refused("1,2,x\n1,y\n", {"t.csv, line 2 has 2 fields"});
  refused("1,2,x\n1,\"2,y\n", {"t.csv, line 2, column 2", "quote is not closed"});
  const TableParams onehot{.categorical = "onehot"};
  refused("\"a\",\"n\"\n\"5\\\" pot\",1\n\"tray\",2\n", {"text follows a closing quote", "qmethod = \"double\""},
          onehot);
  refused("\"a\" \"n\"\n\"5\\\" pot\" 1\n\"tray\" 2\n", {"line 2 has 3 fields", "qmethod = \"double\""}, onehot);
  refused("d,n,k\n\"C:\\a\\\",1,x\n\"C:\\b\\\",2,x,7\n", {"line 3 has 4 fields", "Give all lines the same fields"},
          onehot);
  refused("1,2,x\n1,\"2\"3,y\n", {"t.csv, line 2, column 2", "follows a closing quote"});
  refused("1;2;x\n1;2,5;y\n1.5;3;x\n", {"t.csv, line 2, column 2", "'2,5' has a decimal comma"});
  refused("1,x,1\n1,y,-1\n", {"t.csv, line 2, column 3", "the weight '-1' is negative"}, {.weight = "3"});
  refused("1,x,1\n1,y,inf\n", {"t.csv, line 2, column 3", "the weight 'inf' is not finite"}, {.weight = "3"});
  refused("1,x,1\n1,y,1e400\n", {"t.csv, line 2, column 3", "the weight '1e400'", "at most 1.8e308"}, {.weight = "3"});
  EXPECT_THAT(table("1,x,1e39\n1,y,1e-320\n2,y,1e-400\n", {.weight = "3"}).weight, ElementsAre(1e39, 1e-320, 0));
  refused("1,x,0\n1,y,0\n", {"all weights of t.csv are 0"}, {.weight = "3"});
  refused("1,2,x\r1,3,y\r", {"t.csv ends its lines with CR alone"});
  refused("1,2,x\n1,3\r4,y\n", {"t.csv, line 2", "byte 4 of the line is a carriage return"});
  refused("1,2,x\r\n1,\"3\r4\",y\r\n", {"t.csv, line 2", "is a carriage return"});
  refused(std::string("1,2,x\n1,\0,y\n", 12), {"t.csv is no table of text"});
  refused("", {"t.csv holds no samples"});
  refused("# 1,2,x\n", {"t.csv holds no samples", "#"});
  refused("a,b,c\n", {"t.csv holds no samples"});
  refused("1\n2\n", {"nothing but a label"});
  // Many short lines after a long one must not make the reader allocate memory for as many long lines.
  refused(std::string(200'000, ',') + "\n" + std::string(100'000, '\n') + "1\n2\n", {"t.csv"});
}

TEST(Table, finds_the_delimiter_that_explains_the_lines) {
  EXPECT_EQ(dataset("1, 2, x y\n3, 4, z\n").features(), 2);
  EXPECT_EQ(dataset("1\t2\tx, y\n3\t4\tz, u\n").features(), 2);
  EXPECT_EQ(dataset("  1   2 x\n3 4\t y  \n").features(), 2);
  EXPECT_EQ(dataset("1,2,\"x;y\"\n3,4,\"z;u\"\n").features(), 2);
  EXPECT_EQ(dataset("1;2;x\n3;4;y\n", {.delimiter = "semicolon"}).features(), 2);
  refused("1;2;x\n3;4;y\n", {"nothing but a label", "delimiter"}, {.delimiter = "comma"});
  refused("1,2\n", {"unknown delimiter 'colon'"}, {.delimiter = "colon"});
}

TEST(Table, fits_what_is_missing_on_the_training_part) {
  const TableParams params{.missing = "mean", .categorical = "onehot"};
  const Table read = table("a,b,k\n1,red,x\nNA,blue,y\n3,red,x\n100,green,y\n", params);
  const TableEncoding encoding = fit_encoding(read, {0, 1, 2}, params);
  std::vector<std::string> warning;
  const data::Dataset encoded = encode(read, encoding, params, {}, &warning);
  EXPECT_THAT(encoded.feature_names(), ElementsAre("a", "b=blue", "b=red"));
  EXPECT_THAT(test::row(encoded, 1), ElementsAre(2, 1, 0));
  EXPECT_THAT(test::row(encoded, 3), ElementsAre(100, 0, 0));
  EXPECT_THAT(warning, ElementsAre(testing::AllOf(HasSubstr("column 2 (b)"), HasSubstr("'green' in line 5"))));
  refused("1,,x\n2,NA,y\n", {"column 2 of t.csv has no value"}, params);
  refused("1,,,x\n2,NA,,y\n", {"column 2, column 3 of t.csv have no value", "Leave the columns out"}, params);
}

TEST(Table, has_no_words_that_only_samples_without_a_label_have) {
  const Table read = table("a,b,k\n1.5,,x\n2.5,,y\n3.5,red,\n4.5,,x\n", {.missing = "mean", .categorical = "onehot"});
  EXPECT_EQ(read.size(), 3);
  EXPECT_FALSE(read.column[1].text);
  EXPECT_THAT(read.warning, testing::Contains(testing::HasSubstr("columns without a value in any sample: b")));
}

TEST(Table, takes_the_group_of_training_by_a_negative_number_too) {
  const std::string lines = "1,p,2,x\n3,q,4,y\n5,p,6,x\n";
  const TableEncoding model = fit_encoding(table(lines, {.group = "-3"}), {}, {});
  EXPECT_EQ(table(lines, {.group = "-3"}, &model).group.word.size(), 2u);
}

TEST(Table, warns_of_suspicious_columns_and_samples) {
  EXPECT_THAT(table("1,5,a\n2,3,b\n3,4,a\n").warning,
              ElementsAre(HasSubstr("column 1 counts 1, 2, 3, ... like an index")));
  EXPECT_THAT(table("x,y,k\n0,5,a\n1,3,b\n2,4,a\n").warning, ElementsAre(HasSubstr("drop x")));
  EXPECT_THAT(table("1,5,a\n1,3,b\n1,4,a\n").warning, ElementsAre(HasSubstr("the same value in every sample: 1")));
  EXPECT_THAT(table("2,2,a\n9,9,b\n4,4,a\n").warning, ElementsAre(HasSubstr("columns that are equal: 1 = 2")));
  EXPECT_THAT(
      table("2,3,a\n9,1,b\n2,3,b\n").warning,
      ElementsAre(HasSubstr("2 samples have a twin with the same features but another label, such as lines 1 and 3")));
  EXPECT_THAT(table("2,3,a\n9,1,b\n2,3,a\n").warning, IsEmpty());
  EXPECT_THAT(table("k,n,c\nred,1,a\n2,4,b\nred,2,a\n", {.categorical = "onehot"}).warning,
              ElementsAre(HasSubstr("column 1 (k) holds 1 numbers and 2 words (the first, 'red', in line 2)")));
}

TEST(Table, names_a_code_that_often_stands_for_a_missing_value) {
  const std::string lines = "m,k\n.,a\n1.5,b\n2.5,a\n3.5,b\n";
  const std::string advice = "if '.' stands for a missing value, empty such fields";
  expect_input_error([&] { table(lines); }, {"line 2, column 1 (m): '.' is not a number", advice});
  EXPECT_THAT(table(lines, {.categorical = "onehot"}).warning, ElementsAre(HasSubstr(advice)));
  std::string many = "m,k\n";
  for (int i = 0; i < 60; ++i) many += text(i % 10 == 0 ? "-" : text(i, ".5"), i % 2 == 0 ? ",a\n" : ",b\n");
  EXPECT_THAT(table(many, {.categorical = "onehot"}).warning, ElementsAre(HasSubstr("if '-' stands for a missing")));
}

TEST(Table, warns_of_columns_that_single_precision_merges) {
  const auto near = testing::AllOf(HasSubstr("single precision merges"), HasSubstr("1 (steps of 128)"));
  EXPECT_THAT(table("1700000000,5,a\n1700000010,3,b\n1700000900,4,a\n").warning, testing::Contains(near));
  EXPECT_THAT(table("1700000001,5,a\n1700000000,3,b\n1700000002,4,a\n").warning, testing::Contains(near))
      << "one value is left";
  EXPECT_THAT(table("100000.125,5,a\n100000.5,3,b\n100000.375,4,a\n").warning,
              testing::Contains(HasSubstr("1 (steps of 0.0078125)")));
  for (const std::string whole : {"9000000", "12000000", "16000000"}) {  // as floats all of them are whole
    EXPECT_THAT(table(whole + ".1,5,a\n" + whole + ".9,3,b\n" + whole + "2.25,4,a\n").warning, IsEmpty());
    const std::string near_by = whole.substr(0, whole.size() - 1);
    EXPECT_THAT(table(near_by + "0.1,5,a\n" + near_by + "2.9,3,b\n+" + near_by + "3.25,4,a\n").warning,
                testing::Contains(HasSubstr("1 (steps of 1)")));
  }
  EXPECT_THAT(table("2460000.500,5,a\n2460000.501,3,b\n2460000.502,4,a\n").warning,
              testing::Contains(HasSubstr("1 (steps of 0.25)")))
      << "one value is left";
  EXPECT_THAT(table("262144.5,5,a\n262145.5,3,b\n262146.5,4,a\n").warning, testing::Not(IsEmpty()))
      << "less than 4096 steps";
  EXPECT_THAT(table("16000000,5,a\n16000003,3,b\n16000002,4,a\n").warning, IsEmpty()) << "whole numbers up to 2^24";
  EXPECT_THAT(table("1e9,5,a\n-1e9,3,b\n2.5,4,a\n").warning, IsEmpty()) << "large differences";
  EXPECT_THAT(table("0.1,5,a\n0.2,3,b\n0.15,4,a\n").warning, IsEmpty());
}

TEST(Table, warns_of_codes_for_missing_values) {
  const auto with = [](const std::string& code, const std::string& other) {
    return table("x,y,k\n" + code + ",5,a\n3,4,b\n" + other + ",6,a\n6,2,b\n4.5,1,a\n").warning;
  };
  EXPECT_THAT(with("-999", "-999"), ElementsAre(HasSubstr("column 1 (x) (-999 in 2 samples, else 3 to 6)")));
  EXPECT_THAT(with("9999", "9999"), ElementsAre(HasSubstr("9999 in 2 samples")));
  EXPECT_THAT(with("-999", "5"), IsEmpty()) << "once may be an outlier";
  EXPECT_THAT(with("-998", "-998"), IsEmpty()) << "no number of nines";
  EXPECT_THAT(table("x,k\n999,a\n999,b\n600,a\n100,b\n").warning, testing::Not(testing::Contains(HasSubstr("code"))))
      << "no farther away than the others from one another";
}

TEST(Table, warns_of_numbers_that_single_precision_makes_zero) {
  const auto small = HasSubstr("too small for single precision, in which they become 0 or lose digits: 1;");
  EXPECT_THAT(table("1e-60,5,a\n2e-55,3,b\n1e-70,4,a\n").warning, testing::Contains(small));
  EXPECT_THAT(table("1e-46,5,a\n2e-46,3,b\n5e-47,4,a\n").warning, testing::Contains(small));
  EXPECT_THAT(table("1e-42,5,a\n2e-42,3,b\n5e-43,4,a\n").warning, testing::Contains(small));
  EXPECT_THAT(table("1e-60,5,a\n0.02,3,b\n0.5,4,a\n").warning, IsEmpty()) << "beside 0.5 it is nothing";
  EXPECT_THAT(table("0,5,a\n0e-80,3,b\n0.00,4,a\n").warning, ElementsAre(HasSubstr("the same value in every sample")));
}

TEST(Table, takes_minus_zero_for_zero) {
  EXPECT_THAT(table("-0,7,a\n0,7,b\n3,4,a\n").warning, ElementsAre(HasSubstr("2 samples have a twin")));
  EXPECT_THAT(table("-0,7,a\n0,6,b\n0,4,a\n").warning, ElementsAre(HasSubstr("the same value in every sample: 1")));
}

TEST(Table, refuses_a_workbook) {
  expect_input_error([] { table("PK\x03\x04 and so on"); }, {"t.csv is no table of text", "Excel", "CSV"});
}

TEST(Table, refuses_text_that_is_not_in_utf8) {
  expect_input_error(
      [] {
        table(
            "x,gr\xf6\xdf"
            "e,k\n1,2,a\n2,3,b\n");
      },
      {"t.csv, line 1 is not in UTF-8", "byte 4", "iconv"});
  expect_input_error([] { table("x,y,k\n1,2,a\n2,3,\xe9t\xe9\n"); }, {"line 3 is not in UTF-8"});
  EXPECT_THAT(table("x,y,k\n1,2,\xc3\xa9t\xc3\xa9\n2,3,\xe2\x82\xac\n3,5,\xf0\x9f\x8c\xb1\n").label.word,
              ElementsAre("\xc3\xa9t\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x8c\xb1"));
}

TEST(Table, makes_images_only_of_what_is_said_to_be_images) {
  const std::string content = "0,200,3,4,a\n5,6,7,255,b\n";
  EXPECT_EQ(dataset(content).image.width, 0);
  EXPECT_EQ(dataset(content, {.image = "2x2"}).image, (data::ImageShape{2, 2, 1}));
  EXPECT_EQ(dataset(content, {.image = "1x2x2"}).image, (data::ImageShape{1, 2, 2}));
  refused(content, {"the image shape 3x3 does not fit t.csv", "4 features"}, {.image = "3x3"});
  for (const char* bad : {"3", "x3", "3x", "0x4", "2x2x", "2x2x0", "2x2 ", "-2x2"})
    refused(content, {"bad image shape"}, {.image = bad});
}

}  // namespace
}  // namespace krossfold::tables
