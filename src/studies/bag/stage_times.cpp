// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/stage_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/plan_work.hpp"
#include "krossfold/studies/bag/layout.hpp"
#include "krossfold/studies/bag/payload.hpp"
#include "krossfold/studies/bag/report.hpp"
#include "krossfold/studies/bag/schema.hpp"
#include "krossfold/studies/bag/units.hpp"

namespace krossfold::studies {

namespace {

/// Measured time over cost.
struct Ratio {
  double seconds = 0, cost = 0;
  void add(double measured, double expected) {
    if (!run::is_time(measured)) return;
    seconds += measured;
    cost += expected;
  }
  double value(double otherwise) const { return cost > 0 ? seconds / cost : otherwise; }
};

/// What the file says of the study.
struct BagFile {
  storage::FieldReader file;
  const BagReport& report;
  std::size_t bootstraps, trials, folds;
  std::vector<double> seconds, final_seconds;  ///< (bootstrap, trial, fold), (bootstrap); NaN without a record
  std::vector<double> cost, final_cost;        ///< (bootstrap, trial, fold), (bootstrap, trial)
  Ratio measured;                              ///< of all trials
  bool prune = false;

  std::size_t unit(std::size_t b, std::size_t t, std::size_t f) const { return (b * trials + t) * folds + f; }
  /// Of this trial, else of all.
  double ratio(std::size_t b, std::size_t t) const {
    Ratio own;
    for (std::size_t f = 0; f < folds; ++f) own.add(seconds[unit(b, t, f)], cost[unit(b, t, f)]);
    return own.value(measured.value(0));
  }
};

/// Files of version 1 have it in /shown at most.
data::ImageShape image_of(const storage::FieldReader& file, const BagReport& report) {
  const BagSchema& field = bag_schema();
  const auto size = [&](const char* name) { return static_cast<int>(report::whole(file.content(), name)); };
  data::ImageShape image{size("image_width"), size("image_height"), size("image_channels")};
  if (image.width == 0 && file.has(field.shown_image)) {
    image = {static_cast<int>(file.length(field.shown_column)), static_cast<int>(file.length(field.shown_row)),
             static_cast<int>(file.length(field.shown_channel))};
  } else if (image.width == 0) {
    const int side = static_cast<int>(std::lround(std::sqrt(std::max(0, report.features))));
    image = {side, side, 1};
  }
  file.require(image.width >= 1 && image.height >= 1 && image.channels >= 1 &&
                   double{1} * image.width * image.height * image.channels == report.features,
               "its images do not have its number of pixels");
  return image;
}

void find_costs(BagFile& bag) {
  const BagReport& report = bag.report;
  const BagSchema& field = bag_schema();
  const auto &channels = bag.file.get(field.channels), &kernel = bag.file.get(field.kernel),
             &hidden = bag.file.get(field.hidden);
  const data::ImageShape image = image_of(bag.file, report);
  const int batch =
      static_cast<int>(run::parse_whole(run::value_from_json(report.options, report.name, "batch"),
                                        text("batch in ", report.name), 1, std::numeric_limits<int>::max()));
  const std::vector<int> held =
      data::fold_sizes(data::parse_fold_kind(report.fold_kind), report.folds, report.train_samples);
  for (std::size_t at = 0; at < bag.bootstraps * bag.trials; ++at) {
    const int side = std::min(image.width, image.height);
    bag.file.require(channels[at] >= 1 && hidden[at] >= 1 && kernel[at] >= 1 && kernel[at] <= side &&
                         double{1} * channels[at] * hidden[at] * report.features < 1e16,
                     text("bootstrap ", at / bag.trials, " has a trial that is no network"));
    const nn::Architecture network{image, channels[at], kernel[at], {hidden[at]}, report.classes};
    for (std::size_t f = 0; f < bag.folds; ++f) {
      bag.cost.push_back(training_cost(network, batch, report.train_samples - held[f]));
      bag.measured.add(bag.seconds[bag.cost.size() - 1], bag.cost.back());
    }
    bag.final_cost.push_back(training_cost(network, batch, report.train_samples));
  }
}

/// With `together` the folds of a trial are one unit, as on accelerators.
planning::PlanStage search_stage(const BagFile& bag, std::size_t b, int priority, bool together) {
  const auto& status = bag.file.get(bag_schema().unit.status);
  planning::PlanStage stage{text("search of bootstrap ", b), {}, {}};
  for (std::size_t t = 0; t < bag.trials; ++t) {
    const std::size_t first = stage.units.size();
    for (std::size_t f = 0; f < bag.folds; ++f) {
      const std::size_t u = bag.unit(b, t, f);
      if (status[u] == run::status_pruned && !run::is_time(bag.seconds[u])) continue;
      const UnitKey key{bag_unit_trial, {static_cast<int>(b), static_cast<int>(t), static_cast<int>(f)}};
      stage.units.push_back(run::plan_unit({.key = key, .cost = bag.cost[u], .priority = priority}, bag.seconds[u],
                                           bag.cost[u] * bag.ratio(b, t)));
    }
    if (!together || stage.units.size() == first) continue;
    planning::PlanUnit all = stage.units.back();
    all.unit.cost *= static_cast<double>(bag.folds);
    for (std::size_t k = first; k + 1 < stage.units.size(); ++k) {
      all.seconds += stage.units[k].seconds;
      all.estimated = all.estimated || stage.units[k].estimated;
    }
    stage.units.resize(first);
    stage.units.push_back(std::move(all));
  }
  return stage;
}

planning::PlanStage final_stage(const BagFile& bag, std::size_t b) {
  planning::PlanStage stage{text("final fit of bootstrap ", b), {}, {}};
  const int trial = bag.report.network[b].trial;
  if (trial < 0 && bag.report.status == "finished") return stage;  // all its trials diverged or failed
  double cost = 0, expected = 0;
  const std::size_t first = static_cast<std::size_t>(std::max(0, trial)), last = trial < 0 ? bag.trials : first + 1;
  for (std::size_t t = first; t < last; ++t) {
    const double one = bag.final_cost[b * bag.trials + t] / static_cast<double>(last - first);
    cost += one;
    expected += one * bag.ratio(b, t);
  }
  const UnitKey key{bag_unit_final, {static_cast<int>(b), static_cast<int>(first), 0}};
  stage.units.push_back(run::plan_unit({.key = key, .cost = cost, .priority = 1}, bag.final_seconds[b], expected));
  return stage;
}

}  // namespace

planning::PlannedWork bag_plan_work(const run::ResultFile& result) {
  const BagReport report(result);
  const BagSchema& field = bag_schema();
  planning::PlannedWork work =
      run::begin_plan(result, report, text("bagged networks on ", report.data), {field.unit, field.final_unit});
  const storage::FieldReader file(result.content, result.name);
  file.require(report.folds >= 2 && report.folds <= report.train_samples, "it has fewer samples than folds");
  BagFile bag{file,
              report,
              file.length(field.bootstrap),
              file.length(field.trial),
              file.length(field.fold),
              run::unit_times(file, field.unit),
              run::unit_times(file, field.final_unit),
              {},
              {},
              {}};
  bag.prune = run::value_from_json(report.options, report.name, "prune") == "true";
  find_costs(bag);
  std::vector<double> longest;
  for (std::size_t b = 0; b < bag.bootstraps; ++b) {
    const auto first = bag.final_cost.begin() + static_cast<std::ptrdiff_t>(b * bag.trials);
    longest.push_back(*std::max_element(first, first + static_cast<std::ptrdiff_t>(bag.trials)));
  }
  const std::vector<int> priority = bag_priorities(longest);
  for (std::size_t b = 0; b < bag.bootstraps; ++b) {
    work.stages.push_back(search_stage(bag, b, priority[b], work.on_devices && !bag.prune));
    work.stages.push_back(final_stage(bag, b));
    work.stages.back().after = {static_cast<int>(2 * b)};
  }
  const auto measured = std::count_if(bag.seconds.begin(), bag.seconds.end(), run::is_time);
  if (3 * static_cast<std::size_t>(measured) < bag.seconds.size()) {
    work.warnings.push_back(text("only ", measured, " of ", bag.seconds.size(),
                                 " trainings of the search are measured, the times of the others are a guess from the "
                                 "sizes of their networks: epochs that end early are not foreseen"));
  }
  if (bag.prune && work.estimated() > 0) {
    work.warnings.push_back("pruning will skip some of the units that are estimated");
  }
  return work;
}

}  // namespace krossfold::studies
