// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Fields that the result files of searches with and without parts share.

#include <cstdint>
#include <vector>

#include "krossfold/core/unit.hpp"
#include "krossfold/data/dataset.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/storage/field.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/studies/svm/units.hpp"

namespace krossfold::studies {

/// The predicted class of each row of decision values (row, problem).
std::vector<std::int32_t> predicted_rows(const SvmLayout& search, const std::vector<double>& decision);

/// The cell's place, its C and gamma, and its mean error.
void add_best_cell(const storage::FieldWriter& file, const SearchRound& round, const Cell& best);

/// Means over folds of the measures that all of them have, and the confusion matrix of all their samples. The results have the value
/// of C number `c`, which may be that of one value alone.
void add_measures_of(const storage::FieldWriter& file, const std::vector<FoldResult>& folds, std::size_t c,
                     int classes);

/// The out-of-fold predictions of all training samples. decision: (repeat and sample, problem).
void add_out_of_fold(const storage::FieldWriter& file, const SvmLayout& search, const data::Task& task,
                     const std::vector<double>& decision);

/// The model of a refit, and what it predicts of the test part: classes, decision values, and the probabilities of the sigmoids, one for each
/// binary problem, if there are any. Where a decision value is not finite there are only the classes, and the attribute
/// "test_decision_failed". Throws a run error if the predictions are not those of the test part.
void add_model(storage::Container& content, const SvmLayout& search, const data::Task& task, const RefitResult& result,
               const std::vector<svm::Sigmoid>& sigmoid = {});

}  // namespace krossfold::studies
