// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/measures/probability_measures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/least_probability.hpp"
#include "krossfold/core/text.hpp"
#include "sample_sums.hpp"

namespace krossfold::measures {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double rounding = 1e-6;

void check_probabilities(std::span<const double> probability) {
  check_not_nan("the probability", probability);
  for (const double p : probability) {
    if (p < -rounding || p > 1 + rounding) throw_run_error(text("a probability is ", p), "not in [0, 1]");
  }
}

void check_table(std::span<const int> truth, std::span<const double> probability, int classes,
                 std::span<const double> weight) {
  if (classes < 1) throw_run_error(text("probabilities of ", classes, " classes"));
  check_length("the probabilities", probability.size(), truth.size(), static_cast<std::size_t>(classes));
  check_labels("the class", truth, classes);
  check_weights(weight, truth.size());
  check_probabilities(probability);
}

/// The weighted mean of term(i) over the samples.
template <class Term>
double mean(std::size_t samples, std::span<const double> weight, const Term& term) {
  CompensatedSum sum, all;
  for (std::size_t i = 0; i < samples; ++i) {
    const double w = weight_of(weight, i);
    sum.add(w * term(i));
    all.add(w);
  }
  return all.value() > 0 ? sum.value() / all.value() : nan;
}

}  // namespace

double log_loss(std::span<const int> truth, std::span<const double> probability, int classes,
                std::span<const double> weight) {
  check_table(truth, probability, classes, weight);
  return mean(truth.size(), weight, [&](std::size_t i) {
    const double p = probability[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(truth[i])];
    return -std::log(std::clamp(p, least_probability, 1 - least_probability));
  });
}

double brier_score(std::span<const int> truth, std::span<const double> probability, int classes,
                   std::span<const double> weight, BrierScale scale) {
  check_table(truth, probability, classes, weight);
  const double score = mean(truth.size(), weight, [&](std::size_t i) {
    double sum = 0;
    for (int c = 0; c < classes; ++c) {
      const double gap =
          probability[i * static_cast<std::size_t>(classes) + static_cast<std::size_t>(c)] - (truth[i] == c ? 1 : 0);
      sum += gap * gap;
    }
    return sum;
  });
  return scale == BrierScale::half ? score / 2 : score;
}

ReliabilityCurve reliability_curve(std::span<const int> truth, std::span<const double> probability, int bins,
                                   std::span<const double> weight, int positive) {
  if (bins < 1) throw_run_error(text("a reliability curve of ", bins, " bins"));
  check_length("the probability", probability.size(), truth.size());
  check_weights(weight, truth.size());
  check_probabilities(probability);
  std::vector<double> edge;  // between bins, rounded as numpy.linspace does
  for (int b = 1; b < bins; ++b) edge.push_back(b * (1.0 / bins));
  std::vector<CompensatedSum> predicted(bins), observed(bins), weights(bins);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto b = std::lower_bound(edge.begin(), edge.end(), probability[i]) - edge.begin();
    const double w = weight_of(weight, i);
    predicted[b].add(w * probability[i]);
    observed[b].add(truth[i] == positive ? w : 0);
    weights[b].add(w);
  }
  ReliabilityCurve curve;
  CompensatedSum gaps, all;
  for (int b = 0; b < bins; ++b) {
    const double w = weights[b].value();
    curve.weight.push_back(w);
    curve.predicted.push_back(w > 0 ? predicted[b].value() / w : nan);
    curve.observed.push_back(w > 0 ? observed[b].value() / w : nan);
    gaps.add(std::abs(observed[b].value() - predicted[b].value()));
    all.add(w);
  }
  curve.expected_error = all.value() > 0 ? gaps.value() / all.value() : nan;
  return curve;
}

}  // namespace krossfold::measures
