// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/storage/field.hpp"
#include "krossfold/studies/bag/ood_images.hpp"

namespace krossfold::studies {

/// The class probabilities predicted by the final networks of a bagging study; NaN for a network that is missing.
struct BagAnswers {
  int models = 0, classes = 0;
  std::vector<float> test{};               ///< (model, test sample, class)
  std::vector<float> ood{};                ///< (model, image out of distribution, class)
  std::vector<double> validation_error{};  ///< (model)
  int validated_on = 0;                    ///< number of samples that each of these errors was measured on
};

/// Writes the scores of each network on the test samples (/final/test_error, nll, brier, ece) and, if there is any
/// network, the predictions and scores of the ensemble (/ensemble/...) and its answers to images out of distribution
/// (/ood/...).
void add_ensemble(const storage::FieldWriter& file, const BagAnswers& answers, const data::Dataset& test,
                  const OodImages& ood);

}  // namespace krossfold::studies
