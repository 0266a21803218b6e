// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/core/printable.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace krossfold {

namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0 if the text does not begin with a character of UTF-8
};

/// The first character of a text that is not empty: RFC 3629, table of section 4.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code <= 0x9f); }

bool changes_direction(std::uint32_t code) {
  return code == 0x061c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::uint32_t code) {
  std::array<char, 16> out{};
  std::snprintf(out.data(), out.size(), code <= 0xff ? "\\x%02x" : "\\u%04x", code);
  return out.data();
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character next = first_of(text);
    if (next.bytes == 0) {
      shown += escaped(static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (is_control(next.code) || changes_direction(next.code)) {
      shown += escaped(next.code);
    } else {
      shown += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return shown;
}

}  // namespace krossfold
