// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/plan_work.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/planning/formation.hpp"
#include "krossfold/report/format.hpp"

namespace krossfold::run {

namespace {

/// The mean of those up to ten times the median: between two recorded units there may be others, such as those of searches within outer
/// folds.
double usual_mean(std::vector<double> pauses) {
  const auto middle = pauses.begin() + static_cast<std::ptrdiff_t>(pauses.size() / 2);
  std::nth_element(pauses.begin(), middle, pauses.end());
  const double most = 10 * *middle;
  std::erase_if(pauses, [&](double pause) { return pause > most; });
  return std::accumulate(pauses.begin(), pauses.end(), 0.0) / static_cast<double>(pauses.size());
}

void add_claims(planning::PlannedWork& work, const storage::FieldReader& file,
                std::initializer_list<UnitFields> units) {
  // By rank, from the start of a unit to its seconds; all records of a unit have the same start.
  std::map<int, std::map<double, double>> busy;
  for (const UnitFields& fields : units) {
    if (!file.has(fields.started) || !file.has(fields.rank)) continue;  // in files of version 1
    const std::vector<double> seconds = unit_times(file, fields);
    const auto& started = file.get(fields.started);
    const auto& rank = file.get(fields.rank);
    for (std::size_t u = 0; u < rank.size(); ++u) {
      if (is_time(seconds[u]) && is_time(started[u])) busy[rank[u]][started[u]] += seconds[u];
    }
  }
  std::vector<double> root, others;
  for (const auto& [r, starts] : busy) {
    for (auto unit = starts.begin(); unit != starts.end() && std::next(unit) != starts.end(); ++unit) {
      const double pause = std::next(unit)->first - (unit->first + unit->second);
      if (!(pause >= 0 && pause < 0.1)) continue;
      (r == 0 ? root : others).push_back(pause);
    }
  }
  if (!root.empty()) work.root_claim_seconds = usual_mean(root);
  if (!others.empty()) work.claim_seconds = usual_mean(others);
}

}  // namespace

std::vector<double> unit_times(const storage::FieldReader& file, const UnitFields& fields) {
  std::vector<double> seconds = file.get(fields.seconds);
  const auto& status = file.get(fields.status);
  for (std::size_t u = 0; u < seconds.size(); ++u) {
    if (status[u] == 0) seconds[u] = std::numeric_limits<double>::quiet_NaN();
  }
  return seconds;
}

void TimeRatio::add(double unit_measured, double unit_expected) {
  if (!is_time(unit_measured)) return;
  measured += unit_measured;
  expected += unit_expected;
}

planning::PlanUnit plan_unit(Unit unit, double measured, double expected) {
  const bool estimated = !is_time(measured);
  return {std::move(unit), estimated ? expected : measured, estimated};
}

planning::PlannedWork begin_plan(const ResultFile& file, const ResultSummary& summary, const std::string& description,
                                 std::initializer_list<UnitFields> units) {
  const storage::FieldReader reader(file.content, file.name);
  const std::vector<double> seconds = unit_times(reader, *units.begin());
  require(std::any_of(seconds.begin(), seconds.end(), is_time), text(file.name, " has no times to plan from"),
          text("none of its ", seconds.size(), " units has a record"),
          "Run the study for a while: a max-time of 10m stops it cleanly.");
  planning::PlannedWork work;
  work.name = file.name;
  work.description = description;
  work.status = summary.status;
  work.formation = summary.formation;
  work.schedule = file.content.attribute("schedule", "dynamic");
  work.on_devices = planning::has_devices(work.formation);
  const std::string seed = file.content.attribute("seed");
  std::from_chars(seed.data(), seed.data() + seed.size(), work.seed);
  const double setup = report::real(file.content, "setup_seconds", -1);
  work.setup_seconds = is_time(setup) ? setup : -1;
  work.farm_seconds = summary.seconds;
  add_claims(work, reader, units);
  return work;
}

planning::PlannedWork plan_independent_units(const ResultFile& file, const ResultSummary& summary,
                                             const std::string& description, const UnitFields& units) {
  planning::PlannedWork work = begin_plan(file, summary, description, {units});
  const std::vector<double> seconds = unit_times(storage::FieldReader(file.content, file.name), units);
  double sum = 0;
  for (const double one : seconds) sum += is_time(one) ? one : 0;
  const double mean = sum / static_cast<double>(std::count_if(seconds.begin(), seconds.end(), is_time));
  planning::PlanStage& stage = work.stages.emplace_back();
  stage.name = "units";
  for (int u = 0; u < static_cast<int>(seconds.size()); ++u) {
    stage.units.push_back(plan_unit({.key = {0, {u, 0, 0}}, .cost = 1}, seconds[static_cast<std::size_t>(u)], mean));
  }
  return work;
}

}  // namespace krossfold::run
