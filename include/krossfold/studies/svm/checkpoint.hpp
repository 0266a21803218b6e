// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/svm/path.hpp"

namespace krossfold::studies {

/// The state of a path as bytes for UnitCheckpoints: the complete problems with their fits, decision values and
/// coefficients.
std::vector<std::byte> to_part(const svm::PathSolution<Device>& solution);

/// The path that to_part() was given, to be continued after its complete problems. Returns nothing if the bytes are
/// those of a path of other sizes: then the unit begins anew. Throws a run error if the bytes end too early.
std::optional<svm::PathSolution<Device>> from_part(std::span<const std::byte> bytes, int problems, int steps,
                                                   int samples, int outside);

}  // namespace krossfold::studies
