// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/core/view.hpp"
#include "krossfold/svm/path.hpp"

namespace krossfold::study {

/// The name under which an unfinished unit keeps what it has found: "unit-1-3-2-0.part" for (kind 1; 3, 2, 0).
std::string part_name(const UnitKey& key);

/// What a path has found so far, as bytes: the problems that are complete, with their fits, decision values and coefficients,
/// and a CRC-64 of all. `identity` tells what the bits depend on: study, data, build, unit.
std::vector<std::byte> to_part(const svm::PathSolution<Device>& solution, std::uint64_t identity);

/// The path that these bytes were made from, to be continued (`done` is what is complete). Nothing if they are damaged, of
/// another identity or of other sizes: then the unit begins anew.
std::optional<svm::PathSolution<Device>> from_part(std::span<const std::byte> bytes, std::uint64_t identity,
                                                   int problems, int steps, int samples, int outside);

}  // namespace krossfold::study
