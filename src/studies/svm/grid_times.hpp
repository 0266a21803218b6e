// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "krossfold/run/plan_work.hpp"
#include "krossfold/studies/svm/stages.hpp"

namespace krossfold::studies {

/// Seconds of a (gamma, fold) unit of the grid, by gamma: the mean of its measured folds, else between those of the measured
/// gammas, beyond them as the nearest, all in proportion to relative_cost.
class GridTimes {
public:
  /// seconds: (gamma, fold), NaN where not measured; gamma ascending, above 0.
  GridTimes(const std::vector<double>& gamma, const std::vector<double>& seconds, int folds)
      : first_(std::log(gamma.front())), last_(std::log(gamma.back())) {
    for (std::size_t g = 0; g < gamma.size(); ++g) {
      double sum = 0;
      int count = 0;
      for (int f = 0; f < folds; ++f) {
        const double s = seconds[g * static_cast<std::size_t>(folds) + static_cast<std::size_t>(f)];
        if (!run::is_time(s)) continue;
        sum += s;
        ++count;
      }
      // A clock that stood still says little, but its logarithm is needed.
      const double x = std::log(gamma[g]);
      if (count > 0) mean_[x] = std::max(sum / count, 1e-9) / cost(x);
    }
  }
  int measured() const { return static_cast<int>(mean_.size()); }

  /// Linear in log(seconds / relative_cost) over log(gamma).
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
  std::map<double, double> mean_;  ///< over relative_cost, by log(gamma)
};

}  // namespace krossfold::studies
