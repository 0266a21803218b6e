// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string_view>
#include <utility>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/read_file.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/input/read_idx.hpp"

namespace krossfold::input {
namespace {

constexpr std::uint32_t image_magic = 0x00000803, label_magic = 0x00000801;
constexpr std::size_t image_header = 16, label_header = 8;

std::uint32_t big_endian(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[offset + i]);
  return value;
}

/// "float32 numbers in 3 dimensions" for the magic number of an IDX file, or "".
std::string content_of(std::uint32_t magic) {
  constexpr std::array<std::pair<std::uint32_t, std::string_view>, 6> types = {{{0x08, "unsigned bytes"},
                                                                                {0x09, "signed bytes"},
                                                                                {0x0B, "int16 numbers"},
                                                                                {0x0C, "int32 numbers"},
                                                                                {0x0D, "float32 numbers"},
                                                                                {0x0E, "float64 numbers"}}};
  const std::uint32_t dimensions = magic & 0xFF;
  for (const auto& [type, name] : types)
    if (magic >> 8 == type && dimensions != 0)
      return text(name, " in ", dimensions, dimensions == 1 ? " dimension" : " dimensions");
  return "";
}

std::string hexadecimal(std::uint32_t value) {
  std::ostringstream out;
  out << "0x" << std::hex << std::setw(8) << std::setfill('0') << value;
  return out.str();
}

void check_header(std::span<const std::byte> bytes, const std::string& name, std::uint32_t magic, std::size_t header) {
  if (bytes.size() < 4) {
    throw_input_error(text(name, " is cut off after ", bytes.size(), " bytes"),
                      "an IDX file starts with a magic number", "fetch the file again");
  }
  if (const std::uint32_t found = big_endian(bytes, 0); found != magic) {
    const std::string content = content_of(found), kind = magic == image_magic ? "images" : "labels";
    const bool swapped = !content.empty() && (found & 0xFF) == (magic == image_magic ? 1 : 3);
    const std::string why = content.empty()
                                ? text("its magic number is ", hexadecimal(found), ", not ", hexadecimal(magic))
                                : text("it holds ", content, "; ", kind, " are ", content_of(magic));
    throw_input_error(text(name, " is not an IDX file of ", kind), why,
                      swapped            ? "write idx:IMAGES,LABELS"
                      : !content.empty() ? "convert both files to .npy, and say npy:X.npy,Y.npy"
                                         : "");
  }
  if (bytes.size() < header) {
    throw_input_error(text(name, " is cut off after ", bytes.size(), " bytes"), text("its header alone has ", header),
                      "fetch the file again");
  }
}

/// Checks the number of items against the file length by division, as a product of sizes from a file may overflow. A file of which
/// only the first `read` items were read must have these.
void check_size(std::span<const std::byte> bytes, const std::string& name, std::size_t header, std::uint64_t items,
                std::uint64_t item_bytes, const std::string& what, std::uint64_t read) {
  const std::uint64_t content = bytes.size() - header;
  if (read < items && item_bytes != 0 && content / item_bytes >= read) return;
  const bool fits = item_bytes == 0 ? content == 0 : content % item_bytes == 0 && content / item_bytes == items;
  if (fits) return;
  const bool missing = item_bytes != 0 && items > content / item_bytes;
  throw_input_error(text(name, missing ? " is cut off" : " is longer than its header says"),
                    text("it announces ", items, " ", what, " but has ", content, " bytes after its header"),
                    "fetch the file again");
}

std::vector<std::string> read_labels(const std::string& name) {
  const std::vector<std::byte> bytes = data::read_file(name);
  check_header(bytes, name, label_magic, label_header);
  check_size(bytes, name, label_header, big_endian(bytes, 4), 1, "labels", big_endian(bytes, 4));
  std::vector<std::string> written;
  written.reserve(bytes.size() - label_header);
  for (std::size_t i = label_header; i < bytes.size(); ++i) {
    written.push_back(std::to_string(std::to_integer<int>(bytes[i])));
  }
  return written;
}

/// The file, or its beginning with so many images: what follows need not be decompressed.
std::vector<std::byte> first_images(const std::string& name, int limit) {
  if (limit <= 0 || !std::filesystem::is_regular_file(name)) return data::read_file(name);
  const std::vector<std::byte> header = data::read_file(name, image_header);
  check_header(header, name, image_magic, image_header);
  const std::uint64_t height = big_endian(header, 8), width = big_endian(header, 12), pixels = height * width;
  constexpr std::uint64_t most = std::numeric_limits<std::size_t>::max();
  const auto images = static_cast<std::uint64_t>(limit);
  const bool all = images >= big_endian(header, 4) || pixels > (most - image_header) / images;
  return data::read_file(name, all ? most : image_header + images * pixels);
}

}  // namespace

data::Dataset read_idx(const std::string& images, const std::string& labels, const tables::ReadParams& params) {
  const std::vector<std::byte> bytes = first_images(images, params.limit);
  check_header(bytes, images, image_magic, image_header);
  const std::uint64_t count = big_endian(bytes, 4), height = big_endian(bytes, 8), width = big_endian(bytes, 12);
  const std::uint64_t pixels = height * width;  // below 2^64
  const std::uint64_t kept = params.limit > 0 ? std::min<std::uint64_t>(count, params.limit) : count;
  check_size(bytes, images, image_header, count, pixels, text("images of ", height, " x ", width, " pixels"), kept);

  data::Labels indexed;
  if (!labels.empty()) {
    const std::vector<std::string> written = read_labels(labels);
    if (written.size() != count) {
      throw_input_error(text(images, " holds ", count, " images but ", labels, " holds ", written.size(), " labels"),
                        "there must be one label an image", "name two files that belong together");
    }
    indexed = data::index_labels(written, params.known_classes, labels, params.odd_label());
  } else if (params.labelled) {
    throw_input_error(text("no labels are given for the images in ", images), "", "write idx:IMAGES,LABELS");
  }

  if (!labels.empty()) indexed.label = Kokkos::subview(indexed.label, std::make_pair(std::uint64_t{0}, kept));
  const Matrix<float> raw = data::allocate_samples(kept, pixels, images);
  data::check_features(static_cast<int>(pixels), params.features, images);
  const std::byte* from = bytes.data() + image_header;
  float* to = raw.data();
  for (std::size_t i = 0; i < kept * pixels; ++i) to[i] = static_cast<float>(std::to_integer<int>(from[i]));
  return data::make_dataset(images, raw, indexed.label, indexed.class_name,
                            {static_cast<int>(width), static_cast<int>(height), 1});
}

}  // namespace krossfold::input
