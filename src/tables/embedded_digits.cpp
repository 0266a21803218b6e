// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/tables/embedded_digits.hpp"

#include "krossfold/data/read_file.hpp"
#include "krossfold/tables/readers.hpp"

namespace krossfold::tables {

// Defined in a source file that CMake generates from data/digits.csv.gz.
extern const unsigned char digits_csv_gz[];
extern const std::size_t digits_csv_gz_size;

std::vector<std::byte> embedded_digits_csv() {
  return data::gunzip(std::as_bytes(std::span(digits_csv_gz, digits_csv_gz_size)), "the embedded digits");
}

data::Dataset embedded_digits() {
  return parse_csv(embedded_digits_csv(), "digits");  // recognised as 8x8 images: 64 integers from 0 to 16
}

}  // namespace krossfold::tables
