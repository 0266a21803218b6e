// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/decision_cache.hpp"

#include <algorithm>

namespace krossfold::studies {

std::uint64_t DecisionCache::bytes() const {
  std::uint64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.decision.size() * sizeof(double);
  return sum;
}

void DecisionCache::put(double gamma, int fold, const std::vector<double>& c, const Matrix<const double>& decision,
                        double promise) {
  const std::size_t rows = decision.extent(0), columns = decision.extent(1);
  const std::uint64_t needed = rows * columns * sizeof(double);
  std::erase_if(entries_,
                [&](const Entry& entry) { return entry.gamma == gamma && entry.fold == fold && entry.c == c; });
  if (needed > max_bytes_) return;
  while (bytes() + needed > max_bytes_) {
    const auto worst = std::min_element(entries_.begin(), entries_.end(),
                                        [](const Entry& a, const Entry& b) { return a.promise < b.promise; });
    if (worst->promise > promise) return;
    entries_.erase(worst);
  }
  Entry entry{gamma, fold, c, {}, promise};
  entry.decision.reserve(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < columns; ++i) entry.decision.push_back(decision(r, i));
  }
  entries_.push_back(std::move(entry));
}

std::vector<double> DecisionCache::find(double gamma, int fold, const std::vector<double>& path) const {
  for (const Entry& entry : entries_) {
    const bool begins = path.size() <= entry.c.size() && std::equal(path.begin(), path.end(), entry.c.begin());
    if (entry.gamma != gamma || entry.fold != fold || !begins) continue;
    const std::size_t size = entry.decision.size() / entry.c.size();
    const auto end = entry.decision.begin() + static_cast<std::ptrdiff_t>(path.size() * size);
    return {end - static_cast<std::ptrdiff_t>(size), end};
  }
  return {};
}

}  // namespace krossfold::studies
