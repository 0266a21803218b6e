// SPDX-License-Identifier: BSD-3-Clause
#include "image_arrays.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "tables/table_words.hpp"

namespace krossfold::tables {
namespace {

using Dimensions = std::vector<std::uint64_t>;

Dimensions without_ones(Dimensions dimensions) {
  std::erase(dimensions, 1U);
  return dimensions;
}

ImageForm told_form(const ArrayPieces& x, const Dimensions& sample, const std::string& image) {
  const data::ImageShape shape = parse_image_shape(image);
  const auto whole = [](int count) { return static_cast<std::uint64_t>(count); };
  const std::uint64_t c = whole(shape.channels), h = whole(shape.height), w = whole(shape.width);
  const Dimensions own = without_ones(sample), wanted = without_ones({c, h, w});
  const auto is_any = [&](const std::vector<Dimensions>& forms) {
    return std::any_of(forms.begin(), forms.end(), [&](const Dimensions& one) { return own == without_ones(one); });
  };
  if (own.size() <= 1 || is_any({{c, h, w}, {c, h * w}, {c * h, w}})) return {shape};
  if (c > 1 && is_any({{h, w, c}, {h * w, c}})) return {shape, true};
  const std::uint64_t numbers = std::accumulate(own.begin(), own.end(), std::uint64_t{1}, std::multiplies<>());
  if (numbers != c * h * w) return {};  // the number of features is judged elsewhere
  const bool turned = c == 1 && own.size() == 2 && own[0] == w && own[1] == h;
  throw_input_error(
      text(x.name, " has samples of ", dimensions_text(sample), " numbers"),
      text("an image of ", image, " is ", c > 1 ? "channels, " : "", "rows and columns of ", dimensions_text(wanted),
           ", in this order", c > 1 ? ", or has its channels last" : ""),
      turned ? text("turn them before saving, numpy.swapaxes(X, -1, -2), unless their shape is ", own[1], "x", own[0])
             : "say what shape the images have, or flatten the samples if they are in this order");
}

}  // namespace

std::string dimensions_text(const std::vector<std::uint64_t>& dimensions) {
  std::string all;
  for (const std::uint64_t one : dimensions) all += text(all.empty() ? "" : "x", one);
  return all;
}

ImageForm image_form(const ArrayPieces& x, const std::string& image) {
  const Dimensions sample(x.shape.begin() + 1, x.shape.end());
  if (sample.size() < 2) return {};
  if (!image.empty() && image != "auto") return told_form(x, sample, image);
  constexpr std::uint64_t longest_side = 65536;  // of --image, too
  if (*std::max_element(sample.begin(), sample.end()) > longest_side) return {};
  const auto shape = [](std::uint64_t c, std::uint64_t h, std::uint64_t w) {
    return data::ImageShape{static_cast<int>(w), static_cast<int>(h), static_cast<int>(c)};
  };
  if (without_ones(sample).size() < 2) return {};
  if (sample.size() == 2) return {shape(1, sample[0], sample[1])};
  if (sample.size() != 3) return {};
  if (sample[0] < std::min(sample[1], sample[2])) return {shape(sample[0], sample[1], sample[2])};
  if (sample[2] < std::min(sample[0], sample[1])) return {shape(sample[2], sample[0], sample[1]), true};
  return {};
}

}  // namespace krossfold::tables
