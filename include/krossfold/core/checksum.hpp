// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace krossfold {

/// CRC-32C (Castagnoli, reflected, as in RFC 3720), which protects each journal record.
/// To checksum data in pieces, pass the result of one call as `start` of the next.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t start = 0);

/// CRC-64/XZ (ECMA-182 polynomial, reflected), which protects result and model files and identifies data sets.
/// Works in pieces like crc32c().
std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t start = 0);

/// crc64() of `count` zero bytes in a time that grows with the logarithm of their number: x^(8 count) times the remainder.
std::uint64_t crc64_of_zeros(std::uint64_t count, std::uint64_t start = 0);

/// Identifies a data set by its values, not by the bytes of the files they came from.
using Digest = std::uint64_t;

}  // namespace krossfold
