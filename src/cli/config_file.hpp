// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// No Kokkos here: compiled by the host compiler alone.

#include <string>
#include <utility>
#include <vector>

namespace krossfold::cli {

/// What `--config FILE` says.
struct ConfigFile {
  std::vector<std::pair<std::string, std::string>> options;  ///< (long name without dashes, value), in their order
  std::string data_digest;                                   ///< of a result file: of the data it was computed from
};

/// Reads the options of `study` (a subcommand) from a result file (those it was computed with) or from a TOML file (`folds = 10`, at
/// its top or in a section named like it), whichever the content says that it is. Options that are not set are left out. Throws an
/// input error that names the file.
ConfigFile read_config(const std::string& path, const std::string& study);

}  // namespace krossfold::cli
