// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace krossfold::study {

/// The model files that MODEL on the command line means: a model file; those of a folder NAME.models; or those of a result file
/// (of an SVM search one, of bagging one for every network).
/// Throws an input error if there is none, or if one is not that which the result file was written with.
std::vector<std::string> find_models(const std::string& model);

}  // namespace krossfold::study
