// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace krossfold::tables {

/// One of the first lines of a table.
struct SampleLine {
  std::string_view content;
  int number;  ///< in the file, from 1
};

using Fields = std::vector<std::string>;

/// The fields of each line; none where its quotes are wrong with this delimiter.
std::vector<Fields> split_lines(const std::vector<SampleLine>& lines, char delimiter, const std::string& file);

/// Whether fields are several, one of which is a word, so that no sample has all of them if they are names.
bool may_be_names(const Fields& fields);

/// Whether a line has these fields, behind a byte order mark or not, as where files that each have a header were joined. No line has none.
bool repeats_names(std::string_view line, const Fields& names, char delimiter);

/// Removes the lines that repeat the first, if it has several fields, one of which is a word, and cannot be a sample: a word of it stands
/// above numbers, or the lines that repeat it are at most a third of those below and no field of it stands in its column of another line.
/// Returns the number of the first of them in the file, or 0.
int leave_out_repeated(std::vector<SampleLine>& lines, std::vector<Fields>& split, char delimiter);

/// Whether a line has quotes behind backslashes that stand within fields, as R escapes them, and not at their ends (a folder of Windows):
/// it then has this number of fields, and cannot be read otherwise.
bool has_escaped_quotes(std::string_view line, char delimiter, std::size_t fields);

/// What to do about it.
std::string advice_on_escapes(int line);

/// Refuses a line that repeats the header.
[[noreturn]] void throw_repeated_names(const std::string& file, int line, int header);

/// Throws an input error that says which --skip-lines seems right, if other lines stand above the table: all lines from a later one on have
/// equally many fields, two or more, which none before it has; or the first line fills its first field alone, with a word, and
/// a later one, with numbers below, all of its fields with words. `delimiter` is that of the table, with which the fields
/// of the lines are those of `line`; no other is tried if it was `given`.
void check_start(const std::vector<SampleLine>& lines, const std::vector<Fields>& line, char delimiter, bool given,
                 const std::string& file);

}  // namespace krossfold::tables
