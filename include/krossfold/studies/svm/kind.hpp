// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "krossfold/run/study_kind.hpp"

namespace krossfold::studies {

/// `krossfold svm`.
std::unique_ptr<run::StudyKind> svm_kind();

}  // namespace krossfold::studies
