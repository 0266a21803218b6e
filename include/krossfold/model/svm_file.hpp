// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/storage/container.hpp"
#include "krossfold/svm/machine.hpp"

namespace krossfold::model {

/// The content of a trained machine's model file (kind "svm-model"), and the machine of a file. Throws an input
/// error, naming the file, if the content is not a consistent machine.
storage::Container to_container(const svm::Machine& machine);
svm::Machine machine_from_container(const storage::Container& container, const std::string& name);

}  // namespace krossfold::model
