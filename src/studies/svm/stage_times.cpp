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

namespace krossfold::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The value of an option in the fingerprint's lines "name = value".
std::string option(const storage::Container& result, const std::string& name) {
  const std::string lines = "\n" + result.attribute("fingerprint"), start = "\n" + name + " = ";
  const auto at = lines.find(start);
  if (at == std::string::npos) return "";
  const auto from = at + start.size();
  return lines.substr(from, lines.find('\n', from) - from);
}

/// The values of a field, or as many NaN where the file lacks it.
std::vector<double> times(const storage::FieldReader& file, const storage::Field<double>& field, std::size_t size) {
  return file.has(field) ? file.get(field) : std::vector<double>(size, nan);
}

/// What the file says of the search.
struct SvmFile {
  storage::FieldReader file;
  SvmReport report;
  std::vector<std::vector<double>> gamma;  ///< (round): its values, known or expected
  std::vector<double> seconds;             ///< (gamma, fold) of the grid, NaN where there is no record
  GridTimes grid;
  int rounds = 0;  ///< of --refine, asked for
  bool refit = true, calibration = false;

  /// Of a path over `cs` of the grid's values of C.
  double path_seconds(double value, std::size_t cs) const {
    return grid.at(value) * static_cast<double>(cs) / std::max(1, report.cs);
  }
  double path_cost(std::size_t cs) const {
    return svm_path_cost(report.train_samples, report.folds, report.classes, cs);
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
  std::vector<double> seconds = run::unit_times(reader, field.unit);
  GridTimes grid(gamma, seconds, report.folds);
  SvmFile file{reader, std::move(report), {gamma}, std::move(seconds), std::move(grid)};
  const std::string rounds = option(result.content, "refine");
  file.rounds = rounds.size() == 1 && rounds[0] >= '0' && rounds[0] <= '8' ? rounds[0] - '0' : 0;
  // A finished study has done what it was asked for, or it could not: without a best cell there is nothing to do.
  const bool goes_on = file.report.status != "finished" || file.report.has_best;
  if (!goes_on) file.rounds = 0;
  file.refit = goes_on && option(result.content, "refit") != "false";
  file.calibration = file.refit && option(result.content, "probability") == "true";
  return file;
}

/// Collects the units of a stage, each with its time or NaN and what the model expects.
class StageOfUnits {
public:
  explicit StageOfUnits(std::string name) { stage_.name = std::move(name); }
  void add(const UnitKey& key, double cost, std::int64_t affinity, double measured, double expected) {
    stage_.units.push_back(run::plan_unit({.key = key, .cost = cost, .affinity = affinity}, measured, expected));
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

void add_grid(planning::PlannedWork& work, const SvmFile& file) {
  StageOfUnits stage("search");
  const auto cs = static_cast<std::size_t>(file.report.cs), folds = static_cast<std::size_t>(file.report.folds);
  for (std::size_t g = 0; g < file.gamma[0].size(); ++g) {
    const double gamma = file.gamma[0][g];
    for (std::size_t f = 0; f < folds; ++f) {
      stage.add({svm_unit_fold, {static_cast<int>(g), static_cast<int>(f), 0}},
                file.path_cost(cs) * relative_cost_of(g, file.gamma[0].size()), svm_affinity(file.gamma, gamma),
                file.seconds[g * folds + f], file.grid.at(gamma));
    }
  }
  double ratio = 1;
  stage.append_to(work, ratio);
  const int gammas = file.report.gammas, measured = file.grid.measured();
  if (3 * measured < gammas) {
    work.warnings.push_back(text("only ", measured, " of ", gammas,
                                 " gammas have a measured unit, the times of the others are a guess: a pilot run with "
                                 "--schedule shuffled measures here and there in the whole grid"));
  }
}

/// The values of gamma in a round: those of the file, else round the best cell so far.
std::vector<double> gammas_of_round(const SvmFile& file, int round) {
  const auto in = file.file.in_group(refine_group(round));
  if (in.has(svm_schema().gamma)) return in.get(svm_schema().gamma);
  const auto& grid = file.gamma[0];
  const double centre = file.report.has_best ? file.report.best_gamma : grid[grid.size() / 2];
  const run::Range range{std::log10(grid.front()), std::log10(grid.back())};
  return refined_axis(range, static_cast<int>(grid.size()), centre, round);
}

void add_rounds(planning::PlannedWork& work, SvmFile& file) {
  const auto folds = static_cast<std::size_t>(file.report.folds);
  const auto cs = static_cast<std::size_t>(refined_count(file.report.cs));
  double ratio = 1;
  for (int round = 1; round <= file.rounds; ++round) {
    const std::vector<double> gammas = gammas_of_round(file, round);
    file.gamma.push_back(gammas);
    const auto seconds =
        times(file.file.in_group(refine_group(round)), svm_schema().round_seconds, gammas.size() * folds);
    StageOfUnits stage(text("round ", round));
    for (std::size_t g = 0; g < gammas.size(); ++g) {
      for (std::size_t f = 0; f < folds; ++f) {
        stage.add({svm_unit_refine, {round, static_cast<int>(g), static_cast<int>(f)}},
                  file.path_cost(cs) * relative_cost_of(g, gammas.size()), svm_affinity(file.gamma, gammas[g]),
                  seconds[g * folds + f], file.path_seconds(gammas[g], cs));
      }
    }
    stage.append_to(work, ratio);
  }
}

void add_calibration_and_refit(planning::PlannedWork& work, const SvmFile& file) {
  const SvmReport& report = file.report;
  const double gamma = report.has_best ? report.best_gamma : file.gamma[0][file.gamma[0].size() / 2];
  const std::int64_t affinity = svm_affinity(file.gamma, gamma);
  const std::size_t cs =
      report.has_best ? static_cast<std::size_t>(report.best_c_index) + 1 : static_cast<std::size_t>(report.cs);
  const auto folds = static_cast<std::size_t>(report.folds);
  double ratio = 1;
  if (file.calibration) {
    const auto seconds = times(file.file, svm_schema().probability_seconds, folds);
    StageOfUnits stage("calibration");
    for (std::size_t f = 0; f < folds; ++f) {
      stage.add({svm_unit_calibrate, {0, 0, static_cast<int>(f)}}, file.path_cost(cs), affinity, seconds[f],
                file.path_seconds(gamma, cs));
    }
    stage.append_to(work, ratio);
  }
  const double larger = static_cast<double>(folds) / static_cast<double>(folds - 1);
  StageOfUnits refit("refit");
  refit.add({svm_unit_refit, {0, 0, 0}}, svm_refit_cost(report.train_samples), affinity,
            report::real(file.file.content(), "refit_seconds", nan), file.path_seconds(gamma, cs) * larger * larger);
  refit.append_to(work, ratio);
}

}  // namespace

planning::PlannedWork svm_plan_work(const run::ResultFile& result) {
  SvmReport report(result);
  planning::PlannedWork work =
      run::begin_plan(result, report, text("SVM search on ", report.data), {svm_schema().unit});
  SvmFile file = read_file(result, std::move(report));
  add_grid(work, file);
  add_rounds(work, file);
  if (file.refit) add_calibration_and_refit(work, file);
  return work;
}

}  // namespace krossfold::studies
