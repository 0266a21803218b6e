// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table_roles.hpp"

namespace krossfold::tables {

/// "label", "group" or "weight", or "value" of a feature.
const char* name_of_role(int role);

/// True for words that name an answer as often as a gap. Those that hardly do are NA, NaN, "?" and errors of spreadsheets.
bool may_be_category(std::string_view word);

/// The same of the field of a label or group, which is then no gap unless --missing drop says so.
bool may_be_category(int role, std::string_view word);

/// What to do about a missing field of a column with this role: fields of features can be filled in, others cannot.
std::string advice_on_missing(int role, std::string_view field);

/// What to do about a word among numbers that is often a code for a missing value (`.` of SAS and Stata, `-`, `unknown`); else empty.
std::string advice_on_code(std::string_view word);

struct MissingRules {
  bool drop = false;         ///< samples that lack anything are left out
  bool known = false;        ///< the samples are for a model, or to test one
  bool label_named = false;  ///< the column of the label was not just the last one
};

/// What a reader of tables counts of fields that are missing, for the warnings.
class MissingFields {
public:
  /// A sample that is left out because its label, group or weight is missing.
  void note_left_out(int role, std::string_view field, int line) {
    LeftOut& one = left_out_[{role, std::string(field)}];
    ++one.samples;
    if (one.line.size() <= most_lines) one.line.push_back(line);
  }

  /// A field of a feature of words, which is missing.
  void note_of_words(int role, std::string_view field) { ++of_words_[role][std::string(field)]; }

  /// Adds to a table of which `dropped` samples were left out what became of missing fields, and throws an input error if no sample is
  /// left: how many were left out, which lacked a label, group or weight, and which words may be categories, but count as missing in
  /// columns of words. `feature`: the columns of the features.
  void report(Table& table, int dropped, const std::vector<FeatureColumn>& feature, const MissingRules& rules) const;

private:
  std::string lacking() const;
  int without_label() const;                                ///< how many samples lack one
  void check_label(const Table& table, int dropped) const;  ///< that nobody named: refuses one that most samples lack
  void report_left_out(Table& table, const MissingRules& rules) const;
  void report_words(Table& table, const std::vector<FeatureColumn>& feature) const;

  static constexpr std::size_t most_lines = 5;
  struct LeftOut {
    int samples = 0;
    std::vector<int> line{};  ///< the first few, and one more
  };
  std::map<std::pair<int, std::string>, LeftOut> left_out_;  ///< by role and word
  std::map<int, std::map<std::string, int>> of_words_;       ///< by feature and word: how often
};

}  // namespace krossfold::tables
