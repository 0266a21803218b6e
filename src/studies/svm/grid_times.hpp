// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

#include "krossfold/run/plan_work.hpp"
#include "krossfold/studies/svm/stages.hpp"

namespace krossfold::studies {

/// A model of the seconds that a (gamma, fold) unit of the grid takes: for a measured gamma the mean over its measured
/// folds, between measured gammas an interpolation, and beyond them the time of the nearest; all in proportion to
/// relative_cost().
class GridTimes {
public:
  /// seconds: (gamma, fold), NaN where not measured; gamma ascending, above 0.
  GridTimes(const std::vector<double>& gamma, const std::vector<double>& seconds, int folds)
      : first_(std::log(gamma.front())), last_(std::log(gamma.back())) {
    for (std::size_t g = 0; g < gamma.size(); ++g) {
      run::TimeRatio mean;
      for (int f = 0; f < folds; ++f) {
        mean.add(seconds[g * static_cast<std::size_t>(folds) + static_cast<std::size_t>(f)], 1);
      }
      const double x = std::log(gamma[g]);
      // A clock may be too coarse to show any time, but the logarithm needs one.
      if (mean.expected > 0) mean_[x] = std::max(mean.value(0), 1e-9) / cost(x);
    }
  }
  int measured() const { return static_cast<int>(mean_.size()); }

  /// The interpolation is linear in log(seconds / relative_cost) over log(gamma).
  double at(double gamma) const {
    const double x = std::log(gamma);
    const auto above = mean_.lower_bound(x);
    if (above == mean_.end()) return mean_.rbegin()->second * cost(x);
    if (above->first == x || above == mean_.begin()) return above->second * cost(x);
    const auto below = std::prev(above);
    const double part = (x - below->first) / (above->first - below->first);
    return below->second * std::pow(above->second / below->second, part) * cost(x);
  }

private:
  double cost(double x) const {
    return relative_cost(last_ > first_ ? std::clamp((x - first_) / (last_ - first_), 0.0, 1.0) : 0.5);
  }

  double first_, last_;            ///< log(gamma) at the ends of the grid
  std::map<double, double> mean_;  ///< log(gamma) -> seconds / relative_cost
};

}  // namespace krossfold::studies
