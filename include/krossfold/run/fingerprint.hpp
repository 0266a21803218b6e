// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/run/options.hpp"
#include "krossfold/storage/journal.hpp"

namespace krossfold::run {

/// The fingerprint of a study with these options on these data, which count by their values, not by the spelling of their
/// path. An option that an older fingerprint lacks had its default or older_values().
storage::Fingerprint make_fingerprint(const std::vector<OptionValue>& options, const data::Task& task);

/// CRC-64 of what determines a unit's state: options and data, the backend and the bytes of the running program, since two programs
/// may give the same description of themselves. Not of the processor and the BLAS kernel, which change last bits alone.
std::uint64_t identity_of(const storage::Fingerprint& fingerprint);

}  // namespace krossfold::run
