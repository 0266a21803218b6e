// SPDX-License-Identifier: BSD-3-Clause
#include "line_warnings.hpp"

#include "krossfold/core/text.hpp"

namespace krossfold::tables {

void warn_of_lines(const TableLines& lines, bool names_in_comment, std::vector<std::string>& warning) {
  if (const int comments = lines.comments() - (names_in_comment ? 1 : 0); comments > 0) {
    warning.push_back(comments == 1 ? "1 line that starts with # was skipped as a comment"
                                    : text(comments, " lines that start with # were skipped as comments"));
  }
  if (const int joined = lines.joined(); joined > 0) {
    const auto [first, last] = lines.first_joined();
    warning.push_back(text(joined, joined == 1 ? " row goes" : " rows go", " over several lines, within quotes (",
                           joined == 1 ? "" : "the first ", "in lines ", first, " to ", last, ")"));
  }
  if (const int empty = lines.empty(); empty > 0) {
    warning.push_back(text(empty, empty == 1 ? " line" : " lines", " of nothing but delimiters ",
                           empty == 1 ? "was" : "were", " skipped"));
  }
}

}  // namespace krossfold::tables
