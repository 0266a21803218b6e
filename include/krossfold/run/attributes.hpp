// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/data/dataset.hpp"
#include "krossfold/run/run_facts.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::run {

/// What every kind of study says of itself in its result file.
struct StudyFacts {
  std::string kind;
  std::string config;  ///< options as JSON
  std::uint64_t seed = 0;
  std::string fold_kind;
};

/// What a study works on.
struct DataFacts {
  std::string name;
  std::int64_t train = 0, test = 0, features = 0;
};

/// Sets the attributes that the result files of all studies have (docs/file-format.md).
void add_run_attributes(storage::Container& content, const StudyFacts& study, const DataFacts& data,
                        const RunFacts& facts);
void add_run_attributes(storage::Container& content, const StudyFacts& study, const data::Task& task,
                        const RunFacts& facts);

}  // namespace krossfold::run
