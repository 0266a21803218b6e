// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/input/resize_picture.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/text.hpp"

namespace krossfold::input {
namespace {

/// A new pixel as a weighted sum of the old pixels first, first + 1, ...
struct Part {
  int first = 0;
  std::vector<double> weight{};  ///< weights, which sum to 1
};

Part area_average(int i, int old_size, int new_size) {
  const double from = static_cast<double>(i) * old_size / new_size, to = (i + 1.0) * old_size / new_size;
  Part part{.first = static_cast<int>(from)};
  for (int k = part.first; k < old_size && k < to; ++k) {
    part.weight.push_back((std::min(to, k + 1.0) - std::max<double>(from, k)) / (to - from));
  }
  return part;
}

Part bilinear(int i, int old_size, int new_size) {
  const double at = std::clamp((i + 0.5) * old_size / new_size - 0.5, 0.0, old_size - 1.0);
  const int first = static_cast<int>(at);
  const double share = at - first;
  return first + 1 < old_size ? Part{first, {1 - share, share}} : Part{first, {1}};
}

std::vector<Part> parts_of(int old_size, int new_size) {
  std::vector<Part> parts;
  for (int i = 0; i < new_size; ++i) {
    if (new_size == old_size) {
      parts.push_back({i, {1}});
    } else {
      parts.push_back(new_size < old_size ? area_average(i, old_size, new_size) : bilinear(i, old_size, new_size));
    }
  }
  return parts;
}

std::string name_of_step(const Picture& picture, int width, int height) {
  const bool shrunk = width < picture.width || height < picture.height;
  const bool enlarged = width > picture.width || height > picture.height;
  if (shrunk && enlarged) return "area average and bilinear";
  return shrunk ? "area average" : "bilinear";
}

}  // namespace

Picture resize_picture(const Picture& picture, int width, int height) {
  if (width == picture.width && height == picture.height) return picture;
  const std::vector<Part> across = parts_of(picture.width, width), down = parts_of(picture.height, height);
  Picture resized{width, height, std::vector<float>(static_cast<std::size_t>(width) * height * picture.channels),
                  text(picture.made, " -> ", width, "x", height, " (", name_of_step(picture, width, height), ")"),
                  picture.channels};
  // Processing source rows in order means that shrinking reads the large picture once and needs only two extra rows.
  std::vector<double> row(width), sum(width);
  for (int line = 0; line < picture.channels * height; ++line) {
    const int channel = line / height, i = line % height;
    std::fill(sum.begin(), sum.end(), 0.0);
    for (std::size_t k = 0; k < down[i].weight.size(); ++k) {
      const float* from = picture.pixel.data() + channel * picture.pixels() + (down[i].first + k) * picture.width;
      for (int j = 0; j < width; ++j) {
        row[j] = 0;
        for (std::size_t l = 0; l < across[j].weight.size(); ++l) {
          row[j] += across[j].weight[l] * from[across[j].first + l];
        }
      }
      for (int j = 0; j < width; ++j) sum[j] += down[i].weight[k] * row[j];
    }
    float* to = resized.pixel.data() + static_cast<std::size_t>(line) * width;
    for (int j = 0; j < width; ++j) to[j] = static_cast<float>(sum[j]);
  }
  return resized;
}

data::ImageShape fitting_size(const Picture& picture, data::ImageShape room) {
  const double factor =
      std::min(static_cast<double>(room.width) / picture.width, static_cast<double>(room.height) / picture.height);
  const auto side = [factor](int old, int most) {
    return std::clamp(static_cast<int>(std::lround(old * factor)), 1, most);
  };
  return {side(picture.width, room.width), side(picture.height, room.height), 1};
}

std::vector<float> border_colour(const Picture& picture) {
  std::vector<float> colour, border;
  for (int c = 0; c < picture.channels; ++c) {
    border.clear();
    for (int i = 0; i < picture.height; ++i) {
      const bool edge = i == 0 || i == picture.height - 1;
      for (int j = 0; j < picture.width; j += edge ? 1 : std::max(1, picture.width - 1))
        border.push_back(picture.at(i, j, c));
    }
    const auto middle = border.begin() + static_cast<std::ptrdiff_t>(border.size() / 2);
    std::nth_element(border.begin(), middle, border.end());
    colour.push_back(*middle);
  }
  return colour;
}

float border_grey(const Picture& picture) {
  const std::vector<float> colour = border_colour(picture);
  return colour.size() == 1 ? colour[0] : 0.299F * colour[0] + 0.587F * colour[1] + 0.114F * colour[2];
}

}  // namespace krossfold::input
