// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/planning/planned_work.hpp"

#include <algorithm>

namespace krossfold::planning {

namespace {

/// The sum of of(unit) over all units.
template <class Of>
auto sum_of(const std::vector<PlanStage>& stages, const Of& of) {
  decltype(of(PlanUnit())) sum = 0;
  for (const PlanStage& stage : stages) {
    for (const PlanUnit& unit : stage.units) sum += of(unit);
  }
  return sum;
}

}  // namespace

int PlannedWork::units() const {
  return sum_of(stages, [](const PlanUnit&) { return 1; });
}

int PlannedWork::estimated() const {
  return sum_of(stages, [](const PlanUnit& unit) { return unit.estimated ? 1 : 0; });
}

double PlannedWork::seconds() const {
  return sum_of(stages, [](const PlanUnit& unit) { return unit.seconds; });
}

double PlannedWork::estimated_seconds() const {
  return sum_of(stages, [](const PlanUnit& unit) { return unit.estimated ? unit.seconds : 0; });
}

double PlannedWork::critical_path() const {
  std::vector<double> end;
  for (const PlanStage& stage : stages) {
    double begin = 0, longest = 0;
    for (const int s : stage.after) begin = std::max(begin, end[static_cast<std::size_t>(s)]);
    for (const PlanUnit& unit : stage.units) longest = std::max(longest, unit.seconds);
    end.push_back(begin + longest);
  }
  return end.empty() ? 0 : *std::max_element(end.begin(), end.end());
}

PlanStudy::PlanStudy(const PlannedWork& work) : work_(work), begun_(work.stages.size(), false) {
  for (std::size_t s = 0; s < work.stages.size(); ++s) {
    left_.push_back(work.stages[s].units.size());
    for (const PlanUnit& unit : work.stages[s].units) stage_of_[unit.unit.key] = s;
  }
}

std::vector<Unit> PlanStudy::initial() { return begin_ready(); }

std::vector<Unit> PlanStudy::on_record(const Record& record) {
  if (--left_[stage_of_.at(record.key)] > 0) return {};
  return begin_ready();
}

/// Visits the stages in their order, so that a stage without units at once releases those after it.
std::vector<Unit> PlanStudy::begin_ready() {
  std::vector<Unit> ready;
  for (std::size_t s = 0; s < work_.stages.size(); ++s) {
    const PlanStage& stage = work_.stages[s];
    const auto is_done = [&](int before) {
      const auto b = static_cast<std::size_t>(before);
      return begun_[b] && left_[b] == 0;
    };
    if (begun_[s] || !std::all_of(stage.after.begin(), stage.after.end(), is_done)) continue;
    begun_[s] = true;
    for (const PlanUnit& unit : stage.units) ready.push_back(unit.unit);
  }
  return ready;
}

}  // namespace krossfold::planning
