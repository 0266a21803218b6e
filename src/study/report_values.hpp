// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "krossfold/storage/container.hpp"

namespace krossfold::study {

/// An attribute of a result file; 0 and `otherwise` where there is none of that type (or it is not finite).
std::int64_t whole(const storage::Container& result, const std::string& name);
double real(const storage::Container& result, const std::string& name, double otherwise = 0);

/// "1.23 %"; "-" for NaN.
std::string percent(double fraction);
/// With four significant digits; "-" for NaN.
std::string rounded(double value);

}  // namespace krossfold::study
