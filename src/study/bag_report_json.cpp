// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "krossfold/study/bag_report.hpp"

namespace krossfold::study {

namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

}  // namespace

std::string bag_report_json(const BagReport& r) {
  Json one;
  one["file"] = r.name;
  one["kind"] = "bag";
  one["status"] = r.status;
  one["data"] = {{"name", r.data},
                 {"train", r.train_samples},
                 {"test", r.test_samples},
                 {"features", r.features},
                 {"classes", r.classes}};
  one["best"] = nullptr;
  one["networks"] = Json::array();
  const NetworkReport* best = nullptr;
  for (std::size_t b = 0; b < r.network.size(); ++b) {
    const NetworkReport& n = r.network[b];
    if (n.trial < 0) continue;
    if (best == nullptr || n.validation_error < best->validation_error) best = &n;
    one["networks"].push_back({{"bootstrap", b},
                               {"trial", n.trial},
                               {"channels", n.channels},
                               {"kernel", n.kernel},
                               {"hidden", n.hidden},
                               {"rate", n.rate},
                               {"momentum", n.momentum},
                               {"epochs", n.epochs},
                               {"validation_error", number(n.validation_error)},
                               {"out_of_bag_error", number(n.out_of_bag_error)},
                               {"test_error", number(n.test_error)},
                               {"nll", number(n.nll)},
                               {"brier", number(n.brier)},
                               {"ece", number(n.ece)},
                               {"model", n.model},
                               {"reason", n.reason}});
  }
  if (best != nullptr) {
    one["best"] = {{"channels", best->channels}, {"kernel", best->kernel},
                   {"hidden", best->hidden},     {"rate", best->rate},
                   {"momentum", best->momentum}, {"error", number(best->validation_error)}};
  }
  one["test_error"] = nullptr;
  one["ensemble"] = nullptr;
  if (r.has_ensemble) {
    Json errors;
    for (std::size_t k = 0; k < r.rule.size(); ++k) errors[r.rule[k]] = r.error[k];
    one["test_error"] = r.error.empty() ? Json(nullptr) : Json(r.error[0]);
    one["ensemble"] = {{"error", errors},
                       {"mean_single_error", r.mean_error},
                       {"best_single_error", r.best_error},
                       {"nll", r.nll},
                       {"brier", r.brier},
                       {"ece", r.ece}};
  }
  one["ood"] = Json::array();
  for (const auto& set : r.ood) {
    Json scores;
    for (std::size_t s = 0; s < r.score.size(); ++s) {
      scores[r.score[s]] = {{"auroc", set.auroc[s]}, {"kept", set.kept[s]}};
    }
    one["ood"].push_back({{"name", set.name}, {"count", set.count}, {"score", scores}});
  }
  one["units"] = {{"all", r.units},
                  {"done", r.units_done},
                  {"failed", r.units_failed},
                  {"pruned", r.units_pruned},
                  {"not_converged", r.trainings_diverged}};
  one["seconds"] = r.seconds;
  one["ranks"] = r.ranks;
  one["utilisation"] = r.utilisation;
  one["warnings"] = r.warnings;
  return one.dump(2) + "\n";
}

}  // namespace krossfold::study
