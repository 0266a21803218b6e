// SPDX-License-Identifier: BSD-3-Clause
// Files are written with the HDF5 library itself; what Python programs write is tested by test/input/read_hdf5.test.cpp.
#include "krossfold/storage/array_file.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "krossfold/storage/container.hpp"
#include "krossfold/storage/hdf5.hpp"
#include "temporary_folder.hpp"

namespace krossfold::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    return error.what();
  }
  return "no error";
}

/// A file with a 3 x 5 array of counts, words and a number.
std::string sample_file(const test::TemporaryFolder& folder) {
  Container content;
  content.attributes["kind"] = std::string("sample");
  content.attributes["count"] = std::int64_t{7};
  std::vector<std::int32_t> counts(15);
  std::iota(counts.begin(), counts.end(), -4);
  content.arrays.push_back({"/group/counts", {3, 5}, counts, {}, "1", "counts", false});
  content.arrays.push_back({"/words", {3}, std::vector<std::string>{"a", "", "Zoë"}, {}, "1", "words", false});
  content.arrays.push_back({"/half", {}, std::vector<double>{0.5}, {}, "1", "a half", false});
  write_container(folder / "sample.h5", content);
  return folder / "sample.h5";
}

TEST(ArrayFile, reads_rows_of_numbers_and_words) {
  const test::TemporaryFolder folder;
  const ArrayFile file(sample_file(folder));
  const StoredArray counts = file.open("/group/counts");
  EXPECT_THAT(counts.shape(), ElementsAre(3u, 5u));
  EXPECT_EQ(counts.kind(), 'i');
  EXPECT_EQ(counts.bytes(), 8u);
  std::vector<std::int64_t> row(10);
  counts.read(1, 2, row.data());
  EXPECT_THAT(row, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(file.open("/words").read_text(0, 3), ElementsAre("a", "", "Zoë"));
  EXPECT_THAT(file.open("/words").read_text(2, 1), ElementsAre("Zoë"));
  double half = 0;
  file.open("/half").read(0, 1, &half);
  EXPECT_EQ(half, 0.5);
  EXPECT_EQ(file.attribute("kind"), "sample");
  EXPECT_EQ(file.attribute("other"), "");
  EXPECT_EQ(file.attribute("count", std::int64_t{0}), 7);
  EXPECT_TRUE(std::isnan(counts.number("units")));
}

TEST(ArrayFile, names_its_arrays_where_one_is_missing) {
  const test::TemporaryFolder folder;
  const ArrayFile file(sample_file(folder));
  EXPECT_THAT(file.listing(),
              ElementsAre("/group/counts (int32, 3 x 5)", "/half (float64, a single value)", "/words (text, 3)"));
  EXPECT_TRUE(file.has("/group/counts"));
  for (const char* path : {"/group", "/group/count", "/groups/counts", "/x"}) EXPECT_FALSE(file.has(path)) << path;
  EXPECT_THAT(error_of([&] { file.open("/x"); }),
              testing::AllOf(HasSubstr("sample.h5 has no array /x"),
                             HasSubstr("it holds /group/counts (int32, 3 x 5), /half")));
}

TEST(ArrayFile, pieces_are_whole_chunks_of_a_few_mebibytes) {
  const test::TemporaryFolder folder;
  Container content;
  content.attributes["kind"] = std::string("large");
  constexpr std::size_t rows = 3000, columns = 1000;
  std::vector<float> values(rows * columns);
  std::iota(values.begin(), values.end(), 0.0f);
  content.arrays.push_back({"/x", {rows, columns}, values, {}, "1", "values", false});
  write_container(folder / "large.h5", content);
  const StoredArray x = ArrayFile(folder / "large.h5").open("/x");  // it stays open with the array
  EXPECT_GE(x.rows_at_once() * columns * sizeof(float), 1u << 20);
  EXPECT_LE(x.rows_at_once() * columns * sizeof(float), 4u << 20);
  std::vector<float> read(rows * columns);
  for (std::uint64_t first = 0; first < rows; first += x.rows_at_once()) {
    x.read(first, std::min<std::uint64_t>(x.rows_at_once(), rows - first), read.data() + first * columns);
  }
  EXPECT_EQ(read, values);
}

TEST(ArrayFile, refuses_what_cannot_be_read_and_says_why) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "nothing.h5"); }),
              testing::AllOf(HasSubstr("cannot read"), HasSubstr("No such file")));
  EXPECT_THAT(error_of([&] { ArrayFile file(folder.path()); }), HasSubstr("it is a folder"));
  test::put(folder / "text.h5", "a,b\n1,2\n");
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "text.h5"); }), HasSubstr("text.h5 is not a readable HDF5 file"));
  const std::string whole = test::content_of(sample_file(folder));
  test::put(folder / "cut.h5", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "cut.h5"); }), HasSubstr("cut.h5 is not a readable HDF5 file"));
}

TEST(ArrayFile, finds_damaged_values) {
  const test::TemporaryFolder folder;
  Container content;
  content.attributes["kind"] = std::string("sample");
  content.arrays.push_back({"/x", {64}, std::vector<double>(64, 1234.5), {}, "1", "values", false});
  write_container(folder / "x.h5", content);
  std::string bytes = test::content_of(folder / "x.h5");
  const double value = 1234.5;
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&value), sizeof(value)));
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 1;
  test::put(folder / "x.h5", bytes);
  std::vector<double> read(64);
  EXPECT_THAT(error_of([&] { ArrayFile(folder / "x.h5").open("/x").read(0, 64, read.data()); }),
              testing::AllOf(HasSubstr("x.h5, array /x cannot be read"), HasSubstr("HDF5: ")));
}

}  // namespace
}  // namespace krossfold::storage
