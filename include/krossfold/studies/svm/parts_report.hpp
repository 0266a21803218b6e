// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The parts of the report of a search in parts.

#include <cstdint>
#include <vector>

#include "krossfold/report/document.hpp"
#include "krossfold/storage/field.hpp"
#include "krossfold/studies/svm/report.hpp"

namespace krossfold::studies {

/// Whether the file is that of a search in parts.
bool is_in_parts(const storage::FieldReader& file);

/// Sets report.parts and what a search in parts counts otherwise: units, fits, and the error where each part has its own cell.
void read_parts(SvmReport& report, const storage::FieldReader& file);

/// (gamma, fold): the sum over the parts, and whether all of them are done.
std::vector<double> seconds_of_parts(const storage::FieldReader& file);
std::vector<std::int32_t> status_of_parts(const storage::FieldReader& file);

/// Adds the lines on the parts, and a table of them that is in JSON alone, since there may be hundreds.
void add_parts(report::Document& document, const SvmReport& report);

/// Adds the line on the best cells where each part has its own.
void add_own_cells(report::Document& document, const SvmReport& report);

}  // namespace krossfold::studies
