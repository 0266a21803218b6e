// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/report.hpp"
#include "krossfold/run/run_facts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/class_report.hpp"
#include "krossfold/run/option_table.hpp"
#include "krossfold/storage/journal.hpp"

namespace krossfold::studies {

namespace {

void count_units(BagReport& report, const storage::FieldReader& file) {
  std::map<std::string, int> reasons;
  for (const auto& [unit, diverged] :
       {std::pair{field.unit, field.diverged}, std::pair{field.final_unit, field.final_diverged}}) {
    report.units.add(file, unit);
    for (const std::int32_t one : file.get(diverged)) report.trainings_diverged += one != 0 ? 1 : 0;
    const auto& status = file.get(unit.status);
    for (std::size_t u = 0; u < status.size(); ++u) {
      if (status[u] == 2) ++reasons[file.get(unit.reason)[u]];
    }
  }
  report.unit_seconds = report.units.seconds;
  for (const auto& [reason, times] : reasons) {
    report.warnings.push_back(text(times, " of ", report.units.all, " units failed: ", reason));
  }
}

/// Where an epoch has few steps, its loss falls little, and stop-ratio takes that for the end.
void warn_of_short_trainings(BagReport& report) {
  constexpr double few_steps = 500;
  if (report.option("batch").empty() || report.option("epochs").empty()) return;
  const int batch = run::parse_whole(report.option("batch"), text("batch in ", report.name), 1);
  const int most = run::parse_whole(report.option("epochs"), text("epochs in ", report.name), 1);
  const double steps = std::ceil(static_cast<double>(report.train_samples) / batch);
  std::vector<int> epochs;
  for (const NetworkReport& one : report.network) {
    if (one.epochs > 0 && one.epochs < most) epochs.push_back(one.epochs);
  }
  if (epochs.empty() || 2 * epochs.size() < report.network.size()) return;
  std::nth_element(epochs.begin(), epochs.begin() + static_cast<std::ptrdiff_t>(epochs.size() / 2), epochs.end());
  const int median = epochs[epochs.size() / 2];
  if (median * steps >= few_steps) return;
  report.warnings.push_back(
      text("the final trainings ended after ", median, " of at most ", most, " epochs (the median), ",
           static_cast<int>(median * steps), " steps in all, because the loss did not fall below stop-ratio ",
           report.option("stop-ratio"), " of that before; with so few samples try stop-ratio inf"));
}

void describe_networks(BagReport& report, const storage::FieldReader& file, const std::string& models) {
  const auto &trial = file.get(field.final_trial), &channels = file.get(field.channels),
             &kernel = file.get(field.kernel), &hidden = file.get(field.hidden);
  const auto &rate = file.get(field.rate), &momentum = file.get(field.momentum), &loss = file.get(field.epoch_loss);
  const auto &model = file.get(field.model), &reason = file.get(field.final_unit.reason);
  const std::size_t trials = file.length(field.trial), epochs = file.length(field.epoch);
  const auto number = [&](const storage::Field<double>& of, std::size_t b) {
    return file.has(of) ? file.get(of)[b] : run::not_computed;
  };
  for (std::size_t b = 0; b < trial.size(); ++b) {
    NetworkReport one;
    one.bootstrap = static_cast<int>(b);
    one.trial = trial[b];
    file.require(one.trial >= -1 && one.trial < report.trials,
                 text(field.final_trial.path, " names trial ", one.trial, ", but there are ", trials));
    one.validation_error = number(field.validation_error, b);
    one.out_of_bag_error = number(field.out_of_bag_error, b);
    one.test_error = number(field.final_test_error, b);
    one.nll = number(field.final_nll, b);
    one.brier = number(field.final_brier, b);
    one.ece = number(field.final_ece, b);
    if (one.trial >= 0) {
      const std::size_t at = b * trials + static_cast<std::size_t>(one.trial);
      one.channels = channels[at];
      one.kernel = kernel[at];
      one.hidden = hidden[at];
      one.rate = rate[at];
      one.momentum = momentum[at];
    }
    const double* first = loss.data() + b * epochs;
    one.epochs = static_cast<int>(std::count_if(first, first + epochs, [](double l) { return !std::isnan(l); }));
    if (!model[b].empty()) one.model = models + "/" + model[b];
    one.reason = reason[b];
    if (!one.reason.empty()) {
      report.warnings.push_back(text("bootstrap ", b, " has no network: ", one.reason));
    } else if (one.trial < 0 && run::has_ended(report.status)) {
      report.warnings.push_back(text("bootstrap ", b, " has no network: all its trials diverged or failed"));
    }
    report.network.push_back(one);
  }
  warn_of_short_trainings(report);
}

/// The names of a field, which become keys of JSON objects.
const std::vector<std::string>& keys_of(const storage::FieldReader& file, const storage::Field<std::string>& field) {
  const auto& names = file.get(field);
  for (const std::string& name : names) {
    file.require(name.find('.') == std::string::npos, text(field.path, " has a name with a dot"));
  }
  return names;
}

void describe_ensemble(BagReport& report, const storage::FieldReader& file) {
  report.has_ensemble = file.has(field.error);
  if (!report.has_ensemble) return;
  report.rule = keys_of(file, field.rule);
  report.error = file.get(field.error);
  report.nll = file.one(field.nll);
  report.brier = file.one(field.brier);
  report.ece = file.one(field.ece);
  int networks = 0;
  report.confusion = run::read_confusion(file, field.confusion, report.classes);
  report.class_name = file.get(field.class_name);
  run::warn_of_lost_classes(report, report.confusion, report.class_name, "test");
  report.best_error = 1;
  for (const NetworkReport& one : report.network) {
    if (std::isnan(one.test_error)) continue;
    ++networks;
    report.mean_error += one.test_error;
    report.best_error = std::min(report.best_error, one.test_error);
  }
  report.mean_error /= std::max(1, networks);
  if (!file.has(field.ood_auroc)) return;
  report.score = keys_of(file, field.ood_score);
  const auto& name = file.get(field.ood_name);
  const auto& count = file.get(field.ood_count);
  const auto row = [&](const storage::Field<double>& of, std::size_t set) {
    const auto first = file.get(of).begin() + static_cast<std::ptrdiff_t>(set * report.score.size());
    return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(report.score.size()));
  };
  for (std::size_t k = 0; k < name.size(); ++k) {
    report.ood.push_back({name[k], count[k], row(field.ood_auroc, k), row(field.ood_kept, k)});
  }
}

void add_networks(report::Document& document, const BagReport& r) {
  using report::Format;
  report::Table table;
  table.key = "networks";
  std::vector<NetworkReport> known;
  std::copy_if(r.network.begin(), r.network.end(), std::back_inserter(known),
               [](const NetworkReport& one) { return one.trial >= 0; });
  const auto add = [&](report::Column column, const auto& cell) { table.add(std::move(column), known, cell); };
  add({"bootstrap", "bootstrap"}, &NetworkReport::bootstrap);
  add({"trial", "trial"}, &NetworkReport::trial);
  add({"channels", "channels"}, &NetworkReport::channels);
  add({"kernel", "kernel"}, &NetworkReport::kernel);
  add({"hidden", "hidden"}, &NetworkReport::hidden);
  add({"rate", "rate"}, &NetworkReport::rate);
  add({"momentum", "momentum"}, &NetworkReport::momentum);
  add({"epochs", "epochs"}, &NetworkReport::epochs);
  add({"validation_error", "validation", Format::percent}, &NetworkReport::validation_error);
  add({"out_of_bag_error", "out of bag", Format::percent}, &NetworkReport::out_of_bag_error);
  add({"test_error", "test", Format::percent}, &NetworkReport::test_error);
  add({"nll", ""}, &NetworkReport::nll);
  add({"brier", ""}, &NetworkReport::brier);
  add({"ece", ""}, &NetworkReport::ece);
  add({"model", ""}, &NetworkReport::model);
  add({"reason", ""}, &NetworkReport::reason);
  document.table(std::move(table));
  if (known.empty()) {
    document.fact("best", {});
    return;
  }
  const NetworkReport* best = &known.front();
  for (const NetworkReport& one : known) {
    if (one.validation_error < best->validation_error) best = &one;
  }
  document.facts({{"best.channels", best->channels},
                  {"best.kernel", best->kernel},
                  {"best.hidden", best->hidden},
                  {"best.rate", best->rate},
                  {"best.momentum", best->momentum},
                  {"best.error", best->validation_error}});
}

void add_ensemble(report::Document& document, const BagReport& r) {
  document.fact("test_error", r.error.empty() ? report::Value() : report::Value(r.error[0]));
  if (!r.has_ensemble) {
    document.fact("ensemble", {});
    return;
  }
  document.line("test error",
                text("single networks ", report::percent(r.mean_error), " on average, ", report::percent(r.best_error),
                     " the best"),
                {{"ensemble.mean_single_error", r.mean_error}, {"ensemble.best_single_error", r.best_error}});
  for (std::size_t k = 0; k < r.rule.size(); ++k) {
    document.line("",
                  text(r.rule[k], " ", report::percent(r.error[k]), " (", std::lround(r.error[k] * r.test_samples),
                       " of ", r.test_samples, " wrong)"),
                  {{"ensemble.error." + r.rule[k], r.error[k]}});
    if (r.rule[k] == "majority vote") run::add_test_measures(document, r.confusion, r.class_name);
  }
  document.line("calibration",
                text("negative log likelihood ", report::rounded(r.nll), ", Brier score ", report::rounded(r.brier),
                     ", expected calibration error ", report::percent(r.ece)),
                {{"ensemble.nll", r.nll}, {"ensemble.brier", r.brier}, {"ensemble.ece", r.ece}});
}

void add_ood(report::Document& document, const BagReport& r) {
  report::Table table{"ood",
                      "out of distribution: area under the ROC curve, and in brackets the share that 95 % of the test "
                      "samples would hide",
                      {{"name", "images"}, {"count", ""}},
                      {}};
  table.left = 1;
  for (const std::string& score : r.score) {
    table.columns.push_back({"score." + score + ".auroc", score});
    table.columns.push_back({"score." + score + ".kept", ""});
  }
  for (const OodReport& set : r.ood) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(set.name, text(set.name, " (", set.count, ")"));
    row.emplace_back(set.count);
    for (std::size_t s = 0; s < r.score.size(); ++s) {
      row.emplace_back(set.auroc[s], text(report::rounded(set.auroc[s]), " (", report::percent(set.kept[s]), ")"));
      row.emplace_back(set.kept[s]);
    }
  }
  document.table(std::move(table));
}

void add_units_table(report::Document& document, const storage::FieldReader& file) {
  const auto &channels = file.get(field.channels), &kernel = file.get(field.kernel), &hidden = file.get(field.hidden),
             &epochs = file.get(field.epochs), &diverged = file.get(field.diverged),
             &status = file.get(field.unit.status);
  const auto &rate = file.get(field.rate), &momentum = file.get(field.momentum), &loss = file.get(field.loss),
             &error = file.get(field.fold_error), &seconds = file.get(field.unit.seconds);
  const std::size_t trials = file.length(field.trial), folds = file.length(field.fold);
  report::Table table =
      report::csv_only_table({"file", "bootstrap", "trial", "fold", "channels", "kernel", "hidden", "rate", "momentum",
                              "epochs", "loss", "error", "unit_seconds", "unit_status"});
  for (std::size_t u = 0; u < error.size(); ++u) {
    const std::size_t at = u / folds;
    table.rows.push_back({file.name(), at / trials, at % trials, u % folds, channels[at], kernel[at], hidden[at],
                          rate[at], momentum[at], epochs[u], loss[u], error[u], seconds[u],
                          status[u] == 1 && diverged[u] != 0 ? "diverged" : run::status_name(status[u])});
  }
  document.table(std::move(table));
}

}  // namespace

BagReport::BagReport(const run::ResultFile& result) : ResultSummary(result) {
  const storage::FieldReader file(result.content, name);
  classes = static_cast<int>(file.length(field.class_name));
  bootstraps = static_cast<int>(file.length(field.bootstrap));
  trials = static_cast<int>(file.length(field.trial));
  folds = static_cast<int>(file.length(field.fold));
  count_units(*this, file);
  describe_networks(*this, file, storage::find_models_folder(name, result.content.attribute("run_id")));
  describe_ensemble(*this, file);
  set_utilisation(result);
}

report::Document bag_document(const run::ResultFile& file) {
  const BagReport r(file);
  report::Document document =
      begin_document(r, text("bagged networks on ", r.data, ", ", r.train_samples, " training and ", r.test_samples,
                             " test samples, ", r.features, " pixels, ", r.classes, " classes"));
  document.fact("data.classes", r.classes);
  add_units(document, r, r.units, text("; ", r.trainings_diverged, " trainings diverged"),
            {{"units.not_converged", r.trainings_diverged}});
  document.line("search", text(r.bootstraps, " bootstraps x ", r.trials, " trials x ", r.folds, " ", r.fold_kind,
                               " folds, then a final fit in each bootstrap"));
  add_networks(document, r);
  add_ensemble(document, r);
  add_ood(document, r);
  end_document(document, r);
  run::add_classes(document, r.confusion, r.class_name, "test_classes", "classes of the test part by majority vote");
  add_units_table(document, storage::FieldReader(file.content, file.name));
  return document;
}

}  // namespace krossfold::studies
