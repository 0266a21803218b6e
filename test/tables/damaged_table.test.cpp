// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <random>

#include "krossfold/tables/table.hpp"
#include "krossfold/tables/table_description.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::tables {
namespace {

/// Changes, removes, duplicates or inserts a few bytes.
std::string damaged(std::string content, std::mt19937& random) {
  static constexpr char bytes[] = "0123456789.,;:-+eE\"'\r\n \t#?naifNA\xEF\0\xFF";
  static const std::string letters(bytes, sizeof bytes - 1);  // with the 0 amid them
  for (int change = 1 + static_cast<int>(random() % 4); change > 0; --change) {
    const std::size_t at = random() % (content.size() + 1);
    const char letter = letters[random() % letters.size()];
    switch (random() % 4) {
      case 0:
        content.insert(at, 1, letter);
        break;
      case 1:
        content.erase(at, random() % 8);
        break;
      case 2:
        content.insert(at, content.substr(at, random() % 8));
        break;
      default:
        if (at < content.size()) content[at] = letter;
    }
  }
  return content;
}

TEST(DamagedTable, gives_data_or_an_error_that_names_it) {
  const std::string good =
      "age,colour,size,who,kind\n31,red,1.5,a,yes\n44,\"blue, "
      "dark\",2,a,no\n,red,1e1,b,yes\n17,?,-3,c,no\n18,red,4,c,no\n";
  std::string semicolons = good;
  for (char& letter : semicolons) letter = letter == ',' ? ';' : letter;
  const unsigned seed = 181;
  std::mt19937 random(seed);
  int read_well = 0, refused = 0;
  for (int round = 0; round < 12000; ++round) {
    TableParams params{.categorical = round % 3 == 0 ? "refuse" : "onehot"};
    params.missing = std::vector<std::string>{"mean", "median", "drop", "refuse"}[random() % 4];
    if (round % 5 == 0) params.group = "who";
    if (round % 7 == 0) params.drop = {"2"};
    const std::string content = damaged(round % 2 == 0 ? good : semicolons, random);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", round " << round << ":\n" << content);
    try {
      const Table table = parse_table(test::bytes_of(content), "some file", params);
      const TableEncoding encoding = fit_encoding(table, {}, params);
      const data::Dataset dataset = encode(table, encoding, params);
      ASSERT_GT(dataset.size(), 0);
      ASSERT_EQ(dataset.features(), encoding.features());
      for (int i = 0; i < dataset.size(); ++i) {
        for (const float value : test::row(dataset, i)) ASSERT_TRUE(std::isfinite(value));
      }
      for (const int label : test::all_labels(dataset)) ASSERT_TRUE(label >= 0 && label < dataset.classes());
      ASSERT_FALSE(lines(describe(table, encoding, true)).empty());
      // What was learnt from a file reads the file itself.
      const Table again = parse_table(test::bytes_of(content), "some file", {.missing = params.missing}, &encoding);
      ASSERT_EQ(encode(again, encoding, params).raw.extent(1), dataset.raw.extent(1));
      ++read_well;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ExitCode::usage) << error.what();
      ASSERT_THAT(error.what(), testing::HasSubstr("some file"));
      ++refused;
    }
  }
  EXPECT_GT(read_well, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace krossfold::tables
