// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace krossfold::interchange {

/// A message of protocol buffers in their wire format (https://protobuf.dev/programming-guides/encoding/): each field is a tag,
/// number << 3 | wire type, and its value.
class ProtobufMessage {
public:
  /// Integers, also truth values and members of enumerations: wire type 0.
  void whole(int field, std::int64_t value) {
    tag(field, 0);
    varint(static_cast<std::uint64_t>(value));
  }
  /// float: wire type 5.
  void real(int field, float value) {
    tag(field, 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(bits >> shift & 0xffu);
  }
  /// Strings, bytes and messages: wire type 2.
  void text(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(int field, const ProtobufMessage& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

private:
  void tag(int field, unsigned type) { varint(static_cast<std::uint64_t>(field) << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80u);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace krossfold::interchange
