// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/study_kind.hpp"

#include <algorithm>
#include <limits>

#include "krossfold/core/text.hpp"
#include "krossfold/planning/farm_plan.hpp"

namespace krossfold::run {

Comparable comparable_units(const ResultSummary& summary) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Comparable one;
  one.data = summary.data;
  one.ranks = summary.ranks;
  one.seconds = summary.seconds;
  one.computing = summary.unit_seconds;
  one.utilisation = summary.utilisation > 0 ? summary.utilisation : nan;
  one.quality = nan;
  return one;
}

report::Document plan_units(const planning::PlannedWork& work, const PlanRequest& request) {
  require(!request.latency && !request.bandwidth, "latency and bandwidth have no meaning for searches",
          "their units are computed independently");
  planning::PlanParams params;
  params.formations = request.formations;
  if (request.schedules) params.schedules = *request.schedules;
  params.deadline = request.deadline;
  params.prices = request.prices;
  return plan_document(planning::make_plan(work, params));
}

const StudyKind* StudyRegistry::find(const std::string& name) const {
  const auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& kind) { return kind->name() == name; });
  return found == kinds_.end() ? nullptr : found->get();
}

const StudyKind& StudyRegistry::kind_of(const ResultFile& file) const {
  const std::string name = file.content.attribute("kind");
  if (const StudyKind* kind = find(name)) return *kind;
  throw_input_error(text(file.name, " is not a result file"), text("it holds: ", name), "Name the output of a study.");
}

ResultFile StudyRegistry::read(const std::string& path, bool verify) const {
  ResultFile file{path, storage::read_container(path, verify)};
  storage::upgrade(file.content, kind_of(file).schema());
  return file;
}

}  // namespace krossfold::run
