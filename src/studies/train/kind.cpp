// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/kind.hpp"

#include <limits>

#include "krossfold/core/text.hpp"
#include "krossfold/run/leaderboard.hpp"
#include "krossfold/studies/train/report.hpp"
#include "krossfold/studies/train/run.hpp"
#include "krossfold/studies/train/scaling.hpp"
#include "krossfold/studies/train/schema.hpp"

namespace krossfold::studies {

namespace {

/// Compares all trainings of a file together: by the wall time of the study if they ran side by side, else by the time of their
/// steps.
run::Comparable comparable_trainings(const TrainReport& report, bool side_by_side) {
  run::Comparable one = comparable_units(report);
  double steps = 0, exchange = 0;  // of all ranks
  one.computing = 0;
  for (const TrainingReport& training : report.run) {
    if (training.seconds.empty()) continue;
    require(training.on_same_ranks(), text(report.name, " cannot be compared"),
            "it was continued on another number of ranks", "Compare runs whose times are of one formation.");
    const auto epochs = static_cast<double>(training.seconds.size());
    steps += training.total_seconds() * training.ranks;
    exchange += training.total_seconds() * training.comm_share() * training.ranks;
    one.computing += planning::computing_seconds(report.steps_of(training), 1) * epochs;
  }
  if (!side_by_side) one.seconds = steps / report.ranks;
  one.utilisation = (steps - exchange) / (one.seconds * report.ranks);
  one.work = report.architecture;
  one.quality_name = "held out";
  if (report.best() != nullptr) one.quality = report.best()->kept_loss();
  return one;
}

/// Kinds whose units are trainings.
class KindOfTrainings : public run::StudyKind {
public:
  const storage::Schema& schema() const override { return train_schema(); }
  report::Document report(const run::ResultFile& file) const override { return train_document(file); }
  run::Standing standing(const run::ResultFile& file) const override {
    const TrainReport r(file);
    run::Standing one;
    one.work = r.architecture;
    if (r.best() == nullptr) return one;
    const TrainingReport& best = *r.best();
    one.loss = best.kept_loss();
    one.test_error = best.kept(best.held_out_error);
    one.validation_error = best.kept(best.validation_error);
    one.test_part = run::test_part_of(file, "/test");
    if (one.test_part.empty() && r.test_samples > 0) {
      one.test_part = file.content.attribute("data_digest");  // names have no classes
    }
    return one;
  }
  std::vector<report::Document> plan(const run::ResultFile& file, const run::PlanRequest& request) const override {
    require(!request.schedules, "--schedule has no meaning for trainings", "all ranks take every step together");
    std::vector<report::Document> plans;
    for (const Scaling& scaling : scale_trainings(TrainReport(file), request)) {
      plans.push_back(scaling_document(scaling));
    }
    return plans;
  }
};

class TrainCommand : public run::CommandOf<TrainParams, TrainCase> {
public:
  TrainCommand() : CommandOf(train_options) {}
  void check(const std::set<std::string>& given) const override {
    require(!given.contains("schedule"), "--schedule has no meaning for krossfold train",
            "it has a single training, of all ranks together", "Leave it out.");
    check_taken(params_, given);
  }
};

class TrainKind : public KindOfTrainings {
public:
  std::string name() const override { return "train"; }
  std::string summary() const override { return "train one network on all ranks"; }
  run::Guide guide() const override {
    return {
        "Trains one network on all ranks together, tests it and writes its model. Checkpoints let a stopped training "
        "go on. krossfold train lstm --help shows the options of lstm alone.",
        {{"A convolutional network on the built-in digits", "krossfold train cnn --data digits -o cnn.h5"},
         {"Dense layers on a table of your own, on 2 ranks",
          "mpirun -n 2 krossfold train mlp --data csv:table.csv --label outcome --hidden 64,32 -o mlp.h5"},
         {"A character model of the built-in names, to sample from",
          "krossfold train lstm --data names --epochs 5 -o names.h5"}},
        "docs/training.md, docs/networks.md",
        {}};
  }
  std::set<std::string> shared_options() const override { return {"workers", "strategy"}; }
  std::unique_ptr<run::StudyCommand> command() const override { return std::make_unique<TrainCommand>(); }
  run::Comparable comparable(const run::ResultFile& file) const override {
    const TrainReport report(file);
    run::Comparable one = comparable_trainings(report, false);
    require(report.run.front().has_times(), text(report.name, " cannot be compared"), "it has no epochs", "");
    const planning::MeasuredSteps steps = report.steps_of(report.run.front());
    const planning::Link link = planning::measured_link(steps).value_or(planning::Link());
    const auto epochs = static_cast<double>(report.run.front().seconds.size());
    one.seconds_on = [=](int ranks) { return planning::epoch_seconds(steps, ranks, link) * epochs; };
    return one;
  }
};

class NamesKind : public KindOfTrainings {
public:
  std::string name() const override { return "names"; }
  std::string summary() const override {
    return "train the character model for every combination of workers, batch and rate";
  }
  run::Guide guide() const override {
    return {
        "A scaling study: trains the same character model with every combination of workers, batch and learning rate, "
        "and "
        "reports which reaches a target loss first.",
        {{"Two numbers of workers on 2 ranks, with batches of 256 names for each worker",
          "mpirun -n 2 krossfold names --workers 1,2 --batch-per-worker 256 --rate 0.004 -o study.h5"},
         {"Names of your own, a column of a CSV file",
          "krossfold names --data names:pets.csv#name --workers 1 --epochs 3 -o pets.h5"}},
        "docs/training.md",
        {}};
  }
  std::unique_ptr<run::StudyCommand> command() const override {
    return std::make_unique<run::CommandOf<NamesParams, NamesCase>>(names_options);
  }
  run::Comparable comparable(const run::ResultFile& file) const override {
    return comparable_trainings(TrainReport(file), true);
  }
};

}  // namespace

std::unique_ptr<run::StudyKind> train_kind() { return std::make_unique<TrainKind>(); }
std::unique_ptr<run::StudyKind> names_kind() { return std::make_unique<NamesKind>(); }

}  // namespace krossfold::studies
