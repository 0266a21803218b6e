// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "krossfold/run/study_kind.hpp"

namespace krossfold::run {

/// Digest of the labels, sample numbers and class names of the test part that a result file stores in `group` ("/test"); "" if it
/// stores none. Two studies with the same data and digest were tested on the same samples.
std::string test_part_of(const ResultFile& file, const std::string& group);

/// An interval that holds the error of a classifier with a confidence of about 95 %, when a share `error` of `samples` test samples
/// is wrong (Wilson, J. Amer. Statist. Assoc. 22 (1927) 209): (p + z²/2n ± z sqrt(p (1 - p) / n + z²/4n²)) / (1 + z²/n), z = 1.96.
struct Interval {
  double low, high;
};
Interval wilson_interval(double error, int samples);

/// Studies of any kinds and data, best test error first within each test part. Errors are set side by side only for equal test
/// parts of equal data; what was not tested comes last, without a place. Throws an input error if there are fewer than two files.
report::Document leaderboard(const StudyRegistry& registry, const std::vector<ResultFile>& files);

}  // namespace krossfold::run
