// SPDX-License-Identifier: BSD-3-Clause
// Readers of pictures: PNG and JPEG, and how they are fitted to a model.
#include "fuzz/checksums.hpp"
#include "fuzz/target.hpp"
#include "krossfold/input/picture.hpp"
#include "krossfold/input/read_jpeg.hpp"
#include "krossfold/input/read_png.hpp"
#include "krossfold/input/resize_picture.hpp"

namespace krossfold::fuzz {

namespace {

void check_picture(const input::Picture& picture) {
  must(picture.width >= 1 && picture.height >= 1 && (picture.channels == 1 || picture.channels == 3),
       "a picture has pixels of one or three channels");
  must(picture.pixel.size() == picture.pixels() * picture.channels, "there are as many pixels as the size says");
  for (const float value : picture.pixel) must(value >= 0 && value <= 255, "a pixel is from 0 to 255");
  if (picture.pixel.size() > 10'000) return;
  const input::Picture small = input::resize_picture(picture, 8, 8);
  for (const float value : small.pixel) must(value >= -0.01F && value <= 255.01F, "resizing keeps the range");
}

void read_png(std::span<const std::byte> input) {
  Choices choice(input);
  input::DecodeParams params;
  params.colour = choice.next(2) == 0 ? input::Colour::kept : input::Colour::grey;
  check_picture(input::parse_png(choice.rest(), "input.png", params));
}

void read_jpeg(std::span<const std::byte> input) {
  Choices choice(input);
  input::DecodeParams params;
  params.colour = choice.next(2) == 0 ? input::Colour::kept : input::Colour::grey;
  check_picture(input::parse_jpeg(choice.rest(), "input.jpg", params));
}

/// The PNG follows a byte of choices.
void repair(Bytes& input) {
  if (input.empty()) return;
  Bytes png(input.begin() + 1, input.end());
  repair_png(png);
  std::copy(png.begin(), png.end(), input.begin() + 1);
}

constexpr Target targets[] = {{"png", read_png, repair}, {"jpeg", read_jpeg}};

}  // namespace

std::span<const Target> picture_targets() { return targets; }

}  // namespace krossfold::fuzz
