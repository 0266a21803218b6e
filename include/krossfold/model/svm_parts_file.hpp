// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/storage/container.hpp"
#include "krossfold/svm/partitioned_machine.hpp"

namespace krossfold::model {

inline constexpr const char* svm_parts_kind = "svm-parts-model";

/// The content of the model file of machines of parts (kind svm_parts_kind): what all machines share as in the file of a single one,
/// what is a part's own in the group /part/P, their gamma and C, and the centres.
storage::Container to_container(const svm::PartitionedMachine& machine);

/// The machines of a file. Throws an input error that names the file if the content is inconsistent.
svm::PartitionedMachine parts_from_container(const storage::Container& container, const std::string& name);

}  // namespace krossfold::model
