// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "krossfold/data/class_weight.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/data/folds.hpp"
#include "krossfold/data/scale.hpp"
#include "krossfold/measures/choose_cell.hpp"
#include "krossfold/studies/svm/params.hpp"
#include "krossfold/svm/decomposition.hpp"
#include "krossfold/svm/kernel_function.hpp"
#include "krossfold/svm/points.hpp"

namespace krossfold::studies {

/// A search whose data is known; the same on every rank.
struct SvmLayout {
  SvmParams params;
  svm::KernelFunction kernel;    ///< but for gamma
  std::vector<double> c, gamma;  ///< ascending; 10^linspace(log10 range); gamma is 1 alone if the kernel has none
  run::Range log10_gamma;        ///< given or default; 0 to 0 if the kernel has no gamma
  data::FoldSplit folds;
  data::NestedFolds nested;  ///< without folds if not asked for
  data::Scale scale;
  data::ClassWeights class_weights;
  bool weights_of_fold = false;  ///< class_weights are factors that were counted for one fold: another's differ
  svm::Multiclass multiclass = svm::Multiclass::one_vs_rest;  ///< what is computed, see decomposition_of()
  measures::SelectionRule selection;                          ///< by which the best cell is best
  int samples = 0, features = 0, classes = 0, test_samples = 0;
  bool sparse = false;       ///< whether the training samples are; the next count entries of both parts
  std::int64_t entries = 0;  ///< 0 of dense parts
  int problems = 0;          ///< binary problems of a fit of all classes
  int largest_problem = 0;   ///< samples of the largest of them

  svm::KernelFunction kernel_at(double value_of_gamma) const {
    svm::KernelFunction at = kernel;
    at.gamma = value_of_gamma;
    return at;
  }
  svm::PointForm point_form(const data::Dataset& samples) const { return svm::best_form(samples, scale, kernel.kind); }
  int outer_folds() const { return nested.outer.folds(); }
};

/// Checks the options against the data and lays out the search. Throws an input error that names an invalid option.
SvmLayout lay_out_svm(const SvmParams& given, const data::Task& task);

/// `count` values 10^x with x equally spaced over the range; a single value lies in its middle.
std::vector<double> log_space(const run::Range& range, int count);

/// The number of values of an axis in a round of refinement: 7, or 1 if the grid has a single value.
int refined_count(int count);

/// The values of an axis in round 1, 2, ... of refinement: centre * 10^(k s) for k = -3 ... 3, where s is the spacing
/// of the grid's `count` values over the range of log10, divided by 4^round. They reach 3/4 of the way to the
/// neighbours of the centre in the round before, and may lie outside the range.
std::vector<double> refined_axis(const run::Range& log10_range, int count, double centre, int round);

}  // namespace krossfold::studies
