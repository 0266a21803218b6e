// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/checksum.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

namespace krossfold {
namespace {

std::span<const std::byte> bytes_of(std::string_view letters) { return std::as_bytes(std::span(letters)); }

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// The definition: one bit at a time.
template <class Crc>
Crc by_definition(std::span<const std::byte> bytes, Crc reflected_polynomial, Crc start = 0) {
  Crc crc = ~start;
  for (const std::byte byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      const Crc in = (crc ^ (std::to_integer<Crc>(byte) >> bit)) & 1;
      crc = (crc >> 1) ^ (in != 0 ? reflected_polynomial : 0);
    }
  return ~crc;
}

TEST(Checksum, crc32c_has_its_published_values) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0})), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0xff})), 0x62a8ab43u);
  std::vector<std::byte> ascending(32);
  for (int i = 0; i < 32; ++i) ascending[i] = static_cast<std::byte>(i);
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
}

TEST(Checksum, crc64_has_its_published_value) { EXPECT_EQ(crc64(bytes_of("123456789")), 0x995dc9bbdf1939fau); }

TEST(Checksum, crc64_of_zeros_is_that_of_so_many_bytes) {
  const std::vector<std::byte> zeros(70'000);
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{0x123456789abcdef}}) {
    for (const std::size_t count : {0u, 1u, 7u, 8u, 255u, 256u, 257u, 1000u, 4096u, 65'535u, 65'536u, 70'000u}) {
      EXPECT_EQ(crc64_of_zeros(count, start), crc64(std::span(zeros).first(count), start)) << count;
    }
    // More than memory holds: in two parts or at once.
    const std::uint64_t many = 0x123456789ab;
    EXPECT_EQ(crc64_of_zeros(many + 12'345, start), crc64_of_zeros(12'345, crc64_of_zeros(many, start)));
  }
}

TEST(Checksum, of_nothing_is_zero) {
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc64({}), 0u);
}

TEST(Checksum, agrees_with_the_definition_at_every_length_and_alignment) {
  const auto bytes = random_bytes(80);
  for (std::size_t first = 0; first < 8; ++first)
    for (std::size_t count = 0; first + count <= bytes.size(); ++count) {
      const auto part = std::span(bytes).subspan(first, count);
      ASSERT_EQ(crc32c(part), by_definition<std::uint32_t>(part, 0x82f63b78u)) << first << " " << count;
      ASSERT_EQ(crc64(part), by_definition<std::uint64_t>(part, 0xc96c5795d7870f42u)) << first << " " << count;
    }
}

TEST(Checksum, goes_on_from_any_start_as_the_definition_does) {
  std::mt19937_64 random(11);
  for (int k = 0; k < 200; ++k) {
    const auto bytes = random_bytes(random() % 300);
    const std::uint64_t start = random();
    const auto short_start = static_cast<std::uint32_t>(start);
    ASSERT_EQ(crc32c(bytes, short_start), by_definition<std::uint32_t>(bytes, 0x82f63b78u, short_start)) << k;
    ASSERT_EQ(crc64(bytes, start), by_definition<std::uint64_t>(bytes, 0xc96c5795d7870f42u, start)) << k;
  }
}

TEST(Checksum, pieces_give_the_checksum_of_the_whole) {
  const auto bytes = random_bytes(101);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto head = std::span(bytes).first(cut), tail = std::span(bytes).subspan(cut);
    ASSERT_EQ(crc32c(tail, crc32c(head)), crc32c(bytes)) << "cut at " << cut;
    ASSERT_EQ(crc64(tail, crc64(head)), crc64(bytes)) << "cut at " << cut;
  }
}

TEST(Checksum, sees_every_single_bit_flip) {
  auto bytes = random_bytes(64);
  const auto crc32 = crc32c(bytes);
  const auto crc = crc64(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1u << bit % 8);
    bytes[bit / 8] ^= mask;
    ASSERT_NE(crc32c(bytes), crc32) << "bit " << bit;
    ASSERT_NE(crc64(bytes), crc) << "bit " << bit;
    bytes[bit / 8] ^= mask;
  }
}

}  // namespace
}  // namespace krossfold
