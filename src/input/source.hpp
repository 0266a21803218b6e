// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "krossfold/data/table_encoding.hpp"
#include "krossfold/tables/table.hpp"

namespace krossfold::input {

/// A SPEC in its parts: "idx:a,b" is {idx, a, b}, "npz:f:X,y" is {npz, f, X, y}.
struct Source {
  std::string kind;
  std::string file{};             ///< or a folder
  std::string first{}, second{};  ///< second file, or names of arrays in it

  bool converted = false;        ///< an HDF5 file that convert_data() wrote, read as a whole ...
  bool converted_table = false;  ///< ... which holds a table

  bool is_table() const {
    return kind == "csv" || kind == "npy" || kind == "npz" || (kind == "hdf5" && (!converted || converted_table));
  }
};

/// The parts of a SPEC; nothing if it does not begin with a known kind. Throws an input error if it names no file.
std::optional<Source> parse_source(const std::string& spec);

/// The parts of a SPEC or, for data to predict, of a path whose name gives the format; looks into an HDF5 file without paths to
/// see what it is. Throws an input error that suggests what to write otherwise.
Source known_source(const std::string& spec);
Source input_source(const std::string& input);

bool exists(const std::string& path);

/// Reads a table (source.is_table()), for an encoding if that is not null.
tables::Table read_source(const Source& source, const tables::TableParams& params,
                          const data::TableEncoding* encoding = nullptr);

}  // namespace krossfold::input
