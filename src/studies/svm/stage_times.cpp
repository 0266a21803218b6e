// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/stage_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "field.hpp"
#include "grid_times.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/plan_work.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/report.hpp"
#include "krossfold/studies/svm/stages.hpp"

namespace krossfold::studies {

namespace {

/// The search of a result file.
struct SvmFile {
  storage::FieldReader file;
  const SvmReport& report;
  SvmUnits units;  ///< with the gammas of the rounds visited so far, known or expected
  GridTimes grid;

  /// The number of values of C in a round.
  std::size_t cs(int round) const {
    return static_cast<std::size_t>(round == 0 ? report.cs : refined_count(report.cs));
  }
  /// Seconds of a path over `values` values of C at this gamma, in proportion to those of the grid.
  double path_seconds(double gamma, std::size_t values) const {
    return grid.at(gamma) * (static_cast<double>(values) / std::max(1, report.cs));
  }
};

/// The outer folds that the study was asked for.
int outer_folds(const SvmReport& report) { return std::max(0, std::atoi(report.option("outer").c_str())); }

SvmFile read_file(const run::ResultFile& result, const SvmReport& report) {
  const storage::FieldReader file(result.content, result.name);
  const auto& gamma = file.get(field.gamma);
  file.require(report.train_samples >= 1 && report.folds >= 2 && !gamma.empty(), "it has no samples, folds or gammas");
  file.require(std::all_of(gamma.begin(), gamma.end(), [](double g) { return std::isfinite(g) && g > 0; }),
               "a gamma is not above 0");
  return {file,
          report,
          {report.train_samples, report.folds, report.classes, {gamma}, report.repeats, outer_folds(report)},
          GridTimes(gamma, run::unit_times(file, field.unit), report.folds)};
}

std::vector<SvmStage> stages_of(const SvmFile& file) {
  const SvmReport& report = file.report;
  // A finished study has done what it was asked for unless it could not: without a best cell nothing follows the grid.
  if (report.status == "finished" && !report.has_best) return {svm_stages(0, false).front()};
  const std::string refine = report.option("refine");
  const int rounds = refine.size() == 1 && refine[0] >= '0' && refine[0] <= '8' ? refine[0] - '0' : 0;
  file.file.require(report.best_round <= rounds, "its best cell lies in a round of refinement that it does not have");
  std::vector<SvmStage> stages = svm_stages(rounds, report.option("refit") != "false");
  // Finished files of before had these units only for probabilities.
  if (report.status == "finished" && !file.file.has(field.out_seconds)) {
    std::erase_if(stages, [](const SvmStage& stage) { return stage.unit == svm_unit_out_of_fold; });
  }
  return stages;
}

/// The units of a stage with their times in the file (NaN where it has none) and by the model.
struct StageUnits {
  std::vector<Unit> units;
  std::vector<double> measured, expected;
};

/// The values of gamma in a round: those of the file, else those around the best cell so far.
std::vector<double> gammas_of_round(const SvmFile& file, int round) {
  const auto in = file.file.in_group(refine_group(round));
  if (in.has(field.gamma)) return in.get(field.gamma);
  const auto& grid = file.units.gamma[0];
  const double centre = file.report.has_best ? file.report.best_gamma : grid[grid.size() / 2];
  const run::Range range{std::log10(grid.front()), std::log10(grid.back())};
  return refined_axis(range, static_cast<int>(grid.size()), centre, round);
}

/// The values of a field, or as many NaN where the file lacks it.
std::vector<double> times(const storage::FieldReader& file, const storage::Field<double>& of, std::size_t size) {
  return file.has(of) ? file.get(of) : std::vector<double>(size, run::not_computed);
}

/// The units of the grid or of a round of refinement, whose gammas are added to file.units.
StageUnits search_units(SvmFile& file, int round) {
  if (round > 0) file.units.gamma.push_back(gammas_of_round(file, round));
  StageUnits stage{file.units.search(round, file.cs(round)), {}, {}};
  stage.measured = round == 0 ? run::unit_times(file.file, field.unit)
                              : times(file.file.in_group(refine_group(round)), field.round_seconds, stage.units.size());
  for (const double gamma : file.units.gamma.back()) {
    stage.expected.insert(stage.expected.end(), static_cast<std::size_t>(file.report.folds),
                          file.path_seconds(gamma, file.cs(round)));
  }
  if (round > 0 || file.units.outer_folds == 0) return stage;
  // The searches of nested cross-validation.
  const int inner = file.units.folds / file.units.repeats;
  const double smaller = 1 - 1.0 / file.units.outer_folds;
  for (int o = 0; o < file.units.outer_folds; ++o) {
    for (Unit& unit : file.units.nested(o, file.cs(0))) stage.units.push_back(std::move(unit));
    for (const double gamma : file.units.gamma.back()) {
      stage.expected.insert(stage.expected.end(), static_cast<std::size_t>(inner),
                            smaller * smaller * file.path_seconds(gamma, file.cs(0)));
    }
  }
  const std::vector<double> seconds = times(file.file, field.outer_seconds, stage.units.size() - stage.measured.size());
  stage.measured.insert(stage.measured.end(), seconds.begin(), seconds.end());
  file.file.require(stage.measured.size() == stage.units.size(), "its outer folds have other units");
  return stage;
}

/// The out-of-fold units or the refit at the best cell so far or, if there is none, at the middle gamma with the
/// whole path.
StageUnits cell_units(const SvmFile& file, std::uint32_t kind) {
  const SvmReport& report = file.report;
  const Cell cell = report.has_best
                        ? Cell{report.best_gamma_index, report.best_c_index, report.best_error, report.best_round}
                        : Cell{static_cast<int>(file.units.gamma[0].size() / 2), report.cs - 1};
  const auto& gammas = file.units.gamma[static_cast<std::size_t>(cell.round)];
  const double path =
      file.path_seconds(gammas[static_cast<std::size_t>(cell.gamma)], static_cast<std::size_t>(cell.c) + 1);
  if (kind == svm_unit_out_of_fold) {
    const auto folds = static_cast<std::size_t>(report.folds);
    StageUnits stage{file.units.out_of_fold(cell, file.cs(cell.round)), times(file.file, field.out_seconds, folds),
                     std::vector<double>(folds, path)};
    const std::vector<double> tests =
        times(file.file, field.outer_test_seconds, static_cast<std::size_t>(file.units.outer_folds));
    for (int o = 0; o < file.units.outer_folds; ++o) {
      stage.units.push_back(file.units.outer_test(o, cell));
      stage.measured.push_back(tests[static_cast<std::size_t>(o)]);
      stage.expected.push_back(path);
    }
    return stage;
  }
  const double k = static_cast<double>(report.folds) / report.repeats,
               larger = k / (k - 1);  // than the training part of a fold
  return {{file.units.refit(cell)},
          {report::real(file.file.content(), "refit_seconds", run::not_computed)},
          {path * larger * larger}};
}

/// Appends a stage that waits for the last one. `ratio` corrects the times of the model; measured units of the stage
/// renew it.
void append_stage(planning::PlannedWork& work, const std::string& name, const StageUnits& of, double& ratio) {
  run::TimeRatio of_stage;
  for (std::size_t u = 0; u < of.units.size(); ++u) of_stage.add(of.measured[u], of.expected[u]);
  if (of_stage.measured > 0) ratio = of_stage.value(ratio);
  planning::PlanStage stage{name, {}, {}};
  for (std::size_t u = 0; u < of.units.size(); ++u) {
    stage.units.push_back(run::plan_unit(of.units[u], of.measured[u], ratio * of.expected[u]));
  }
  if (!work.stages.empty()) stage.after = {static_cast<int>(work.stages.size()) - 1};
  work.stages.push_back(std::move(stage));
}

}  // namespace

planning::PlannedWork svm_plan_work(const run::ResultFile& result) {
  const SvmReport report(result);
  planning::PlannedWork work = run::begin_plan(result, report, text("SVM search on ", report.data), {field.unit});
  SvmFile file = read_file(result, report);
  // A correction of the model carries over from round to round, and from the out-of-fold units to the refit.
  double ratio = 1;
  std::uint32_t last = svm_unit_fold;
  for (const SvmStage& stage : stages_of(file)) {
    if (stage.unit != last && last != svm_unit_out_of_fold) ratio = 1;
    last = stage.unit;
    const bool search = stage.unit == svm_unit_fold || stage.unit == svm_unit_refine;
    append_stage(work, stage.name, search ? search_units(file, stage.round) : cell_units(file, stage.unit), ratio);
  }
  const int measured = file.grid.measured();
  if (3 * measured < report.gammas) {
    work.warnings.push_back(text("only ", measured, " of ", report.gammas,
                                 " gammas have a measured unit, the times of the others are a guess: a pilot run with "
                                 "schedule shuffled measures units all over the grid"));
  }
  return work;
}

}  // namespace krossfold::studies
