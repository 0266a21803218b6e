// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace krossfold::data {

/// The content of a file, decompressed if it starts like gzip (RFC 1952; several members are allowed), or its first `most` bytes.
/// Throws an input error naming the file if it is missing, unreadable, a folder or too large for memory, or if the compressed data that
/// is needed is truncated or damaged.
std::vector<std::byte> read_file(const std::string& path, std::size_t most = std::numeric_limits<std::size_t>::max());

/// Decompresses gzip data; `name` is used in messages.
std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& name);

}  // namespace krossfold::data
