// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace krossfold::data {

/// The content of a file, decompressed if it starts like gzip (RFC 1952; several members are allowed).
/// Throws an input error naming the file if it is missing, unreadable, a folder or too large for memory, or if its
/// compressed data is truncated or damaged.
std::vector<std::byte> read_file(const std::string& path);

/// Decompresses gzip data; `name` is used in messages.
std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& name);

}  // namespace krossfold::data
