// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/svm/parts_units.hpp"

namespace krossfold::studies {

/// Like write_svm_result(), of a search in parts.
void write_parts_result(const PartsLayout& search, const data::Task& task, const std::vector<Record>& records,
                        PartsStudy& study, storage::Container& content);

}  // namespace krossfold::studies
