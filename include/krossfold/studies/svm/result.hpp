// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/run/run_facts.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/svm/layout.hpp"

namespace krossfold::studies {

/// The content of the result file, from all records so far (docs/file-format.md).
storage::Container make_svm_result(const SvmLayout& search, const data::Task& task, const std::vector<Record>& records,
                                   const run::RunFacts& facts);

}  // namespace krossfold::studies
