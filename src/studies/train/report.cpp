// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/class_report.hpp"
#include "krossfold/studies/train/names_report.hpp"
#include "krossfold/studies/train/schema.hpp"

namespace krossfold::studies {

namespace {

/// Counts the held-out samples of a run by true and predicted class, if all have a prediction, and those without.
void read_predictions(const storage::FieldReader& file, std::size_t run, TrainingReport& one) {
  const TrainSchema& field = train_schema();
  const auto& truth = file.get(field.label);
  const int classes = static_cast<int>(file.length(field.class_name));
  const auto first = file.get(field.prediction).begin() + static_cast<std::ptrdiff_t>(run * truth.size());
  const std::vector<std::int32_t> choice(first, first + static_cast<std::ptrdiff_t>(truth.size()));
  const auto known = [&](const std::vector<std::int32_t>& of) {
    return std::all_of(of.begin(), of.end(), [&](std::int32_t c) { return c >= 0 && c < classes; });
  };
  file.require(known(truth), "a label is no class");
  if (known(choice)) one.confusion = measures::confusion(truth, choice, classes);
  one.unpredicted = std::count(choice.begin(), choice.end(), -1);
}

TrainingReport read_run(const storage::FieldReader& file, std::size_t run, std::size_t epochs) {
  const TrainSchema& field = train_schema();
  TrainingReport one;
  one.workers = file.get(field.workers)[run];
  one.ranks = file.get(field.ranks)[run];
  one.batch = file.get(field.batch)[run];
  one.status = file.get(field.status)[run];
  one.rate = file.get(field.rate)[run];
  one.summed = static_cast<double>(file.get(field.summed)[run]);
  one.gathered = static_cast<double>(file.get(field.gathered)[run]);
  one.sums = file.get(field.sums)[run];
  one.gathers = file.get(field.gathers)[run];
  one.replicated = file.get(field.replicated)[run];
  one.strategy = file.get(field.strategy)[run];
  one.reason = file.get(field.reason)[run];
  file.require(one.workers >= 1 && one.ranks >= 1 && one.workers % one.ranks == 0 && one.batch >= 1,
               "its workers and ranks do not fit together");
  const auto begin = static_cast<std::ptrdiff_t>(run * epochs);
  const auto loss = file.get(field.loss).begin() + begin;
  const auto done =
      std::find_if(loss, loss + static_cast<std::ptrdiff_t>(epochs), [](double value) { return std::isnan(value); }) -
      loss;
  const auto of_epochs = [&]<class T>(const storage::Field<T>& of) {
    const auto first = file.get(of).begin() + begin;
    return std::vector<T>(first, first + done);
  };
  one.loss = of_epochs(field.loss);
  one.held_out_loss = of_epochs(field.held_out_loss);
  if (file.has(field.held_out_error)) one.held_out_error = of_epochs(field.held_out_error);
  if (file.has(field.kept_epoch)) {
    one.kept_epoch = file.get(field.kept_epoch)[run];
    file.require(one.kept_epoch >= 0 && one.kept_epoch <= done, "it keeps an epoch that it does not have");
  }
  if (file.has(field.validation_error)) {
    one.validation_loss = of_epochs(field.validation_loss);
    one.validation_error = of_epochs(field.validation_error);
  }
  if (file.has(field.prediction)) read_predictions(file, run, one);
  one.seconds = of_epochs(field.seconds);
  one.comm_seconds = of_epochs(field.comm_seconds);
  one.epoch_ranks = of_epochs(field.epoch_ranks);
  return one;
}

/// Shows the last value in text; JSON has all of them.
report::Cell last_of(const std::vector<double>& values) {
  return {values, values.empty() ? "-" : report::rounded(values.back())};
}

/// A row for each run: all columns in JSON, some of them in the text form of a study of names.
report::Table table_of_runs(const TrainReport& r) {
  report::Table table;
  table.key = "runs";
  const auto add = [&](report::Column column, const auto& cell) { table.add(std::move(column), r.run, cell); };
  using Run = const TrainingReport&;
  add({"strategy", ""}, &TrainingReport::strategy);
  add({"workers", "workers"}, &TrainingReport::workers);
  add({"ranks", "ranks"}, &TrainingReport::ranks);
  add({"batch", "batch"}, &TrainingReport::batch);
  add({"rate", "rate"}, &TrainingReport::rate);
  add({"loss", "loss"}, [](Run run) { return last_of(run.loss); });
  add({"held_out_loss", "held out"}, [](Run run) { return last_of(run.held_out_loss); });
  add({"seconds", ""}, &TrainingReport::seconds);
  add({"comm_seconds", ""}, &TrainingReport::comm_seconds);
  add({"comm_share", "exchange", report::Format::percent}, &TrainingReport::comm_share);
  add({"reason", ""}, &TrainingReport::reason);
  const bool has_error = std::any_of(r.run.begin(), r.run.end(), [](Run run) { return !run.held_out_error.empty(); });
  if (has_error) add({"held_out_error", ""}, &TrainingReport::held_out_error);
  add({"kept_epoch", ""}, &TrainingReport::kept_epoch);
  if (std::any_of(r.run.begin(), r.run.end(), [](Run run) { return !run.validation_error.empty(); })) {
    add({"validation_loss", ""}, &TrainingReport::validation_loss);
    add({"validation_error", ""}, &TrainingReport::validation_error);
  }
  return table;
}

/// A row for each epoch of each run, in CSV and in the text form of a single training.
report::Table table_of_epochs(const TrainReport& r, bool in_text) {
  report::Table table;
  const bool has_error = !r.run.empty() && !r.run.front().held_out_error.empty();
  const bool validates = !r.run.empty() && !r.run.front().validation_error.empty();
  table.columns = {{"file", ""},
                   {"run", ""},
                   {"workers", ""},
                   {"ranks", ""},
                   {"strategy", ""},
                   {"batch", ""},
                   {"rate", ""},
                   {"epoch", "epoch"},
                   {"loss", "loss"},
                   {"held_out_loss", "held out"},
                   {"held_out_error", has_error ? "error" : "", report::Format::percent},
                   {"validation_error", validates ? "validation" : "", report::Format::percent},
                   {"seconds", "seconds"},
                   {"comm_seconds", ""},
                   {"", "exchange", report::Format::percent}};
  for (std::size_t k = 0; k < r.run.size(); ++k) {
    const TrainingReport& one = r.run[k];
    for (std::size_t e = 0; e < one.loss.size(); ++e) {
      const report::Value error = one.held_out_error.empty() ? report::Value() : one.held_out_error[e];
      const report::Value validation = one.validation_error.empty() ? report::Value() : one.validation_error[e];
      table.rows.push_back({r.name, k, one.workers, one.ranks, one.strategy, one.batch, one.rate, e + 1, one.loss[e],
                            one.held_out_loss[e], error, validation, one.seconds[e], one.comm_seconds[e],
                            one.comm_seconds[e] / one.seconds[e]});
    }
  }
  table.in_text = in_text;
  table.in_csv = true;
  return table;
}

void add_run(report::Document& document, const TrainingReport& one, const std::vector<std::string>& class_name) {
  document.line("run", text(one.strategy, ", ", report::counted(one.workers, "worker"), " on ",
                            report::counted(one.ranks, "rank"), one.on_same_ranks() ? "" : " in the end", ", batch ",
                            one.batch, ", rate ", report::rounded(one.rate)));
  if (!one.reason.empty()) document.line("", (one.status == 2 ? "failed: " : "diverged: ") + one.reason);
  if (one.loss.empty()) return;
  if (one.kept_epoch > 0) {
    const auto kept = static_cast<std::size_t>(one.kept_epoch) - 1;
    const std::string error =
        one.held_out_error.empty() || std::isnan(one.held_out_error[kept])
            ? ""
            : text(", ", report::percent(one.held_out_error[kept]), " of the held-out samples wrong");
    document.line("model",
                  text("of epoch ", one.kept_epoch, " of ", one.loss.size(),
                       one.validation_error.empty()
                           ? ""
                           : text(", the best by validation (", report::percent(one.validation_error[kept]), " wrong)"),
                       error));
    run::add_test_measures(document, one.confusion, class_name);
  }
  document.line("steps", text(duration_text(one.total_seconds()), ", ", report::percent(one.comm_share()),
                              " of it for the exchange with other ranks"));
}

}  // namespace

bool TrainingReport::on_same_ranks() const {
  return std::all_of(epoch_ranks.begin(), epoch_ranks.end(), [this](int count) { return count == ranks; });
}

bool TrainingReport::has_times() const {
  return std::find(epoch_ranks.begin(), epoch_ranks.end(), ranks) != epoch_ranks.end();
}

double TrainingReport::kept(const std::vector<double>& of_epoch) const {
  const std::size_t epoch = kept_epoch > 0 ? static_cast<std::size_t>(kept_epoch) : of_epoch.size();
  return epoch >= 1 && epoch <= of_epoch.size() ? of_epoch[epoch - 1] : std::numeric_limits<double>::quiet_NaN();
}

double TrainingReport::total_seconds() const { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

double TrainingReport::comm_share() const {
  return seconds.empty() ? std::numeric_limits<double>::quiet_NaN()
                         : std::accumulate(comm_seconds.begin(), comm_seconds.end(), 0.0) / total_seconds();
}

TrainReport::TrainReport(const run::ResultFile& result) : ResultSummary(result) {
  const TrainSchema& field = train_schema();
  const storage::FieldReader file(result.content, name);
  network = result.content.attribute("network");
  architecture = result.content.attribute("architecture");
  parameters = report::whole(result.content, "parameters");
  if (file.has(field.class_name)) class_name = file.get(field.class_name);
  const std::size_t runs = file.length(field.run_number), epochs = file.length(field.epoch);
  file.require(runs > 0, "it has no runs");
  units.all = static_cast<int>(runs);
  for (std::size_t k = 0; k < runs; ++k) {
    const TrainingReport& one = run.emplace_back(read_run(file, k, epochs));
    unit_seconds += one.total_seconds() * one.ranks;
    units.done += one.status == 1 ? 1 : 0;
    diverged += one.status == 1 && !one.reason.empty() ? 1 : 0;
    if (one.status == 2 && units.failed++ == 0) units.first_reason = one.reason;
  }
  units.seconds = unit_seconds;
  if (const TrainingReport* shown = best()) {
    run::warn_of_lost_classes(*this, shown->confusion, class_name, "held-out");
    if (test_samples > 0 && !std::isfinite(shown->kept_loss())) {
      std::string warning =
          "the held-out loss of the model is not finite: held-out samples have values that it cannot take";
      if (shown->unpredicted > 0)
        warning += text("; ", shown->unpredicted, " of ", test_samples,
                        " have no prediction, so that measures of classes are left out");
      warnings.push_back(warning);
    }
  }
  set_utilisation(result);
}

const TrainingReport* TrainReport::best() const {
  const TrainingReport* best = nullptr;
  for (const TrainingReport& one : run) {
    // A training that diverged or failed has no model, whatever the losses of its epochs are.
    const bool has_loss = one.reason.empty() && !one.held_out_loss.empty() && std::isfinite(one.kept_loss());
    if (has_loss && (best == nullptr || one.kept_loss() < best->kept_loss())) best = &one;
  }
  if (best != nullptr) return best;
  // Where nothing is held out, the file names the first model.
  const auto has_model = [](const TrainingReport& one) { return one.reason.empty() && one.kept_epoch > 0; };
  const auto first = std::find_if(run.begin(), run.end(), has_model);
  return first == run.end() ? nullptr : &*first;
}

planning::MeasuredSteps TrainReport::steps_of(const TrainingReport& one) const {
  planning::MeasuredSteps measured;
  measured.workers = one.workers;
  measured.ranks = one.ranks;
  measured.gathers_on_root = one.strategy == "data-parallel";
  measured.steps = std::ceil(static_cast<double>(train_samples) / one.batch);
  int epochs = 0;
  for (std::size_t e = 0; e < one.seconds.size(); ++e) {
    if (one.epoch_ranks[e] != one.ranks) continue;
    ++epochs;
    measured.seconds += one.seconds[e];
    measured.comm_seconds += one.comm_seconds[e];
  }
  measured.seconds /= epochs;
  measured.comm_seconds /= epochs;
  measured.summed = one.summed;
  measured.gathered = one.gathered;
  measured.sums = one.sums;
  measured.gathers = one.gathers;
  measured.measured = one.on_same_ranks();
  measured.replicated = one.replicated;
  measured.max_ranks = one.strategy == "model-parallel" ? 0 : one.batch;
  return measured;
}

report::Document train_document(const run::ResultFile& file) {
  const TrainReport r(file);
  const bool names = r.kind == "names";
  report::Document document =
      begin_document(r, text(names ? "study of names on " : "training on ", r.data, ", ", r.train_samples,
                             " training and ", r.test_samples, " held-out samples"));
  document.fact("data.held_out", r.test_samples);
  add_units(document, r, r.units, r.diverged > 0 ? text(", ", r.diverged, " diverged") : "",
            {{"units.not_converged", r.diverged}});
  document.line(
      "network", text(r.architecture, ", ", r.parameters, " parameters"),
      {{"network.kind", r.network}, {"network.architecture", r.architecture}, {"network.parameters", r.parameters}});
  if (const TrainingReport* best = r.best()) {
    document.facts({{"best.workers", best->workers},
                    {"best.batch", best->batch},
                    {"best.rate", best->rate},
                    {"best.held_out_loss", best->kept_loss()},
                    {"best.validation_error", best->kept(best->validation_error)},
                    {"test_error", best->kept(best->held_out_error)}});
  } else {
    document.facts({{"best", {}}, {"test_error", {}}});
  }
  report::Table runs = table_of_runs(r);
  if (names) {
    add_names(document, std::move(runs), r);
  } else {
    runs.in_text = false;
    document.table(std::move(runs));
    for (const TrainingReport& one : r.run) add_run(document, one, r.class_name);
  }
  const TrainingReport* best = r.best();
  const measures::Confusion confusion = best != nullptr ? best->confusion : measures::Confusion();
  document.table(table_of_epochs(r, !names));
  end_document(document, r);
  run::add_classes(document, confusion, r.class_name, "test_classes", "classes of the held-out part by the model");
  return document;
}

}  // namespace krossfold::studies
