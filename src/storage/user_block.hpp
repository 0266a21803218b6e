// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace krossfold::storage {

/// The block before the HDF5 part of a file, which HDF5 skips, in little-endian byte order:
///   offset 0   8 bytes   "KROSSFLD"
///   offset 8   8 bytes   version of the format
///   offset 16  8 bytes   length of the rest of the file
///   offset 24  8 bytes   CRC-64/XZ of those bytes
///   offset 32  zeros up to 512
using UserBlock = std::array<std::byte, 512>;

UserBlock make_user_block(std::span<const std::byte> rest);

/// Throws an input error naming the file unless `bytes` begins with a block of a supported version and, with `verify`,
/// its zeros, length and CRC-64 are correct, which detects a change of any byte. Returns the version.
std::int64_t check_user_block(std::span<const std::byte> bytes, const std::string& name, bool verify);

}  // namespace krossfold::storage
