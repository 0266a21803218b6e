// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "command_page.hpp"

namespace krossfold::cli {

/// The words in lines of at most `columns`, which begin at column `indent`, the first after `start`; every line but the last ends
/// in `broken`.
std::string wrap(const std::string& start, std::size_t indent, const std::string& words, const std::string& broken = "",
                 std::size_t columns = 80);

inline const std::string program_description =
    "Krossfold tunes, trains and evaluates machine-learning models by cross-validation, from one core to many GPU "
    "nodes.";
inline const std::vector<std::string> program_usage = {"krossfold SUBCOMMAND [OPTION]...",
                                                       "mpirun -n RANKS krossfold SUBCOMMAND [OPTION]...",
                                                       "srun --mpi=pmix krossfold SUBCOMMAND [OPTION]..."};

/// What `krossfold SUBCOMMAND --help` prints, in lines of at most 80 columns; commands of examples are never broken inside a word.
std::string help_of(const CommandPage& page);

/// A command in lines that a shell takes for one; options stay with their values.
std::string in_lines(const std::string& command, std::size_t indent, std::size_t columns);

/// "The same on 4 ranks:", or "Is it finished?".
std::string titled(const run::Example& example);

/// What `krossfold --help` prints; `last` is a line at its end.
std::string overview(const std::vector<CommandPage>& pages, const std::string& last = "");

/// The subcommands with a line each.
std::string list_of(const std::vector<CommandPage>& pages);

}  // namespace krossfold::cli
