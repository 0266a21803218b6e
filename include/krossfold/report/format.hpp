// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/storage/container.hpp"

namespace krossfold::report {

/// An attribute of a result file; 0 or `otherwise` if it is missing, of another type or not finite.
std::int64_t whole(const storage::Container& result, const std::string& name);
double real(const storage::Container& result, const std::string& name, double otherwise = 0);

/// "1 worker", "4 workers".
std::string counted(int count, const std::string& what);

/// A field of a CSV line, quoted where RFC 4180 requires it, and where it holds a semicolon or a tab, at which some spreadsheets split it. A text
/// of several letters that spreadsheets would take for a formula (it begins with =, +, -, @, a tab or a carriage return and is no number)
/// gets an apostrophe before it, which they do not show; so does each =, +, - or @ behind a semicolon, a tab or the end of a line.
std::string csv_field(const std::string& field);

/// "1.23 %"; "-" for NaN.
std::string percent(double fraction);
/// `value` with that many significant digits; "-" for NaN.
std::string rounded(double value, int digits = 4);

}  // namespace krossfold::report
