// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/shifted_images.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sparse_samples.hpp"

namespace krossfold::data {
namespace {

/// Converts to a float within the range, rounded if the range is of integers.
float in_range(double value, const PixelRange& range) {
  return std::clamp(static_cast<float>(range.integer ? std::nearbyint(value) : value), range.lowest, range.highest);
}

double width_of(const PixelRange& range) {
  return static_cast<double>(range.highest) - static_cast<double>(range.lowest);
}

void fill_noise(float* out, int features, const PixelRange& range, const StreamId& stream) {
  for (int j = 0; j < features; ++j) {
    const double step =
        range.integer ? static_cast<double>(random_below(stream, j, static_cast<std::uint64_t>(width_of(range)) + 1))
                      : random_uniform(stream, j) * width_of(range);
    out[j] = in_range(static_cast<double>(range.lowest) + step, range);
  }
}

void fill_inverted(float* out, const float* in, int features, const PixelRange& range) {
  const double both = static_cast<double>(range.lowest) + static_cast<double>(range.highest);
  for (int j = 0; j < features; ++j) {
    const auto opposite = static_cast<float>(both - static_cast<double>(in[j]));
    const bool inside = in[j] >= range.lowest && in[j] <= range.highest;
    out[j] = inside ? std::clamp(opposite, range.lowest, range.highest) : opposite;
  }
}

void fill_shuffled(float* out, const float* in, int features, const StreamId& stream) {
  const std::vector<int> order = random_permutation(stream, features);
  for (int j = 0; j < features; ++j) out[j] = in[order[j]];
}

/// The wave amplitude cos(2 pi (across x + down y) + phase), with x and y from 0 to 1 over the image.
struct Wave {
  double across, down, phase, amplitude;
};

constexpr int wave_count = 12;

std::array<Wave, wave_count> random_waves(const StreamId& stream, std::uint64_t first_draw) {
  std::array<Wave, wave_count> waves;
  for (Wave& wave : waves) {
    const auto draw = [&] { return 2 * random_uniform(stream, first_draw++) - 1; };
    wave.across = 4 * draw();
    wave.down = 4 * draw();
    wave.phase = std::numbers::pi * draw();
    wave.amplitude = draw() / (0.5 + std::hypot(wave.across, wave.down));
  }
  return waves;
}

}  // namespace

std::string name_of(ImageShift shift) {
  constexpr std::array name = {"noise", "inverted", "shuffled pixels", "photograph-like"};
  return name.at(static_cast<std::size_t>(shift));
}

PixelRange pixel_range(const Dataset& dataset) { return {dataset.lowest, dataset.highest, dataset.integer}; }

Vector<float> photograph_like(const ImageShape& shape, const PixelRange& range, const StreamId& stream) {
  const auto waves = random_waves(stream, 0);
  std::uint64_t draw = 4 * wave_count;
  const double across = 2 * random_uniform(stream, draw++) - 1, down = 2 * random_uniform(stream, draw++) - 1;
  // Each channel varies the weights of the waves by up to a half, which gives different but related colours.
  std::vector<double> weight(static_cast<std::size_t>(shape.channels) * wave_count, 1.0);
  if (shape.channels > 1) {
    for (double& w : weight) w = 0.5 + random_uniform(stream, draw++);
  }

  const int pixels = shape.width * shape.height;
  std::vector<double> light(static_cast<std::size_t>(pixels) * shape.channels);
  for (int k = 0; k < pixels; ++k) {
    const int column = k % shape.width, row = k / shape.width;
    const double x = (column + 0.5) / shape.width, y = (row + 0.5) / shape.height;
    for (int channel = 0; channel < shape.channels; ++channel) {
      double sum = across * x + down * y;
      for (int w = 0; w < wave_count; ++w) {
        sum += weight[static_cast<std::size_t>(channel) * wave_count + w] * waves[w].amplitude *
               std::cos(2 * std::numbers::pi * (waves[w].across * x + waves[w].down * y) + waves[w].phase);
      }
      light[static_cast<std::size_t>(channel) * pixels + k] = sum;
    }
  }
  const auto [least, most] = std::minmax_element(light.begin(), light.end());
  const double dark = *least, contrast = *most - *least;
  const Vector<float> image("krossfold::data::photograph", light.size());
  for (std::size_t j = 0; j < light.size(); ++j) {
    const double share = contrast > 0 ? (light[j] - dark) / contrast : 0.5;
    image(j) = in_range(static_cast<double>(range.lowest) + share * width_of(range), range);
  }
  return image;
}

Dataset shifted_images(ImageShift shift, const Dataset& images, const PixelRange& range, std::uint64_t seed) {
  if (images.image.width == 0) {
    throw_input_error(text(images.name, " holds no images"), "its samples have no width and height");
  }
  const int features = images.features();
  const Matrix<const float> values = dense_values(images, "an image", most_dense_bytes);
  const Matrix<float> raw(uninitialized("krossfold::data::shifted"), images.size(), features);
  for (int i = 0; i < images.size(); ++i) {
    StreamId stream{.seed = seed, .trial = static_cast<std::uint32_t>(i)};
    float* out = &raw(i, 0);
    const float* in = &values(i, 0);
    switch (shift) {
      case ImageShift::noise:
        stream.purpose = random_purpose_noise_images;
        fill_noise(out, features, range, stream);
        break;
      case ImageShift::inverted:
        fill_inverted(out, in, features, range);
        break;
      case ImageShift::shuffled:
        stream.purpose = random_purpose_shuffled_pixels;
        fill_shuffled(out, in, features, stream);
        break;
      case ImageShift::photograph: {
        stream.purpose = random_purpose_photograph;
        const auto scene = photograph_like(images.image, range, stream);
        std::copy_n(scene.data(), features, out);
        break;
      }
    }
  }
  return make_dataset(text(images.name, " (", name_of(shift), ")"), raw, {}, images.class_name, images.image);
}

}  // namespace krossfold::data
