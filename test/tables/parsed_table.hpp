// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/tables/table.hpp"
#include "test/data/sample_files.hpp"

namespace krossfold::tables {

/// A table of text that messages call t.csv.
inline Table table(const std::string& content, const TableParams& params = {},
                   const TableEncoding* encoding = nullptr) {
  return parse_table(test::bytes_of(content), "t.csv", params, encoding);
}

}  // namespace krossfold::tables
