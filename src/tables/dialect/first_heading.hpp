// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "table_start.hpp"

namespace krossfold::tables {

/// Whether the first of the headings `split[0]` seems to stand above the first column of the lines below, which have one field more, and
/// not, as in tables of R, above the second, by its words and by both columns. It is so
/// - if its last word names things (country) or numbers of things (plot.no, an identifier), and the second column is of numbers behind words (for
///   numbers of things: not of whole numbers that differ), has a fraction, or, without the quotes of R, equal fields (for things, equal
///   numbers behind a first column that does not count);
/// - if one of its words is year, date, day or time, which the first column holds and the second does not; of times that are whole numbers,
///   if that word is the last, but for a unit.
/// It is not so if the second heading has the same words (sample1, sample2; those of dates with what stands in brackets), or if R quoted (`as_r`) its default names (`counted`).
bool heads_first(const std::vector<Fields>& split, bool as_r, bool counted);

}  // namespace krossfold::tables
