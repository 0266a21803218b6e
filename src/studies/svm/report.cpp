// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/run/class_report.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/studies/svm/parts_report.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/svm/kernel_function.hpp"
#include "krossfold/svm/precise_kernel.hpp"
#include "report_warnings.hpp"

namespace krossfold::studies {

namespace {

void count_fits(SvmReport& report, const storage::FieldReader& file) {
  report.units.add(file, field.unit);
  report.unit_seconds = report.units.seconds;
  const auto& status = file.get(field.unit.status);
  const auto& converged = file.get(field.converged);
  const std::vector<double> gradient_error =
      file.has(field.gradient_error) ? file.get(field.gradient_error) : std::vector<double>();
  const std::size_t cells = file.get(field.fold_error).size();
  const auto folds = static_cast<std::size_t>(report.folds), cs = static_cast<std::size_t>(report.cs);
  for (std::size_t at = 0; at < converged.size(); ++at) {
    const std::size_t cell = at / (converged.size() / cells), unit = cell / folds / cs * folds + cell % folds;
    if (status[unit] != 1) continue;
    ++report.fits;
    report.fits_not_converged += converged[at] == 0 ? 1 : 0;
    if (!gradient_error.empty()) report.gradient_error = std::max(report.gradient_error, gradient_error[at]);
  }
}

/// The largest rank that the factor of the kernel matrix could have; 0 without one.
int largest_rank(const SvmReport& report) {
  return std::min(std::atoi(report.option("factor").c_str()),
                  svm::PreciseKernel<Device>::max_rank(report.train_samples));
}

/// What fits that did not converge need.
std::string advice_on_fits(const SvmReport& report) {
  const int rank = largest_rank(report);
  const bool as_given = report.kernel != "rbf" && report.option("scale") == "none";
  if (rank == 0) return text(as_given ? "scale the features, or " : "", "raise --max-iterations or --tolerance");
  if (rank < svm::PreciseKernel<Device>::max_rank(report.train_samples)) {
    return "give a larger factor, smaller values of gamma, or a partition";
  }
  return "no larger factor is possible; leave out --factor, or give smaller values of gamma, or a partition";
}

void find_best(SvmReport& report, const storage::FieldReader& file) {
  report.has_best = file.has(field.best_error);
  if (!report.has_best || report.parts.own_cells) return;
  report.best_c = file.one(field.best_c);
  report.best_gamma = file.one(field.best_gamma);
  report.best_error = file.one(field.best_error);
  // Files from before searches were refined lack the round.
  if (file.has(field.best_round)) {
    report.best_round = file.one_in(field.best_round, 0, static_cast<std::int64_t>(report.rounds.size()));
  }
  const auto round = file.in_group(report.best_round == 0 ? "" : refine_group(report.best_round));
  const auto gammas = static_cast<std::int64_t>(round.length(field.gamma)),
             cs = static_cast<std::int64_t>(round.length(field.c));
  report.best_gamma_index = file.one_in(field.best_gamma_index, 0, gammas - 1);
  report.best_c_index = file.one_in(field.best_c_index, 0, cs - 1);
  const auto& error = round.get(field.fold_error);
  const std::int64_t first = (report.best_gamma_index * cs + report.best_c_index) * report.folds;
  double sum = 0;
  for (int f = 0; f < report.folds; ++f) {
    sum += std::pow(error[static_cast<std::size_t>(first + f)] - report.best_error, 2);
  }
  report.best_spread = std::sqrt(sum / std::max(1, report.folds - 1));
}

/// Reads the measures of the best cell and the confusion matrices.
void find_measures(SvmReport& report, const storage::FieldReader& file) {
  report.class_name = file.get(field.class_name);
  report.confusion = run::read_confusion(file, field.best_confusion, report.classes);
  report.test_confusion = run::read_confusion(file, field.test_confusion, report.classes);
  if (file.has(field.best_tied)) report.best_tied = file.one(field.best_tied);
  if (file.has(field.best_within)) report.best_within = file.one(field.best_within);
  if (!report.has_best || !file.has(field.best_measure.front())) return;
  report.best_measures.push_back(report.best_error);
  for (const auto& one : field.best_measure) report.best_measures.push_back(file.one(one));
}

void find_nested(SvmReport& report, const storage::FieldReader& file) {
  if (!file.has(field.nested_error)) return;
  const auto& error = file.get(field.outer_error);
  report.outer = static_cast<int>(error.size());
  report.nested_error = file.one(field.nested_error);
  double sum = 0;
  for (const double one : error) sum += std::pow(one - report.nested_error, 2);
  report.nested_spread = std::sqrt(sum / std::max(1, report.outer - 1));
  const measures::MeasureKind& kind = *measures::parse_selection_rule(report.select_by).measure;
  if (kind.name == "error" || !file.has(field.outer_selected)) return;
  const auto& selected = file.get(field.outer_selected);
  report.nested_selected = {{kind.name, std::accumulate(selected.begin(), selected.end(), 0.0) / report.outer}};
}

/// The best cell of each round of refinement, and its fits that did not converge.
void find_rounds(SvmReport& report, const storage::FieldReader& file) {
  std::int64_t not_converged = 0;
  for (int r = 1; file.in_group(refine_group(r)).has(field.fold_error); ++r) {
    const auto in = file.in_group(refine_group(r));
    const auto &gamma = in.get(field.gamma), &c = in.get(field.c);
    const auto& error = in.get(field.fold_error);
    const bool selected = in.has(field.selected);
    const measures::SelectionRule rule = measures::parse_selection_rule(report.select_by);
    const int cs = static_cast<int>(c.size()), gammas = static_cast<int>(gamma.size());
    const auto choice = choose_cell(error, selected ? in.get(field.selected) : error, gammas, cs, report.folds,
                                    selected ? rule.measure->better : measures::Better::lower);
    CellReport best;
    if (choice) {
      const int cell = rule.cell(*choice);
      const auto first = error.begin() + std::ptrdiff_t{cell} * report.folds;
      best = {c[static_cast<std::size_t>(cell % cs)], gamma[static_cast<std::size_t>(cell / cs)],
              std::accumulate(first, first + report.folds, 0.0) / report.folds};
    }
    report.rounds.push_back(best);
    for (const std::int32_t fits : in.get(field.not_converged)) not_converged += fits;
  }
  if (not_converged > 0) {
    report.warnings.push_back(
        text(not_converged, " fits of the refinement did not converge: ", advice_on_fits(report)));
  }
}

std::string cell_text(const SvmReport& report, const CellReport& cell) {
  return text("C = ", report::rounded(cell.c),
              report.has_gamma ? text(", gamma = ", report::rounded(cell.gamma)) : std::string(),
              ": cross-validation error ", report::percent(cell.error));
}

/// A value of gamma, or nothing if the kernel has none.
report::Value gamma_value(const SvmReport& report, double gamma) {
  return report.has_gamma ? report::Value(gamma) : report::Value();
}

/// The kernel, unless it is the usual one.
void add_kernel(report::Document& document, const SvmReport& report) {
  if (report.kernel == "rbf") {
    document.fact("kernel.function", report.kernel);
    return;
  }
  std::string words = report.kernel;
  std::vector<report::Fact> facts{{"kernel.function", report.kernel}};
  if (report.kernel == "polynomial") {
    const auto or_default = [&](const char* option, double standard) {
      const std::string given = report.option(option);
      return given.empty() || given == "auto" ? standard : std::atof(given.c_str());
    };
    const svm::KernelFunction standard;
    const double degree = or_default("degree", standard.degree), coef0 = or_default("coef0", standard.coef0);
    words += text(" of degree ", degree, ", coef0 ", report::rounded(coef0));
    facts.insert(facts.end(), {{"kernel.degree", degree}, {"kernel.coef0", coef0}});
  }
  document.line("kernel", words, facts);
}

void add_cells(report::Document& document, const storage::FieldReader& file, const SvmReport& report) {
  const auto &gamma = file.get(field.gamma), &c = file.get(field.c), &error = file.get(field.fold_error);
  const bool parts = report.parts.parts > 0;
  const std::vector<double> seconds = parts ? seconds_of_parts(file) : file.get(field.unit.seconds);
  const std::vector<std::int32_t> status = parts ? status_of_parts(file) : file.get(field.unit.status);
  const auto folds = static_cast<std::size_t>(report.folds);
  report::Table table = report::csv_only_table({"file", "gamma", "C", "fold", "error", "unit_seconds", "unit_status"});
  for (std::size_t at = 0; at < error.size(); ++at) {
    const std::size_t f = at % folds, k = at / folds % c.size(), g = at / folds / c.size(), unit = g * folds + f;
    table.rows.push_back({report.name, gamma_value(report, gamma[g]), c[k], f, error[at], seconds[unit],
                          run::status_name(status[unit])});
  }
  document.table(std::move(table));
}

}  // namespace

SvmReport::SvmReport(const run::ResultFile& result) : ResultSummary(result) {
  const storage::FieldReader file(result.content, name);
  classes = static_cast<int>(file.length(field.class_name));
  gammas = static_cast<int>(file.length(field.gamma));
  cs = static_cast<int>(file.length(field.c));
  folds = static_cast<int>(file.length(field.fold));
  if (const std::string given = option("kernel-function"); !given.empty()) kernel = given;
  has_gamma = svm::has_gamma(svm::parse_kernel_kind(kernel));
  if (const std::string given = option("select-by"); !given.empty()) select_by = given;
  if (const std::string given = option("repeats"); !given.empty()) repeats = std::max(1, std::atoi(given.c_str()));
  file.require(folds % repeats == 0, "its folds are no multiple of its repeats");
  if (is_in_parts(file)) {
    read_parts(*this, file);
  } else {
    count_fits(*this, file);
  }
  warn_of_overflow(*this, file);
  find_rounds(*this, file);
  find_best(*this, file);
  find_measures(*this, file);
  warn_of_best_cell(*this, file);
  warn_of_undecided(*this, file);
  find_nested(*this, file);
  run::warn_of_lost_classes(*this, confusion, class_name, "held-out", repeats);
  run::warn_of_lost_classes(*this, test_confusion, class_name, "test");
  const std::string model_name = result.content.attribute("model");
  if (!model_name.empty()) {
    model = storage::find_models_folder(name, result.content.attribute("run_id")) + "/" + model_name;
  }
  unit_seconds += report::real(result.content, "refit_seconds");
  set_utilisation(result);
  has_test = file.has(field.test_error);
  if (has_test) {
    test_error = file.one(field.test_error);
    test_wrong = static_cast<int>(std::lround(test_error * test_samples));
    for (const auto& [words, value] : {std::pair{"roc auc", &field.test_roc_auc},
                                       {"log loss", &field.test_log_loss},
                                       {"brier", &field.test_brier}}) {
      if (file.has(*value)) test_scores.emplace_back(words, file.one(*value));
    }
  }
  has_probability = file.has(field.log_loss);
  if (has_probability) {
    log_loss = file.one(field.log_loss);
    brier = file.one(field.brier);
  }
  if (fits_not_converged > 0) {
    const int rank = largest_rank(*this);
    const std::string on = text(" on a factor of rank ", rank, ", which leaves errors of the gradient up to ",
                                report::rounded(gradient_error, 2));
    warnings.push_back(text(fits_not_converged, " of ", fits, " fits did not converge", rank == 0 ? "" : on, ": ",
                            advice_on_fits(*this)));
  }
  if (units.failed > 0) {
    warnings.push_back(text(units.failed, " of ", units.all, " units failed",
                            units.first_reason.empty() ? "" : ", the first with: " + units.first_reason));
  }
  if (file.has(field.refit_converged)) {
    const auto& converged = file.get(field.refit_converged);
    const auto open = std::count(converged.begin(), converged.end(), 0);
    if (open > 0) warnings.push_back(text(open, " classes of the refit did not converge: ", advice_on_fits(*this)));
  }
  for (const auto& [attribute, words] :
       {std::pair{"refine_failed", "the refinement failed in "},
        {"outer_failed", "nested cross-validation failed in "},
        {"out_of_fold_failed", "there are no out-of-fold predictions: they failed in "},
        {"probability_failed", "the model has no probabilities: their calibration failed in "},
        {"refit_failed", "the refit failed: "},
        {"test_decision_failed",
         "classes of the test part are not to be relied on where decision values overflow: "}}) {
    const std::string reason = result.content.attribute(attribute);
    if (!reason.empty()) warnings.push_back(words + reason);
  }
}

namespace {

bool by_weight(const SvmReport& r) { return r.option("weighted-measures") == "true"; }

void add_measures(report::Document& document, const SvmReport& r) {
  if (r.best_measures.empty()) return;
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t m = 1; m < r.best_measures.size(); ++m) {
    const measures::MeasureKind& kind = *cell_measures()[m];
    document.fact(text("best.", field_name(kind)), r.best_measures[m]);

    std::string name = kind.name;
    std::replace(name.begin(), name.end(), '-', ' ');
    values.emplace_back(name, r.best_measures[m]);
  }
  if (const std::string all = run::measures_text(values); !all.empty())
    document.line(
        "", text(all, by_weight(r) ? " (means over the folds, samples by their weight)" : " (means over the folds)"));
  if (r.best_tied > 0) {
    const std::string measure = r.select_by.substr(0, r.select_by.find(','));
    document.line("ties",
                  text(r.best_tied, r.best_tied == 1 ? " cell has" : " cells share", " the best ", measure, "; ",
                       r.best_within, r.best_within == 1 ? " lies" : " lie", " within one standard error of it"),
                  {{"best.tied", r.best_tied}, {"best.within_standard_error", r.best_within}});
  }
}

}  // namespace

report::Document svm_document(const run::ResultFile& file) {
  const SvmReport r(file);
  report::Document document =
      begin_document(r, text("SVM search on ", r.data, ", ", r.train_samples, " training and ", r.test_samples,
                             " test samples, ", r.features, " features, ", r.classes, " classes"));
  document.fact("data.classes", r.classes);
  add_units(document, r, r.units, "", {{"units.not_converged", r.fits_not_converged}});
  add_kernel(document, r);
  document.line(
      "grid",
      text(r.cs, " C", r.has_gamma ? text(" x ", r.gammas, " gamma") : std::string(), ", ", r.folds / r.repeats, " ",
           r.fold_kind, " folds", r.repeats > 1 ? text(" x ", r.repeats, " repeats") : "", ": ", r.fits, " fits, ",
           r.fits_not_converged, " not converged"),
      {{"fits.all", r.fits}, {"fits.not_converged", r.fits_not_converged}});
  if (r.parts.parts > 0) add_parts(document, r);
  report::Table rounds{"refine", "", {{"C", ""}, {"gamma", ""}, {"error", ""}}, {}};
  rounds.in_text = false;
  for (const CellReport& one : r.rounds) {
    rounds.rows.push_back({one.c, gamma_value(r, one.gamma), one.error});
    document.line(text("round ", rounds.rows.size()),
                  std::isnan(one.error) ? "no cell has all its folds yet" : cell_text(r, one));
  }
  document.table(std::move(rounds));
  if (r.has_best && r.parts.own_cells) {
    add_own_cells(document, r);
    add_measures(document, r);
  } else if (r.has_best) {
    // The spread of folds of one sample, each right or wrong, says nothing of how sure their mean is.
    const bool single = r.folds == r.train_samples;
    const double standard_error = r.best_spread / std::sqrt(r.folds);
    document.line(is_unfinished(r) ? "best so far" : "best cell",
                  text(cell_text(r, {r.best_c, r.best_gamma, r.best_error}),
                       single ? " (standard error " : " (standard deviation over folds ",
                       report::percent(single ? standard_error : r.best_spread), ")",
                       by_weight(r) ? ", samples by their weight" : "",
                       r.select_by == "error" ? "" : text(", chosen by ", r.select_by)),
                  {{"best.C", r.best_c},
                   {"best.gamma", gamma_value(r, r.best_gamma)},
                   {"best.error", r.best_error},
                   {"best.spread", r.best_spread},
                   {"best.standard_error", standard_error},
                   {"best.round", r.best_round},
                   {"best.selected_by", r.select_by}});
    add_measures(document, r);
    if (r.outer > 0) {
      document.line(
          "nested",
          text("error ", report::percent(r.nested_error), " (standard deviation over ", r.outer, " outer folds ",
               report::percent(r.nested_spread), ")", r.nested_selected.empty() ? "" : ", ",
               run::measures_text(r.nested_selected), ": the choice of the cell is part of what it measures"),
          {{"nested.error", r.nested_error}, {"nested.spread", r.nested_spread}, {"nested.outer_folds", r.outer}});
      for (const auto& [name, value] : r.nested_selected) {
        document.fact(text("nested.", field_name(measures::parse_measure(name))), value);
      }
    }
  } else {
    document.line("best cell", "none yet: no cell has all its folds", {{"best", report::Value()}});
  }
  if (r.has_probability) {
    const std::string weights = r.option("class-weight");
    document.line(
        "probability",
        text("cross-validated log loss ", report::rounded(r.log_loss), ", Brier score ", report::rounded(r.brier),
             weights.empty() || weights == "none" ? ""
                                                  : "; without the class weights, which the predicted classes have"),
        {{"probability.log_loss", r.log_loss}, {"probability.brier", r.brier}});
  } else {
    document.fact("probability", {});
  }
  if (r.has_test) {
    document.line("test error",
                  text(report::percent(r.test_error), " (", r.test_wrong, " of ", r.test_samples,
                       " wrong after the refit", by_weight(r) ? ", each counted once)" : ")"),
                  {{"test_error", r.test_error}});
    run::add_test_measures(document, r.test_confusion, r.class_name, r.test_scores);
  } else {
    document.fact("test_error", {});
  }
  document.line("model", r.model, {{"model", r.model}});
  end_document(document, r);
  run::add_classes(
      document, r.confusion, r.class_name, "classes",
      text("classes in cross-validation at the best cell",
           r.repeats > 1 ? text(" (each sample is counted ", r.repeats, " times, once in each repeat)") : ""));
  run::add_classes(document, r.test_confusion, r.class_name, "test_classes", "classes of the test part");
  add_cells(document, storage::FieldReader(file.content, file.name), r);
  return document;
}

}  // namespace krossfold::studies
