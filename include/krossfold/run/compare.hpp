// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/run/study_kind.hpp"

namespace krossfold::run {

/// Compares finished result files of one study that ran in different places: "3 against 8 GPUs", "A100 against H100". For each
/// file it also gives the time on the numbers of ranks of the others: measured, or modelled from the file's own times.
/// Files of different studies, which have no such model, are listed by their test errors (run/leaderboard.hpp).
/// Throws an input error if there are fewer than two files, or if files of one study are not finished or have no times.
report::Document compare(const StudyRegistry& registry, const std::vector<ResultFile>& files);

}  // namespace krossfold::run
