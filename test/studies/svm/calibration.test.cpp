// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/calibration.hpp"

#include <cmath>

#include "krossfold/svm/class_probability.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

constexpr int classes = 3;

SvmLayout search_of(const data::Task& task, const std::string& multiclass, const std::string& fold_kind) {
  SvmParams params;
  params.folds = 4;
  params.multiclass = multiclass;
  params.fold_kind = fold_kind;
  params.probability = true;
  return lay_out_svm(params, task);
}

/// The decision value of a sample in a problem: of the right sign but for noise that only sample and problem decide.
double decision_of(int sample, int problem, bool positive) {
  return (positive ? 1 : -1) + 1.5 * std::sin(12.9898 * sample + 78.233 * problem);
}

bool is_positive(const SvmLayout& search, int problem, int label) {
  if (search.multiclass == svm::Multiclass::one_vs_rest) return label == problem;
  return label == svm::class_pairs(classes)[problem].first;
}

std::vector<double> decisions(const SvmLayout& search, const Vector<const int>& label) {
  std::vector<double> all;
  for (int i = 0; i < search.samples; ++i) {
    for (int p = 0; p < search.problems; ++p) all.push_back(decision_of(i, p, is_positive(search, p, label(i))));
  }
  return all;
}

TEST(Calibrate, fits_every_problem_to_its_own_samples) {
  const data::Task task = test::sample_task(90, 6, classes);
  for (const std::string multiclass : {"ovr", "ovo"}) {
    const SvmLayout search = search_of(task, multiclass, "shuffled");
    const std::vector<double> given = decisions(search, task.train.label);
    const Calibration calibration = calibrate(search, task.train.label, given);
    ASSERT_EQ(calibration.sigmoid.size(), static_cast<std::size_t>(search.problems));
    double log_loss = 0, brier = 0;
    for (int p = 0; p < search.problems; ++p) {
      std::vector<double> decision;
      std::vector<std::int8_t> sign;
      for (int i = 0; i < 90; ++i) {
        const int label = task.train.label(i);
        if (multiclass == "ovo" && label != svm::class_pairs(classes)[p].first &&
            label != svm::class_pairs(classes)[p].second) {
          continue;
        }
        decision.push_back(given[static_cast<std::size_t>(i * search.problems + p)]);
        sign.push_back(is_positive(search, p, label) ? 1 : -1);
      }
      const svm::Sigmoid expected = svm::fit_sigmoid(decision, sign);
      EXPECT_EQ(calibration.sigmoid[p].a, expected.a) << multiclass << ", problem " << p;
      EXPECT_EQ(calibration.sigmoid[p].b, expected.b) << multiclass << ", problem " << p;
    }
    for (int i = 0; i < 90; ++i) {
      const int label = task.train.label(i);
      const auto probability = svm::class_probabilities(search.multiclass, classes, calibration.sigmoid,
                                                        &given[static_cast<std::size_t>(i * search.problems)]);
      for (int c = 0; c < classes; ++c) EXPECT_EQ(calibration.probability.at(i * classes + c), probability[c]);
      log_loss += -std::log(probability[label]) / 90;
      for (int c = 0; c < classes; ++c) brier += std::pow(probability[c] - (c == label ? 1 : 0), 2) / 90;
    }
    EXPECT_NEAR(calibration.log_loss, log_loss, 1e-12) << multiclass;
    EXPECT_NEAR(calibration.brier, brier, 1e-12) << multiclass;
    EXPECT_LT(calibration.log_loss, std::log(3.0)) << "no better than a guess: " << multiclass;
  }
}

}  // namespace
}  // namespace krossfold::studies
