// SPDX-License-Identifier: BSD-3-Clause
#include "report_warnings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "field.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/report/format.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/studies/svm/parts_report.hpp"

namespace krossfold::studies {

namespace {

/// With gamma to 0 and C gamma fixed the rbf machine tends to the linear one (Keerthi, Lin, Neural Computation 15 (2003) 1667).
constexpr const char* near_linear = ", or compare --kernel-function linear, which small values come near";

/// By how much two decision values may approach each other, or one of a pair of classes 0 from its two sides, before `predicted` is
/// another class. One-vs-one: before it loses one of the votes that it has.
double margin_of(const double* value, bool pairs, int classes, int predicted) {
  double margin = HUGE_VAL;
  if (!pairs) {
    for (int c = 0; c < classes; ++c) {
      if (c != predicted) margin = std::min(margin, value[predicted] - value[c]);
    }
    return margin;
  }
  int p = 0;
  for (int a = 0; a < classes; ++a) {
    for (int b = a + 1; b < classes; ++b, ++p) {
      if (predicted == (value[p] > 0 ? a : b)) margin = std::min(margin, 2 * std::abs(value[p]));
    }
  }
  return margin;
}

/// (fold): how much the fits of the best cell leave open, their largest violation of the KKT conditions; where the file does not have it, as
/// of cells of a refinement, the tolerance.
std::vector<double> open_of_folds(const SvmReport& report, const storage::FieldReader& file, std::size_t problems) {
  const auto folds = static_cast<std::size_t>(report.folds);
  std::vector<double> open(folds, std::atof(report.option("tolerance").c_str()));
  const bool stored = report.parts.parts == 0 && report.best_round == 0 && file.has(field.kkt_violation) &&
                      !file.has(field.gradient_error);
  if (!stored) return open;
  const auto& violation = file.get(field.kkt_violation);
  const std::size_t first =
      static_cast<std::size_t>(report.best_gamma_index * file.length(field.c) + report.best_c_index) * folds * problems;
  file.require(first + folds * problems <= violation.size(), "its fits are not those of its grid");
  for (std::size_t f = 0; f < folds; ++f) {
    const auto of_fold = violation.begin() + static_cast<std::ptrdiff_t>(first + f * problems);
    open[f] = *std::max_element(of_fold, of_fold + static_cast<std::ptrdiff_t>(problems));
  }
  return open;
}

/// The cells (gamma, C) of the best one's round whose mean of what selects is as good, without it; none if the file does not have these
/// means.
std::vector<std::size_t> tied_cells(const SvmReport& report, const storage::FieldReader& round) {
  constexpr double rounding = 1e-12;
  const measures::MeasureKind* kind = measures::parse_selection_rule(report.select_by).measure;
  const auto& kinds = cell_measures();
  const std::vector<double>& error = round.get(field.fold_error);
  const std::vector<double>* value = &error;
  if (kind != kinds.front()) {
    const auto at = static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
    const storage::Field<double>& of = report.best_round == 0 ? field.measure.at(at - 1) : field.selected;
    if (!round.has(of)) return {};
    value = &round.get(of);
  }
  const std::vector<int> folds = measured_folds(error, *value, report.folds);
  const auto mean = [&](std::size_t cell) { return mean_at(*value, static_cast<int>(cell), report.folds, folds); };
  const std::size_t cells = value->size() / static_cast<std::size_t>(report.folds);
  const std::size_t best = static_cast<std::size_t>(report.best_gamma_index) * round.length(field.c) +
                           static_cast<std::size_t>(report.best_c_index);
  const double value_of_best = mean(best);
  std::vector<std::size_t> tied;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const bool equal = std::abs(mean(cell) - value_of_best) <= rounding * std::abs(value_of_best);
    if (cell != best && equal) tied.push_back(cell);
  }
  return tied;
}

/// Where cells are chosen by the error, and the best names a single class.
void warn_of_a_single_class(SvmReport& report) {
  const std::string weights = report.option("class-weight");
  const bool by_error = report.select_by == "error" && report.option("weighted-measures") != "true";
  if (!by_error || !(weights.empty() || weights == "none") || report.confusion.classes == 0) return;
  const std::vector<double> predicted = measures::class_measures(report.confusion).predicted;
  const auto is_named = [](double count) { return count > 0; };
  if (std::count_if(predicted.begin(), predicted.end(), is_named) != 1) return;
  const auto only = std::find_if(predicted.begin(), predicted.end(), is_named) - predicted.begin();
  const std::string widen = report.has_gamma ? "--log10-c and --log10-gamma" : "--log10-c";
  report.warnings.push_back(text("the best cell names no class but ",
                                 report.class_name.at(static_cast<std::size_t>(only)),
                                 ", and no cell has a lower error: good ones may lie outside the grid (widen ", widen,
                                 "), or the features tell little of the classes; where one class is frequent, compare "
                                 "--select-by balanced-error or roc-auc"));
}

}  // namespace

bool is_unfinished(const SvmReport& report) { return !report.status.empty() && report.status != "finished"; }

void warn_of_best_cell(SvmReport& report, const storage::FieldReader& file) {
  if (!report.has_best || report.parts.own_cells || is_unfinished(report)) return;
  warn_of_a_single_class(report);
  const auto round = report.best_round == 0 ? file : file.in_group(refine_group(report.best_round));
  const std::vector<std::size_t> tied = tied_cells(report, round);
  const std::size_t cs = round.length(field.c);
  const auto warn_at_edge = [&](const char* name, double best, const storage::Field<double>& axis, bool is_c,
                                const std::string& advice) {
    const std::vector<double>&searched = file.get(axis), &values = round.get(axis);
    const auto inside = [&](double value) { return value > searched.front() && value < searched.back(); };
    const auto is_inside = [&](std::size_t cell) { return inside(values.at(is_c ? cell % cs : cell / cs)); };
    if (searched.size() < 2 || inside(best) || std::any_of(tied.begin(), tied.end(), is_inside)) return;
    const bool smallest = best <= searched.front();
    report.warnings.push_back(text("the best cell lies ",
                                   report.best_round == 0 ? text("on the edge of the grid: ", name, " is the ",
                                                                 smallest ? "smallest" : "largest", " value searched")
                                                          : text("at the edge of the grid or beyond it, in ", name),
                                   "; widen ", advice, !is_c && smallest && report.kernel == "rbf" ? near_linear : ""));
  };
  warn_at_edge("C", report.best_c, field.c, true, "--log10-c or --c-values");
  warn_at_edge("gamma", report.best_gamma, field.gamma, false, "--log10-gamma or --gamma-values");
}

void warn_of_overflow(SvmReport& report, const storage::FieldReader& file) {
  const auto status = report.parts.parts > 0 ? status_of_parts(file) : file.get(field.unit.status);
  const auto& error = file.get(field.fold_error);
  const std::size_t folds = file.length(field.fold), of_gamma = folds * file.length(field.c);
  int unknown = 0;
  for (std::size_t at = 0; at < error.size(); ++at) {
    unknown += status[at / of_gamma * folds + at % folds] == 1 && std::isnan(error[at]) ? 1 : 0;
  }
  if (unknown == 0) return;
  report.warnings.push_back(text(unknown, " of ", error.size(),
                                 " fold errors are unknown: decision values are not finite, ",
                                 "so large are kernel values; scale the features, or the kernel matrix"));
}

void warn_of_undecided(SvmReport& report, const storage::FieldReader& file) {
  constexpr double least_share = 0.05, accurate = 0.01, most_accurate = 1e-9;
  if (!file.has(field.out_decision) || !file.has(field.out_prediction) || !file.has(field.out_fold)) return;
  const std::string multiclass = report.option("multiclass");
  file.require(multiclass.empty() || multiclass == "ovr" || multiclass == "ovo", "it has an unknown decomposition");
  const bool pairs = report.classes == 2 || multiclass == "ovo";
  const auto classes = static_cast<std::size_t>(report.classes),
             problems = pairs ? classes * (classes - 1) / 2 : classes;
  const auto& decision = file.get(field.out_decision);
  const auto &predicted = file.get(field.out_prediction), &fold = file.get(field.out_fold);
  file.require(decision.size() == predicted.size() * problems && fold.size() == predicted.size(),
               "its out-of-fold decision values are not of its predictions");
  const std::vector<double> open = open_of_folds(report, file, problems);
  std::vector<double> margin(predicted.size());
  std::size_t undecided = 0;
  for (std::size_t i = 0; i < margin.size(); ++i) {
    file.require(predicted[i] >= 0 && predicted[i] < report.classes, "it has predictions of no class");
    file.require(fold[i] >= 0 && fold[i] < report.folds, "it has predictions of no fold");
    margin[i] = margin_of(&decision[i * problems], pairs, report.classes, predicted[i]);
    undecided += margin[i] < open[static_cast<std::size_t>(fold[i])] ? 1 : 0;
  }
  const double share = static_cast<double>(undecided) / static_cast<double>(std::max<std::size_t>(1, margin.size()));
  if (share < least_share) return;
  const auto middle = margin.begin() + static_cast<std::ptrdiff_t>(margin.size() / 2);
  std::nth_element(margin.begin(), middle, margin.end());
  const double needed = std::pow(10.0, std::floor(std::log10(accurate * *middle)));
  const bool helps = needed >= most_accurate && needed < 0.5 * std::atof(report.option("tolerance").c_str());
  const bool of_gap = std::atof(report.option("gap").c_str()) > 0;
  const std::string values = report.has_gamma ? "values of gamma and C" : "values of C";
  report.warnings.push_back(text(
      report::percent(share),
      " of the out-of-fold predictions of the best cell hang on smaller differences of decision values than its fits "
      "leave open: its error is partly chance, and so is its choice among such cells; give ",
      of_gap ? text("a smaller --gap", helps ? " and " : ", or ") : "",
      helps ? text("--tolerance ", report::rounded(needed), ", with which fits take longer, or ") : "", "other ",
      values, !helps && report.option("scale") == "none" ? ", or scale the features" : ""));
}

}  // namespace krossfold::studies
