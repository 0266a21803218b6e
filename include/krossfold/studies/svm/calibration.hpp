// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/svm/platt.hpp"

namespace krossfold::studies {

/// The sigmoids that turn the decision values of a cell into probabilities, and the scores of these probabilities.
struct Calibration {
  std::vector<svm::Sigmoid> sigmoid;  ///< (problem)
  double log_loss = 0, brier = 0;     ///< measures/probability_measures.hpp
  std::vector<double> probability;    ///< (sample, class)
};

/// The probability of each class, (sample, class), by the sigmoids of decision values (sample, problem).
std::vector<double> class_probabilities(const SvmLayout& search, const std::vector<svm::Sigmoid>& sigmoid,
                                        const std::vector<double>& decision);

/// Fits a sigmoid to each binary problem and scores the probabilities of all classes. Every decision value comes from a
/// machine that was trained without its sample. decision: (repeat and sample, problem); label: class of each training sample.
Calibration calibrate(const SvmLayout& search, const Vector<const int>& label, const std::vector<double>& decision);

}  // namespace krossfold::studies
