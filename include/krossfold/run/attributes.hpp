// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/run/options.hpp"
#include "krossfold/run/run_facts.hpp"
#include "krossfold/storage/container.hpp"

namespace krossfold::run {

/// The attributes of a result file that describe the study and its data.
struct StudyFacts {
  std::string config;  ///< options as JSON
  std::uint64_t seed = 0;
  std::string fold_kind;  ///< "group" if whole groups are dealt to the folds; "" if the study has none
  std::string data;       ///< name of the training part
  std::int64_t train = 0, test = 0, features = 0;
  Digest test_digest = 0;                 ///< of the test part, if there is one
  std::vector<std::string> understood{};  ///< of the data, printed at the start
  std::vector<std::string>
      warnings{};  ///< of the data and how they are split; printed at the start and by every report

  std::string features_json{};  ///< how the columns of the data became the features; see describe_features()

  /// Sets features_json: {"names": [...], "columns": [{"column", "name", "missing", "categories"}], "label", "label_column",
  /// "scale": {"offset", "divisor"}}, where names, columns and label are those of a table. A table without a header has no names, and
  /// `missing` (what takes the place of a missing value) and `categories` (of a column of text) are null where there are none.
  void describe_features(const data::Dataset& train, const data::Scale& scale);
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
