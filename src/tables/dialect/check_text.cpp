// SPDX-License-Identifier: BSD-3-Clause
#include "check_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::tables {
namespace {

/// The first byte that is not UTF-8 (RFC 3629, without its rules on surrogates), or npos.
std::size_t find_other_than_utf8(std::string_view content) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(content[i]); };
  const auto follows = [&](std::size_t i) { return i < content.size() && (byte(i) & 0xC0) == 0x80; };
  for (std::size_t i = 0; i < content.size(); ++i) {
    std::uint64_t eight = 0;
    while (i + 8 <= content.size()) {  // plain ASCII
      std::memcpy(&eight, content.data() + i, 8);
      if ((eight & 0x8080808080808080U) != 0) break;
      i += 8;
    }
    if (i == content.size() || byte(i) < 0x80) continue;
    const std::size_t more = byte(i) >= 0xF0 ? 3 : byte(i) >= 0xE0 ? 2 : 1;
    if (byte(i) < 0xC2 || byte(i) > 0xF4) return i;
    for (std::size_t k = 1; k <= more; ++k) {
      if (!follows(i + k)) return i;
    }
    i += more;
  }
  return std::string_view::npos;
}

}  // namespace

void check_text(std::span<const std::byte> bytes, const std::string& file) {
  const std::string_view content(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (content.starts_with("\xFF\xFE") || content.starts_with("\xFE\xFF")) {
    throw_input_error(text(file, " is text in UTF-16"), "tables are read in UTF-8", "save it as UTF-8");
  }
  using namespace std::string_view_literals;
  for (const auto& [begin, what, hint] :
       {std::array{"PK\x03\x04"sv, "an Excel workbook or another ZIP archive"sv, "save it as CSV"sv},
        std::array{"PAR1"sv, "a Parquet file"sv, "save it as CSV, as pandas does with DataFrame.to_csv"sv},
        std::array{"\x93NUMPY"sv, "an array of NumPy"sv, "name it as npy:FILE"sv},
        std::array{"\x89HDF"sv, "an HDF5 file"sv, "name it as hdf5:FILE"sv},
        std::array{"\xD0\xCF\x11\xE0"sv, "an old Excel workbook"sv, "save it as CSV"sv},
        std::array{"SQLite format 3"sv, "an SQLite database"sv, "save the table as CSV"sv},
        std::array{"\x80\x04\x95"sv, "a pickle of Python"sv, "save it as CSV or .npy"sv},
        std::array{"\x80\x05\x95"sv, "a pickle of Python"sv, "save it as CSV or .npy"sv}}) {
    if (!content.starts_with(begin) || (begin == "PAR1" && !content.ends_with(begin))) continue;
    throw_input_error(text(file, " is no table of text"), text("it begins like ", what), std::string(hint));
  }
  const std::string_view start = content.substr(0, 1 << 16);
  if (const auto zero = start.find('\0'); zero != std::string_view::npos) {
    throw_input_error(text(file, " is no table of text"), text("byte ", zero, " is zero"), "");
  }
  if (const std::size_t other = find_other_than_utf8(content); other != std::string_view::npos) {
    const auto line = 1 + std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(other), '\n');
    throw_input_error(text(file, ", line ", line, " is not in UTF-8"), text("byte ", other, " is part of no letter"),
                      text("Convert it, for example with iconv -f WINDOWS-1252 -t UTF-8 ", file, "."));
  }
  const auto line_end = start.find('\n'), carriage_return = start.find('\r');
  if (carriage_return != std::string_view::npos && carriage_return + 1 < content.size() &&
      (line_end == std::string_view::npos || carriage_return + 1 < line_end)) {
    throw_input_error(text(file, " ends its lines with CR alone"), text("the first is byte ", carriage_return),
                      "save it with line ends LF or CRLF");
  }
}

}  // namespace krossfold::tables
