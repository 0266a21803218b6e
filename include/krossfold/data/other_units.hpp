// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"

namespace krossfold::data {

/// What looks as if these samples were in other units than those of the training part that `scale` was fitted to, a sentence each:
///   pixels (a scale of fit_scale for images): values below or above their range, or all within an eighth of it (a twelfth of
///   fewer than 10 samples, and not a single value);
///   images that are standardised pixel by pixel: all pixels together vary 8 times as much as in training, or an eighth of that, or their mean is
///   4 times that deviation away;
///   standardised features: 80 % of 10 or more samples (missing values may have been filled in) on the same side of the mean, more
///   than 4 standard deviations away.
/// `name[j]` names feature j, "" for one that is not to be judged (feature_names()). Sparse samples, other scales and few samples of
/// a table give none. `image`: of the training samples; a single row of one channel is none.
std::vector<std::string> other_units(const Dataset& samples, const Scale& scale, const std::vector<std::string>& name,
                                     const ImageShape& image);

/// "column 3 (age)" for each feature that is one column of the training table, "" for one of a word, "feature 3" without an encoding.
std::vector<std::string> feature_names(const TableEncoding* encoding, int features);

}  // namespace krossfold::data
