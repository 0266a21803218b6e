// SPDX-License-Identifier: BSD-3-Clause
#include "npz_writer.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::interchange {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie in memory");

constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();

void put(std::vector<std::byte>& to, std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) to.push_back(static_cast<std::byte>(value >> (8 * k)));
}

void put(std::vector<std::byte>& to, const std::string& letters) {
  const auto bytes = std::as_bytes(std::span(letters));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::string header_of(const std::string& type, const NpzWriter::Shape& shape) {
  std::string tuple;
  for (const std::int64_t extent : shape) tuple += text(extent, ", ");
  if (shape.size() > 1) tuple.resize(tuple.size() - 2);
  if (shape.size() == 1) tuple.resize(tuple.size() - 1);
  std::string header = text("{'descr': '", type, "', 'fortran_order': False, 'shape': (", tuple, "), }");
  constexpr std::size_t before = 10, alignment = 64;
  while ((before + header.size() + 1) % alignment != 0) header += ' ';
  return header + '\n';
}

/// The code points of a text in UTF-8.
std::vector<char32_t> letters_of(const std::string& word) {
  std::vector<char32_t> all;
  for (std::size_t k = 0; k < word.size();) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(word[at])); };
    const std::uint32_t first = byte(k);
    const std::size_t more = first >= 0xf0 && first < 0xf8 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;
    char32_t letter = more == 0 ? first : first & (0x3fu >> more);
    bool valid = more > 0 && first < 0xf8 && k + more < word.size();
    for (std::size_t j = 1; valid && j <= more; ++j) {
      valid = (byte(k + j) & 0xc0u) == 0x80u;
      letter = letter << 6 | (byte(k + j) & 0x3fu);
    }
    valid = valid && letter <= 0x10ffff && !(letter >= 0xd800 && letter < 0xe000);
    all.push_back(valid ? letter : first);
    k += valid ? more + 1 : 1;
  }
  return all;
}

/// What a local header and an entry of the directory share: version, flags (names are UTF-8), method, time and date, sizes.
void put_entry(std::vector<std::byte>& to, std::uint32_t crc, std::uint64_t size, std::size_t name) {
  constexpr std::uint64_t version = 20, utf8 = 0x800, stored = 0, midnight = 0, first_of_1980 = 0x21;
  for (const std::uint64_t field : {version, utf8, stored, midnight, first_of_1980}) put(to, field, 2);
  put(to, crc, 4);
  put(to, size, 4);
  put(to, size, 4);
  put(to, name, 2);
  put(to, 0, 2);  // length of the extra field
}

}  // namespace

void NpzWriter::add(const std::string& name, const std::string& type, const Shape& shape,
                    std::span<const std::byte> elements) {
  std::vector<std::byte> npy;
  const std::string header = header_of(type, shape);
  put(npy, "\x93NUMPY");
  put(npy, 1, 2);  // version 1.0
  put(npy, header.size(), 2);
  put(npy, header);
  require(elements.size() <= largest - npy.size(), text("the array ", name, " is larger than 4 GiB"),
          ".npz files of this form have smaller ones", "");
  npy.insert(npy.end(), elements.begin(), elements.end());
  const auto crc = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(npy.data()), npy.size()));
  const std::string file = name + ".npy";
  member_.push_back({file, bytes_.size(), npy.size(), crc});
  put(bytes_, 0x04034b50, 4);
  put_entry(bytes_, crc, npy.size(), file.size());
  put(bytes_, file);
  bytes_.insert(bytes_.end(), npy.begin(), npy.end());
}

void NpzWriter::add(const std::string& name, const Shape& shape, std::span<const double> values) {
  add(name, "<f8", shape, std::as_bytes(values));
}

void NpzWriter::add(const std::string& name, const Shape& shape, std::span<const float> values) {
  add(name, "<f4", shape, std::as_bytes(values));
}

void NpzWriter::add(const std::string& name, const Shape& shape, std::span<const std::int64_t> values) {
  add(name, "<i8", shape, std::as_bytes(values));
}

void NpzWriter::add(const std::string& name, const Shape& shape, const std::vector<std::string>& values) {
  std::vector<std::vector<char32_t>> words;
  std::size_t longest = 1;
  for (const std::string& value : values) {
    words.push_back(letters_of(value));
    longest = std::max(longest, words.back().size());
  }
  std::vector<char32_t> all;
  for (std::vector<char32_t>& word : words) {
    word.resize(longest, 0);
    all.insert(all.end(), word.begin(), word.end());
  }
  add(name, text("<U", longest), shape, std::as_bytes(std::span(all)));
}

std::vector<std::byte> NpzWriter::finish() {
  const std::uint64_t directory = bytes_.size();
  require(directory <= largest, text("the arrays have ", directory, " bytes in all"),
          "a .npz file of this form has at most 4 GiB", "");
  for (const Member& one : member_) {
    put(bytes_, 0x02014b50, 4);
    put(bytes_, 20, 2);  // version of the program
    put_entry(bytes_, one.crc, one.size, one.name.size());
    for (const int bytes : {2, 2, 2, 4}) put(bytes_, 0, bytes);  // comment, disk, attributes
    put(bytes_, one.begin, 4);
    put(bytes_, one.name);
  }
  const std::uint64_t size = bytes_.size() - directory;
  put(bytes_, 0x06054b50, 4);
  for (const std::uint64_t field :
       {std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{member_.size()}, std::uint64_t{member_.size()}}) {
    put(bytes_, field, 2);
  }
  put(bytes_, size, 4);
  put(bytes_, directory, 4);
  put(bytes_, 0, 2);  // no comment
  member_.clear();
  return std::move(bytes_);
}

}  // namespace krossfold::interchange
