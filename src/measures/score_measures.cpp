// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/score_measures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "sample_sums.hpp"

namespace krossfold::measures {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Sample {
  double score, weight;
  bool positive;
};

/// The weights of the positives and negatives with at least this score.
struct Threshold {
  double score, positives, negatives;
};

/// One for each score, descending.
std::vector<Threshold> thresholds(std::span<const int> truth, std::span<const double> score,
                                  std::span<const double> weight, int positive) {
  check_length("the score", score.size(), truth.size());
  check_weights(weight, truth.size());
  check_not_nan("the score", score);
  std::vector<Sample> samples;
  samples.reserve(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double w = weight_of(weight, i);
    if (w > 0) samples.push_back({score[i], w, truth[i] == positive});
  }
  // Weights of equal scores are added in the order of their size, so that the order of the samples never matters.
  std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
    return std::tie(b.score, a.weight, a.positive) < std::tie(a.score, b.weight, b.positive);
  });
  std::vector<Threshold> result;
  CompensatedSum positives, negatives;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    (samples[i].positive ? positives : negatives).add(samples[i].weight);
    if (i + 1 < samples.size() && samples[i + 1].score == samples[i].score) continue;
    result.push_back({samples[i].score + 0.0, positives.value(), negatives.value()});  // + 0.0: no negative zero
  }
  return result;
}

/// The number of values of a sorted list below x, and with `equal` also of those equal to it. Without branches.
std::size_t count_below(const std::vector<double>& sorted, double x, bool equal) {
  const double* first = sorted.data();
  std::size_t n = sorted.size();
  while (n > 0) {
    const std::size_t half = n / 2;
    const bool right = first[half] < x || (equal && first[half] == x);
    first += right ? half + 1 : 0;
    n = right ? n - half - 1 : half;
  }
  return static_cast<std::size_t>(first - sorted.data());
}

/// roc_auc() of samples that all count 1: sorts the smaller group alone and looks up the others, several times faster where
/// one class of many is positive. Bitwise equal to the sum over thresholds: both are whole numbers before the division.
double unweighted_roc_auc(std::span<const int> truth, std::span<const double> score, int positive) {
  std::vector<double> group[2];  // negatives, positives
  for (std::size_t i = 0; i < truth.size(); ++i) group[truth[i] == positive ? 1 : 0].push_back(score[i]);
  const bool few_positives = group[1].size() <= group[0].size();
  std::vector<double>& few = group[few_positives ? 1 : 0];
  const std::vector<double>& many = group[few_positives ? 0 : 1];
  if (few.empty()) return nan;
  std::sort(few.begin(), few.end());
  std::uint64_t below = 0;  // twice the number of pairs where the one of `few` is below, equal pairs counting half
  for (const double x : many) below += count_below(few, x, false) + count_below(few, x, true);
  const double pairs = 2.0 * static_cast<double>(few.size()) * static_cast<double>(many.size());
  const double twice = few_positives ? pairs - static_cast<double>(below) : static_cast<double>(below);
  return std::min(1.0, twice / static_cast<double>(group[1].size()) / static_cast<double>(group[0].size()) / 2);
}

template <class Binary>
OneVsRest one_vs_rest(const Binary& binary, std::span<const int> truth, std::span<const double> score, int classes,
                      std::span<const double> weight) {
  if (classes < 2) throw_run_error(text("a measure of scores for ", classes, " classes"), "it takes at least two");
  const auto k = static_cast<std::size_t>(classes);
  check_length("the scores", score.size(), truth.size(), k);
  check_labels("the class", truth, classes);
  OneVsRest result;
  CompensatedSum sum;
  std::vector<double> column(truth.size());
  for (std::size_t c = 0; c < k; ++c) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = score[i * k + c];
    const double value = binary(truth, column, weight, static_cast<int>(c));
    result.per_class.push_back(value);
    if (std::isnan(value)) {
      ++result.undefined;
    } else {
      sum.add(value);
    }
  }
  const int defined = classes - result.undefined;
  result.macro = defined > 0 ? sum.value() / defined : nan;
  return result;
}

}  // namespace

RocCurve roc_curve(std::span<const int> truth, std::span<const double> score, std::span<const double> weight,
                   int positive) {
  const std::vector<Threshold> at = thresholds(truth, score, weight, positive);
  const double positives = at.empty() ? 0 : at.back().positives, negatives = at.empty() ? 0 : at.back().negatives;
  RocCurve curve;
  const auto add = [&](const Threshold& t) {
    curve.false_positive_rate.push_back(negatives > 0 ? t.negatives / negatives : nan);
    curve.true_positive_rate.push_back(positives > 0 ? t.positives / positives : nan);
    curve.threshold.push_back(t.score);
  };
  add({std::numeric_limits<double>::infinity(), 0, 0});
  for (const Threshold& t : at) add(t);
  return curve;
}

double roc_auc(std::span<const int> truth, std::span<const double> score, std::span<const double> weight,
               int positive) {
  if (weight.empty()) {
    check_length("the score", score.size(), truth.size());
    check_not_nan("the score", score);
    return unweighted_roc_auc(truth, score, positive);
  }
  const std::vector<Threshold> at = thresholds(truth, score, weight, positive);
  if (at.empty() || !(at.back().positives > 0) || !(at.back().negatives > 0)) return nan;
  const double positives = at.back().positives, negatives = at.back().negatives;
  CompensatedSum twice;  // without weights all terms are whole numbers
  Threshold last{0, 0, 0};
  for (const Threshold& t : at) {
    twice.add((t.negatives - last.negatives) * (t.positives + last.positives));
    last = t;
  }
  return std::min(1.0, twice.value() / positives / negatives / 2);
}

PrecisionRecallCurve precision_recall_curve(std::span<const int> truth, std::span<const double> score,
                                            std::span<const double> weight, int positive) {
  const std::vector<Threshold> at = thresholds(truth, score, weight, positive);
  PrecisionRecallCurve curve;
  for (auto t = at.rbegin(); t != at.rend(); ++t) {
    curve.precision.push_back(t->positives / (t->positives + t->negatives));
    curve.recall.push_back(at.back().positives > 0 ? t->positives / at.back().positives : 1);
    curve.threshold.push_back(t->score);
  }
  curve.precision.push_back(1);
  curve.recall.push_back(0);
  return curve;
}

double average_precision(std::span<const int> truth, std::span<const double> score, std::span<const double> weight,
                         int positive) {
  const std::vector<Threshold> at = thresholds(truth, score, weight, positive);
  if (at.empty() || !(at.back().positives > 0)) return nan;
  CompensatedSum sum;
  double last = 0;
  for (const Threshold& t : at) {
    sum.add((t.positives - last) * (t.positives / (t.positives + t.negatives)));
    last = t.positives;
  }
  return std::min(1.0, sum.value() / at.back().positives);
}

OneVsRest one_vs_rest_roc_auc(std::span<const int> truth, std::span<const double> score, int classes,
                              std::span<const double> weight) {
  return one_vs_rest(roc_auc, truth, score, classes, weight);
}

OneVsRest one_vs_rest_average_precision(std::span<const int> truth, std::span<const double> score, int classes,
                                        std::span<const double> weight) {
  return one_vs_rest(average_precision, truth, score, classes, weight);
}

}  // namespace krossfold::measures
