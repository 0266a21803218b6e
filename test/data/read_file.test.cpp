// SPDX-License-Identifier: BSD-3-Clause
#include <random>

#include "krossfold/data/read_file.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::data {
namespace {

using test::bytes_of;
using test::expect_input_error;
using test::gzipped;
using test::SampleFolder;
using test::string_of;

std::string noise(std::size_t count) {
  std::mt19937 random(7);
  std::string content(count, '\0');
  for (char& byte : content) byte = static_cast<char>(random() % 64);
  return content;
}

TEST(ReadFile, gives_all_bytes_of_files_of_any_size) {
  const SampleFolder folder;
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 300000}) {
    const std::string content = noise(size);
    EXPECT_EQ(string_of(read_file(folder.write("plain", content))), content) << size << " bytes";
    EXPECT_EQ(string_of(read_file(folder.write("packed.gz", gzipped(content)))), content) << size << " bytes";
  }
}

TEST(ReadFile, gives_the_first_bytes_of_files_that_are_damaged_after_them) {
  const SampleFolder folder;
  const std::string content = noise(300000), packed = gzipped(content);
  const std::string plain = folder.write("plain", content);
  const std::string part = folder.write("part.gz", packed.substr(0, packed.size() / 2));
  for (const std::size_t most : {0, 1, 4096, 100000}) {
    EXPECT_EQ(string_of(read_file(plain, most)), content.substr(0, most)) << most;
    EXPECT_EQ(string_of(read_file(part, most)), content.substr(0, most)) << most;
  }
  EXPECT_EQ(string_of(read_file(plain, 400000)), content);
  expect_input_error([&] { read_file(part, 200000); }, {"part.gz is cut off"});
}

TEST(ReadFile, reads_what_tells_no_size) {
  EXPECT_THAT(string_of(read_file("/proc/self/status")), testing::HasSubstr("Pid:"));
}

TEST(ReadFile, joins_the_members_of_a_gzip_file) {
  const std::string first = noise(5000), second = noise(100);
  EXPECT_EQ(string_of(gunzip(bytes_of(gzipped(first) + gzipped(second) + gzipped("")), "x")), first + second);
}

TEST(ReadFile, unpacks_what_grows_a_thousandfold) {
  const std::string zeros(20'000'000, '\0');
  EXPECT_EQ(string_of(gunzip(bytes_of(gzipped(zeros)), "zeros")), zeros);
}

TEST(ReadFile, names_a_missing_file_a_folder_and_one_it_cannot_read) {
  const SampleFolder folder;
  expect_input_error([&] { read_file(folder.path("nowhere.csv")); }, {"nowhere.csv", "No such file"});
  expect_input_error([&] { read_file(folder.path()); }, {folder.path(), "folder"});
  expect_input_error([&] { read_file("/proc/self/mem"); }, {"/proc/self/mem", "Input/output error"});
}

TEST(ReadFile, finds_every_place_where_a_gzip_file_may_be_cut) {
  const std::string packed = gzipped(noise(300));
  for (std::size_t length = 2; length < packed.size(); ++length) {
    const std::string part = packed.substr(0, length);
    expect_input_error([&] { gunzip(bytes_of(part), "short.gz"); },
                       {"short.gz is cut off", "number " + std::to_string(length)});
  }
  const std::string second_cut = packed + packed.substr(0, packed.size() / 2);
  expect_input_error([&] { gunzip(bytes_of(second_cut), "short.gz"); }, {"short.gz is cut off"});
}

TEST(ReadFile, never_takes_a_damaged_gzip_file_for_another_content) {
  const std::string content = noise(300);
  std::string packed = gzipped(content);
  int refused = 0;
  for (std::size_t bit = 16; bit < 8 * packed.size(); ++bit) {
    packed[bit / 8] ^= static_cast<char>(1 << bit % 8);
    try {
      EXPECT_EQ(string_of(gunzip(bytes_of(packed), "bad.gz")), content) << "bit " << bit;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_THAT(error.what(), testing::HasSubstr("bad.gz"));
      ++refused;
    }
    packed[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
  EXPECT_GT(refused, static_cast<int>(7 * packed.size())) << "only times and names in the header may change unseen";
}

TEST(ReadFile, tells_where_a_gzip_file_is_damaged) {
  std::string packed = gzipped(noise(3000));
  packed[packed.size() - 7] ^= 1;  // in the CRC
  expect_input_error([&] { gunzip(bytes_of(packed), "bad.gz"); },
                     {"bad.gz is damaged at byte", "incorrect data check"});
}

TEST(ReadFile, allows_zeros_but_nothing_else_behind_gzip_data) {
  const std::string packed = gzipped("content");
  EXPECT_EQ(string_of(gunzip(bytes_of(packed + std::string(20, '\0')), "tape.gz")), "content");
  expect_input_error([&] { gunzip(bytes_of(packed + "rest"), "long.gz"); },
                     {"long.gz continues", "byte " + std::to_string(packed.size())});
  expect_input_error([&] { gunzip(bytes_of("plain"), "plain.gz"); }, {"plain.gz is not gzip data"});
}

}  // namespace
}  // namespace krossfold::data
