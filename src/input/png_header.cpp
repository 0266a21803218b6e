// SPDX-License-Identifier: BSD-3-Clause
#include "png_header.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/read_png.hpp"

namespace krossfold::input {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::size_t header_end = 8 + 12 + 13;  // the signature and the IHDR chunk with its length, name and checksum

std::string_view letters_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t big_endian(std::string_view letters, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(letters[at + i]);
  return value;
}

/// Describes a file that does not start like a PNG.
std::string kind_of(std::string_view letters) {
  constexpr std::pair<std::string_view, std::string_view> known[] = {
      {"GIF8"sv, "a GIF"},  {"BM"sv, "a BMP"},    {"II*\0"sv, "a TIFF"}, {"MM\0*"sv, "a TIFF"},
      {"%PDF"sv, "a PDF"},  {"RIFF"sv, "a WebP"}, {"<svg"sv, "an SVG"},  {"\x89HDF"sv, "an HDF5"},
      {"P5"sv, "a netpbm"}, {"P6"sv, "a netpbm"}};
  for (const auto& [start, kind] : known) {
    if (letters.starts_with(start)) return text("it starts like ", kind, " file");
  }
  if (letters.empty()) return "it is empty";
  return "it does not start with the signature of one";
}

void check_signature(std::string_view letters, const std::string& name) {
  if (letters.starts_with(signature)) return;
  if (letters.size() < signature.size() && signature.starts_with(letters) && !letters.empty()) {
    throw_input_error(text(name, " is cut off after ", letters.size(), " bytes"), "that is less than a PNG signature",
                      "fetch the file again");
  }
  if (letters.starts_with(signature.substr(0, 4)) || letters.starts_with("PNG"sv)) {
    throw_input_error(text(name, " is damaged at its first bytes"), "this happens when a PNG is transferred as text",
                      "transfer it again as binary data");
  }
  throw_input_error(text(name, " is neither a PNG nor a JPEG file"), kind_of(letters), "convert it to PNG");
}

/// Bits per pixel, or 0 for an invalid colour type.
std::uint64_t pixel_bits(const PngHeader& header) {
  constexpr int channels[] = {1, 0, 3, 1, 2, 0, 4};
  return header.colour_type <= 6 ? static_cast<std::uint64_t>(channels[header.colour_type]) * header.depth : 0;
}

void check_sizes(const PngHeader& header, std::size_t bytes, const std::string& name) {
  const std::string size = text(header.width, " x ", header.height, " pixels");
  if (header.width == 0 || header.height == 0) {
    throw_input_error(text(name, " has no pixels"), text("its header says ", size), "");
  }
  const std::uint64_t pixels = std::uint64_t{header.width} * header.height;
  if (pixels > max_picture_pixels || std::max(header.width, header.height) > longest_picture_side) {
    throw_input_error(text(name, " is too large: ", size),
                      text("at most ", max_picture_pixels / 1'000'000, " million are read, and at most ",
                           longest_picture_side, " on a side"),
                      "scale it down first");
  }
  // Deflate compresses at most 1032:1, 258 bytes per two bits (RFC 1951). A header that claims more is wrong, or an
  // attempt to make us allocate memory.
  const std::uint64_t content = header.height * ((header.width * pixel_bits(header) + 7) / 8);
  if (content / 1032 > bytes) {
    throw_input_error(text(name, " is cut off"),
                      text("its header says ", size, ", which cannot be in a file of ", bytes, " bytes"),
                      "fetch the file again");
  }
}

/// Scans the chunks before the pixels for those that affect how pixels are interpreted.
void look_at_chunks(PngHeader& header, std::string_view letters) {
  bool srgb = false;
  std::size_t at = signature.size();
  while (letters.size() - at >= 12) {
    const std::uint64_t length = big_endian(letters, at);
    const std::string_view kind = letters.substr(at + 4, 4);
    if (kind == "IDAT"sv || kind == "IEND"sv || length + 12 > letters.size() - at) break;
    if (kind == "acTL"sv) header.animated = true;
    if (kind == "sRGB"sv) srgb = true;
    if (kind == "gAMA"sv || kind == "cHRM"sv || kind == "iCCP"sv) {
      header.ignored += (header.ignored.empty() ? "" : ", ") + std::string(kind);
    }
    at += length + 12;
  }
  if (srgb) header.ignored.clear();  // they only repeat sRGB, the usual meaning of pixel values
}

}  // namespace

PngHeader look_at_png(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view letters = letters_of(bytes);
  check_signature(letters, name);
  if (letters.size() < header_end) {
    throw_input_error(text(name, " is cut off after ", bytes.size(), " bytes"), "its header is not complete",
                      "fetch the file again");
  }
  if (big_endian(letters, 8) != 13 || letters.substr(12, 4) != "IHDR"sv) {
    throw_input_error(text(name, " is damaged"), "it does not begin with the chunk IHDR", "fetch the file again");
  }
  PngHeader header{.width = big_endian(letters, 16),
                   .height = big_endian(letters, 20),
                   .depth = static_cast<unsigned char>(letters[24]),
                   .colour_type = static_cast<unsigned char>(letters[25]),
                   .interlaced = letters[28] != 0};
  check_sizes(header, bytes.size(), name);
  look_at_chunks(header, letters);
  return header;
}

}  // namespace krossfold::input
