// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/scale.hpp"

namespace krossfold::interchange {

/// The distance of neighbouring numbers in single precision near `value`.
inline double float_step(double value) {
  return value == 0 ? 0x1p-149 : std::max(std::ldexp(1.0, std::ilogb(value) - 23), 0x1p-149);
}

inline std::string subtract_advice(const char* places) {
  return text("Subtract a constant from it, in the samples and in ", places, ".");
}

/// Rounds support vectors to single precision, and finds features that lose by it what tells samples apart.
class SinglePrecision {
public:
  explicit SinglePrecision(std::size_t vectors) : vectors_(vectors) {}

  /// Of each vector a feature comes once at most; where it does not come, it is 0.
  float rounded(std::size_t feature, double value) {
    const auto single = static_cast<float>(value);
    Feature& one = feature_[feature];
    ++one.vectors;
    one.lost = std::max(one.lost, std::abs(double{single} - value));
    one.lowest = std::min(one.lowest, value);
    one.highest = std::max(one.highest, value);
    return single;
  }

  /// Throws an input error if a feature, numbered from `first_index`, lost more than 1e-4 of its divisor and of the range of its
  /// values. A constant counts only beyond 2^24, as in the warnings of training data.
  void check(const std::string& name, const data::Scale& scale, int first_index) const {
    constexpr double tolerance = 1e-4, largest_whole = 1 << 24;
    std::optional<std::size_t> bad;
    for (const auto& [j, feature] : feature_) {
      if (bad && *bad < j) continue;
      if (range_of(feature) == 0 && feature.most() <= largest_whole) continue;
      if (feature.lost > tolerance * unit_of(j, feature, scale)) bad = j;
    }
    if (!bad) return;
    const Feature& feature = feature_.at(*bad);
    throw_input_error(
        text(name, ": feature ", *bad + static_cast<std::size_t>(first_index), " loses digits in single precision"),
        text("its support vectors are near ", feature.most(), ", in steps of ", float_step(feature.most()),
             ", for a unit of ", unit_of(*bad, feature, scale)),
        subtract_advice("the scale or the support vectors"));
  }

private:
  struct Feature {
    std::size_t vectors = 0;
    double lost = 0, lowest = std::numeric_limits<double>::infinity(), highest = -lowest;

    double most() const { return std::max(std::abs(lowest), std::abs(highest)); }
  };

  double range_of(const Feature& one) const {
    const bool everywhere = one.vectors == vectors_;
    return everywhere ? one.highest - one.lowest : std::max(one.highest, 0.0) - std::min(one.lowest, 0.0);
  }
  double unit_of(std::size_t feature, const Feature& one, const data::Scale& scale) const {
    return std::max(std::abs(scale.divisor_of(static_cast<int>(feature))), range_of(one));
  }

  std::size_t vectors_;
  std::unordered_map<std::size_t, Feature> feature_;
};

}  // namespace krossfold::interchange
