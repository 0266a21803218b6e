// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace krossfold::storage {

/// The block before the HDF5 part of a file, which HDF5 skips. Little endian:
///   offset 0   8 bytes   "KROSSFLD"
///   offset 8   8 bytes   version of the format
///   offset 16  8 bytes   number of bytes after the block
///   offset 24  8 bytes   CRC-64/XZ of those bytes
///   offset 32  zeros up to 512
using UserBlock = std::array<std::byte, 512>;

UserBlock make_user_block(std::span<const std::byte> rest);

/// Throws an input error that names the file unless `bytes` begins with a block of a version known here and, with
/// `verify`, unless its zeros, length and CRC-64 hold, so that a change of any byte is found. Returns the version.
std::int64_t check_user_block(std::span<const std::byte> bytes, const std::string& name, bool verify);

}  // namespace krossfold::storage
