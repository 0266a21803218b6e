// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_plan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "grid_times.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/storage/schema.hpp"
#include "krossfold/study/report.hpp"
#include "krossfold/study/svm_records.hpp"
#include "krossfold/study/svm_search.hpp"

namespace krossfold::study {

namespace {

namespace field = storage::field;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double real(const storage::Container& result, const std::string& name, double otherwise) {
  const auto found = result.attributes.find(name);
  const auto* value = found == result.attributes.end() ? nullptr : std::get_if<double>(&found->second);
  return value != nullptr && is_time(*value) ? *value : otherwise;
}

/// The value of an option in the fingerprint's lines "name = value".
std::string option(const storage::Container& result, const std::string& name) {
  const std::string lines = "\n" + result.attribute("fingerprint"), start = "\n" + name + " = ";
  const auto at = lines.find(start);
  if (at == std::string::npos) return "";
  const auto from = at + start.size();
  return lines.substr(from, lines.find('\n', from) - from);
}

/// The dataset if it is there with this shape, else as many NaN.
std::vector<double> times(const storage::Container& result, const std::string& path, std::vector<std::uint64_t> shape) {
  std::size_t size = 1;
  for (const std::uint64_t extent : shape) size *= extent;
  if (result.has(path) && result.at(path).shape == shape) return result.values<double>(path);
  return std::vector<double>(size, nan);
}

/// What the file says of the search.
struct SvmFile {
  const storage::Container& result;
  Report report;
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

SvmFile read_file(const storage::Container& result, const std::string& name) {
  Report report = make_report(result, name);
  const auto refuse = [&](const std::string& why) {
    throw_input_error(text(name, " is not a usable result file"), why, "Was it written by Krossfold?");
  };
  const auto& gamma = result.values<double>(field::search_gamma.path);
  if (report.train_samples < 1 || report.folds < 2 || gamma.empty()) refuse("it has no samples, folds or gammas");
  if (!std::all_of(gamma.begin(), gamma.end(), [](double g) { return std::isfinite(g) && g > 0; })) {
    refuse("a gamma is not above 0");
  }
  std::vector<double> seconds = result.values<double>(field::unit_seconds.path);
  const auto& status = result.values<std::int32_t>(field::unit_status.path);
  for (std::size_t u = 0; u < status.size(); ++u) seconds[u] = status[u] == 0 ? nan : seconds[u];
  GridTimes grid(gamma, seconds, report.folds);
  if (grid.empty()) {
    throw_input_error(text(name, " has no times to plan from"),
                      text("none of its ", report.units, " units has a record"),
                      "Run the study for a while: --max-time 10m stops it cleanly.");
  }
  SvmFile file{result, std::move(report), {gamma}, std::move(seconds), std::move(grid)};
  const std::string rounds = option(result, "refine");
  file.rounds = rounds.size() == 1 && rounds[0] >= '0' && rounds[0] <= '8' ? rounds[0] - '0' : 0;
  // A finished study has done what it was asked for, or it could not: without a best cell there is nothing to do.
  const bool goes_on = file.report.status != "finished" || file.report.has_best;
  if (!goes_on) file.rounds = 0;
  file.refit = goes_on && option(result, "refit") != "false";
  file.calibration = file.refit && option(result, "probability") == "true";
  return file;
}

/// Collects the units of a stage, each with its time or NaN and what the model expects.
class StageOfUnits {
public:
  explicit StageOfUnits(std::string name) { stage_.name = std::move(name); }
  void add(const UnitKey& key, double cost, std::int64_t affinity, double measured, double expected) {
    PlanUnit unit;
    unit.unit.key = key;
    unit.unit.cost = cost;
    unit.unit.affinity = affinity;
    unit.estimated = !is_time(measured);
    unit.seconds = unit.estimated ? expected : measured;
    if (!unit.estimated) {
      measured_ += measured;
      expected_ += expected;
    }
    stage_.units.push_back(std::move(unit));
  }
  /// Appends the stage to wait for the last one. `ratio`: of measured to expected times; learnt if any unit is measured.
  void append_to(PlanWork& work, double& ratio) {
    if (measured_ > 0 && expected_ > 0) ratio = measured_ / expected_;
    for (PlanUnit& unit : stage_.units) unit.seconds *= unit.estimated ? ratio : 1;
    if (!work.stages.empty()) stage_.after = {static_cast<int>(work.stages.size()) - 1};
    work.stages.push_back(std::move(stage_));
  }

private:
  PlanStage stage_;
  double measured_ = 0, expected_ = 0;
};

void add_grid(PlanWork& work, const SvmFile& file) {
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
  const std::string path = refined_path(field::search_gamma, round);
  if (file.result.has(path)) return file.result.values<double>(path);
  const auto& grid = file.gamma[0];
  const double centre = file.report.has_best ? file.report.best_gamma : grid[grid.size() / 2];
  const Range range{std::log10(grid.front()), std::log10(grid.back())};
  return refined_axis(range, static_cast<int>(grid.size()), centre, round);
}

void add_rounds(PlanWork& work, SvmFile& file) {
  const auto folds = static_cast<std::size_t>(file.report.folds);
  const auto cs = static_cast<std::size_t>(refined_count(file.report.cs));
  double ratio = 1;
  for (int round = 1; round <= file.rounds; ++round) {
    const std::vector<double> gammas = gammas_of_round(file, round);
    file.gamma.push_back(gammas);
    const auto seconds = times(file.result, refined_path(field::unit_seconds, round), {gammas.size(), folds});
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

void add_calibration_and_refit(PlanWork& work, const SvmFile& file) {
  const Report& report = file.report;
  const double gamma = report.has_best ? report.best_gamma : file.gamma[0][file.gamma[0].size() / 2];
  const std::int64_t affinity = svm_affinity(file.gamma, gamma);
  const std::size_t cs =
      report.has_best ? static_cast<std::size_t>(file.result.values<std::int32_t>(field::best_c_index.path)[0]) + 1
                      : static_cast<std::size_t>(report.cs);
  const auto folds = static_cast<std::size_t>(report.folds);
  double ratio = 1;
  if (file.calibration) {
    const auto seconds = times(file.result, field::probability_seconds.path, {folds});
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
            real(file.result, "refit_seconds", nan), file.path_seconds(gamma, cs) * larger * larger);
  refit.append_to(work, ratio);
}

/// The pauses between two units of the grid on the same rank.
void add_claims(PlanWork& work, const SvmFile& file) {
  const std::vector<std::uint64_t> shape{file.gamma[0].size(), static_cast<std::uint64_t>(file.report.folds)};
  const auto started = times(file.result, field::unit_started.path, shape);
  if (!file.result.has(field::unit_rank.path) || file.result.at(field::unit_rank.path).shape != shape) return;
  const auto& rank = file.result.values<std::int32_t>(field::unit_rank.path);
  std::map<int, std::map<double, double>> ends;  // of a rank: start -> end
  for (std::size_t u = 0; u < rank.size(); ++u) {
    if (is_time(file.seconds[u]) && is_time(started[u])) ends[rank[u]][started[u]] = started[u] + file.seconds[u];
  }
  double root = 0, others = 0;
  int root_claims = 0, others_claims = 0;
  for (const auto& [r, units] : ends) {
    for (auto unit = units.begin(); unit != units.end() && std::next(unit) != units.end(); ++unit) {
      const double pause = std::next(unit)->first - unit->second;
      if (!(pause >= 0 && pause < 0.1)) continue;
      (r == 0 ? root : others) += pause;
      ++(r == 0 ? root_claims : others_claims);
    }
  }
  if (root_claims > 0) work.root_claim_seconds = root / root_claims;
  if (others_claims > 0) work.claim_seconds = others / others_claims;
}

}  // namespace

PlanWork svm_plan_work(const storage::Container& result, const std::string& name) {
  SvmFile file = read_file(result, name);
  PlanWork work;
  work.name = name;
  work.description = text("SVM search on ", file.report.data);
  work.status = file.report.status;
  work.formation = result.attribute("formation");
  work.schedule = result.attribute("schedule", "dynamic");
  const std::string backend = work.formation.substr(work.formation.rfind('x') + 1);
  work.on_devices = backend == "CUDA" || backend == "HIP" || backend == "SYCL";
  const std::string seed = result.attribute("seed");
  std::from_chars(seed.data(), seed.data() + seed.size(), work.seed);
  work.setup_seconds = real(result, "setup_seconds", -1);
  work.farm_seconds = file.report.seconds;
  add_grid(work, file);
  add_rounds(work, file);
  if (file.refit) add_calibration_and_refit(work, file);
  add_claims(work, file);
  return work;
}

}  // namespace krossfold::study
