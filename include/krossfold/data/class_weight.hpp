// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::data {

/// Factors of the samples' weights in training, by class.
struct ClassWeights {
  bool balanced = false;  ///< n / (k n_c), with n_c of the n training samples of class c, and k classes that have any
  std::vector<double> of_class{};  ///< (class): 0 or more, else; empty for 1
};

/// Parses "none", "balanced" or "NAME:WEIGHT,NAME:WEIGHT,..."; classes that are not named have the weight 1. Names may hold colons
/// but no commas. Throws an input error for anything else, and for names that are not in `class_name`.
ClassWeights parse_class_weights(const std::string& word, const std::vector<std::string>& class_name);

/// The factor of each class, (class); empty if all are 1. is_out: (n), 1 for samples that do not count for balanced weights.
std::vector<double> class_factors(const Dataset& samples, const ClassWeights& classes, const std::vector<int>& is_out);

/// The weight of each sample in a training, (n): its own (Dataset::weight), if it has one, times that of its class. Empty if all
/// of them are 1 because there are no weights. is_out: (n), 1 for samples that do not train and do not count for balanced weights.
Vector<double> training_weights(const Dataset& samples, const ClassWeights& classes, const std::vector<int>& is_out);

/// The weights times a factor that makes their mean 1. Throws an input error if all are 0, or one is infinite.
Vector<double> with_mean_one(const Vector<double>& weight);

}  // namespace krossfold::data
