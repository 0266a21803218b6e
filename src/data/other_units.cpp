// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/other_units.hpp"

#include <algorithm>

#include "krossfold/core/text.hpp"

namespace krossfold::data {
namespace {

constexpr int enough_samples = 10;
constexpr std::size_t most_named = 3;

/// Six digits are enough to tell units apart.
std::string shown(double value) { return text(static_cast<float>(value)); }

std::vector<std::string> of_pixels(const Dataset& samples, double range) {
  const auto lowest = static_cast<double>(samples.lowest), highest = static_cast<double>(samples.highest);
  const bool beyond = lowest < -0.05 * range || highest > 1.05 * range, within = highest - lowest < range / 8;
  if (!beyond && !within) return {};
  return {text("the values of ", samples.name, " lie between ", shown(lowest), " and ", shown(highest),
               ", and the model learnt pixels from 0 to ", range, ": are they in the same unit?")};
}

/// Whether nearly all values of a feature lie on the same side of the mean and far away.
bool is_far(const Dataset& samples, int feature, const Scale& scale) {
  if (scale.divisor_of(feature) == 1) return false;  // constant in training: nothing is known of its unit
  int above = 0, below = 0;
  for (int i = 0; i < samples.size(); ++i) {
    const double z = (samples.raw(i, feature) - scale.offset_of(feature)) / scale.divisor_of(feature);
    above += z > 4 ? 1 : 0;
    below += z < -4 ? 1 : 0;
  }
  return std::max(above, below) >= 0.8 * samples.size();
}

}  // namespace

std::vector<std::string> other_units(const Dataset& samples, const Scale& scale,
                                     const std::function<std::string(int)>& name_of) {
  if (samples.is_sparse() || samples.size() < enough_samples) return {};
  if (const double range = pixel_range_of(scale); range > 0) return of_pixels(samples, range);
  std::vector<std::string> found;
  std::size_t far = 0;
  const int features = scale.uniform() ? 0 : static_cast<int>(scale.divisor.size());
  for (int j = 0; j < features && j < samples.features(); ++j) {
    const std::string name = name_of(j);
    if (name.empty() || !is_far(samples, j, scale) || ++far > most_named) continue;
    found.push_back(text(name, " of ", samples.name, " has values such as ", shown(samples.raw(0, j)),
                         ", and the model learnt ", shown(scale.offset_of(j)), " give or take ",
                         shown(scale.divisor_of(j)), " (mean and standard deviation): is it in the same unit?"));
  }
  if (far > most_named) {
    found.back() += text(far == most_named + 1 ? " So is " : " So are ", far - most_named, " more.");
  }
  return found;
}

}  // namespace krossfold::data
