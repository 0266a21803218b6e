// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/scale.hpp"

namespace krossfold::interchange {

/// Rounds support vectors to single precision, and finds features that lose by it what tells samples apart.
class SinglePrecision {
public:
  explicit SinglePrecision(std::size_t features) : feature_(features) {}

  float rounded(std::size_t feature, double value) {
    const auto single = static_cast<float>(value);
    Feature& one = feature_[feature];
    one.lost = std::max(one.lost, std::abs(double{single} - value));
    one.lowest = std::min(one.lowest, value);
    one.highest = std::max(one.highest, value);
    return single;
  }

  /// Throws an input error if a feature, numbered from `first_index`, lost more than 1e-4 of its divisor and of the range of its
  /// values. A constant counts only beyond 2^24, as in the warnings of training data.
  void check(const std::string& name, const data::Scale& scale, int first_index) const {
    constexpr double tolerance = 1e-4, largest_whole = 1 << 24;
    for (std::size_t j = 0; j < feature_.size(); ++j) {
      const auto& [lost, lowest, highest] = feature_[j];
      const double range = highest - lowest, most = std::max(std::abs(lowest), std::abs(highest));
      const double unit = std::max(std::abs(scale.divisor_of(static_cast<int>(j))), range);
      if (!(lost > tolerance * unit) || (range == 0 && most <= largest_whole)) continue;
      const double step = std::max(std::ldexp(1.0, std::ilogb(most) - 23), 0x1p-149);
      throw_input_error(
          text(name, ": feature ", static_cast<int>(j) + first_index, " loses digits in single precision"),
          text("its support vectors are near ", most, ", in steps of ", step, ", for a unit of ", unit),
          "Subtract a constant from it, in the samples and in the scale or the support vectors.");
    }
  }

private:
  struct Feature {
    double lost = 0, lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  };
  std::vector<Feature> feature_;
};

}  // namespace krossfold::interchange
