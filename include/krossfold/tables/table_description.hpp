// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// What is in a column of features.
struct ColumnSummary {
  std::string name{};  ///< "" if the file has none
  int column = 0;      ///< in the file, from 1; of entries, as it counts them
  std::string type{};  ///< "whole number", "number", "text", "one value" in all samples, or "missing" in all
  std::int64_t missing = 0, distinct = 0;
  double lowest = 0, highest = 0, mean = 0;  ///< of numbers that are not missing; NaN if there are none
};

struct ClassShare {
  std::string name{};
  std::int64_t samples = 0;
  double share = 0;  ///< of the samples
};

/// What was understood of a table.
struct TableDescription {
  std::string file{}, format{};
  bool named = false;
  std::int64_t samples = 0, features = 0;  ///< features after encoding
  data::ImageShape image{};                ///< of images; only describe_samples() sets it
  std::string label{};                     ///< "column 5 (species)", or "" if there is none
  bool label_by_default = false;           ///< no option named the label: it is the last column in use
  std::vector<ClassShare> classes{};       ///< in the order of the classes
  std::int64_t groups = 0;                 ///< 0 if there are none
  bool weighted = false;
  std::vector<std::string> feature{};  ///< names of the first few features
  std::vector<std::string> dropped{}, warning{};
  std::vector<ColumnSummary> columns{};  ///< empty unless asked for, as are the next two
  std::int64_t repeated = 0;             ///< samples that repeat the features of an earlier one, whatever its label
  std::int64_t contradicting = 0;        ///< samples that have a twin of another label
};

/// What is said of a label that no option named.
inline constexpr const char* default_label_text = ", the last column in use (--label names another)";

/// Describes a table and the encoding fitted to it; `per_column` also summarises each column,
/// which sorts its values, and counts equal samples.
TableDescription describe(const Table& table, const TableEncoding& encoding, bool per_column = false);

/// Describes samples, such as images, by their size and classes alone.
TableDescription describe_samples(const data::Dataset& dataset, const std::string& format);

/// Samples that are no table as a table, for describe() and its warnings, which are added. Columns have the numbers that they have in a
/// file of entries.
Table table_of(const data::Dataset& dataset, const std::string& format);

/// The description as lines for people, without the warnings and the summaries of columns.
std::vector<std::string> lines(const TableDescription& description);

}  // namespace krossfold::tables
