// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/svm/path.hpp"

namespace krossfold::studies {

/// What a path has found so far, as bytes for UnitCheckpoints: the problems that are complete, with their fits, decision values and
/// coefficients.
std::vector<std::byte> to_part(const svm::PathSolution<Device>& solution);

/// The path that these bytes were made from, to be continued (`done` is what is complete). Nothing if they are of other sizes:
/// then the unit begins anew. Throws a run error if they end too early.
std::optional<svm::PathSolution<Device>> from_part(std::span<const std::byte> bytes, int problems, int steps,
                                                   int samples, int outside);

}  // namespace krossfold::studies
