// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/weights.hpp"

#include <algorithm>
#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::ensemble {

std::vector<double> validation_weights(std::span<const double> error, const WeightParams& params) {
  if (error.empty()) throw_run_error("an ensemble has no models to weight");
  const double least = 0.5 / std::max(params.samples, 1);
  std::vector<double> weight;
  double sum = 0;
  for (const double e : error) {
    if (!(e >= 0 && e <= 1)) {
      throw_run_error(text("model ", weight.size(), " of an ensemble has validation error ", e), "not in [0, 1]");
    }
    double w = 1 - e;
    if (params.rule == WeightRule::log_odds) {
      const double kept = std::clamp(e, least, 1 - least);
      w = params.classes < 2 ? 0 : std::max(0.0, std::log((1 - kept) / kept) + std::log(params.classes - 1.0));
    }
    weight.push_back(w);
    sum += w;
  }
  for (double& w : weight) w = sum > 0 ? w / sum : 1.0 / static_cast<double>(error.size());
  return weight;
}

}  // namespace krossfold::ensemble
