// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sample_matrix.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/input/resize_picture.hpp"

namespace krossfold::input {
namespace {

/// The median over all images of their border_grey(), mapped to [0, 1].
float border_of(const data::Dataset& images, const ImageKind& kind) {
  const data::ImageShape& shape = kind.shape;
  std::vector<float> border;
  Picture one{shape.width, shape.height};
  for (int i = 0; i < images.size(); ++i) {
    one.grey.assign(&images.raw(i, 0), &images.raw(i, 0) + images.features());
    border.push_back(border_grey(one));
  }
  if (border.empty() || kind.white == kind.black) return 0;
  const auto middle = border.begin() + static_cast<std::ptrdiff_t>(border.size() / 2);
  std::nth_element(border.begin(), middle, border.end());
  return (*middle - kind.black) / (kind.white - kind.black);
}

bool is_inverted(float border, const ImageKind& kind, Invert invert) {
  if (invert != Invert::automatic) return invert == Invert::yes;
  return (kind.border < 0.25F && border > 127.5F) || (kind.border > 0.75F && border < 127.5F);
}

}  // namespace

ImageKind kind_of_images(const data::Dataset& images) {
  const data::ImageShape& shape = images.image;
  const bool fits = std::int64_t{shape.width} * shape.height == images.features();
  if (shape.width < 1 || shape.height < 1 || shape.channels != 1 || !fits) {
    throw_input_error(text(images.name, " takes no pictures"), "it was not trained on grey images",
                      "give samples as CSV or libsvm text");
  }
  ImageKind kind{shape, images.lowest, images.highest, images.integer};
  if (images.integer && images.lowest >= 0) {
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
  float ground = border_grey(small);
  if (is_inverted(ground, kind, params.invert)) {
    small.made += " -> inverted";
    if (params.invert == Invert::automatic) {
      small.made += ground > 127.5F ? " (its border is light, that of the training images dark)"
                                    : " (its border is dark, that of the training images light)";
    }
    for (float& grey : small.grey) grey = 255 - grey;
    ground = 255 - ground;
  }
  Picture fitted{kind.shape.width, kind.shape.height, {}, small.made};
  fitted.grey.assign(static_cast<std::size_t>(fitted.width) * fitted.height, ground);
  const int left = (fitted.width - small.width) / 2, top = (fitted.height - small.height) / 2;
  for (int i = 0; i < small.height; ++i) {
    const auto from = small.grey.begin() + static_cast<std::ptrdiff_t>(i) * small.width;
    std::copy(from, from + small.width, fitted.grey.begin() + std::ptrdiff_t{top + i} * fitted.width + left);
  }
  if (small.width != fitted.width || small.height != fitted.height) {
    fitted.made += text(" -> in the middle of ", fitted.width, "x", fitted.height);
  }
  if (kind.black != 0 || kind.white != 255) fitted.made += text(" -> values ", kind.black, " to ", kind.white);
  for (float& grey : fitted.grey) {
    const double value = kind.black + grey / 255.0 * (static_cast<double>(kind.white) - kind.black);
    grey = static_cast<float>(kind.integer ? std::round(value) : value);
  }
  return fitted;
}

Pictures load_pictures(const std::vector<std::string>& files, const ImageKind& kind, const PictureParams& params) {
  const int features = kind.shape.width * kind.shape.height;
  const std::string name = files.size() == 1 ? files[0] : text(files.size(), " pictures");
  const Matrix<float> raw = data::allocate_samples(files.size(), static_cast<std::uint64_t>(features), name);
  Pictures pictures;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Picture fitted = fit_picture(read_png(files[i], params.background), kind, params);
    std::copy(fitted.grey.begin(), fitted.grey.end(), &raw(i, 0));
    pictures.made.push_back(fitted.made);
    const auto [darkest, lightest] = std::minmax_element(fitted.grey.begin(), fitted.grey.end());
    const float one_grey = std::abs(kind.white - kind.black) / 255;
    if (*lightest - *darkest < one_grey / 2) pictures.flat.push_back(files[i]);
  }
  pictures.samples = data::make_dataset(name, raw, {}, {}, kind.shape);
  return pictures;
}

}  // namespace krossfold::input
