// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <nlohmann/json.hpp>

#include "krossfold/study/names_report.hpp"
#include "krossfold/study/train_report.hpp"

namespace krossfold::study {

std::string train_report_json(const TrainReport& r) {
  using Json = nlohmann::ordered_json;
  Json one;
  one["file"] = r.name;
  one["kind"] = r.kind;
  one["status"] = r.status;
  one["data"] = {{"name", r.data}, {"train", r.train_samples}, {"held_out", r.test_samples}};
  one["network"] = {{"kind", r.network}, {"architecture", r.architecture}, {"parameters", r.parameters}};
  one["best"] = nullptr;
  one["runs"] = Json::array();
  const NamesSummary summary = summarize_names(r);
  const TrainingReport* best = nullptr;
  int done = 0, failed = 0, diverged = 0;
  for (std::size_t k = 0; k < r.run.size(); ++k) {
    const TrainingReport& run = r.run[k];
    const RunSummary& timing = summary.run[k];
    done += run.status == 1 ? 1 : 0;
    failed += run.status == 2 ? 1 : 0;
    diverged += run.status == 1 && !run.reason.empty() ? 1 : 0;
    const bool has_loss = !run.held_out_loss.empty() && std::isfinite(run.held_out_loss.back());
    if (has_loss && (best == nullptr || run.held_out_loss.back() < best->held_out_loss.back())) best = &run;
    const double share = run.comm_share();
    one["runs"].push_back({{"strategy", run.strategy},
                           {"workers", run.workers},
                           {"ranks", run.ranks},
                           {"batch", run.batch},
                           {"rate", run.rate},
                           {"loss", run.loss},
                           {"held_out_loss", run.held_out_loss},
                           {"seconds", run.seconds},
                           {"comm_seconds", run.comm_seconds},
                           {"comm_share", std::isnan(share) ? Json(nullptr) : Json(share)},
                           {"reason", run.reason}});
    Json& shown = one["runs"].back();
    if (!run.held_out_error.empty()) shown["held_out_error"] = run.held_out_error;
    if (r.kind != "names") continue;
    shown["seconds_of_all_workers"] = timing.seconds;
    shown["modelled"] = timing.modelled;
    shown["seconds_to_target"] = Json::array();
    for (const Target& target : summary.target) {
      shown["seconds_to_target"].push_back(target.seconds[k] ? Json(*target.seconds[k]) : Json(nullptr));
    }
  }
  if (best != nullptr) {
    one["best"] = {{"workers", best->workers},
                   {"batch", best->batch},
                   {"rate", best->rate},
                   {"held_out_loss", best->held_out_loss.back()}};
  }
  if (r.kind == "names") {
    one["targets"] = Json::array();
    for (const Target& target : summary.target) one["targets"].push_back({{"loss", target.loss}, {"why", target.why}});
  }
  one["units"] = {{"all", r.run.size()}, {"done", done}, {"failed", failed}, {"not_converged", diverged}};
  one["seconds"] = r.seconds;
  one["ranks"] = r.ranks;
  one["utilisation"] = r.utilisation;
  return one.dump(2) + "\n";
}

}  // namespace krossfold::study
