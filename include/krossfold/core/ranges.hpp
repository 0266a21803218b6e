// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace krossfold {

/// "0-3,6" for the ascending numbers 0, 1, 2, 3, 6; "" for none.
std::string ranges(const std::vector<int>& numbers);

}  // namespace krossfold
