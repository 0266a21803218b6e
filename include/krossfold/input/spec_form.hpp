// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Free of Kokkos, because the command line includes it.

#include <string>
#include <vector>

namespace krossfold::input {

/// A kind of SPEC: what it is called, what follows it, and what it is, in one line.
struct SpecForm {
  std::string kind, rest{}, meaning{};
};
std::vector<SpecForm> spec_forms();

/// "digits, mnist[:DIR], ... or images:FOLDER".
std::string listed_spec_forms();

}  // namespace krossfold::input
