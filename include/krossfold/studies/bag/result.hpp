// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/run/run_facts.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/bag/layout.hpp"
#include "krossfold/studies/bag/ood_images.hpp"

namespace krossfold::studies {

/// The content of the result file, from all records so far (docs/file-format.md).
storage::Container make_bag_result(const BagLayout& search, const data::Task& task, const OodImages& ood,
                                   const std::vector<Record>& records, const run::RunFacts& facts);

}  // namespace krossfold::studies
