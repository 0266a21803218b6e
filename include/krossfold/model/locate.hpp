// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/storage/container.hpp"

namespace krossfold::model {

/// The model files that the path `model` denotes: a model file itself, or all files of a folder NAME.ID.models or of a result file
/// (one for an SVM search, one per network for bagging, one per part for split weights). Throws an input error if there is
/// none, or if a file is not the one that the result file was written with.
std::vector<std::string> find_models(const std::string& model);

/// The model files that the content of a result file names and that are not where they belong, beside `result`.
std::vector<std::string> missing_models(const std::string& result, const storage::Container& content);

}  // namespace krossfold::model
