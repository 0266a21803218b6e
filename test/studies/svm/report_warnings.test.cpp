// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/report.hpp"

#include "krossfold/core/text.hpp"
#include "test/studies/svm/sample_report.hpp"

namespace krossfold::studies {
namespace {

using namespace test_report;

TEST(ReportWarnings, of_an_unfinished_search_says_best_so_far_and_gives_no_advice_on_edges) {
  storage::Container content = sample_result(0);
  content.attributes["status"] = std::string("stopped");
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), "smallest"), 0);
  const std::string shown = report::to_text(svm_document({"r.h5", content}));
  EXPECT_NE(shown.find("best so far"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("best cell "), std::string::npos) << shown;
}

TEST(ReportWarnings, warns_of_the_edge_at_both_ends_and_only_there) {
  EXPECT_EQ(warnings_with(make_report(sample_result(0), "r.h5"), "C is the smallest"), 1);
  EXPECT_EQ(warnings_with(make_report(sample_result(1), "r.h5"), "edge"), 0);
  EXPECT_EQ(warnings_with(make_report(sample_result(2), "r.h5"), "edge"), 0);
  EXPECT_EQ(warnings_with(make_report(sample_result(3), "r.h5"), "C is the largest"), 1);
}

TEST(ReportWarnings, gives_no_advice_on_an_edge_where_an_equally_good_cell_lies_inside) {
  storage::Container content = sample_result(0);
  for (storage::Array& array : content.arrays) {
    if (array.path != field.fold_error.path) continue;
    auto& error = std::get<std::vector<double>>(array.values);
    const std::size_t first = 1 * cs * folds, inside = first + 2 * folds;
    ASSERT_NE(error[first], error[first + 1]);
    error[inside] = error[first + 1];  // the same mean over two folds
    error[inside + 1] = error[first];
  }
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), "edge"), 0);
}

TEST(ReportWarnings, names_the_linear_kernel_where_the_smallest_gamma_is_best) {
  storage::Container content = sample_result(2);
  const double smallest = content.values<double>(field.gamma.path)[0];
  for (storage::Array& array : content.arrays) {
    if (array.path == field.best_gamma_index.path) std::get<std::vector<std::int32_t>>(array.values)[0] = 0;
    if (array.path == field.best_gamma.path) std::get<std::vector<double>>(array.values)[0] = smallest;
  }
  const char *edge = "gamma is the smallest value searched; widen --log10-gamma or --gamma-values",
             *advice = "or compare --kernel-function linear";
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), edge), 1);
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), advice), 1);
  content.attributes["config"] = std::string(R"({"kernel-function": {"value": "polynomial", "default": false}})");
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), edge), 1);
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), advice), 0);
}

TEST(ReportWarnings, says_that_the_best_cell_names_a_single_class) {
  storage::Container content = sample_result(0);
  const storage::FieldWriter writer(content);
  writer.put_index(field.best_predicted, 3);
  writer.put(field.best_confusion, std::vector<std::int32_t>{0, 36, 0, 0, 15, 0, 0, 9, 0});
  const SvmReport report = make_report(content, "r.h5");
  EXPECT_EQ(warnings_with(report, text("the best cell names no class but ", report.class_name.at(1), ", and no cell")),
            1);
  EXPECT_EQ(warnings_with(report, "C is the smallest"), 1) << "the grid may lie elsewhere";
  for (const char* config : {R"({"select-by": {"value": "mcc", "default": false}})",
                             R"({"class-weight": {"value": "balanced", "default": false}})"}) {
    content.attributes["config"] = std::string(config);
    EXPECT_EQ(warnings_with(make_report(content, "r.h5"), "names no class but"), 0) << config;
  }
  content.attributes.erase("config");
  std::erase_if(content.arrays, [](const storage::Array& array) { return array.path == field.best_confusion.path; });
  writer.put(field.best_confusion, std::vector<std::int32_t>{35, 1, 0, 15, 0, 0, 9, 0, 0});
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), "names no class but"), 0);
}

/// Half of three classes' samples, of folds 0 and 1; the second class wins by 0.3, or for some of each fold by `margin`.
SvmReport open_report(const std::string& multiclass, double margin, int some, std::vector<double> violation) {
  storage::Container content = sample_result(2);
  content.attributes["config"] = text(R"({"tolerance": {"value": "0.001", "default": true}, "multiclass": {"value": ")",
                                      multiclass, R"(", "default": false}})");
  const storage::FieldWriter writer(content);
  std::vector<double> decision;
  std::vector<std::int32_t> fold;
  for (int i = 0; i < 40; ++i) {
    fold.push_back(i % 2);
    const double by = i < some ? margin : 0.3;
    if (multiclass == "ovo") decision.insert(decision.end(), {-0.4, 1e-9, by / 2});
    if (multiclass == "ovr") decision.insert(decision.end(), {0.1, 0.5, 0.5 - by});
  }
  writer.put(field.out_sample, std::vector<std::int32_t>(40, 0));
  writer.put(field.out_fold, fold);
  writer.put(field.out_prediction, std::vector<std::int32_t>(40, 1));
  writer.put(field.out_decision, decision);
  // Of the best cell alone: of fold 0 the second problem, of fold 1 the first.
  std::vector<double> found(content.values<double>(field.kkt_violation.path).size(), 1.0);
  const auto index = [&](const auto& of) { return static_cast<std::size_t>(content.values<std::int32_t>(of.path)[0]); };
  const std::size_t cell = index(field.best_gamma_index) * cs + index(field.best_c_index),
                    folds = content.values<std::int32_t>(field.fold.path).size();
  std::erase_if(content.arrays, [](const storage::Array& array) { return array.path == field.kkt_violation.path; });
  if (!violation.empty()) {
    const std::size_t first = cell * folds * classes;
    std::fill_n(found.begin() + static_cast<std::ptrdiff_t>(first), folds * classes, 0.0);
    found[first + 1] = violation[0];
    found[first + classes] = violation[1];
    writer.put(field.kkt_violation, found);
  }
  return make_report(content, "r.h5");
}

TEST(ReportWarnings, warns_where_the_fits_of_the_best_cell_leave_predictions_open) {
  for (const char* multiclass : {"ovr", "ovo"}) {
    SCOPED_TRACE(multiclass);
    const auto open = [&](double margin, int some, const std::vector<double>& violation) {
      return open_report(multiclass, margin, some, violation);
    };
    const SvmReport found = open(4e-4, 30, {1e-3, 5e-4});
    EXPECT_EQ(warnings_with(found, "75.00 % of the out-of-fold predictions of the best cell hang on smaller"), 1);
    EXPECT_EQ(warnings_with(found, "give --tolerance 1e-06, with which fits take longer, or other"), 1);
    EXPECT_EQ(warnings_with(open(4e-4, 30, {}), "75.00 % of the"), 1) << "by the tolerance";
    EXPECT_EQ(warnings_with(open(4e-4, 30, {1e-3, 3e-4}), "37.50 % of the"), 1) << "of one fold";
    EXPECT_EQ(warnings_with(open(4e-4, 2, {1e-3, 5e-4}), "5.00 % of the out-of-fold"), 1);
    EXPECT_EQ(warnings_with(open(1e-12, 30, {1e-3, 1e-3}), "give other values of gamma and C"), 1);
    for (const SvmReport& none : {open(4e-4, 1, {1e-3, 5e-4}), open(2e-3, 30, {}), open(4e-4, 30, {0, 0})}) {
      EXPECT_EQ(warnings_with(none, "out-of-fold"), 0);
    }
  }
  EXPECT_THROW(open_report("votes", 1, 1, {}), Error);
}

TEST(ReportWarnings, advises_a_larger_factor_only_where_there_is_one) {
  storage::Container content = sample_result(2);
  const storage::FieldWriter writer(content);
  const std::size_t fits = content.values<std::int32_t>(field.converged.path).size();
  writer.put(field.objective_error, std::vector<double>(fits, 0.0));
  writer.put(field.gradient_error, std::vector<double>(fits, 0.25));
  writer.put(field.refit_converged, std::vector<std::int32_t>{1, 0, 1});
  content.attributes["refit_seconds"] = 1.0;
  for (const auto& [factor, rank, larger] : {std::tuple("8", "8", true), {"1024", "30", false}}) {
    content.attributes["config"] = text(R"({"factor": {"value": ")", factor, R"(", "default": false}})");
    const SvmReport report = make_report(content, "r.h5");
    ASSERT_EQ(report.option("factor"), factor);
    EXPECT_EQ(
        warnings_with(report, text("on a factor of rank ", rank, ", which leaves errors of the gradient up to 0.25")),
        1);
    EXPECT_EQ(warnings_with(report, "give a larger factor"), larger ? 2 : 0);
    EXPECT_EQ(warnings_with(report, "leave out --factor"), larger ? 0 : 2);
    EXPECT_EQ(warnings_with(report, "--max-iterations"), 0);
  }
}

TEST(ReportWarnings, warns_of_decision_values_that_are_not_finite) {
  Record last = fold_record(2, 1, 30, {9, -1, -1, 9}, classes);
  const SvmReport report = make_report(sample_result(2, last), "r.h5");
  EXPECT_EQ(warnings_with(report, "2 of 24 fold errors are unknown: decision values are not finite"), 1);
  EXPECT_EQ(warnings_with(make_report(sample_result(2), "r.h5"), "not finite"), 0) << "missing units are no overflow";
}

}  // namespace
}  // namespace krossfold::studies
