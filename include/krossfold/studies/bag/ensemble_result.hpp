// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/storage/field.hpp"
#include "krossfold/studies/bag/ood_images.hpp"

namespace krossfold::studies {

/// What the final models of a bagging study said. Models without an answer have NaN.
struct BagAnswers {
  int models = 0, classes = 0;
  std::vector<float> test;               ///< (model, test sample, class)
  std::vector<float> ood;                ///< (model, image out of distribution, class)
  std::vector<double> validation_error;  ///< (model)
  int validated_on = 0;                  ///< samples that each of these errors was measured on
};

/// Adds to a result file what the models say of the test samples, each by itself (/final/test_error, nll, brier, ece) and
/// together (/ensemble/...), and of images out of distribution (/ood/...). Without any answer only the first of these is added.
void add_ensemble(const storage::FieldWriter& file, const BagAnswers& answers, const data::Dataset& test,
                  const OodImages& ood);

}  // namespace krossfold::studies
