// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Encodes PNG files according to the specification (ISO/IEC 15948), without libpng.

#include <zlib.h>

#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace krossfold::test {

inline std::string big_endian_32(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

inline std::string png_chunk(const std::string& kind, const std::string& content) {
  const std::string body = kind + content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian_32(static_cast<std::uint32_t>(content.size())) + body +
         big_endian_32(static_cast<std::uint32_t>(sum));
}

inline const std::string png_signature("\x89PNG\r\n\x1a\n", 8);

inline std::string png_header(std::uint32_t width, std::uint32_t height, int depth, int colour_type, int interlaced) {
  std::string content = big_endian_32(width) + big_endian_32(height);
  for (const int value : {depth, colour_type, 0, 0, interlaced}) content += static_cast<char>(value);
  return png_chunk("IHDR", content);
}

inline std::string zlib_bytes(const std::string& content) {
  std::string out(compressBound(content.size()), '\0');
  uLongf size = out.size();
  if (compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(content.data()),
               content.size()) != Z_OK) {
    throw std::runtime_error("zlib");
  }
  out.resize(size);
  return out;
}

enum PngColour { png_grey = 0, png_rgb = 2, png_palette = 3, png_grey_alpha = 4, png_rgba = 6 };

struct SamplePng {
  int width = 1, height = 1, depth = 8, colour_type = png_grey;
  bool interlaced = false;
  std::vector<int> sample{};                                  ///< (row, column, channel)
  std::vector<std::pair<std::string, std::string>> before{};  ///< chunks between header and pixels

  int channels() const { return std::array<int, 7>{1, 0, 3, 1, 2, 0, 4}[static_cast<std::size_t>(colour_type)]; }
  const int* at(int row, int column) const {
    return sample.data() + (static_cast<std::size_t>(row) * width + column) * channels();
  }
};

inline SamplePng random_png(int width, int height, int depth, int colour_type, bool interlaced, std::mt19937& random) {
  SamplePng png{width, height, depth, colour_type, interlaced};
  png.sample.resize(static_cast<std::size_t>(width) * height * png.channels());
  for (int& value : png.sample) value = static_cast<int>(random() % (1U << depth));
  return png;
}

/// The filter byte 0, then the packed samples of columns first, first + step, ... of one row.
inline std::string packed_row(const SamplePng& png, int row, int first, int step) {
  std::string bytes(1, '\0');
  unsigned bits = 0;
  int filled = 0;
  for (int column = first; column < png.width; column += step) {
    for (int c = 0; c < png.channels(); ++c) {
      bits = bits << png.depth | static_cast<unsigned>(png.at(row, column)[c]);
      for (filled += png.depth; filled >= 8; filled -= 8) bytes += static_cast<char>(bits >> (filled - 8));
    }
  }
  if (filled > 0) bytes += static_cast<char>(bits << (8 - filled));
  return bytes;
}

/// The uncompressed rows, in order or in the seven passes of Adam7.
inline std::string png_rows(const SamplePng& png) {
  struct Pass {
    int row, column, row_step, column_step;
  };
  const std::vector<Pass> passes = png.interlaced
                                       ? std::vector<Pass>{{0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4}, {0, 2, 4, 4},
                                                           {2, 0, 4, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}}
                                       : std::vector<Pass>{{0, 0, 1, 1}};
  std::string bytes;
  for (const Pass& pass : passes) {
    if (pass.column >= png.width) continue;
    for (int row = pass.row; row < png.height; row += pass.row_step) {
      bytes += packed_row(png, row, pass.column, pass.column_step);
    }
  }
  return bytes;
}

/// The file, with its pixels split over two IDAT chunks.
inline std::string png_bytes(const SamplePng& png) {
  std::string file =
      png_signature + png_header(static_cast<std::uint32_t>(png.width), static_cast<std::uint32_t>(png.height),
                                 png.depth, png.colour_type, png.interlaced ? 1 : 0);
  for (const auto& [kind, content] : png.before) file += png_chunk(kind, content);
  const std::string pixels = zlib_bytes(png_rows(png));
  const std::size_t half = pixels.size() / 2;
  return file + png_chunk("IDAT", pixels.substr(0, half)) + png_chunk("IDAT", pixels.substr(half)) +
         png_chunk("IEND", "");
}

/// An 8-bit grey picture of these rows.
inline SamplePng grey_png(int width, int height, const std::vector<int>& sample) {
  return {width, height, 8, png_grey, false, sample};
}

}  // namespace krossfold::test
