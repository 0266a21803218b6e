// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// Appends the warnings about the content of a table that read_table() promises.
void add_warnings(Table& table);

/// The part of them that is about ranges of numbers: codes for missing values, and what single precision does to numbers.
void warn_of_numbers(Table& table);

/// True for what was read from a file of index:value, as LIBSVM's.
bool is_of_entries(const Table& table);

/// The name of a column, or its number where it has none.
std::string name_of(const FeatureColumn& column);

/// Samples whose features are those of another one.
struct EqualSamples {
  std::int64_t repeated = 0;       ///< samples that repeat an earlier one, whatever its label
  std::int64_t contradicting = 0;  ///< samples that have a twin of another label
  int first = 0, second = 0;       ///< such a pair, as samples from 0
};
EqualSamples find_equal_samples(const Table& table);

}  // namespace krossfold::tables
