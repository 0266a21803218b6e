// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a report of `krossfold svm` warns of beside fits that did not converge.

#include "krossfold/storage/field.hpp"
#include "krossfold/studies/svm/report.hpp"

namespace krossfold::studies {

/// Errors that are unknown though their units are done: those of decision values that are not finite.
void warn_of_overflow(SvmReport& report, const storage::FieldReader& file);

/// A best cell whose out-of-fold predictions are decided by less than the tolerance of the fits leaves open: each decision value is known to
/// half of it either way, and a twentieth of the samples or more would change their class by that. With tiny gamma and C all decision values
/// of a class are nearly equal, and which of such cells is best is chance.
void warn_of_undecided(SvmReport& report, const storage::FieldReader& file);

}  // namespace krossfold::studies
