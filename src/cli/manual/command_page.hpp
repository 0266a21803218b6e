// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// What help, manual pages and completions say of a subcommand. Free of Kokkos, because the host compiler alone compiles
// command_page.cpp.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "krossfold/run/guide.hpp"
#include "krossfold/run/option_table.hpp"

namespace krossfold::cli {

/// A subcommand: its options in groups, in the order in which the groups begin.
struct CommandPage {
  struct Group {
    std::string heading;
    std::vector<run::Option> options;
  };
  std::string name, summary;  ///< the name is "" for the program itself
  run::Guide guide;           ///< with its usage filled in
  std::vector<Group> groups;

  std::vector<run::Option> options() const;
  /// True if the subcommand runs a study: only these take --config.
  bool is_study() const;
  /// The words of the command's first argument that choose its options, such as lstm of train; {} if none does.
  std::vector<std::string> kinds() const;
  /// The same page with the options that have a meaning for this word of the first argument; all of it if no option is of that word.
  CommandPage restricted_to(const std::string& word) const;
};

/// The page of a subcommand. Options that stand in none of the tables are described as CLI11 knows them.
CommandPage page_of(const CLI::App& app, const std::vector<const run::OptionTable*>& tables, const run::Guide& guide);

/// "-o, --output FILE.h5", "--no-refit", or "INPUT..." of an argument.
std::string heading_of(const run::Option& option);
/// The name that completions offer: "--output", or "--no-refit" of a flag that is set by default.
std::string shown_name(const run::Option& option);
/// The help of an option after the words that it is only of: "cnn, mlp: learning rate".
std::string purpose_of(const run::Option& option);
/// That with its default.
std::string description_of(const run::Option& option);

/// Exit codes with their meanings. Studies alone stop and continue: a signal ends other commands.
std::vector<run::Choice> exit_codes(bool of_study);

}  // namespace krossfold::cli
