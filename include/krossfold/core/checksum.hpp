// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace krossfold {

/// CRC-32C (Castagnoli, reflected, as in RFC 3720): guards each record of a journal.
/// Pass the result of one call as `start` of the next to checksum data in pieces.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t start = 0);

/// CRC-64/XZ (ECMA-182 polynomial, reflected): guards result and model files, identifies data sets.
/// Pieces as for crc32c.
std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t start = 0);

/// Identifies the values of a data set, not the bytes of the files they came from.
using Digest = std::uint64_t;

}  // namespace krossfold
