// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/report.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/storage/journal.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/svm/schema.hpp"

namespace krossfold::studies {

namespace {

const SvmSchema& field = svm_schema();

void count_fits(SvmReport& report, const storage::FieldReader& file) {
  report.units.add(file, field.unit);
  report.unit_seconds = report.units.seconds;
  const auto& status = file.get(field.unit.status);
  const auto& converged = file.get(field.converged);
  const std::size_t cells = file.get(field.fold_error).size();
  const auto folds = static_cast<std::size_t>(report.folds), cs = static_cast<std::size_t>(report.cs);
  for (std::size_t at = 0; at < converged.size(); ++at) {
    const std::size_t cell = at / (converged.size() / cells), unit = cell / folds / cs * folds + cell % folds;
    if (status[unit] != 1) continue;
    ++report.fits;
    report.fits_not_converged += converged[at] == 0 ? 1 : 0;
  }
}

void find_best(SvmReport& report, const storage::FieldReader& file) {
  report.has_best = file.has(field.best_error);
  if (!report.has_best) return;
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
  const auto warn_at_edge = [&](const char* name, double best, const storage::Field<double>& axis, const char* option) {
    const auto& values = file.get(axis);
    if (values.size() < 2 || (best > values.front() && best < values.back())) return;
    report.warnings.push_back(
        report.best_round == 0
            ? text("the best cell lies on the edge of the grid: ", name, " is the ",
                   best <= values.front() ? "smallest" : "largest", " value searched; widen ", option)
            : text("the best cell lies at the edge of the grid or beyond it, in ", name, "; widen ", option));
  };
  warn_at_edge("C", report.best_c, field.c, "log10-c");
  warn_at_edge("gamma", report.best_gamma, field.gamma, "log10-gamma");
}

/// The best cell of each round of refinement, and its fits that did not converge.
void find_rounds(SvmReport& report, const storage::FieldReader& file) {
  std::int64_t not_converged = 0;
  for (int r = 1; file.in_group(refine_group(r)).has(field.fold_error); ++r) {
    const auto in = file.in_group(refine_group(r));
    const auto &gamma = in.get(field.gamma), &c = in.get(field.c);
    const auto best =
        best_cell(in.get(field.fold_error), static_cast<int>(gamma.size()), static_cast<int>(c.size()), report.folds);
    report.rounds.push_back(best ? CellReport{c[best->c], gamma[best->gamma], best->error} : CellReport());
    for (const std::int32_t fits : in.get(field.not_converged)) not_converged += fits;
  }
  if (not_converged > 0) {
    report.warnings.push_back(
        text(not_converged, " fits of the refinement did not converge: raise max-iterations or tolerance"));
  }
}

std::string cell_text(const CellReport& cell) {
  return text("C = ", report::rounded(cell.c), ", gamma = ", report::rounded(cell.gamma), ": cross-validation error ",
              report::percent(cell.error));
}

void add_cells(report::Document& document, const storage::FieldReader& file, const SvmReport& report) {
  const auto &gamma = file.get(field.gamma), &c = file.get(field.c), &error = file.get(field.fold_error);
  const auto& seconds = file.get(field.unit.seconds);
  const auto& status = file.get(field.unit.status);
  const auto folds = static_cast<std::size_t>(report.folds);
  report::Table table = report::csv_only_table({"file", "gamma", "C", "fold", "error", "unit_seconds", "unit_status"});
  for (std::size_t at = 0; at < error.size(); ++at) {
    const std::size_t f = at % folds, k = at / folds % c.size(), g = at / folds / c.size(), unit = g * folds + f;
    table.rows.push_back({report.name, gamma[g], c[k], f, error[at], seconds[unit], run::status_name(status[unit])});
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
  count_fits(*this, file);
  find_rounds(*this, file);
  find_best(*this, file);
  const std::string model_name = result.content.attribute("model");
  if (!model_name.empty()) model = storage::models_folder(name) + "/" + model_name;
  unit_seconds += report::real(result.content, "refit_seconds");
  set_utilisation(result);
  has_test = file.has(field.test_error);
  if (has_test) {
    test_error = file.one(field.test_error);
    test_wrong = static_cast<int>(std::lround(test_error * test_samples));
  }
  has_probability = file.has(field.log_loss);
  if (has_probability) {
    log_loss = file.one(field.log_loss);
    brier = file.one(field.brier);
  }
  if (fits_not_converged > 0) {
    warnings.push_back(
        text(fits_not_converged, " of ", fits, " fits did not converge: raise max-iterations or tolerance"));
  }
  if (units.failed > 0) {
    warnings.push_back(text(units.failed, " of ", units.all, " units failed",
                            units.first_reason.empty() ? "" : ", the first with: " + units.first_reason));
  }
  if (file.has(field.refit_converged)) {
    const auto& converged = file.get(field.refit_converged);
    const auto open = std::count(converged.begin(), converged.end(), 0);
    if (open > 0) warnings.push_back(text(open, " classes of the refit did not converge: raise max-iterations"));
  }
  for (const auto& [attribute, words] :
       {std::pair{"refine_failed", "the refinement failed in "},
        {"probability_failed", "the model has no probabilities: their calibration failed in "},
        {"refit_failed", "the refit failed: "}}) {
    const std::string reason = result.content.attribute(attribute);
    if (!reason.empty()) warnings.push_back(words + reason);
  }
}

report::Document svm_document(const run::ResultFile& file) {
  const SvmReport r(file);
  report::Document document =
      begin_document(r, text("SVM search on ", r.data, ", ", r.train_samples, " training and ", r.test_samples,
                             " test samples, ", r.features, " features, ", r.classes, " classes"));
  document.fact("data.classes", r.classes);
  add_units(document, r, r.units, "", {{"units.not_converged", r.fits_not_converged}});
  document.line("grid",
                text(r.cs, " C x ", r.gammas, " gamma, ", r.folds, " ", r.fold_kind, " folds: ", r.fits, " fits, ",
                     r.fits_not_converged, " not converged"),
                {{"fits.all", r.fits}, {"fits.not_converged", r.fits_not_converged}});
  report::Table rounds{"refine", "", {{"C", ""}, {"gamma", ""}, {"error", ""}}, {}};
  rounds.in_text = false;
  for (const CellReport& one : r.rounds) {
    rounds.rows.push_back({one.c, one.gamma, one.error});
    document.line(text("round ", rounds.rows.size()),
                  std::isnan(one.error) ? "no cell has all its folds yet" : cell_text(one));
  }
  document.table(std::move(rounds));
  if (r.has_best) {
    document.line("best cell",
                  text(cell_text({r.best_c, r.best_gamma, r.best_error}), " (standard deviation over folds ",
                       report::percent(r.best_spread), ")"),
                  {{"best.C", r.best_c},
                   {"best.gamma", r.best_gamma},
                   {"best.error", r.best_error},
                   {"best.spread", r.best_spread},
                   {"best.round", r.best_round}});
  } else {
    document.line("best cell", "none yet: no cell has all its folds", {{"best", report::Value()}});
  }
  if (r.has_probability) {
    document.line(
        "probability",
        text("cross-validated log loss ", report::rounded(r.log_loss), ", Brier score ", report::rounded(r.brier)),
        {{"probability.log_loss", r.log_loss}, {"probability.brier", r.brier}});
  } else {
    document.fact("probability", {});
  }
  if (r.has_test) {
    document.line(
        "test error",
        text(report::percent(r.test_error), " (", r.test_wrong, " of ", r.test_samples, " wrong after the refit)"),
        {{"test_error", r.test_error}});
  } else {
    document.fact("test_error", {});
  }
  document.line("model", r.model, {{"model", r.model}});
  end_document(document, r);
  add_cells(document, storage::FieldReader(file.content, file.name), r);
  return document;
}

}  // namespace krossfold::studies
