// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/stage_times.hpp"
#include "krossfold/run/run_facts.hpp"

#include <algorithm>
#include <cmath>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/plan_work.hpp"
#include "krossfold/studies/bag/layout.hpp"
#include "krossfold/studies/bag/payload.hpp"
#include "krossfold/studies/bag/report.hpp"
#include "krossfold/studies/bag/units.hpp"

namespace krossfold::studies {

namespace {

/// The shape of the images of a result file. Files of version 1 have it with the shown images, if they have any.
data::ImageShape image_of(const storage::FieldReader& file, int features) {
  const auto size = [&](const char* name) { return static_cast<int>(report::whole(file.content(), name)); };
  data::ImageShape image{size("image_width"), size("image_height"), size("image_channels")};
  if (image.width == 0 && file.has(field.shown_image)) {
    image = {static_cast<int>(file.length(field.shown_column)), static_cast<int>(file.length(field.shown_row)),
             static_cast<int>(file.length(field.shown_channel))};
  } else if (image.width == 0) {
    const int side = static_cast<int>(std::lround(std::sqrt(std::max(0, features))));
    image = {side, side, 1};
  }
  file.require(image.width >= 1 && image.height >= 1 && image.channels >= 1 &&
                   double{1} * image.width * image.height * image.channels == features,
               "its images do not have its number of pixels");
  return image;
}

/// The measured times of a result file, and the costs of its units.
struct BagTimes {
  const BagReport& report;
  std::size_t trials, folds;
  std::vector<std::int32_t> status;      ///< (bootstrap, trial, fold)
  std::vector<double> seconds, cost;     ///< (bootstrap, trial, fold); NaN without a record
  std::vector<double> final_seconds;     ///< (bootstrap); NaN without a record
  std::vector<double> final_cost;        ///< (bootstrap, trial)
  std::vector<run::TimeRatio> measured;  ///< (bootstrap, trial): seconds over cost
  run::TimeRatio all_measured;

  BagTimes(const storage::FieldReader& file, const BagReport& of);
  /// Expected seconds over cost: those of the trial or, if none of its folds is measured, of all trials.
  double ratio(std::size_t trial) const { return measured[trial].value(all_measured.value(0)); }
};

BagTimes::BagTimes(const storage::FieldReader& file, const BagReport& of)
    : report(of),
      trials(file.length(field.trial)),
      folds(file.length(field.fold)),
      status(file.get(field.unit.status)),
      seconds(run::unit_times(file, field.unit)),
      final_seconds(run::unit_times(file, field.final_unit)) {
  file.require(report.folds >= 2 && report.folds <= report.train_samples, "it has fewer samples than folds");
  const auto &channels = file.get(field.channels), &kernel = file.get(field.kernel), &hidden = file.get(field.hidden);
  const data::ImageShape image = image_of(file, report.features);
  const int side = std::min(image.width, image.height);
  const int batch = run::parse_whole(report.option("batch"), text("batch in ", report.name), 1);
  const std::vector<int> held =
      data::fold_sizes(data::parse_fold_kind(report.fold_kind), report.folds, report.train_samples);
  for (std::size_t t = 0; t < channels.size(); ++t) {
    file.require(channels[t] >= 1 && hidden[t] >= 1 && kernel[t] >= 1 && kernel[t] <= side &&
                     double{1} * channels[t] * hidden[t] * report.features < 1e16,
                 text("bootstrap ", t / trials, " has a trial that is no network"));
    const nn::Architecture network{image, channels[t], kernel[t], {hidden[t]}, report.classes};
    final_cost.push_back(training_cost(network, batch, report.train_samples));
    run::TimeRatio& of_trial = measured.emplace_back();
    for (const int size : held) {
      cost.push_back(training_cost(network, batch, report.train_samples - size));
      of_trial.add(seconds[cost.size() - 1], cost.back());
      all_measured.add(seconds[cost.size() - 1], cost.back());
    }
  }
}

/// One unit of all the folds of a trial, as on accelerators.
planning::PlanUnit joined(const std::vector<planning::PlanUnit>& units, std::size_t folds) {
  planning::PlanUnit all = units.back();
  all.unit.cost *= static_cast<double>(folds);
  for (std::size_t u = 0; u + 1 < units.size(); ++u) {
    all.seconds += units[u].seconds;
    all.estimated = all.estimated || units[u].estimated;
  }
  return all;
}

planning::PlanStage search_stage(const BagTimes& times, int bootstrap, int priority, bool folds_together) {
  planning::PlanStage stage{text("search of bootstrap ", bootstrap), {}, {}};
  for (std::size_t t = 0; t < times.trials; ++t) {
    const std::size_t trial = static_cast<std::size_t>(bootstrap) * times.trials + t;
    std::vector<planning::PlanUnit> units;
    for (std::size_t f = 0; f < times.folds; ++f) {
      const std::size_t u = trial * times.folds + f;
      if (times.status[u] == run::status_pruned && !run::is_time(times.seconds[u])) continue;
      const UnitKey key{bag_unit_trial, {bootstrap, static_cast<int>(t), static_cast<int>(f)}};
      units.push_back(run::plan_unit({.key = key, .cost = times.cost[u], .priority = priority}, times.seconds[u],
                                     times.cost[u] * times.ratio(trial)));
    }
    if (folds_together && !units.empty()) units = {joined(units, times.folds)};
    stage.units.insert(stage.units.end(), units.begin(), units.end());
  }
  return stage;
}

/// The final fit of the chosen trial; while it is unknown, one of the mean cost and time of all trials.
planning::PlanStage final_stage(const BagTimes& times, int bootstrap) {
  planning::PlanStage stage{text("final fit of bootstrap ", bootstrap), {}, {}};
  const auto b = static_cast<std::size_t>(bootstrap);
  const int chosen = times.report.network[b].trial;
  if (chosen < 0 && run::has_ended(times.report.status)) return stage;  // all its trials diverged or failed
  const std::size_t first = b * times.trials + static_cast<std::size_t>(std::max(0, chosen));
  const std::size_t candidates = chosen < 0 ? times.trials : 1;
  double cost = 0, expected = 0;
  for (std::size_t trial = first; trial < first + candidates; ++trial) {
    const double share = times.final_cost[trial] / static_cast<double>(candidates);
    cost += share;
    expected += share * times.ratio(trial);
  }
  const UnitKey key{bag_unit_final, {bootstrap, std::max(0, chosen), 0}};
  stage.units.push_back(run::plan_unit({.key = key, .cost = cost, .priority = 1}, times.final_seconds[b], expected));
  return stage;
}

}  // namespace

planning::PlannedWork bag_plan_work(const run::ResultFile& result) {
  const BagReport report(result);
  planning::PlannedWork work =
      run::begin_plan(result, report, text("bagged networks on ", report.data), {field.unit, field.final_unit});
  const BagTimes times(storage::FieldReader(result.content, result.name), report);
  std::vector<double> longest;
  for (auto first = times.final_cost.begin(); first != times.final_cost.end();) {
    const auto last = first + static_cast<std::ptrdiff_t>(times.trials);
    longest.push_back(*std::max_element(first, last));
    first = last;
  }
  const std::vector<int> priority = bag_priorities(longest);
  const bool prune = report.option("prune") == "true";
  for (int b = 0; b < report.bootstraps; ++b) {
    work.stages.push_back(search_stage(times, b, priority[static_cast<std::size_t>(b)], work.on_devices && !prune));
    work.stages.push_back(final_stage(times, b));
    work.stages.back().after = {2 * b};
  }
  const auto measured = std::count_if(times.seconds.begin(), times.seconds.end(), run::is_time);
  if (3 * static_cast<std::size_t>(measured) < times.seconds.size()) {
    work.warnings.push_back(text("only ", measured, " of ", times.seconds.size(),
                                 " trainings of the search are measured, the times of the others are a guess from the "
                                 "sizes of their networks: epochs that end early are not foreseen"));
  }
  if (prune && work.estimated() > 0) {
    work.warnings.emplace_back("pruning will skip some of the units that are estimated");
  }
  return work;
}

}  // namespace krossfold::studies
