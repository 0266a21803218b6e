// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/bag_search.hpp"
#include "krossfold/study/ood_images.hpp"
#include "krossfold/study/run_facts.hpp"

namespace krossfold::study {

/// The content of the result file, from all records so far (docs/file-format.md).
storage::Container make_bag_result(const BagSearch& search, const data::Task& task, const OodImages& ood,
                                   const std::vector<Record>& records, const RunFacts& facts);

}  // namespace krossfold::study
