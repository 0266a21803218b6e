// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "krossfold/tables/table.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::tables {
namespace {

using test::all_labels;
using test::bytes_of;
using test::expect_input_error;
using testing::ElementsAre;

data::Dataset csv(const std::string& content) { return table_dataset(parse_table(bytes_of(content), "t.csv")); }

void refused(const std::string& content, const std::vector<std::string>& parts) {
  SCOPED_TRACE(content);
  expect_input_error([&] { csv(content); }, parts);
}

TEST(Csv, reads_features_and_then_the_label) {
  const data::Dataset dataset = csv("1,2.5,cat\n-3,4e1,dog\n+5, 6 ,cat\n");
  EXPECT_THAT(test::row(dataset, 0), ElementsAre(1, 2.5));
  EXPECT_THAT(test::row(dataset, 1), ElementsAre(-3, 40));
  EXPECT_THAT(test::row(dataset, 2), ElementsAre(5, 6));
  EXPECT_THAT(dataset.class_name, ElementsAre("cat", "dog"));
  EXPECT_THAT(all_labels(dataset), ElementsAre(0, 1, 0));
  EXPECT_EQ(dataset.name, "t.csv");
}

TEST(Csv, is_the_same_whatever_the_ends_of_lines_blanks_and_quotes) {
  const Digest digest = csv("1,2,a\n3,4,b\n").digest;
  for (const char* content :
       {"1,2,a\n3,4,b", "1,2,a\r\n3,4,b\r\n",
        "\xEF\xBB\xBF"
        "1,2,a\n3,4,b\n",
        "\n\n1,2,a\n   \n\r\n3,4,b\n\n", "x,y,class\n1,2,a\n3,4,b\n", "\"1\",\"2\",\"a\"\n\"3\" , \"4\",b\n",
        " 1,\t2,a \n3,4.0,b\n", "\"x, or so\",,\n1,2,a\n3,4,b\n"}) {
    EXPECT_EQ(csv(content).digest, digest) << content;
  }
}

TEST(Csv, keeps_commas_and_doubled_quotes_within_quotes) {
  EXPECT_THAT(csv("1,\"a, \"\"b\"\"\"\n2,c\n").class_name, ElementsAre("a, \"b\"", "c"));
}

TEST(Csv, reads_every_float_as_it_was_printed) {
  const unsigned seed = 20240;
  std::mt19937 random(seed);
  std::string content;
  std::vector<float> written;
  while (written.size() < 3000) {
    const std::uint32_t bits = random();
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    char buffer[64];
    std::snprintf(buffer, sizeof buffer,
                  written.size() % 3 == 0   ? "%.9g"
                  : written.size() % 3 == 1 ? "%.17e"
                                            : "%.60f",
                  value);
    content += std::string(buffer) + ",x\n";
    written.push_back(std::strtof(buffer, nullptr));
  }
  const data::Dataset dataset = csv(content);
  ASSERT_EQ(dataset.size(), static_cast<int>(written.size()));
  for (int i = 0; i < dataset.size(); ++i) ASSERT_EQ(dataset.raw(i, 0), written[i]) << "seed " << seed << ", " << i;
}

TEST(Csv, reads_whole_numbers_of_any_length) {
  const data::Dataset dataset = csv("0,007,1234567,12345678,16777216,99999999999,a\n");
  EXPECT_THAT(test::row(dataset, 0), ElementsAre(0, 7, 1234567, 12345678, 16777216, 99999999999.0f));
}

TEST(Csv, takes_what_is_too_small_for_zero_and_refuses_what_is_too_large) {
  EXPECT_THAT(test::row(csv("1e-60,-1e-400,1e-40,a\n1,1,1,b\n"), 0), ElementsAre(0, 0, 1e-40f));
  refused("1,2,a\n1,1e39,b\n", {"line 2, column 2", "'1e39' is too large"});
  refused("1,2,a\n1,1e999,b\n", {"line 2, column 2", "'1e999' is too large"});
}

TEST(Csv, names_line_and_column_of_a_bad_number) {
  refused("1,2,a\n\n1,zwei,b\n", {"t.csv, line 3, column 2", "'zwei' is not a number"});
  refused("h1,h2,h3\n1,2,a\n1,2x,b\n", {"line 3, column 2", "'2x'"});
  refused("1,2,a\n1,,b\n", {"line 2, column 2", "missing"});
  refused("1,2,b\n1,0x10,a\n", {"line 2, column 2", "'0x10'"});
  refused("1,2,b\n1,1.5.2,a\n", {"line 2, column 2"});
  refused("1,2,b\n1,12 3,a\n", {"line 2, column 2", "'12 3'"});
  refused("1,2,b\n1,+-3,a\n", {"line 2, column 2", "'+-3'"});
}

TEST(Csv, warns_of_a_first_line_with_words_and_numbers_above_numbers) {
  const Table table = parse_table(bytes_of("1,0x10,a\n1,2,b\n3,4,a\n"), "t.csv");
  EXPECT_EQ(table.size(), 2);
  EXPECT_THAT(table.warning, testing::Contains(testing::HasSubstr("header no")));
}

TEST(Csv, names_line_and_column_of_a_value_that_is_not_finite) {
  for (const std::string bad : {"inf", "-inf", "Infinity"}) {
    refused("1,2,3,a\n4,5," + bad + ",b\n", {"t.csv, line 2, column 3", "'" + bad + "' is not a finite number"});
  }
  for (const std::string missing : {"nan", "NaN", "", "?"}) {
    refused("1,2,3,a\n4,5," + missing + ",b\n", {"t.csv, line 2, column 3", "the value is missing"});
  }
  refused("nan,nan,a\n1,2,b\n", {"line 1, column 1"});
}

TEST(Csv, names_a_line_of_another_length) {
  refused("1,2,a\n1,2,3,b\n", {"t.csv, line 2 has 4 fields", "line 1 has 3"});
  refused("1,2,a\n1,b\n", {"line 2 has 2 fields"});
  refused("1,2,a\n1,2,b\n1\n", {"line 3 has 1 field"});
  refused("x,y,class\n1,2\n", {"line 2 has 2 fields"});
  // Many short lines after a long one must not make the reader allocate memory for as many long lines.
  refused(std::string(2'000'000, ',') + "\n" + std::string(1'000'000, '\n') + "1\n2\n", {"t.csv"});
}

TEST(Csv, names_the_line_of_a_missing_label) {
  refused("1,2,a\n1,2,\n", {"t.csv, line 2, column 3", "label is missing"});
  refused("1,2,1\n1,2,nan\n", {"line 2, column 3", "label is missing", "'nan'"});
}

TEST(Csv, refuses_files_that_hold_nothing) {
  refused("", {"t.csv holds no samples"});
  refused("\n \n\r\n", {"t.csv holds no samples"});
  refused("x,y,class\n", {"t.csv holds no samples"});
  refused("1\n2\n", {"t.csv", "nothing but a label", "commas"});
}

TEST(Csv, names_the_line_of_a_broken_quote) {
  refused("1,a\n\"2,b\n", {"t.csv, line 2, column 1", "not closed"});
  refused("1,a\n\"2\"3,b\n", {"t.csv, line 2, column 1", "follows a closing quote"});
}

TEST(Csv, cuts_long_words_in_messages) {
  refused("1,2,a\n1," + std::string(10000, 'z') + ",b\n", {std::string(40, 'z') + "...'"});
}

TEST(Csv, compressed_files_give_the_same_data_set) {
  const test::SampleFolder folder;
  const std::string content = "1,2,a\n3,4,b\n";
  const data::Dataset packed = table_dataset(read_table(folder.write("t.csv.gz", test::gzipped(content))));
  EXPECT_EQ(packed.digest, table_dataset(read_table(folder.write("t.csv", content))).digest);
  EXPECT_EQ(packed.name, folder.path("t.csv.gz"));
}

}  // namespace
}  // namespace krossfold::tables
