// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/read_jpeg.hpp"

#include <turbojpeg.h>

#include <memory>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::input {
namespace {

struct Closer {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using JpegDecoder = std::unique_ptr<void, Closer>;

[[noreturn]] void throw_damaged(const std::string& name, const std::string& fault) {
  throw_input_error(text(name, " is damaged or cut off"), fault,
                    "Fetch the file again, or save it again as PNG or JPEG.");
}

void check_header(const std::string& name, int width, int height, int space) {
  require(space != TJCS_CMYK && space != TJCS_YCCK, text(name, " is in the colours of print (CMYK)"),
          "pictures are grey or red, green and blue", "Convert it to RGB.");
  if (width < 1 || height < 1) throw_damaged(name, "it has no header with the size of the picture");
  require(std::int64_t{width} * height <= max_picture_pixels,
          text(name, " is too large: ", width, " x ", height, " pixels"), "a picture may have at most 50 million",
          "Make it smaller.");
}

}  // namespace

bool is_jpeg(std::span<const std::byte> bytes) {
  return bytes.size() >= 3 && bytes[0] == std::byte{0xff} && bytes[1] == std::byte{0xd8} && bytes[2] == std::byte{0xff};
}

Picture parse_jpeg(std::span<const std::byte> bytes, const std::string& name, const DecodeParams& params) {
  const JpegDecoder decoder(tjInitDecompress());
  if (!decoder) throw_run_error("libjpeg-turbo cannot start", tjGetErrorStr2(nullptr));
  const auto* content = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, sampling = 0, space = 0;
  if (tjDecompressHeader3(decoder.get(), content, bytes.size(), &width, &height, &sampling, &space) != 0) {
    throw_damaged(name, tjGetErrorStr2(decoder.get()));
  }
  check_header(name, width, height, space);
  const bool grey = space == TJCS_GRAY;
  const int samples = grey ? 1 : 3;
  Picture picture{width, height, {}, text(width, "x", height, ", JPEG", grey ? ", grey" : "")};
  std::vector<unsigned char> decoded(picture.pixels() * samples);
  constexpr int flags = TJFLAG_ACCURATEDCT | TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS;
  if (tjDecompress2(decoder.get(), content, bytes.size(), decoded.data(), width, 0, height, grey ? TJPF_GRAY : TJPF_RGB,
                    flags) != 0) {
    throw_damaged(name, tjGetErrorStr2(decoder.get()));
  }
  if (!grey && params.colour == Colour::grey) {
    picture.made += " -> grey (BT.601)";
  } else {
    picture.channels = samples;
  }
  picture.pixel.resize(picture.pixels() * picture.channels);
  for (std::size_t k = 0; k < picture.pixels(); ++k) {
    const unsigned char* at = &decoded[k * samples];
    if (samples > picture.channels) {
      picture.pixel[k] = static_cast<float>(bt601_grey(at[0], at[1], at[2]));
    } else {
      for (int c = 0; c < samples; ++c) picture.pixel[c * picture.pixels() + k] = at[c];
    }
  }
  return picture;
}

}  // namespace krossfold::input
