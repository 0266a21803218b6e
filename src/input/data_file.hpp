// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The HDF5 files that convert_data() writes: the table or the samples of a SPEC as the program holds them, before anything is
// filled in, encoded, split or scaled. docs/data.md lists the arrays.

#include <string>

#include "krossfold/storage/container.hpp"
#include "krossfold/tables/readers.hpp"
#include "krossfold/tables/table.hpp"

namespace krossfold::input {

enum class DataFileKind { other, table, samples };

/// What an HDF5 file is; `other` for one that convert_data() did not write. Throws an input error if it cannot be read, or if a
/// later version wrote it.
DataFileKind kind_of_data_file(const std::string& file);

/// The contents of a data file; `source` is the SPEC. `test` may be null.
storage::Container content_of(const tables::Table& table, const std::string& source);
storage::Container content_of(const data::Dataset& samples, const data::Dataset* test, bool limit_keeps_first,
                              const std::string& source);

/// Reads them back; x goes directly to where it stays. The roles of columns are those that were converted: `params` must not name
/// others. Throws an input error for content that does not fit together, and those of tables::finish_table().
tables::Table read_data_table(const std::string& file, const tables::TableParams& params,
                              const tables::TableEncoding* encoding);

/// The test part lies in the group /test.
enum class DataPart { whole, test };
bool has_test_samples(const std::string& file);
bool limit_keeps_first(const std::string& file);
data::Dataset read_data_samples(const std::string& file, DataPart part, const tables::ReadParams& params);

}  // namespace krossfold::input
