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
#include "krossfold/studies/svm/parts_report.hpp"
#include "krossfold/svm/decomposition.hpp"

namespace krossfold::studies {

namespace {

/// By how much two decision values may approach each other, or one of a pair of classes 0 from its two sides, before `predicted` is
/// another class. One-vs-one: before it loses one of the votes that it has.
double margin_of(const double* value, svm::Multiclass decomposition, int classes, int predicted) {
  double margin = HUGE_VAL;
  if (decomposition == svm::Multiclass::one_vs_rest) {
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

}  // namespace

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
  constexpr double least_share = 0.05, accurate = 0.01, least_tolerance = 1e-9;
  const double tolerance = std::atof(report.option("tolerance").c_str());
  if (!file.has(field.out_decision) || !file.has(field.out_prediction) || tolerance <= 0) return;
  const std::string wanted = report.option("multiclass");
  const auto decomposition = svm::decomposition_of(
      wanted.empty() ? svm::Multiclass::one_vs_rest : svm::parse_multiclass(wanted), report.classes);
  const auto& decision = file.get(field.out_decision);
  const auto& predicted = file.get(field.out_prediction);
  const std::size_t problems =
      decomposition == svm::Multiclass::one_vs_rest ? report.classes : svm::class_pairs(report.classes).size();
  file.require(decision.size() == predicted.size() * problems,
               "its out-of-fold decision values are not of its predictions");
  std::vector<double> margin(predicted.size());
  for (std::size_t i = 0; i < margin.size(); ++i) {
    file.require(predicted[i] >= 0 && predicted[i] < report.classes, "it has predictions of no class");
    margin[i] = margin_of(&decision[i * problems], decomposition, report.classes, predicted[i]);
  }
  const auto open = std::count_if(margin.begin(), margin.end(), [&](double one) { return one < tolerance; });
  const double share = static_cast<double>(open) / static_cast<double>(std::max<std::size_t>(1, margin.size()));
  if (share < least_share) return;
  const auto middle = margin.begin() + static_cast<std::ptrdiff_t>(margin.size() / 2);
  std::nth_element(margin.begin(), middle, margin.end());
  const double needed = std::max(std::pow(10.0, std::floor(std::log10(accurate * *middle))), least_tolerance);
  report.warnings.push_back(text(
      report::percent(share),
      " of the out-of-fold predictions of the best cell are decided by less than the tolerance of ",
      report::rounded(tolerance), " leaves open: its error is partly chance, and so is its choice among such cells; ",
      needed < 0.5 * tolerance ? text("give --tolerance ", report::rounded(needed), ", or ") : "give ",
      "larger values of ", report.has_gamma ? "gamma and C" : "C"));
}

}  // namespace krossfold::studies
