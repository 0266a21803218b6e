// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/checksum.hpp"

#include <lzma.h>

#include <array>
#include <bit>
#include <cstring>

namespace krossfold {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes at a time are read as a little-endian word");

// table[k][b] is the remainder of byte b followed by k zero bytes ("slicing by 8", M. E. Kounavis and F. L. Berry,
// A Systematic Approach to Building High Performance Software-Based CRC Generators, ISCC 2005).
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables(std::uint32_t reflected_polynomial) {
  Tables tables{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? reflected_polynomial : 0);
    tables[0][byte] = crc;
  }
  for (int k = 1; k < 8; ++k)
    for (unsigned byte = 0; byte < 256; ++byte) {
      const std::uint32_t previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xff];
    }
  return tables;
}

constexpr auto table = make_tables(0x82f63b78u);

// Polynomials over GF(2) modulo that of CRC-64/XZ, reflected: the highest bit is the coefficient of x^0.

constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t polynomial = 0xc96c5795d7870f42u;
  std::uint64_t result = 0;
  for (int bit = 63; bit >= 0; --bit) {
    result ^= b & (0 - ((a >> bit) & 1));
    b = (b >> 1) ^ (polynomial & (0 - (b & 1)));
  }
  return result;
}

/// power[k][d] = x^(8 d 256^k): one product for each digit of a number of bytes.
using Powers = std::array<std::array<std::uint64_t, 256>, 8>;

Powers make_powers() {
  Powers powers{};
  std::uint64_t base = std::uint64_t{1} << 55;  // x^8
  for (auto& digit : powers) {
    digit[0] = std::uint64_t{1} << 63;
    for (int d = 1; d < 256; ++d) digit[d] = product(digit[d - 1], base);
    base = product(digit[255], base);
  }
  return powers;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t start) {
  std::uint32_t crc = ~start;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    word ^= crc;
    crc = 0;
    for (int k = 0; k < 8; ++k) crc ^= table[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ table[0][(crc ^ std::to_integer<std::uint32_t>(*at)) & 0xff];
  return ~crc;
}

std::uint64_t crc64_of_zeros(std::uint64_t count, std::uint64_t start) {
  static const Powers powers = make_powers();
  static const std::array<std::byte, 256> zeros{};
  if (count <= zeros.size()) return crc64(std::span(zeros).first(count), start);  // faster for short runs
  std::uint64_t remainder = ~start;
  for (std::size_t k = 0; count != 0; count >>= 8, ++k) {
    if ((count & 255) != 0) remainder = product(remainder, powers[k][count & 255]);
  }
  return ~remainder;
}

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t start) {
  return lzma_crc64(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), start);
}

}  // namespace krossfold
