// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/storage/container.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::study {

/// A trained machine as the content of a model file (kind "svm-model"), and back.
/// Throws an input error, naming the file, if the content is not a consistent machine.
storage::Container to_container(const svm::Machine& machine);
svm::Machine machine_from_container(const storage::Container& container, const std::string& name);

/// The model file that MODEL on the command line means: a model file, the folder of models, or a result file.
/// Throws an input error if there is none, or if it is not the one that the result file was written with.
std::string find_model(const std::string& model);

}  // namespace krossfold::study
