// SPDX-License-Identifier: BSD-3-Clause
#include "src/storage/heap_string.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "krossfold/core/serialize.hpp"

namespace krossfold::storage::hdf5 {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

struct Object {
  std::uint16_t number;
  std::uint64_t length;
  std::string letters;  ///< padded to 8 bytes
};

constexpr std::uint64_t begin = 40;  // of the collection

/// A file with one collection of strings, as the HDF5 File Format Specification (version 3.0, III.E) lays it out.
std::vector<std::byte> file_with(const std::vector<Object>& objects, std::uint64_t size = 0) {
  ByteWriter heap;
  for (const Object& object : objects) {
    heap.put_fields(object.number, std::array<std::uint16_t, 3>{1, 0, 0}, object.length);
    for (const char letter : object.letters) heap.put(letter);
    for (std::size_t k = object.letters.size(); k % 8 != 0; ++k) heap.put('\0');
  }
  const std::vector<std::byte> rest = heap.take();
  ByteWriter file;
  file.put_fields(std::array<std::byte, begin>{}, std::array{'G', 'C', 'O', 'L', '\1', '\0', '\0', '\0'});
  file.put(size != 0 ? size : 16 + rest.size());
  for (const std::byte byte : rest) file.put(byte);
  return file.take();
}

HeapReference reference(std::uint32_t length, std::uint64_t address, std::uint32_t number) {
  HeapReference reference;
  std::memcpy(reference.data(), &length, 4);
  std::memcpy(reference.data() + 4, &address, 8);
  std::memcpy(reference.data() + 12, &number, 4);
  return reference;
}

const std::vector<Object> words = {{1, 5, "gamma"}, {7, 8, "held out"}, {2, 1, "C"}};

TEST(HeapString, is_found_by_its_number) {
  const auto file = file_with(words);
  EXPECT_EQ(heap_string(file, reference(5, begin, 1)), "gamma");
  EXPECT_EQ(heap_string(file, reference(8, begin, 7)), "held out");
  EXPECT_EQ(heap_string(file, reference(1, begin, 2)), "C");
}

TEST(HeapString, of_no_length_needs_no_heap) {
  EXPECT_EQ(heap_string({}, reference(0, 0, 0)), "");
  EXPECT_EQ(heap_string({}, reference(0, most, 9)), "");
}

TEST(HeapString, that_is_not_wholly_there_is_nothing) {
  const auto file = file_with(words);
  const std::uint32_t longest = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(heap_string(file, reference(5, begin, 3)), std::nullopt);
  EXPECT_EQ(heap_string(file, reference(4, begin, 1)), std::nullopt);
  EXPECT_EQ(heap_string(file, reference(longest, begin, 1)), std::nullopt);
  for (const std::uint64_t address : {begin - 1, begin + 8, std::uint64_t{file.size() - 1}, std::uint64_t{file.size()},
                                      std::uint64_t{file.size() + 1}, most - 15, most}) {
    EXPECT_EQ(heap_string(file, reference(5, address, 1)), std::nullopt) << address;
  }
  for (std::size_t length = 0; length < file.size(); ++length) {
    const std::vector<std::byte> part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(heap_string(part, reference(1, begin, 2)), std::nullopt) << length;
  }
}

TEST(HeapString, in_a_heap_with_false_sizes_is_nothing) {
  for (const std::uint64_t size :
       {std::uint64_t{1}, std::uint64_t{17}, std::uint64_t{40}, std::uint64_t{1} << 40, most}) {
    EXPECT_EQ(heap_string(file_with(words, size), reference(1, begin, 2)), std::nullopt) << size;
  }
  for (const std::uint64_t length : {std::uint64_t{1} << 40, most - 7, most}) {
    const auto file = file_with({{1, length, "gamma"}, {2, 1, "C"}});
    EXPECT_EQ(heap_string(file, reference(1, begin, 2)), std::nullopt) << length;
    EXPECT_EQ(heap_string(file, reference(5, begin, 1)), std::nullopt) << length;
  }
}

TEST(HeapString, behind_more_objects_than_hdf5_makes_is_not_searched_for) {
  std::vector<Object> many(1 << 16, Object{9, 0, ""});
  many.push_back({1, 1, "C"});
  EXPECT_EQ(heap_string(file_with(many), reference(1, begin, 1)), std::nullopt);
}

}  // namespace
}  // namespace krossfold::storage::hdf5
