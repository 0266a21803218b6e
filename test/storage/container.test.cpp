// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/storage/container.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/text.hpp"
#include "test/source_folder.hpp"
#include "test/storage/sample_container.hpp"
#include "test/storage/temporary_folder.hpp"

namespace {

using namespace krossfold;
using namespace krossfold::storage;
using namespace krossfold::test;
using testing::AllOf;
using testing::HasSubstr;

void expect_same(const Container& found, const Container& expected, std::int64_t version = schema_version) {
  std::map<std::string, Attribute> attributes = expected.attributes;
  attributes["schema_version"] = version;
  EXPECT_EQ(found.attributes, attributes);
  ASSERT_EQ(found.arrays.size(), expected.arrays.size());
  for (const Array& array : expected.arrays) {
    ASSERT_TRUE(found.has(array.path)) << array.path;
    EXPECT_TRUE(same_array(found.at(array.path), array)) << array.path;
  }
}

Container with_one(const Array& array) { return {{{"kind", std::string("test")}}, {array}}; }

TEST(Container, comes_back_from_its_bytes) {
  const Container sample = sample_container();
  expect_same(container_from_bytes(to_bytes(sample), "sample"), sample);
}

TEST(Container, comes_back_from_a_file) {
  const TemporaryFolder folder;
  write_container(folder / "r.h5", sample_container());
  expect_same(read_container(folder / "r.h5"), sample_container());
  EXPECT_EQ(folder.files(), 1);
}

TEST(Container, of_random_shapes_comes_back) {
  constexpr unsigned seed = 20260131;
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return random() % n; };
  for (int trial = 0; trial < 60; ++trial) {
    Container c = with_one({"/x", {}, std::vector<double>{1}, {}, "", ""});
    for (int a = 0; a < 5; ++a) {
      Array array{text("/group", below(3), "/", below(2) ? "deep/" : "", a), {}, {}, {}, "m", ""};
      std::size_t count = 1;
      for (unsigned d = below(5); d > 0; --d) array.shape.push_back(below(7)), count *= array.shape.back();
      const auto fill = [&](auto values) {
        values.resize(count);
        for (auto& v : values) v = static_cast<std::decay_t<decltype(v)>>(static_cast<std::int32_t>(random()));
        array.values = values;
      };
      switch (below(5)) {
        case 0:
          fill(std::vector<double>());
          break;
        case 1:
          fill(std::vector<float>());
          break;
        case 2:
          fill(std::vector<std::int32_t>());
          break;
        case 3:
          fill(std::vector<std::int64_t>());
          break;
        default: {
          std::vector<std::string> words(count);
          for (std::string& word : words) word = std::string(below(9), static_cast<char>('a' + below(26)));
          array.values = words;
        }
      }
      c.arrays.push_back(array);
    }
    SCOPED_TRACE(text("seed ", seed, ", trial ", trial));
    expect_same(container_from_bytes(to_bytes(c), "random"), c);
  }
}

TEST(Container, with_large_values_comes_back) {
  Container c = with_one({"/large", {3, 700, 511}, std::vector<double>(3 * 700 * 511), {}, "1", "several chunks"});
  auto& values = std::get<std::vector<double>>(c.arrays[0].values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) * 0.5;
  c.arrays.push_back({"/row", {2, 400000}, std::vector<float>(800000, 3), {}, "1", "a row above a chunk"});
  c.arrays.push_back({"/text", {}, std::vector<std::string>{std::string(100000, 'y')}, {}, "1", "a long text"});
  c.attributes["hosts"] = std::string(200000, 'z');
  expect_same(container_from_bytes(to_bytes(c), "large"), c);
}

TEST(Container, of_the_same_content_has_the_same_bytes) {
  Container c = sample_container();
  const std::vector<std::byte> bytes = to_bytes(c);
  std::vector<std::vector<char>> heap_with_other_content;
  for (std::size_t size = 8; size < 100000; size *= 2) heap_with_other_content.emplace_back(size, '\x5a');
  heap_with_other_content.clear();
  std::reverse(c.arrays.begin(), c.arrays.end());
  EXPECT_EQ(to_bytes(c), bytes);
  EXPECT_EQ(to_bytes(container_from_bytes(bytes, "sample")), bytes);
}

TEST(Container, has_the_documented_user_block) {
  const std::vector<std::byte> bytes = to_bytes(sample_container());
  ASSERT_GT(bytes.size(), 512u);
  const auto number = [&](std::size_t at) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return value;
  };
  EXPECT_EQ(std::memcmp(bytes.data(), "KROSSFLD", 8), 0);
  EXPECT_EQ(number(8), static_cast<std::uint64_t>(schema_version));
  EXPECT_EQ(number(16), bytes.size() - 512);
  EXPECT_EQ(number(24), crc64(std::span(bytes).subspan(512)));
  EXPECT_TRUE(std::all_of(bytes.begin() + 32, bytes.begin() + 512, [](std::byte b) { return b == std::byte{0}; }));
  EXPECT_EQ(std::memcmp(bytes.data() + 512, "\x89HDF\r\n\x1a\n", 8), 0);
}

TEST(Container, of_every_version_stays_readable) {
  const std::vector<std::pair<std::int64_t, std::string>> files = {
      {1, "result_v1"}, {2, "result_v2_fixed_strings"}, {2, "result_v2"}};  // only the last has variable-length strings
  EXPECT_EQ(files.back().first, schema_version);
  for (const auto& [version, name] : files) {
    const std::string path =
        text(test::source_path(KROSSFOLD_STORAGE_TEST_FOLDER, "test/storage"), "/golden/", name, ".h5");
    if (name == files.back().second && std::getenv("KROSSFOLD_WRITE_GOLDEN") != nullptr) {
      write_container(path, sample_container());
    }
    expect_same(read_container(path), sample_container(), version);
    EXPECT_LT(std::filesystem::file_size(path), 20000u);
  }
}

TEST(Container, is_read_by_h5py_with_scales_units_and_names) {
  std::string python;
  for (const std::string candidate : {"python3", "/usr/bin/python3"}) {
    if (std::system((candidate + " -c 'import h5py' 2>/dev/null").c_str()) == 0) python = candidate;
  }
  if (python.empty()) GTEST_SKIP() << "python3 has no h5py (on Debian: python3-h5py)";
  const TemporaryFolder folder;
  write_container(folder / "r.h5", sample_container());
  const std::string script = test::source_path(KROSSFOLD_STORAGE_TEST_FOLDER, "test/storage") + "/check_h5py.py";
  EXPECT_EQ(std::system(text(python, " -B '", script, "' '", folder / "r.h5", "'").c_str()), 0);
}

TEST(Container, names_a_dataset_that_is_missing_or_of_another_type) {
  const Container c = sample_container();
  EXPECT_EQ(c.values<double>("/best/gamma"), std::vector<double>{1e-4});
  EXPECT_THAT(message_of(ExitCode::failed, [&] { c.at("/absent"); }), HasSubstr("/absent"));
  EXPECT_THAT(message_of(ExitCode::failed, [&] { c.values<float>("/best/gamma"); }), HasSubstr("/best/gamma"));
  EXPECT_EQ(c.attribute("status"), "finished");
  EXPECT_EQ(c.attribute("seed", "none"), "none");
  EXPECT_EQ(c.attribute("absent"), "");
}

TEST(Container, that_could_not_be_read_back_is_not_written) {
  const auto why = [](const Container& c) { return message_of(ExitCode::failed, [&] { to_bytes(c); }); };
  const std::vector<double> one{1}, two{1, 2};
  EXPECT_THAT(why({}), HasSubstr("kind"));
  EXPECT_THAT(why(with_one({"/x", {3}, two, {}, "", ""})), AllOf(HasSubstr("/x"), HasSubstr("3"), HasSubstr("2")));
  EXPECT_THAT(why(with_one({"/x", {1ULL << 40, 1ULL << 40}, two, {}, "", ""})), HasSubstr("too large"));
  for (const std::string path : {"", "/", "x", "/x/", "/a//b"}) {
    EXPECT_THAT(why(with_one({path, {}, one, {}, "", ""})), HasSubstr("path")) << path;
  }
  EXPECT_THAT(why(with_one({"/x", {}, std::vector<std::string>{std::string("a\0b", 3)}, {}, "", ""})),
              HasSubstr("zero byte"));
  EXPECT_THAT(why(with_one({"/x", {}, one, {}, std::string("s\0x", 3), ""})), HasSubstr("/x units"));
  EXPECT_THAT(why(with_one({"/x", {}, one, {}, "", std::string("s\0x", 3)})), HasSubstr("/x long_name"));
  Container twice = with_one({"/x", {}, one, {}, "", ""});
  twice.arrays.push_back(twice.arrays[0]);
  EXPECT_THAT(why(twice), HasSubstr("twice"));
  Container below = with_one({"/x", {}, one, {}, "", ""});
  below.arrays.push_back({"/x/y", {}, one, {}, "", ""});
  EXPECT_THAT(why(below), HasSubstr("/x"));
  Container scaled = with_one({"/x", {2}, two, {"/scale"}, "", ""});
  EXPECT_THAT(why(scaled), HasSubstr("/scale"));
  scaled.arrays.push_back({"/scale", {1}, one, {}, "", ""});
  EXPECT_THAT(why(scaled), AllOf(HasSubstr("/x"), HasSubstr("/scale")));
  Container second = with_one({"/x", {1, 2}, two, {"", "/scale"}, "", ""});
  second.arrays.push_back({"/scale", {1}, one, {}, "", ""});
  EXPECT_THAT(why(second), AllOf(HasSubstr("/x"), HasSubstr("/scale"), HasSubstr("dimension 1")));
}

TEST(Container, missing_or_not_a_file_is_an_input_error_that_names_it) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of(ExitCode::usage, [&] { read_container(folder / "absent.h5"); }),
              AllOf(HasSubstr(folder / "absent.h5"), HasSubstr("No such file")));
  EXPECT_THAT(message_of(ExitCode::usage, [&] { read_container(folder.path()); }), HasSubstr("it is a folder"));
}

}  // namespace
