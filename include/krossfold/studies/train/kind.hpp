// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "krossfold/run/study_kind.hpp"

namespace krossfold::studies {

/// The kinds of `krossfold train`, a single training, and `krossfold names`, a grid of trainings.
std::unique_ptr<run::StudyKind> train_kind();
std::unique_ptr<run::StudyKind> names_kind();

}  // namespace krossfold::studies
