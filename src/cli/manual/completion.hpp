// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "command_page.hpp"

namespace krossfold::cli {

/// The script that makes bash or zsh complete subcommands, options, their words, files and SPECs. Throws an input error for
/// other shells.
std::string completion_script(const std::string& shell, const std::vector<CommandPage>& pages);

std::string bash_completion(const std::vector<CommandPage>& pages);
std::string zsh_completion(const std::vector<CommandPage>& pages);

/// What an option takes besides its words, by its metavar.
enum class Completes { nothing, spec, input, file, hdf5, folder, subcommand };
Completes completes(const run::Option& option);

/// The words of an option as far as they can be completed: "voronoi:" for voronoi:SIZE.
std::vector<std::string> completed_words(const run::Option& option);

/// The kinds of SPEC: those that stand alone, and those after which a file or a folder follows.
struct SpecWords {
  std::vector<std::string> alone, before_files, before_folders;

  /// All of them, the latter two with the colon after which more follows.
  std::vector<std::string> beginnings() const;
};
SpecWords spec_words();

}  // namespace krossfold::cli
