// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/stage_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "grid_times.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/plan_work.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/svm/report.hpp"
#include "krossfold/studies/svm/schema.hpp"
#include "krossfold/studies/svm/stages.hpp"

namespace krossfold::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The values of a field, or as many NaN where the file lacks it.
std::vector<double> times(const storage::FieldReader& file, const storage::Field<double>& field, std::size_t size) {
  return file.has(field) ? file.get(field) : std::vector<double>(size, nan);
}

/// What the file says of the search.
struct SvmFile {
  storage::FieldReader file;
  SvmReport report;
  SvmUnits units;  ///< with the gammas of each round, known or expected
  GridTimes grid;
  std::vector<SvmStage> stages;

  /// Of a path over `cs` of the grid's values of C.
  double path_seconds(double value, std::size_t cs) const {
    return grid.at(value) * (static_cast<double>(cs) / std::max(1, report.cs));
  }
};

SvmFile read_file(const run::ResultFile& result, SvmReport report) {
  const storage::FieldReader reader(result.content, result.name);
  const SvmSchema& field = svm_schema();
  const auto& gamma = reader.get(field.gamma);
  reader.require(report.train_samples >= 1 && report.folds >= 2 && !gamma.empty(),
                 "it has no samples, folds or gammas");
  reader.require(std::all_of(gamma.begin(), gamma.end(), [](double g) { return std::isfinite(g) && g > 0; }),
                 "a gamma is not above 0");
  const GridTimes grid(gamma, run::unit_times(reader, field.unit), report.folds);
  const SvmUnits units{report.train_samples, report.folds, report.classes, {gamma}};
  // A finished study has done what it was asked for, or it could not: without a best cell there is nothing to do.
  const bool goes_on = report.status != "finished" || report.has_best;
  const auto option = [&](const char* name) { return run::value_from_json(report.options, report.name, name); };
  const std::string refine = option("refine");
  const int rounds = refine.size() == 1 && refine[0] >= '0' && refine[0] <= '8' ? refine[0] - '0' : 0;
  auto stages =
      svm_stages(goes_on ? rounds : 0, option("probability") == "true", goes_on && option("refit") != "false");
  return {reader, std::move(report), units, grid, std::move(stages)};
}

/// Collects the units of a stage, each with its time or NaN and what the model expects.
class StageOfUnits {
public:
  explicit StageOfUnits(std::string name) { stage_.name = std::move(name); }
  void add(const Unit& unit, double measured, double expected) {
    stage_.units.push_back(run::plan_unit(unit, measured, expected));
    if (stage_.units.back().estimated) return;
    measured_ += measured;
    expected_ += expected;
  }
  /// Appends the stage to wait for the last one. `ratio`: of measured to expected times; learnt if any unit is measured.
  void append_to(planning::PlannedWork& work, double& ratio) {
    if (measured_ > 0 && expected_ > 0) ratio = measured_ / expected_;
    for (planning::PlanUnit& unit : stage_.units) unit.seconds *= unit.estimated ? ratio : 1;
    if (!work.stages.empty()) stage_.after = {static_cast<int>(work.stages.size()) - 1};
    work.stages.push_back(std::move(stage_));
  }

private:
  planning::PlanStage stage_;
  double measured_ = 0, expected_ = 0;
};

/// The values of gamma in a round: those of the file, else those around the best cell so far.
std::vector<double> gammas_of_round(const SvmFile& file, int round) {
  const auto in = file.file.in_group(refine_group(round));
  if (in.has(svm_schema().gamma)) return in.get(svm_schema().gamma);
  const auto& grid = file.units.gamma[0];
  const double centre = file.report.has_best ? file.report.best_gamma : grid[grid.size() / 2];
  const run::Range range{std::log10(grid.front()), std::log10(grid.back())};
  return refined_axis(range, static_cast<int>(grid.size()), centre, round);
}

/// The best cell so far, else the middle gamma with the whole path.
Cell cell_of(const SvmFile& file) {
  const SvmReport& report = file.report;
  if (!report.has_best) return {static_cast<int>(file.units.gamma[0].size() / 2), report.cs - 1};
  const auto& gammas = file.units.gamma[static_cast<std::size_t>(report.best_round)];
  const auto nearest = std::lower_bound(gammas.begin(), gammas.end(), report.best_gamma);
  const auto at = std::min(nearest - gammas.begin(), static_cast<std::ptrdiff_t>(gammas.size()) - 1);
  return {static_cast<int>(at), report.best_c_index, report.best_error, report.best_round};
}

/// Adds a stage with the times of its units.
void add_stage(planning::PlannedWork& work, SvmFile& file, const SvmStage& of, double& ratio) {
  const SvmSchema& field = svm_schema();
  const auto folds = static_cast<std::size_t>(file.report.folds), grid_cs = static_cast<std::size_t>(file.report.cs);
  StageOfUnits stage(of.name);
  if (of.unit == svm_unit_fold || of.unit == svm_unit_refine) {
    const bool grid = of.round == 0;
    if (!grid) file.units.gamma.push_back(gammas_of_round(file, of.round));
    const auto& gamma = file.units.gamma.back();
    const std::size_t cs = grid ? grid_cs : static_cast<std::size_t>(refined_count(file.report.cs));
    const std::vector<Unit> units = file.units.search(of.round, cs);
    const auto seconds = grid ? run::unit_times(file.file, field.unit)
                              : times(file.file.in_group(refine_group(of.round)), field.round_seconds, units.size());
    for (std::size_t u = 0; u < units.size(); ++u)
      stage.add(units[u], seconds[u], file.path_seconds(gamma[u / folds], cs));
  } else {
    const Cell cell = cell_of(file);
    const auto cs = static_cast<std::size_t>(cell.c) + 1;
    const auto& gammas = file.units.gamma[static_cast<std::size_t>(cell.round)];
    const double path = file.path_seconds(gammas[static_cast<std::size_t>(cell.gamma)], cs);
    if (of.unit == svm_unit_calibrate) {
      const std::size_t all = cell.round == 0 ? grid_cs : static_cast<std::size_t>(refined_count(file.report.cs));
      const auto seconds = times(file.file, field.probability_seconds, folds);
      const std::vector<Unit> units = file.units.calibration(cell, all);
      for (std::size_t f = 0; f < folds; ++f) stage.add(units[f], seconds[f], path);
    } else {
      const double larger = static_cast<double>(folds) / static_cast<double>(folds - 1);
      stage.add(file.units.refit(cell), report::real(file.file.content(), "refit_seconds", nan),
                path * larger * larger);
    }
  }
  stage.append_to(work, ratio);
}

}  // namespace

planning::PlannedWork svm_plan_work(const run::ResultFile& result) {
  SvmReport report(result);
  planning::PlannedWork work =
      run::begin_plan(result, report, text("SVM search on ", report.data), {svm_schema().unit});
  SvmFile file = read_file(result, std::move(report));
  // The model is corrected from round to round, and from the calibration to the refit: elsewhere it begins anew.
  double ratio = 1;
  std::uint32_t last = svm_unit_fold;
  for (const SvmStage& stage : file.stages) {
    if (stage.unit != last && last != svm_unit_calibrate) ratio = 1;
    last = stage.unit;
    add_stage(work, file, stage, ratio);
  }
  const int gammas = file.report.gammas, measured = file.grid.measured();
  if (3 * measured < gammas) {
    work.warnings.push_back(text("only ", measured, " of ", gammas,
                                 " gammas have a measured unit, the times of the others are a guess: a pilot run with "
                                 "schedule shuffled measures here and there in the whole grid"));
  }
  return work;
}

}  // namespace krossfold::studies
