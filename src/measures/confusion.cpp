// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/confusion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "sample_sums.hpp"

namespace krossfold::measures {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The sum of every row, column, the diagonal and what is beside it.
struct Margins {
  std::vector<double> truth, choice;  ///< (class)
  double right = 0, wrong = 0, all = 0;
};

Margins margins(const Confusion& confusion) {
  Margins sums;
  CompensatedSum right, wrong, all;
  for (int k = 0; k < confusion.classes; ++k) {
    CompensatedSum row, column;
    for (int j = 0; j < confusion.classes; ++j) {
      row.add(confusion(k, j));
      column.add(confusion(j, k));
      (k == j ? right : wrong).add(confusion(k, j));
      all.add(confusion(k, j));
    }
    sums.truth.push_back(row.value());
    sums.choice.push_back(column.value());
  }
  sums.right = right.value();
  sums.wrong = wrong.value();
  sums.all = all.value();
  return sums;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

Confusion& Confusion::operator+=(const Confusion& other) {
  if (classes == 0) {
    classes = other.classes;
    weight.assign(other.weight.size(), 0);
  }
  if (other.classes != classes) {
    throw_run_error(text("confusion matrices of ", classes, " and ", other.classes, " classes cannot be added"));
  }
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += other.weight[i];
  return *this;
}

Confusion confusion(std::span<const int> truth, std::span<const int> choice, int classes,
                    std::span<const double> weight) {
  if (classes < 1) throw_run_error(text("a confusion matrix of ", classes, " classes"));
  check_length("the predicted class", choice.size(), truth.size());
  check_labels("the class", truth, classes);
  check_labels("the predicted class", choice, classes);
  check_weights(weight, truth.size());
  const auto k = static_cast<std::size_t>(classes);
  std::vector<CompensatedSum> sum(k * k);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    sum[static_cast<std::size_t>(truth[i]) * k + static_cast<std::size_t>(choice[i])].add(weight_of(weight, i));
  }
  Confusion result{classes, {}};
  for (const CompensatedSum& cell : sum) result.weight.push_back(cell.value());
  return result;
}

ClassMeasures class_measures(const Confusion& confusion) {
  Margins sums = margins(confusion);
  ClassMeasures result;
  for (int k = 0; k < confusion.classes; ++k) {
    const double hits = confusion(k, k), support = sums.truth[k], predicted = sums.choice[k];
    result.precision.push_back(ratio(hits, predicted));
    result.recall.push_back(ratio(hits, support));
    result.f1.push_back(ratio(2 * hits, support + predicted));
  }
  result.support = std::move(sums.truth);
  result.predicted = std::move(sums.choice);
  return result;
}

MacroMeasures macro_measures(const Confusion& confusion) {
  const ClassMeasures of = class_measures(confusion);
  CompensatedSum precision, recall, f1;
  int present = 0;
  for (int k = 0; k < confusion.classes; ++k) {
    if (!(of.support[k] > 0 || of.predicted[k] > 0)) continue;
    ++present;
    precision.add(of.precision[k]);
    recall.add(of.recall[k]);
    f1.add(of.f1[k]);
  }
  if (present == 0) return {nan, nan, nan};
  return {precision.value() / present, recall.value() / present, f1.value() / present};
}

double error_rate(const Confusion& confusion) {
  const Margins sums = margins(confusion);
  return sums.all > 0 ? sums.wrong / sums.all : nan;
}

double balanced_error(const Confusion& confusion) {
  const ClassMeasures of = class_measures(confusion);
  CompensatedSum missed;
  int present = 0;
  for (int k = 0; k < confusion.classes; ++k) {
    if (!(of.support[k] > 0)) continue;
    ++present;
    missed.add(1 - of.recall[k]);
  }
  return present > 0 ? missed.value() / present : nan;
}

double matthews_correlation(const Confusion& confusion) {
  const Margins sums = margins(confusion);
  if (!(sums.all > 0)) return nan;
  // A power of two brings the sum of the weights near 1, so that no product of four of them overflows or vanishes.
  const double scale = std::ldexp(1.0, -std::ilogb(sums.all)), all = sums.all * scale;
  CompensatedSum both, truths, choices;
  for (int k = 0; k < confusion.classes; ++k) {
    const double hits = confusion(k, k) * scale, truth = sums.truth[k] * scale, choice = sums.choice[k] * scale;
    // C(k, k) n - t p = TP TN - FN FP, which has no cancellation where all is right
    const double missed = truth - hits, wrong = choice - hits;
    both.add(hits * std::max(0.0, all - truth - wrong) - missed * wrong);
    truths.add(truth * std::max(0.0, all - truth));
    choices.add(choice * std::max(0.0, all - choice));
  }
  const double spread = truths.value() * choices.value();
  return spread > 0 ? std::clamp(both.value() / std::sqrt(spread), -1.0, 1.0) : 0;
}

}  // namespace krossfold::measures
