// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "krossfold/measures/confusion.hpp"
#include "krossfold/report/document.hpp"
#include "krossfold/run/result_summary.hpp"
#include "krossfold/storage/field.hpp"

namespace krossfold::run {

/// What reports of all studies say of predicted classes. A matrix without classes means that the file has none: nothing is said.

/// The confusion matrix in a file of so many classes, (class, predicted), if the file has that dataset.
measures::Confusion read_confusion(const storage::FieldReader& file, const storage::Field<std::int32_t>& of,
                                   int classes);

/// Warns of classes with at least five samples ("test", "held-out") of which less than half are recognised: a low error hides these
/// where they are rare. The matrix counts each sample once in each repeat.
void warn_of_lost_classes(ResultSummary& summary, const measures::Confusion& confusion,
                          const std::vector<std::string>& class_name, const std::string& of, int repeats = 1);

/// "balanced error 3.20 %, f1 macro 0.968": errors as percentages, without those that are NaN.
std::string measures_text(const std::vector<std::pair<std::string, double>>& values);

/// Adds a line with the balanced error, the macro averages and Matthews' correlation, and the facts test.balanced_error,
/// test.f1_macro and test.mcc; and, where the largest class has most samples, a line with the error of naming it always
/// (test.baseline_error). `scores`: further measures of the test part, that need more than the confusion matrix, by their names in words;
/// "roc auc" is the fact test.roc_auc.
void add_test_measures(report::Document& document, const measures::Confusion& confusion,
                       const std::vector<std::string>& class_name,
                       const std::vector<std::pair<std::string, double>>& scores = {});

/// Adds a table with a row for each class: its measures, and the confusion matrix. The text form has up to 30 classes, and the
/// matrix up to 12.
void add_classes(report::Document& document, const measures::Confusion& confusion,
                 const std::vector<std::string>& class_name, const std::string& key, const std::string& heading);

}  // namespace krossfold::run
