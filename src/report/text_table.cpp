// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/report/text_table.hpp"

#include <algorithm>
#include <sstream>

namespace krossfold::report {

std::size_t letters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string text_table(const std::vector<Cells>& lines, std::size_t left) {
  std::vector<std::size_t> width(lines[0].size(), 0);
  for (const Cells& cells : lines) {
    for (std::size_t k = 0; k < cells.size(); ++k) width[k] = std::max(width[k], letters(cells[k]));
  }
  std::ostringstream out;
  for (const Cells& cells : lines) {
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::string space(width[k] - letters(cells[k]), ' ');
      out << "  " << (k < left ? cells[k] + space : space + cells[k]);
    }
    out << "\n";
  }
  return out.str();
}

}  // namespace krossfold::report
