// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/input/resize_picture.hpp"

namespace krossfold::input {
namespace {

/// The border_grey() of images, mapped to [0, 1]: as of ImageKind.
float border_of(const data::Dataset& images, const ImageKind& kind) {
  const data::ImageShape& shape = kind.shape;
  const Matrix<const float> values = data::dense_values(images, "an image", data::most_dense_bytes);
  std::vector<std::vector<float>> border(std::max<std::size_t>(images.class_name.size(), 1));  // (class, image)
  std::vector<float> all;
  Picture one{.width = shape.width, .height = shape.height, .channels = shape.channels};
  for (int i = 0; i < images.size(); ++i) {
    one.pixel.assign(&values(i, 0), &values(i, 0) + images.features());
    all.push_back((border_grey(one) - kind.black) / (kind.white - kind.black));
    const int label = images.labelled() ? images.label(i) : 0;
    border[label < 0 ? 0 : static_cast<std::size_t>(label)].push_back(all.back());
  }
  if (all.empty() || kind.white == kind.black) return 0;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  const bool dark = *middle < 0.5F;
  constexpr std::size_t few = 6;  // in a class with fewer images not one may differ
  float worst = dark ? 0 : 1;
  for (std::vector<float>& grey : border) {
    if (grey.empty()) continue;
    std::sort(grey.begin(), grey.end());
    const std::size_t others = std::max<std::size_t>(grey.size() / 20, grey.size() < few ? 0 : 1);
    worst = dark ? std::max(worst, grey[grey.size() - 1 - others]) : std::min(worst, grey[others]);
  }
  return dark ? std::min(worst, 0.5F) : std::max(worst, 0.5F);
}

bool is_inverted(float border, const ImageKind& kind, Invert invert) {
  if (invert != Invert::automatic) return invert == Invert::yes;
  return (kind.border < 0.25F && border > 127.5F) || (kind.border > 0.75F && border < 127.5F);
}

}  // namespace

ImageKind kind_of_images(const data::Dataset& images) {
  const data::ImageShape& shape = images.image;
  const bool fits = std::int64_t{shape.width} * shape.height * shape.channels == images.features();
  if (!takes_pictures(shape) || !fits) {
    throw_input_error(text(images.name, " takes no pictures"), "it was not trained on images in grey or colour",
                      "give samples as CSV or libsvm text");
  }
  ImageKind kind{shape, images.lowest, images.highest, images.integer};
  if (images.white != 0) {
    kind = {shape, 0, images.white, false};
  } else if (images.integer && images.lowest >= 0) {
    kind.black = 0;
    kind.white = images.highest < 15 ? images.highest : static_cast<float>(data::pixel_range(images.highest));
  }
  kind.border = border_of(images, kind);
  return kind;
}

Invert parse_invert(const std::string& word) {
  if (word == "auto") return Invert::automatic;
  if (word == "yes") return Invert::yes;
  if (word == "no") return Invert::no;
  throw_unknown_word("invert", word, {"auto", "yes", "no"}, "auto, yes or no");
}

float parse_background(const std::string& word) {
  if (word == "white") return 255;
  if (word == "black") return 0;
  throw_unknown_word("background", word, {"white", "black"}, "white or black");
}

Picture fit_picture(const Picture& picture, const ImageKind& kind, const PictureParams& params) {
  const data::ImageShape size = fitting_size(picture, kind.shape);
  Picture small = resize_picture(picture, size.width, size.height);
  if (small.channels < kind.shape.channels) {
    small.made += text(" -> ", kind.shape.channels, " equal channels");
    const std::vector<float> grey = small.pixel;
    for (; small.channels < kind.shape.channels; ++small.channels) {
      small.pixel.insert(small.pixel.end(), grey.begin(), grey.end());
    }
  }
  if (const float border = border_grey(small); is_inverted(border, kind, params.invert)) {
    small.made += " -> inverted";
    if (params.invert == Invert::automatic) {
      small.made += border > 127.5F ? " (its border is light, that of the training images dark)"
                                    : " (its border is dark, that of the training images light)";
    }
    for (float& value : small.pixel) value = 255 - value;
  }
  const std::vector<float> ground = border_colour(small);
  Picture fitted{kind.shape.width, kind.shape.height, {}, small.made, small.channels};
  const int left = (fitted.width - small.width) / 2, top = (fitted.height - small.height) / 2;
  for (int c = 0; c < fitted.channels; ++c) {
    fitted.pixel.resize((c + 1) * fitted.pixels(), ground[static_cast<std::size_t>(c)]);
    for (int i = 0; i < small.height; ++i) {
      const float* from = small.pixel.data() + c * small.pixels() + static_cast<std::size_t>(i) * small.width;
      std::copy(from, from + small.width,
                fitted.pixel.data() + c * fitted.pixels() + static_cast<std::size_t>(top + i) * fitted.width + left);
    }
  }
  if (small.width != fitted.width || small.height != fitted.height) {
    fitted.made += text(" -> in the middle of ", fitted.width, "x", fitted.height);
  }
  if (kind.black != 0 || kind.white != 255) fitted.made += text(" -> values ", kind.black, " to ", kind.white);
  for (float& pixel : fitted.pixel) {
    const double value = kind.black + pixel / 255.0 * (static_cast<double>(kind.white) - kind.black);
    pixel = static_cast<float>(kind.integer ? std::round(value) : value);
  }
  return fitted;
}

Pictures load_pictures(const std::vector<std::string>& files, const ImageKind& kind, const PictureParams& params) {
  const std::string name = files.size() == 1 ? files[0] : text(files.size(), " pictures");
  const auto features = std::uint64_t(kind.shape.width) * kind.shape.height * kind.shape.channels;
  const Matrix<float> raw = data::allocate_samples(files.size(), features, name);
  const DecodeParams decoding{params.background, kind.shape.channels == 1 ? Colour::grey : Colour::kept};
  Pictures pictures;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Picture fitted = fit_picture(read_picture(files[i], decoding), kind, params);
    std::copy(fitted.pixel.begin(), fitted.pixel.end(), &raw(i, 0));
    pictures.made.push_back(fitted.made);
    const float one_grey = std::abs(kind.white - kind.black) / 255;
    bool flat = true;
    for (int c = 0; c < fitted.channels; ++c) {
      const float* first = fitted.pixel.data() + c * fitted.pixels();
      const auto [darkest, lightest] = std::minmax_element(first, first + fitted.pixels());
      flat = flat && *lightest - *darkest < one_grey / 2;
    }
    if (flat) pictures.flat.push_back(files[i]);
  }
  pictures.samples = data::make_dataset(name, raw, {}, {}, kind.shape);
  return pictures;
}

}  // namespace krossfold::input
