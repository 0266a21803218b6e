// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <random>

#include "krossfold/input/read_idx.hpp"
#include "krossfold/tables/readers.hpp"
#include "test/data/sample_files.hpp"
#include "test/input/idx_bytes.hpp"

namespace krossfold::input {
namespace {

/// Changes, removes, duplicates or inserts a few bytes.
std::string damaged(std::string content, std::mt19937& random) {
  static const std::string letters = "0123456789.,:-+eE\"\r\n \t#naif\xEF\0\xFF";
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

/// Damaged input must give either a complete data set of finite values or an input error naming the file.
void expect_data_or_error(const std::string& good, unsigned seed, int rounds,
                          const std::function<data::Dataset(const std::string&)>& read) {
  std::mt19937 random(seed);
  int read_well = 0, refused = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string content = damaged(good, random);
    try {
      const data::Dataset dataset = read(content);
      ASSERT_GT(dataset.size(), 0);
      ASSERT_TRUE(std::isfinite(dataset.lowest) && std::isfinite(dataset.highest)) << content;
      for (const int label : test::all_labels(dataset)) ASSERT_TRUE(label >= 0 && label < dataset.classes()) << content;
      ++read_well;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ExitCode::usage) << error.what();
      ASSERT_THAT(error.what(), testing::HasSubstr("some file")) << "seed " << seed << ", round " << round << ":\n"
                                                                 << content;
      ++refused;
    }
  }
  EXPECT_GT(read_well, 20);
  EXPECT_GT(refused, 20);
}

TEST(DamagedInput, libsvm_gives_data_or_an_error_that_names_it) {
  for (const bool labelled : {true, false}) {
    expect_data_or_error("1 1:2 3:4.5 # x\n-1 2:1e1\n1 1:0 2:3 3:-7\n", 12, 4000, [&](const std::string& content) {
      return tables::parse_libsvm(test::bytes_of(content), "some file", {.features = 0, .labelled = labelled});
    });
  }
}

TEST(DamagedInput, idx_gives_data_or_an_error_that_names_it) {
  const test::SampleFolder folder;
  const std::string labels = folder.write("some file of labels", test::idx_bytes({2}, "\x01\x02"));
  expect_data_or_error(test::idx_bytes({2, 3, 4}, std::string(24, '\x05')), 13, 500, [&](const std::string& content) {
    return read_idx(folder.write("some file of images", content), labels);
  });
}

}  // namespace
}  // namespace krossfold::input
