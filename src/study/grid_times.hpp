// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "krossfold/study/svm_records.hpp"

namespace krossfold::study {

/// NaN, and what else no clock shows, stands for a unit without a time.
inline bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

/// Seconds of a (gamma, fold) unit of the grid, by gamma.
class GridTimes {
public:
  GridTimes(const std::vector<double>& gamma, const std::vector<double>& seconds, int folds)
      : first_(std::log(gamma.front())), last_(std::log(gamma.back())) {
    for (std::size_t g = 0; g < gamma.size(); ++g) {
      double sum = 0;
      int count = 0;
      for (int f = 0; f < folds; ++f) {
        const double s = seconds[g * static_cast<std::size_t>(folds) + static_cast<std::size_t>(f)];
        if (!is_time(s)) continue;
        sum += s;
        ++count;
      }
      // A clock that stood still says little, but its logarithm is needed.
      if (count > 0) mean_[std::log(gamma[g])] = std::max(sum / count, 1e-9);
    }
  }
  bool empty() const { return mean_.empty(); }
  bool reaches(double gamma) const {
    const double x = std::log(gamma);
    return x >= mean_.begin()->first && x <= mean_.rbegin()->first;
  }
  double at(double gamma) const {
    const double x = std::log(gamma);
    const auto above = mean_.lower_bound(x);
    if (above == mean_.end()) return beyond(*mean_.rbegin(), x);
    if (above->first == x) return above->second;
    if (above == mean_.begin()) return beyond(*above, x);
    const auto below = std::prev(above);
    const double part = (x - below->first) / (above->first - below->first);
    return below->second * std::pow(above->second / below->second, part);
  }

private:
  double beyond(const std::pair<const double, double>& nearest, double x) const {
    return nearest.second * cost(x) / cost(nearest.first);
  }
  double cost(double x) const {
    return relative_cost(last_ > first_ ? std::clamp((x - first_) / (last_ - first_), 0.0, 1.0) : 0.5);
  }

  double first_, last_;            ///< log(gamma) at the ends of the grid
  std::map<double, double> mean_;  ///< by log(gamma)
};

}  // namespace krossfold::study
