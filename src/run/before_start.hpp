// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What run_study() does of a study that is laid out before it starts, or in place of it.

#include "krossfold/run/run_study.hpp"

namespace krossfold::run {

/// Prints what the study would compute, and refuses an output that it could not write. Called on rank 0.
void print_dry_run(const StudyCase& study, const StudyKind& kind);

/// Throws the error of StudyCase::require_memory() of the first rank that has one, unless the output says that nothing is left to compute.
/// Collective.
void require_memory(const StudyCase& study, const StudyKind& kind);

}  // namespace krossfold::run
