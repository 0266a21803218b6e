// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What the names and the words of columns say about what they hold.

#include <cstddef>
#include <string>
#include <string_view>

#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

/// True for names that people give to identifiers: id, ID, patient_id, PatientID, customer.id, rownames, ...
bool is_identifier(const std::string& name);

/// True for a date such as 2024-01-31, 31.01.2024, 1/31/24, 31-Jan-2024, Wed, 31 Jan 2024 or January 31, 2024, possibly with a time behind
/// it; for a month or quarter of a year (2024-01, Jan 2024, 2024Q1); and for a time such as 14:30 or 7:42:12 pm.
bool is_date(std::string_view word);

/// True for a first column whose name is empty among names, or that pandas calls Unnamed: 0: an index, or the names of rows.
bool is_unnamed_index(const Table& table, std::size_t j);

/// True if so many whole numbers from `low` to `high` would hardly all differ if they were drawn from this range: 20 pairs or more would be
/// equal, so that this has a chance of e^-20. Numbers of rows differ, in any order, and those of a part of the rows.
bool are_too_close_to_differ(double low, double high, std::size_t count);

/// True if so many distinct values mean a few of these samples each, as those of patients do, and not those of hours.
bool is_shared_by_few(std::size_t distinct, std::size_t samples);

}  // namespace krossfold::tables
