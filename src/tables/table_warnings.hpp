// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// Appends the warnings about the content of a table that read_table() promises.
void add_warnings(Table& table);

/// Samples whose features are those of another one.
struct EqualSamples {
  std::int64_t repeated = 0;       ///< samples that repeat an earlier one, whatever its label
  std::int64_t contradicting = 0;  ///< samples that have a twin of another label
  int first = 0, second = 0;       ///< such a pair, as samples from 0
};
EqualSamples find_equal_samples(const Table& table);

}  // namespace krossfold::tables
