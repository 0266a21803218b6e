// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace krossfold::test {

/// The fields of a message of protocol buffers: numbers of wire type 0, and the bytes of wire type 2.
struct ProtobufFields {
  std::map<int, std::vector<std::uint64_t>> number;
  std::map<int, std::vector<std::string>> bytes;

  std::string one(int field) const { return bytes.contains(field) ? bytes.at(field).at(0) : std::string(); }
};

inline ProtobufFields read_protobuf(std::string_view from) {
  ProtobufFields fields;
  const auto varint = [&from] {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (from.empty()) throw std::runtime_error("a varint is cut off");
      const auto byte = static_cast<unsigned char>(from.front());
      from.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("a varint is too long");
  };
  while (!from.empty()) {
    const std::uint64_t tag = varint();
    const int field = static_cast<int>(tag >> 3);
    if ((tag & 7) == 0) {
      fields.number[field].push_back(varint());
    } else if ((tag & 7) == 2) {
      const std::uint64_t length = varint();
      if (length > from.size()) throw std::runtime_error("a field is cut off");
      fields.bytes[field].emplace_back(from.substr(0, length));
      from.remove_prefix(length);
    } else {
      throw std::runtime_error("an unexpected wire type");
    }
  }
  return fields;
}

}  // namespace krossfold::test
