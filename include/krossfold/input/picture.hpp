// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace krossfold::input {

/// A picture in host memory.
struct Picture {
  int width = 0, height = 0;
  std::vector<float> pixel{};  ///< (channel, row, column) from the top left; 0 is black, 255 white
  std::string made{};          ///< its format in the file and its conversions so far, for people
  int channels = 1;            ///< 1: grey, 3: red, green, blue

  std::size_t pixels() const { return static_cast<std::size_t>(width) * height; }  ///< of one channel
  float at(int row, int column, int channel = 0) const {
    return pixel[channel * pixels() + static_cast<std::size_t>(row) * width + column];
  }
};

constexpr std::int64_t max_picture_pixels = 50'000'000;  ///< limit: 200 MB for each channel of a Picture
constexpr std::int64_t longest_picture_side = 65'535;    ///< pixels

/// What becomes of colours.
///   grey  grey = .299 R + .587 G + .114 B (luma of ITU-R BT.601, section 2.5.1), as in Pillow, OpenCV and torchvision, so that
///         pictures match training data converted with those
///   kept  a picture in colour has three channels; one in grey has one
enum class Colour { grey, kept };

/// How a file becomes a Picture.
struct DecodeParams {
  float background = 255;  ///< grey, 0 to 255, behind transparent pictures
  Colour colour = Colour::grey;
};

/// The grey of BT.601 of samples in 0 ... `white`, in 0 ... 255. It is summed in integers, so that R = G = B = v gives exactly the
/// same grey as v.
inline double bt601_grey(int red, int green, int blue, double white = 255) {
  return (299 * red + 587 * green + 114 * blue) / (1000 * white / 255);
}

/// Whether the name of a file ends as those of PNG and JPEG files do (.png, .jpg, .jpeg, in letters of either case).
bool is_picture_name(const std::string& path);

/// The same of an entry of a folder. Throws an input error if that is a pipe, a socket or a device, or leads to one: it may never end.
bool is_picture(const std::filesystem::directory_entry& entry);

/// Reads a PNG or JPEG file, whatever its name; see parse_png() and parse_jpeg().
Picture read_picture(const std::string& path, const DecodeParams& params = {});

}  // namespace krossfold::input
