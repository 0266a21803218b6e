// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/run/study_kind.hpp"

namespace krossfold::studies {

/// The kinds of this library: svm, bag, train, names.
run::StudyRegistry all_kinds();

}  // namespace krossfold::studies
