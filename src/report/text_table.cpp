// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/report/text_table.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace krossfold::report {

std::string text_table(const std::vector<Cells>& lines, std::size_t left) {
  std::vector<std::size_t> width(lines[0].size(), 0);
  for (const Cells& cells : lines) {
    for (std::size_t k = 0; k < cells.size(); ++k) width[k] = std::max(width[k], cells[k].size());
  }
  std::ostringstream out;
  for (const Cells& cells : lines) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      out << "  " << (k < left ? std::left : std::right) << std::setw(static_cast<int>(width[k])) << cells[k];
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace krossfold::report
