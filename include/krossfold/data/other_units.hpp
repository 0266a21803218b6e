// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"

namespace krossfold::data {

/// What looks as if these samples were in other units than those of the training part that `scale` was fitted to, a sentence each:
///   pixels (a scale of fit_scale for images): values below or above their range, or all within an eighth of it;
///   standardised features: 80 % of 10 or more samples (missing values may have been filled in) on the same side of the mean, more
///   than 4 standard deviations away.
/// `name_of(j)` names feature j, "" for one that is not to be judged. Sparse samples, other scales and few samples give none.
std::vector<std::string> other_units(const Dataset& samples, const Scale& scale,
                                     const std::function<std::string(int)>& name_of);

}  // namespace krossfold::data
