// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "krossfold/data/dataset.hpp"
#include "krossfold/parallel/communicator.hpp"

namespace krossfold::parallel {

/// Rank 0 loads a task and every rank gets it: one reader whatever the number of ranks. An error of `load` is thrown on
/// every rank.
data::Task load_and_broadcast(const Communicator& comm, const std::function<data::Task()>& load);

}  // namespace krossfold::parallel
