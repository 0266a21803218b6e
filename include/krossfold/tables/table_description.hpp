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
  int column = 0;      ///< in the file, from 1
  std::string type{};  ///< "whole number", "number" or "text"
  std::int64_t missing = 0, distinct = 0;
  double lowest = 0, highest = 0;  ///< of numbers; NaN if there are none
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
  std::string label{};                     ///< "column 5 (species)", or "" if there is none
  std::vector<ClassShare> classes{};       ///< in the order of the classes
  std::int64_t groups = 0;                 ///< 0 if there are none
  bool weighted = false;
  std::vector<std::string> feature{};  ///< names of the first few features
  std::vector<std::string> dropped{}, warning{};
  std::vector<ColumnSummary> columns{};  ///< empty unless asked for
};

/// Describes a table and the encoding fitted to it; `per_column` also summarises each column, which sorts its values.
TableDescription describe(const Table& table, const TableEncoding& encoding, bool per_column = false);

/// The description as lines for people, without the warnings and the summaries of columns.
std::vector<std::string> lines(const TableDescription& description);

}  // namespace krossfold::tables
