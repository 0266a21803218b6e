// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the command line includes it.

#include <string>
#include <vector>

namespace krossfold::run {

/// A command line that works as it stands, and what it is for.
struct Example {
  std::string purpose, command;
};

/// What the help and the manual page of a subcommand say besides its options.
struct Guide {
  std::string description{};  ///< what it does, in a few sentences
  std::vector<Example> examples{};
  std::string pages{};               ///< of the documentation: "docs/solver.md"
  std::vector<std::string> usage{};  ///< its forms; if empty, one that is made of its arguments
};

}  // namespace krossfold::run
