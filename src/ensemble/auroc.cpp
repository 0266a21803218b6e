// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/ensemble/auroc.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::ensemble {

namespace {

std::vector<double> sorted(std::span<const double> score) {
  if (score.empty()) throw_run_error("a set of out-of-distribution scores is empty");
  const auto broken = std::count_if(score.begin(), score.end(), [](double s) { return std::isnan(s); });
  if (broken > 0) {
    throw_run_error(text(broken, " of ", score.size(), " out-of-distribution scores are NaN"), "a model diverged",
                    "Leave it out of the ensemble.");
  }
  std::vector<double> order(score.begin(), score.end());
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

double auroc(std::span<const double> in, std::span<const double> out) {
  const std::vector<double> inside = sorted(in), outside = sorted(out);
  std::uint64_t twice = 0;  // counts 2 for each pair with out > in, 1 for each with out = in
  auto below = inside.begin(), not_above = inside.begin();
  for (const double score : outside) {
    while (below != inside.end() && *below < score) ++below;
    while (not_above != inside.end() && *not_above <= score) ++not_above;
    twice +=
        static_cast<std::uint64_t>(below - inside.begin()) + static_cast<std::uint64_t>(not_above - inside.begin());
  }
  return static_cast<double>(twice) / (2.0 * static_cast<double>(inside.size()) * static_cast<double>(outside.size()));
}

double threshold_keeping(std::span<const double> in, double share) {
  if (!(share > 0 && share <= 1)) throw_run_error(text("a threshold that keeps the share ", share), "not in (0, 1]");
  const std::vector<double> inside = sorted(in);
  const auto n = static_cast<double>(inside.size());
  double kept = std::min(std::ceil(share * n), n);
  if (kept > 1 && (kept - 1) / n >= share) --kept;  // for example, 0.07 * 100 rounds to more than 7
  return inside[static_cast<std::size_t>(kept) - 1];
}

double share_kept(std::span<const double> score, double threshold) {
  const std::vector<double> order = sorted(score);
  const auto kept = std::upper_bound(order.begin(), order.end(), threshold) - order.begin();
  return static_cast<double>(kept) / static_cast<double>(order.size());
}

}  // namespace krossfold::ensemble
