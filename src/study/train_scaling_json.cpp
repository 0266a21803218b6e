// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "krossfold/study/train_scaling.hpp"

namespace krossfold::study {

std::string scaling_json(const std::vector<Scaling>& scalings) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const Scaling& scaling : scalings) {
    Json one;
    one["file"] = scaling.name;
    one["training"] = scaling.training;
    one["epochs"] = scaling.epochs;
    one["hours_of"] = scaling.on_devices ? "GPU" : "rank";
    one["link"] = {
        {"latency", scaling.link.latency}, {"bandwidth", scaling.link.bandwidth}, {"source", scaling.link_source}};
    one["replicated"] = scaling.replicated;
    one["formations"] = Json::array();
    for (const ScalingRow& row : scaling.rows) {
      Json line = {{"formation", row.formation}, {"ranks", row.ranks},          {"measured", row.measured},
                   {"epoch_seconds", row.epoch}, {"seconds", row.seconds},      {"exchange", row.exchange},
                   {"speed_up", row.speed_up},   {"rank_hours", row.rank_hours}};
      line["in_time"] = scaling.deadline > 0 ? Json(row.in_time) : Json(nullptr);
      one["formations"].push_back(line);
    }
    one["deadline"] = nullptr;
    if (scaling.deadline > 0) {
      one["deadline"] = {{"seconds", scaling.deadline}, {"cheapest", nullptr}};
      if (scaling.cheapest >= 0) one["deadline"]["cheapest"] = scaling.rows[scaling.cheapest].formation;
    }
    all.push_back(one);
  }
  return (all.size() == 1 ? all[0] : all).dump(2) + "\n";
}

}  // namespace krossfold::study
