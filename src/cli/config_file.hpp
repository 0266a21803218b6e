// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the host compiler alone compiles config_file.cpp.

#include <string>
#include <utility>
#include <vector>

namespace krossfold::cli {

/// The content of the file of --config.
struct ConfigFile {
  std::vector<std::pair<std::string, std::string>> options;  ///< (long name without dashes, value), in the file's order
  /// What a result file from before an option existed did without saying so, for programs whose study has that option.
  std::vector<std::pair<std::string, std::string>> unsaid;
  std::string data_digest;  ///< of the data that a result file was computed from; "" for TOML
};

/// Reads the options of the subcommand `study` from a result file (the options it was computed with) or from a TOML file
/// (`folds = 10`, at its top or in a section named after the subcommand), whichever the content is. Options that are not set are
/// omitted. Throws an input error that names the file.
ConfigFile read_config(const std::string& path, const std::string& study);

}  // namespace krossfold::cli
