// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/svm/units.hpp"

namespace krossfold::studies {

/// Appends the fields of the result file (docs/file-format.md), from all records so far. `study` is shown those that it
/// has not seen yet.
void write_svm_result(const SvmLayout& search, const data::Task& task, const std::vector<Record>& records,
                      SvmStudy& study, storage::Container& content);

}  // namespace krossfold::studies
