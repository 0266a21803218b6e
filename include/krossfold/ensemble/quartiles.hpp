// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "krossfold/ensemble/members.hpp"

namespace krossfold::ensemble {

/// What quartiles gives of each probability: its rows, in this order.
enum Quartile : int { least, lower_quartile, median, upper_quartile, greatest, quartile_count };

/// quartile(q, i, c): least value, quartiles and greatest value of the members' probabilities of class c for sample i: what
/// a box plot draws. The share s = q / 4 lies at position s (M - 1) of the M sorted values, and between two of them in
/// proportion: numpy's rule "linear" (number 7 of Hyndman, Fan, The American Statistician 50 (1996) 361), to the bit for
/// values in double.
/// quartile: (5, sample, class). Takes working memory of the size of the members' probabilities. Precondition: all finite.
template <class Exec>
void quartiles(const Exec& exec, const Cube<double, Exec>& quartile, const Members<Exec>& members);

}  // namespace krossfold::ensemble
