// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What a report of `krossfold svm` warns of beside fits that did not converge.

#include "krossfold/storage/field.hpp"
#include "krossfold/studies/svm/report.hpp"

namespace krossfold::studies {

/// Errors that are unknown though their units are done: those of decision values that are not finite.
void warn_of_overflow(SvmReport& report, const storage::FieldReader& file);

/// Whether units are left, so that another cell may turn out the best.
bool is_unfinished(const SvmReport& report);

/// A best cell that names a single class, chosen by the error; and, where no equally good one lies inside, one on the edge of the grid, beyond
/// which better ones may lie.
void warn_of_best_cell(SvmReport& report, const storage::FieldReader& file);

/// A best cell whose out-of-fold predictions hang on smaller differences of decision values than its fits leave open: each value is known to
/// half of their violation either way, and a twentieth of the samples or more would change their class by that. With tiny gamma and C, for
/// example, all decision values of a class are nearly equal, and which of such cells is best is chance.
void warn_of_undecided(SvmReport& report, const storage::FieldReader& file);

}  // namespace krossfold::studies
