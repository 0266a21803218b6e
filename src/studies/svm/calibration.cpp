// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/calibration.hpp"

#include "krossfold/measures/probability_measures.hpp"
#include "krossfold/svm/class_probability.hpp"

namespace krossfold::studies {

std::vector<double> class_probabilities(const SvmLayout& search, const std::vector<svm::Sigmoid>& sigmoid,
                                        const std::vector<double>& decision) {
  const auto problems = static_cast<std::size_t>(search.problems);
  std::vector<double> probability;
  for (std::size_t first = 0; first + problems <= decision.size(); first += problems) {
    const std::vector<double> of_sample =
        svm::class_probabilities(search.multiclass, search.classes, sigmoid, &decision[first]);
    probability.insert(probability.end(), of_sample.begin(), of_sample.end());
  }
  return probability;
}

Calibration calibrate(const SvmLayout& search, const Vector<const int>& label, const std::vector<double>& decision) {
  const int problems = search.problems, n = static_cast<int>(decision.size() / static_cast<std::size_t>(problems));
  const auto class_of = [&](int row) { return label(row % search.samples); };
  Calibration calibration;
  const auto pairs = svm::class_pairs(search.classes);
  for (int p = 0; p < problems; ++p) {
    const bool rest = search.multiclass == svm::Multiclass::one_vs_rest;
    const int positive = rest ? p : pairs[p].first, negative = rest ? -1 : pairs[p].second;
    std::vector<double> of_problem;
    std::vector<std::int8_t> sign;
    for (int i = 0; i < n; ++i) {
      if (!rest && class_of(i) != positive && class_of(i) != negative) continue;
      of_problem.push_back(decision[static_cast<std::size_t>(i) * problems + p]);
      sign.push_back(class_of(i) == positive ? 1 : -1);
    }
    calibration.sigmoid.push_back(svm::fit_sigmoid(of_problem, sign));
  }
  std::vector<int> truth;
  for (int i = 0; i < n; ++i) truth.push_back(class_of(i));
  calibration.probability = class_probabilities(search, calibration.sigmoid, decision);
  calibration.log_loss = measures::log_loss(truth, calibration.probability, search.classes);
  calibration.brier = measures::brier_score(truth, calibration.probability, search.classes);
  return calibration;
}

}  // namespace krossfold::studies
