// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/study/svm_params.hpp"
#include "krossfold/svm/decomposition.hpp"

namespace krossfold::study {

/// What a search is, once its data is known: the same on every rank.
struct SvmSearch {
  SvmParams params;
  std::vector<double> c, gamma;  ///< ascending; 10^linspace(log10 range)
  Range log10_gamma;             ///< as used
  data::FoldSplit folds;
  data::Scale scale;
  svm::Multiclass multiclass = svm::Multiclass::one_vs_rest;
  int samples = 0, features = 0, classes = 0, test_samples = 0;
  int problems = 0;  ///< binary problems of a fit of all classes
};

/// Checks the options against the data and lays out the search. Throws an input error that names the option.
SvmSearch plan_svm(const SvmParams& params, const data::Task& task);

/// `count` values 10^x, x equally spaced over the range (its middle for one value).
std::vector<double> log_space(const Range& range, int count);

}  // namespace krossfold::study
