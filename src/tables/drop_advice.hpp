// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// What to write for a column in an option: its name, or a number that is no name and no other column's.
std::string unambiguous(const Table& table, const FeatureColumn& column);

/// "leave it out with --drop id", "leave them out with --drop 1,id", which names at most 24 columns; those of a file of entries,
/// which has no such option, are left out of the file, and those of a converted file when it is made again. `columns` are indices into
/// table.column.
std::string leave_out(const Table& table, const std::vector<std::size_t>& columns);

/// The advice to make groups of the samples with the same value of a column: "; if samples with ..., say --group patient instead".
std::string share_advice(const Table& table, const FeatureColumn& column);

}  // namespace krossfold::tables
