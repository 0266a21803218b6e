// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the host compiler alone compiles config_file.cpp.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace krossfold::cli {

/// The content of the file of --config.
struct ConfigFile {
  std::vector<std::pair<std::string, std::string>> options;  ///< (long name without dashes, value), in the file's order
  /// What a result file from before an option existed did without saying so, for programs whose study has that option.
  std::vector<std::pair<std::string, std::string>> unsaid;
  std::map<std::string, std::size_t> line;  ///< of a TOML file, where each option stands, from 1 on
  std::string data_digest;                  ///< of the data that a result file was computed from; "" for TOML
};

/// ", line 3" if the file has lines and the option stands in one; else "".
std::string line_of(const ConfigFile& config, const std::string& name);

/// Reads the options of the subcommand `study` from a result file (the options it was computed with) or from a TOML file
/// (`folds = 10`, at its top or in a section named after the subcommand), whichever the content is. Options that are not set are
/// omitted. Throws an input error that names the file, and the line of a TOML file; such a file has at most 1 MiB.
ConfigFile read_config(const std::string& path, const std::string& study);

/// True if an option that the user gave, with a value that is not empty, takes the place of `name`, which a file sets to `value`: --grid that
/// of c-values, for example.
bool is_replaced(const std::string& name, const std::string& value, const std::map<std::string, std::string>& given);
/// Throws an input error that begins with `where` if one of the options, by name, takes the place of another.
void refuse_contradictions(const std::map<std::string, std::string>& options, const std::string& where);

}  // namespace krossfold::cli
