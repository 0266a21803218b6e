// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/checksums.hpp"

#include <zlib.h>

#include <algorithm>
#include <optional>

#include "krossfold/core/checksum.hpp"

namespace krossfold::fuzz {

namespace {

constexpr std::size_t most_inflated = 1 << 20;

std::uint32_t crc32_of(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

struct Inflated {
  std::uint32_t crc = 0;
  std::size_t length = 0, taken = 0;  ///< bytes that came out, and went in
};

/// A raw deflate stream at the beginning of the bytes, if it is whole and not large.
std::optional<Inflated> inflate_raw(std::span<const std::byte> bytes) {
  z_stream stream{};
  if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  Bytes out(most_inflated);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = ::inflate(&stream, Z_FINISH);
  const Inflated result{crc32_of(std::span(out).first(stream.total_out)), stream.total_out, stream.total_in};
  ::inflateEnd(&stream);
  if (end != Z_STREAM_END) return std::nullopt;
  return result;
}

bool begins_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin(), [](char a, std::byte b) {
           return static_cast<unsigned char>(a) == std::to_integer<unsigned>(b);
         });
}

}  // namespace

std::uint64_t number_at(const Bytes& input, std::size_t offset, int count, bool big_endian) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    const int byte = big_endian ? i : count - 1 - i;
    value = value << 8 | std::to_integer<std::uint64_t>(input[offset + byte]);
  }
  return value;
}

void put_number(Bytes& input, std::size_t offset, int count, std::uint64_t value, bool big_endian) {
  for (int i = 0; i < count; ++i) {
    const int byte = big_endian ? count - 1 - i : i;
    input[offset + byte] = static_cast<std::byte>(value >> 8 * i);
  }
}

void repair_gzip(Bytes& input) {
  constexpr std::size_t header = 10, trailer = 8;  // RFC 1952, without optional fields
  if (input.size() < header + trailer || input[3] != std::byte{0}) return;
  const auto inflated = inflate_raw(std::span(input).subspan(header));
  if (!inflated || header + inflated->taken + trailer > input.size()) return;
  put_number(input, header + inflated->taken, 4, inflated->crc);
  put_number(input, header + inflated->taken + 4, 4, inflated->length);
}

void repair_zip(Bytes& input) {
  constexpr std::size_t central_header = 46, local_header = 30;  // APPNOTE.TXT, 4.3.7 and 4.3.12
  for (std::size_t at = 0; at + central_header <= input.size(); ++at) {
    if (!begins_with(std::span(input).subspan(at), "PK\1\2")) continue;
    const std::size_t local = number_at(input, at + 42, 4), length = number_at(input, at + 20, 4);
    if (local + local_header > input.size()) continue;
    const std::size_t data = local + local_header + number_at(input, local + 26, 2) + number_at(input, local + 28, 2);
    if (data > input.size() || length > input.size() - data) continue;
    const auto member = std::span(input).subspan(data, length);
    std::uint64_t crc = crc32_of(member), size = length;
    if (number_at(input, at + 10, 2) != 0) {
      const auto inflated = inflate_raw(member);
      if (!inflated) continue;
      crc = inflated->crc;
      size = inflated->length;
    }
    put_number(input, at + 16, 4, crc);
    put_number(input, at + 24, 4, size);
    put_number(input, local + 14, 4, crc);
    put_number(input, local + 22, 4, size);
  }
}

void repair_png(Bytes& input) {
  constexpr std::size_t signature = 8, frame = 12;  // length, type and CRC of a chunk
  for (std::size_t at = signature; at + frame <= input.size();) {
    const std::size_t length = number_at(input, at, 4, true);
    if (length > input.size() - at - frame) return;
    put_number(input, at + 8 + length, 4, crc32_of(std::span(input).subspan(at + 4, length + 4)), true);
    at += frame + length;
  }
}

void repair_stored(Bytes& input) {
  constexpr std::size_t block = 512;  // docs/file-format.md
  if (input.size() < block) return;
  const auto rest = std::span(input).subspan(block);
  put_number(input, 16, 8, rest.size());
  put_number(input, 24, 8, crc64(rest));
}

void repair_journal(Bytes& input) {
  constexpr std::size_t start = 8 + 8 + 8, record_start = 8 + 8, crc = 4;  // storage/journal.hpp
  if (input.size() < start + crc) return;
  put_number(input, start, crc, crc32c(std::span(input).first(start)));
  const std::size_t rest = number_at(input, 16, 8);
  if (rest > input.size() || start + crc + rest + crc > input.size()) return;
  std::size_t at = start + crc + rest;
  put_number(input, at, crc, crc32c(std::span(input).first(at)));
  for (at += crc; at + record_start + crc <= input.size();) {
    const std::size_t length = number_at(input, at + 8, 8);
    if (length > input.size() - at - record_start - crc) return;
    put_number(input, at + record_start + length, crc, crc32c(std::span(input).subspan(at, record_start + length)));
    at += record_start + length + crc;
  }
}

}  // namespace krossfold::fuzz
