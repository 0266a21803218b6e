// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "compare_json.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/study/bag_report.hpp"
#include "krossfold/study/report.hpp"
#include "krossfold/study/train_report.hpp"
#include "report_values.hpp"
#include "text_table.hpp"

namespace krossfold::study {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A file, and what it says of other numbers of ranks.
struct Side {
  ComparedRun run;
  std::string data, work;
  TrainReport training;  ///< of trainings

  double seconds_on(int ranks) const {
    if (ranks == run.ranks) return run.seconds;
    if (training.kind != "train") return run.computing / (ranks * run.utilisation);
    const TrainingReport& one = training.run.front();
    const MeasuredSteps steps = training.steps_of(one);
    const Link link = measured_link(steps).value_or(Link());
    return epoch_seconds(steps, ranks, link) * static_cast<double>(one.seconds.size());
  }
};

void set_places(ComparedRun& run, const storage::Container& content) {
  run.formation = content.attribute("formation");
  run.devices = content.attribute("devices");
}

Side side_of(const ResultFile& file) {
  const std::string kind = file.content.attribute("kind");
  Side side;
  ComparedRun& run = side.run;
  run.name = file.name;
  run.quality = nan;
  const auto common = [&](const auto& report) {
    run.status = report.status;
    run.ranks = report.ranks;
    run.seconds = report.seconds;
    run.computing = report.unit_seconds;
    run.utilisation = report.utilisation > 0 ? report.utilisation : nan;
    side.data = report.data;
  };
  if (kind == "svm") {
    const Report report = make_report(file.content, file.name);
    common(report);
    side.work = text("search of ", report.gammas, "x", report.cs, " cells, ", report.folds, " folds");
    if (report.has_test) run.quality = report.test_error;
  } else if (kind == "bag") {
    const BagReport report = make_bag_report(file.content, file.name);
    common(report);
    side.work = text(report.bootstraps, " bootstraps x ", report.trials, " trials x ", report.folds, " folds");
    if (!report.error.empty()) run.quality = report.error.front();
  } else {
    side.training = make_train_report(file.content, file.name);
    const TrainReport& report = side.training;
    run.status = report.status;
    run.ranks = report.ranks;
    side.data = report.data;
    side.work = report.architecture;
    double steps = 0, exchange = 0;  // of all ranks
    for (const TrainingReport& one : report.run) {
      if (one.seconds.empty()) continue;
      if (!one.on_same_ranks()) {
        throw_input_error(text(file.name, " cannot be compared"), "it was continued on another number of ranks",
                          "Compare runs whose times are of one formation.");
      }
      steps += one.total_seconds() * one.ranks;
      exchange += one.total_seconds() * one.comm_share() * one.ranks;
      run.computing += computing_seconds(report.steps_of(one), 1) * static_cast<double>(one.seconds.size());
      const double last = one.held_out_loss.back();
      if (std::isnan(run.quality) || last < run.quality) run.quality = last;
    }
    // Trainings of a study of names run side by side.
    run.seconds = report.kind == "train" ? steps / report.ranks : report.seconds;
    run.utilisation = (steps - exchange) / (run.seconds * report.ranks);
  }
  set_places(run, file.content);
  if (!(run.seconds > 0))
    throw_input_error(text(file.name, " has no times"), "nothing of it is computed", "Finish it first.");
  return side;
}

std::string as_text(const Comparison& c) {
  std::ostringstream out;
  out << "comparison of " << c.run.size() << " results: " << c.kind << " on " << c.data << ", " << c.work << "\n\n";
  std::vector<Cells> lines{{"file", "formation", "devices", "ranks", "seconds", "speed-up", "rank-hours", "computing",
                            "of one rank", c.quality_name}};
  for (const ComparedRun& run : c.run) {
    lines.push_back({run.name, run.formation, run.devices, text(run.ranks), rounded(run.seconds),
                     fixed(c.run.front().seconds / run.seconds, 2), rounded(run.seconds * run.ranks / 3600),
                     percent(run.utilisation), rounded(run.computing), rounded(run.quality)});
  }
  out << text_table(lines, 3)
      << "\n  speed-up: against the first; of one rank: seconds that it would compute all of it, "
      << "without waiting for others\n\nseconds on so many ranks of each file's kind; m: modelled from its own\n\n";
  std::vector<Cells> table{{"file"}};
  for (const int ranks : c.ranks) table[0].push_back(text(ranks));
  for (std::size_t f = 0; f < c.run.size(); ++f) {
    table.push_back({c.run[f].name});
    for (std::size_t k = 0; k < c.ranks.size(); ++k) {
      table.back().push_back(rounded(c.seconds[f][k]) + (c.ranks[k] == c.run[f].ranks ? "  " : " m"));
    }
  }
  out << text_table(table, 1);
  return out.str();
}

std::string as_csv(const Comparison& c) {
  std::string lines = "file,formation,devices,own_ranks,ranks,seconds,measured\n";
  for (std::size_t f = 0; f < c.run.size(); ++f) {
    for (std::size_t k = 0; k < c.ranks.size(); ++k) {
      lines += text(csv_field(c.run[f].name), ",", csv_field(c.run[f].formation), ",", csv_field(c.run[f].devices), ",",
                    c.run[f].ranks, ",", c.ranks[k], ",", shortest(c.seconds[f][k]), ",",
                    c.ranks[k] == c.run[f].ranks ? "yes" : "no", "\n");
    }
  }
  return lines;
}

/// What results depend on, but for how the batch of a training is shared: that is what is compared.
std::string options_of(const storage::Container& content) {
  const bool one_training = content.attribute("kind") == "train";
  std::istringstream lines(content.attribute("fingerprint"));
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const bool shared = line.starts_with("workers = ") || line.starts_with("strategy = ");
    if (!one_training || !shared) kept += line + "\n";
  }
  return kept;
}

}  // namespace

Comparison compare(const std::vector<ResultFile>& files) {
  if (files.size() < 2) {
    throw_input_error("--compare needs at least two result files", "",
                      "For example: krossfold report --compare a.h5 b.h5");
  }
  const ResultFile& first = files.front();
  Comparison comparison;
  comparison.kind = first.content.attribute("kind");
  comparison.quality_name = comparison.kind == "svm" ? "test error" : comparison.kind == "bag" ? "vote" : "held out";
  std::vector<Side> sides;
  std::set<int> ranks;
  for (const ResultFile& file : files) {
    const auto differ = [&](const std::string& why) {
      throw_input_error(text(first.name, " and ", file.name, " cannot be compared"), why,
                        "Compare runs of the same study that differ in where they ran.");
    };
    if (file.content.attribute("kind") != comparison.kind) differ("they are of different kinds of studies");
    if (file.content.attribute("data_digest") != first.content.attribute("data_digest"))
      differ("they have different data");
    if (options_of(file.content) != options_of(first.content)) differ("they have different options");
    if (file.content.attribute("status") != "finished") differ(text(file.name, " is not finished"));
    sides.push_back(side_of(file));
    ranks.insert(sides.back().run.ranks);
  }
  comparison.data = sides.front().data;
  comparison.work = sides.front().work;
  comparison.ranks.assign(ranks.begin(), ranks.end());
  for (const Side& side : sides) {
    comparison.run.push_back(side.run);
    comparison.seconds.emplace_back();
    for (const int count : comparison.ranks) comparison.seconds.back().push_back(side.seconds_on(count));
  }
  return comparison;
}

std::string comparison_report(const Comparison& comparison, const std::string& format) {
  return format == "json" ? comparison_json(comparison) : format == "csv" ? as_csv(comparison) : as_text(comparison);
}

}  // namespace krossfold::study
