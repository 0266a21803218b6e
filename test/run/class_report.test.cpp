// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/run/class_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace krossfold::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// 8 of 10 samples of class a and 1 of 6 of class b are right.
measures::Confusion two_classes() { return {2, {8, 2, 5, 1}}; }

TEST(ClassReport, warns_of_classes_of_which_less_than_half_are_recognised) {
  ResultSummary summary;
  warn_of_lost_classes(summary, two_classes(), {"a", "b"}, "test");
  EXPECT_THAT(summary.warnings, ElementsAre("of the 6 test samples of class b, only 16.67 % are recognised"));
  warn_of_lost_classes(summary, {2, {8, 2, 4, 0}}, {"a", "b"}, "test");  // four samples say nothing
  warn_of_lost_classes(summary, {}, {}, "test");
  EXPECT_EQ(summary.warnings.size(), 1U);
  warn_of_lost_classes(summary, {2, {8, 2, 7, 0}}, {"a", "b"}, "test");
  EXPECT_EQ(summary.warnings.back(), "none of the 7 test samples of class b is recognised");
  warn_of_lost_classes(summary, {2, {8, 2, 8, 0}}, {"a", "b"}, "held-out", 2);  // four samples, twice
  EXPECT_EQ(summary.warnings.size(), 2U);
  warn_of_lost_classes(summary, {2, {8, 2, 10, 0}}, {"a", "b"}, "held-out", 2);
  EXPECT_EQ(summary.warnings.back(), "none of the 10 held-out samples of class b in 2 repeats is recognised");
}

TEST(ClassReport, warns_of_many_lost_classes_in_one_line) {
  ResultSummary summary;
  constexpr std::size_t classes = 14;
  measures::Confusion confusion{classes, std::vector<double>(classes * classes, 0)};
  std::vector<std::string> names;
  for (std::size_t c = 0; c < classes; ++c) {
    names.push_back("c" + std::to_string(c));
    confusion.weight[c * classes + c] = c < 2 ? 6 : 1;  // of 6
    confusion.weight[c * classes] += c < 2 ? 0 : 5;
  }
  warn_of_lost_classes(summary, confusion, names, "test");
  EXPECT_THAT(summary.warnings,
              ElementsAre(HasSubstr(
                  "fewer than half of the test samples are recognised of 12 classes: c2 (16.67 %), c3 (16.67 %)")));
  EXPECT_THAT(summary.warnings.back(), HasSubstr("c11 (16.67 %) and 2 more"));
}

TEST(ClassReport, prints_measures_and_leaves_out_what_is_not_known) {
  EXPECT_EQ(
      measures_text({{"balanced error", 0.125}, {"mcc", 0.5}, {"roc auc", std::numeric_limits<double>::quiet_NaN()}}),
      "balanced error 12.50 %, mcc 0.5");
}

TEST(ClassReport, has_a_line_of_measures_and_a_row_for_each_class) {
  report::Document document;
  add_test_measures(document, two_classes(), {"a", "b"});
  add_classes(document, two_classes(), {"a", "b"}, "test_classes", "classes of the test part");
  const std::string shown = to_text(document), json = report::to_json({document});
  EXPECT_THAT(shown, HasSubstr("balanced error 51.67 %"));  // (2/10 + 5/6) / 2
  EXPECT_THAT(shown, HasSubstr("37.50 % wrong if all were taken for a"));
  EXPECT_THAT(shown, HasSubstr("as a"));
  EXPECT_THAT(json, HasSubstr("\"test_classes\""));
  EXPECT_THAT(json, HasSubstr("\"balanced_error\""));
}

TEST(ClassReport, has_no_recall_of_a_class_without_samples) {
  report::Document document;
  add_classes(document, {2, {8, 2, 0, 0}}, {"a", "b"}, "test_classes", "classes");
  EXPECT_THAT(to_text(document), HasSubstr("  b            0        -     0.00 %"));  // samples, recall, precision
  EXPECT_THAT(to_text(document), HasSubstr("80.00 %"));
  EXPECT_THAT(report::to_json({document}), HasSubstr("\"recall\": null"));
}

TEST(ClassReport, says_nothing_without_classes_and_no_matrix_of_many) {
  report::Document document;
  add_test_measures(document, {}, {});
  add_classes(document, {}, {}, "test_classes", "classes");
  EXPECT_EQ(to_text(document), to_text(report::Document()));
  const std::vector<std::string> name(13, "x");
  add_classes(document, {13, std::vector<double>(169, 1.0)}, name, "test_classes", "classes");
  EXPECT_THAT(to_text(document), Not(HasSubstr("as x")));
  EXPECT_THAT(report::to_json({document}), HasSubstr("as x"));
}

}  // namespace
}  // namespace krossfold::run
