// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace krossfold::svm {

/// From so many members for each row of the factor on, the method of multipliers (augmented_lagrangian.hpp) is tried before interior
/// points: it has few of the members in its matrices, but takes two to three times as many steps.
inline constexpr int members_a_row = 8;

/// What a problem of so many members is expected to cost with K in double: interior_cost(), or lagrangian_cost() where that is less and
/// that method comes first. It grows with the rank. rank: of the kernel's factor, or 0 for K whole.
double price_of(int members, int rank);

/// The largest rank of a factor that costs at most `cost`, 0 if there is none.
int affordable_rank(int members, double cost);

}  // namespace krossfold::svm
