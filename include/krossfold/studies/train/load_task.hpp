// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "krossfold/input/spec.hpp"
#include "krossfold/parallel/communicator.hpp"
#include "krossfold/training/setup.hpp"

namespace krossfold::studies {

/// The data of trainings, and a note about them for the user ("" for none).
struct LoadedTask {
  training::TrainTask task;
  std::string note;  ///< "pets.txt: 52000 names; 31 characters folded, ..."
};

/// Rank 0 reads the data, names or labelled samples, and broadcasts them. Errors are thrown on every rank. Collective.
LoadedTask load_train_task(const parallel::Communicator& comm, bool names, const input::TaskParams& params,
                           std::uint64_t seed = 0);

}  // namespace krossfold::studies
