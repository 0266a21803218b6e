// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "krossfold/data/dataset.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// Loads a task on rank 0 and broadcasts it, so that the input is read once for any number of ranks. Errors of `load`
/// are thrown on every rank.
data::Task load_and_broadcast(const Communicator& comm, const std::function<data::Task()>& load);

}  // namespace krossfold::parallel
