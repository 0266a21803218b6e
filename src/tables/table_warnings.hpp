// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// Appends the warnings about the content of a table that read_table() promises.
void add_warnings(Table& table);

/// The part of them that is about columns that number the samples or tell who they are; true for each column that was warned of.
std::vector<char> warn_of_index(Table& table);

/// The part of them that is about ranges of numbers: codes for missing values, and what single precision does to numbers.
void warn_of_numbers(Table& table);

/// The part of them that is about words, of labels and of text columns: what may be numbers, dates, identifiers or spelled in two ways.
void warn_of_words(Table& table);

/// Whether a number, at least 2^18 in size, lost digits when it became `value`: smaller ones have steps of less than 2^-5, and whether all
/// numbers of a column are whole shows after reading.
inline bool is_rounded(double given, float value) { return std::abs(value) >= 262144 && double{value} != given; }

/// A number as it is written, if it was rounded so.
std::optional<double> rounded_from(std::string_view given, float value);

/// The rounded numbers of a column.
struct RoundedNumbers {
  bool differ = false;  ///< there are two of them, so that rounding may have merged numbers
  double first = std::numeric_limits<double>::quiet_NaN();

  void note(double given) {
    if (std::isnan(first)) first = given;
    differ = differ || given != first;
  }
};

/// The warning of columns whose numbers lie so close together, for their size, that single precision merges some; "3 (steps of 1)".
std::string precision_warning(const std::vector<std::string>& columns);

/// True for samples that were read from no table, but from a file of index:value, as LIBSVM's.
bool is_of_entries(const Table& table);

/// The name of a column, or its number where it has none, which is called so among names: "column 3".
std::string name_of(const Table& table, const FeatureColumn& column);

/// Samples whose features are those of another one.
struct EqualSamples {
  std::int64_t repeated = 0;       ///< samples that repeat an earlier one, whatever its label
  std::int64_t contradicting = 0;  ///< samples that have a twin of another label
  int first = 0, second = 0;       ///< such a pair, as samples from 0
};
EqualSamples find_equal_samples(const Table& table);

}  // namespace krossfold::tables
