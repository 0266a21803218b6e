// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace krossfold::tables {

/// Why the line `candidate` of `line`, above samples, looks as if it held names that are numbers, such as wavelengths, years or
/// times: a clause about "its numbers", or "" if it looks like a sample. The lines above it are not looked at; all have equally
/// many fields, and those that are no numbers are left out. The line is doubtful if one of these holds, which hardly ever happens by
/// chance:
/// - ten or more numbers ascend (or descend) but for a tenth, with up to two left out at the ends, which may be an index and a
///   label, and none of 30 lines or more below does so;
/// - 4 or more steps from field to field (5 above less than 30 lines), and two thirds of them, are equal and not 0, which no line
///   below shows;
/// - all numbers but one or two, at least two, lie far outside the ranges of their columns, on the same side: by more than
///   1 + 60 / n times the range of the n lines below;
/// - two or more whole numbers, all different, stand above columns in which all of ten lines or more have a decimal point;
/// - all numbers, with up to two left out at the ends, ascend or descend, which no more than half of the lines below do, and the
///   last or the first is a value of no line below, although these have few values there: a label that is none.
std::string header_of_numbers(const std::vector<std::vector<std::string>>& line, std::size_t candidate);

/// True if the line below the names `line[0]` looks like a second line of names, as pandas writes columns of two levels: there are
/// equal names, next to one another, and below each set of them the numbers ascend, which no more than a tenth of the lines below does.
bool continues_header(const std::vector<std::vector<std::string>>& line);

}  // namespace krossfold::tables
