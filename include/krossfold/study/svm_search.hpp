// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/study/svm_params.hpp"

namespace krossfold::study {

/// What a search is, once its data is known: the same on every rank.
struct SvmSearch {
  SvmParams params;
  std::vector<double> c, gamma;  ///< ascending; 10^linspace(log10 range)
  Range log10_gamma;             ///< as used
  data::FoldSplit folds;
  data::Scale scale;
  int samples = 0, features = 0, classes = 0, test_samples = 0;
};

/// Checks the options against the data and lays out the search. Throws an input error that names the option.
SvmSearch plan_svm(const SvmParams& params, const data::Task& task);

/// `count` values 10^x, x equally spaced over the range (its middle for one value).
std::vector<double> log_space(const Range& range, int count);

/// Bytes of device memory a rank needs: the distances, one kernel matrix and the training part of one fold.
std::uint64_t memory_estimate(const SvmSearch& search);

/// Bytes of main memory of this machine.
std::uint64_t machine_memory();

}  // namespace krossfold::study
