// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/bag/ood_images.hpp"
#include "krossfold/studies/bag/units.hpp"

namespace krossfold::studies {

/// Appends the fields of the result file (docs/file-format.md), from all records so far. `study` is shown those that it
/// has not seen yet.
void write_bag_result(const BagLayout& search, const data::Task& task, const OodImages& ood,
                      const std::vector<Record>& records, BagStudy& study, storage::Container& content);

}  // namespace krossfold::studies
