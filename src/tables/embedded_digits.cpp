// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/read_file.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table.hpp"

namespace krossfold::tables {

// Defined in a source file that CMake generates from data/digits.csv.gz.
extern const unsigned char digits_csv_gz[];
extern const std::size_t digits_csv_gz_size;

data::Dataset embedded_digits(const std::vector<std::string>& known_classes) {
  const TableParams params{.delimiter = "comma", .header = "no", .image = "8x8"};
  const auto packed = std::as_bytes(std::span(digits_csv_gz, digits_csv_gz_size));
  const Table table = parse_table(data::gunzip(packed, "the embedded digits"), "digits", params);
  data::Dataset digits = encode(table, fit_encoding(table, {}, params), params, known_classes);
  digits.encoding = nullptr;  // images, not a table
  return digits;
}

}  // namespace krossfold::tables
