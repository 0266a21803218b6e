// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "krossfold/study/report.hpp"

namespace krossfold::study {

std::string report_json(const Report& r) {
  nlohmann::ordered_json one;
  one["file"] = r.name;
  one["kind"] = r.kind;
  one["status"] = r.status;
  one["data"] = {{"name", r.data},
                 {"train", r.train_samples},
                 {"test", r.test_samples},
                 {"features", r.features},
                 {"classes", r.classes}};
  one["best"] = nullptr;
  if (r.has_best) {
    one["best"] = {{"C", r.best_c},
                   {"gamma", r.best_gamma},
                   {"error", r.best_error},
                   {"spread", r.best_spread},
                   {"round", r.best_round}};
  }
  one["refine"] = nlohmann::ordered_json::array();
  for (const RoundReport& round : r.rounds) {
    one["refine"].push_back(nullptr);
    if (round.has_best) one["refine"].back() = {{"C", round.c}, {"gamma", round.gamma}, {"error", round.error}};
  }
  one["test_error"] = nullptr;
  if (r.has_test) one["test_error"] = r.test_error;
  one["probability"] = nullptr;
  if (r.has_probability) one["probability"] = {{"log_loss", r.log_loss}, {"brier", r.brier}};
  one["units"] = {
      {"all", r.units}, {"done", r.units_done}, {"failed", r.units_failed}, {"not_converged", r.fits_not_converged}};
  one["fits"] = {{"all", r.fits}, {"not_converged", r.fits_not_converged}};
  one["seconds"] = r.seconds;
  one["ranks"] = r.ranks;
  one["utilisation"] = r.utilisation;
  one["model"] = r.model;
  one["warnings"] = r.warnings;
  return one.dump(2) + "\n";
}

}  // namespace krossfold::study
