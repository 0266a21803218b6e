// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/storage/container.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::model {

/// The content of a trained machine's model file (kind "svm-model").
storage::Container to_container(const svm::Machine& machine);

/// The machine of a file. Throws an input error that names the file, and ends with `advice`, if the content is not a consistent machine.
svm::Machine machine_from_container(const storage::Container& content, const std::string& name,
                                    const std::string& advice = "Train it again.");

}  // namespace krossfold::model
