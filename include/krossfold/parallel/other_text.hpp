// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// A rank that has another text than rank 0.
struct OtherText {
  int rank = 0;
  std::string text, of_root;
};

/// The first such rank, if there is one, on every rank. Collective.
std::optional<OtherText> find_other_text(const Communicator& comm, const std::string& text);

}  // namespace krossfold::parallel
