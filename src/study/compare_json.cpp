// SPDX-License-Identifier: BSD-3-Clause
#include "compare_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace krossfold::study {

std::string comparison_json(const Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json all = {
      {"kind", comparison.kind}, {"data", comparison.data}, {"work", comparison.work}, {"files", Json::array()}};
  for (std::size_t f = 0; f < comparison.run.size(); ++f) {
    const ComparedRun& run = comparison.run[f];
    Json one = {{"file", run.name},
                {"status", run.status},
                {"formation", run.formation},
                {"devices", run.devices},
                {"ranks", run.ranks},
                {"seconds", number(run.seconds)},
                {"computing_seconds", number(run.computing)},
                {"utilisation", number(run.utilisation)},
                {"quality", number(run.quality)},
                {"on_ranks", Json::array()}};
    for (std::size_t k = 0; k < comparison.ranks.size(); ++k) {
      one["on_ranks"].push_back({{"ranks", comparison.ranks[k]},
                                 {"seconds", number(comparison.seconds[f][k])},
                                 {"measured", comparison.ranks[k] == run.ranks}});
    }
    all["files"].push_back(one);
  }
  return all.dump(2) + "\n";
}

}  // namespace krossfold::study
