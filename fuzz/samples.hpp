// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What must hold of every data set that a reader gives.

#include <cmath>

#include "fuzz/target.hpp"
#include "krossfold/data/dataset.hpp"

namespace krossfold::fuzz {

inline void check_samples(const data::Dataset& set) {
  must(set.size() > 0 && set.features() > 0, "a data set has samples and features");
  for (int i = 0; i < set.size(); ++i) {
    if (set.labelled()) must(set.label(i) >= -1 && set.label(i) < set.classes(), "a label is a class or none");
    if (set.is_sparse()) continue;
    for (int f = 0; f < set.features(); ++f) must(std::isfinite(set.raw(i, f)), "every value is finite");
  }
}

}  // namespace krossfold::fuzz
