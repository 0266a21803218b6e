// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "krossfold/run/study_kind.hpp"

namespace krossfold::studies {

/// `krossfold bag`.
std::unique_ptr<run::StudyKind> bag_kind();

}  // namespace krossfold::studies
