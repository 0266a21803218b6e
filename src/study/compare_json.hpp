// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/study/compare.hpp"

namespace krossfold::study {

std::string comparison_json(const Comparison& comparison);

}  // namespace krossfold::study
