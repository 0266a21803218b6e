// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/ensemble/members.hpp"

namespace krossfold::ensemble {

/// The rows of the result of quartiles, in order.
enum Quartile : int { least, lower_quartile, median, upper_quartile, greatest, quartile_count };

/// quartile(q, i, c): minimum, quartiles and maximum of the members' probabilities of class c for sample i, as a box
/// plot shows them. Quantile s = q / 4 is at position s (M - 1) of the M sorted values, linearly interpolated: numpy's
/// method "linear" (type 7 of Hyndman, Fan, The American Statistician 50 (1996) 361), bitwise identical to numpy in
/// double. quartile: (5, sample, class). Allocates memory of the size of the members' probabilities. Precondition: all
/// finite.
template <class Exec>
void quartiles(const Exec& exec, const Cube<double, Exec>& quartile, const Members<Exec>& members);

}  // namespace krossfold::ensemble
