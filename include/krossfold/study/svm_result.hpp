// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/study/run_facts.hpp"
#include "krossfold/study/svm_search.hpp"

namespace krossfold::study {

/// The content of the result file, from all records so far (docs/file-format.md).
storage::Container make_svm_result(const SvmSearch& search, const data::Task& task, const std::vector<Record>& records,
                                   const RunFacts& facts);

}  // namespace krossfold::study
