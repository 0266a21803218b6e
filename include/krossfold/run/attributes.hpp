// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/run/options.hpp"
#include "krossfold/run/run_facts.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::run {

/// The attributes of a result file that describe the study and its data.
struct StudyFacts {
  std::string config;  ///< options as JSON
  std::uint64_t seed = 0;
  std::string fold_kind;
  std::string data;  ///< name of the training part
  std::int64_t train = 0, test = 0, features = 0;
  std::vector<std::string> understood{};  ///< of the data, printed at the start
  std::vector<std::string>
      warnings{};  ///< of the data and how they are split; printed at the start and by every report

  /// Adds warnings.
  void warn(const std::vector<std::string>& more) { warnings.insert(warnings.end(), more.begin(), more.end()); }

  StudyFacts() = default;
  StudyFacts(const std::vector<OptionValue>& options, std::uint64_t seed, std::string fold_kind,
             const data::Task& task);
};

/// Sets the attributes that the result files of all studies have (docs/file-format.md).
void add_run_attributes(storage::Container& content, const std::string& kind, const StudyFacts& study,
                        const RunFacts& facts);

}  // namespace krossfold::run
