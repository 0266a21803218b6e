// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/other_units.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/text.hpp"

namespace krossfold::data {
namespace {

constexpr int enough_samples = 10;
constexpr std::size_t most_named = 3;

/// Six digits are enough to tell units apart.
std::string shown(double value) { return text(static_cast<float>(value)); }

std::vector<std::string> of_pixels(const Dataset& samples, double range) {
  const auto lowest = static_cast<double>(samples.lowest), highest = static_cast<double>(samples.highest);
  const bool many = samples.size() >= enough_samples;
  const bool beyond = lowest < -0.05 * range || highest > 1.05 * range;
  const bool within = highest - lowest < range / (many ? 8 : 12) && (many || highest > lowest);  // one may be blank
  if (!beyond && !within) return {};
  return {text("the values of ", samples.name, " lie between ", shown(lowest), " and ", shown(highest),
               ", and the model learnt pixels from 0 to ", range, ": are they in the same unit?")};
}

/// Mean and standard deviation of all pixels together.
struct Spread {
  double mean = 0, deviation = 0;
};

Spread spread_of(const Dataset& samples) {
  double sum = 0, squares = 0;
  for (int i = 0; i < samples.size(); ++i) {
    for (int j = 0; j < samples.features(); ++j) {
      const auto value = static_cast<double>(samples.raw(i, j));
      sum += value;
      squares += value * value;
    }
  }
  const double count = static_cast<double>(samples.size()) * samples.features(), mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

/// That of the training part, from the mean and deviation of each pixel.
Spread learnt_spread(const Scale& scale, int pixels) {
  double sum = 0, squares = 0;
  for (int j = 0; j < pixels; ++j) {
    const double mean = scale.offset_of(j), deviation = scale.divisor_of(j);
    sum += mean;
    squares += mean * mean + (deviation == 1 ? 0 : deviation * deviation);  // 1 stands for a constant pixel
  }
  const double mean = sum / pixels;
  return {mean, std::sqrt(std::max(0.0, squares / pixels - mean * mean))};
}

std::vector<std::string> of_standardised_pixels(const Dataset& samples, const Scale& scale) {
  constexpr double most = 8, farthest = 4;
  const Spread now = spread_of(samples), then = learnt_spread(scale, samples.features());
  const bool blank = samples.lowest == samples.highest && samples.size() < enough_samples;
  const bool far = std::abs(now.mean - then.mean) > farthest * then.deviation;
  const bool other = now.deviation > most * then.deviation || (now.deviation < then.deviation / most && !blank);
  if (then.deviation == 0 || (!far && !other)) return {};
  return {text("the values of ", samples.name, " are ", shown(now.mean), " give or take ", shown(now.deviation),
               ", and the model learnt pixels of ", shown(then.mean), " give or take ", shown(then.deviation),
               " (mean and standard deviation): are they in the same unit?")};
}

/// Whether nearly all values of a feature lie far from the mean: of the training values, at most one in sixteen (Chebyshev).
bool is_far(const Dataset& samples, int feature, const Scale& scale) {
  if (scale.divisor_of(feature) == 1) return false;  // constant in training: nothing is known of its unit
  int far = 0;
  for (int i = 0; i < samples.size(); ++i) {
    const double z = (samples.raw(i, feature) - scale.offset_of(feature)) / scale.divisor_of(feature);
    far += std::abs(z) > 4 ? 1 : 0;
  }
  return far >= 0.8 * samples.size();
}

}  // namespace

std::vector<std::string> other_units(const Dataset& samples, const Scale& scale, const std::vector<std::string>& name,
                                     const ImageShape& image) {
  if (samples.is_sparse() || samples.size() == 0 || samples.features() == 0) return {};
  if (const double range = pixel_range_of(scale); range > 0) return of_pixels(samples, range);
  const int features = scale.uniform() ? 0 : static_cast<int>(scale.divisor.size());
  if (features != samples.features()) return {};
  std::vector<std::string> found;
  if (image.height > 1 || image.channels > 1) found = of_standardised_pixels(samples, scale);
  if (samples.size() < enough_samples || !found.empty()) return found;
  std::size_t far = 0;
  for (int j = 0; j < features; ++j) {
    const std::string& own = name[static_cast<std::size_t>(j)];
    if (own.empty() || !is_far(samples, j, scale) || ++far > most_named) continue;
    found.push_back(text(own, " of ", samples.name, " has values such as ", shown(samples.raw(0, j)),
                         ", and the model learnt ", shown(scale.offset_of(j)), " give or take ",
                         shown(scale.divisor_of(j)), " (mean and standard deviation): is it in the same unit?"));
  }
  if (far > most_named) {
    found.back() += text(far == most_named + 1 ? " So is " : " So are ", far - most_named, " more.");
  }
  return found;
}

std::vector<std::string> feature_names(const TableEncoding* encoding, int features) {
  std::vector<std::string> names;
  if (encoding != nullptr) {
    for (const FeatureColumn& column : encoding->column) {
      const std::string name = text("column ", column.column, column.name.empty() ? "" : text(" (", column.name, ")"));
      column.text ? names.resize(names.size() + column.category.size()) : names.push_back(name);
    }
  }
  for (int j = static_cast<int>(names.size()); j < features; ++j) names.push_back(text("feature ", j + 1));
  return names;
}

}  // namespace krossfold::data
