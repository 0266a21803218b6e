// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/text.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::tables {
namespace {

using testing::ElementsAre;

TEST(EmbeddedDigits, are_the_published_test_set) {
  const data::Dataset digits = embedded_digits();
  EXPECT_EQ(digits.size(), 1797);
  EXPECT_EQ(digits.features(), 64);
  EXPECT_EQ(digits.image.width, 8);
  EXPECT_EQ(digits.image.height, 8);
  EXPECT_TRUE(digits.integer);
  EXPECT_EQ(digits.lowest, 0);
  EXPECT_EQ(digits.highest, 16);
  EXPECT_THAT(digits.class_name, ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
  // These are the class counts in the data set's documentation.
  std::vector<int> count(10, 0);
  double sum = 0;
  for (int i = 0; i < digits.size(); ++i) {
    ++count[digits.label(i)];
    for (int j = 0; j < digits.features(); ++j) sum += digits.raw(i, j);
  }
  EXPECT_THAT(count, ElementsAre(178, 182, 177, 183, 181, 182, 181, 179, 174, 180));
  EXPECT_EQ(sum, 561718);
}

// A Python program that follows the comment of make_dataset computed this from data/digits.csv.gz. Results of earlier
// versions store this digest: if it changes, their studies cannot be continued.
TEST(EmbeddedDigits, keep_their_digest_for_ever) {
  EXPECT_EQ(embedded_digits().digest, 0x98b73a058331062dULL);
  EXPECT_EQ(data::rows(embedded_digits(), 0, 1438).digest, 0xc098ca8d24111492ULL);
}

TEST(EmbeddedDigits, are_the_same_when_written_as_csv_or_libsvm_and_read_again) {
  const data::Dataset digits = embedded_digits();
  std::string csv, libsvm;
  for (int i = 0; i < digits.size(); ++i) {
    libsvm += digits.class_name[digits.label(i)];
    for (int j = 0; j < digits.features(); ++j) {
      const auto value = text(digits.raw(i, j));
      csv += value + ",";
      if (value != "0") libsvm += text(" ", j + 1, ":", value);
    }
    csv += digits.class_name[digits.label(i)] + "\n";
    libsvm += "\n";
  }
  const test::SampleFolder folder;
  const TableParams params{.image = "8x8"};
  EXPECT_EQ(table_dataset(read_table(folder.write("digits.csv", csv), params), params).digest, digits.digest);
  const data::Dataset packed =
      table_dataset(read_table(folder.write("digits.csv.gz", test::gzipped(csv)), params), params);
  EXPECT_EQ(packed.digest, digits.digest);
  EXPECT_EQ(packed.image.width, 8);
  EXPECT_EQ(read_libsvm(folder.write("d.svm", libsvm), {.features = 64}).digest, digits.digest);
}

}  // namespace
}  // namespace krossfold::tables
