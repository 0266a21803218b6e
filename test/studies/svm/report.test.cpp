// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/report.hpp"

#include <array>
#include <functional>
#include <limits>
#include <sstream>

#include "krossfold/core/text.hpp"
#include "test/studies/svm/sample_report.hpp"

namespace krossfold::studies {
namespace {

using namespace test_report;

TEST(Report, counts_what_is_done_and_finds_the_best_cell) {
  const SvmReport report = make_report(sample_result(2), "r.h5");
  EXPECT_EQ(report.status, "finished");
  EXPECT_EQ(report.units.all, gammas * folds);
  EXPECT_EQ(report.units.done, 5);
  EXPECT_EQ(report.units.failed, 0);
  EXPECT_EQ(report.fits, 5 * cs * classes);
  EXPECT_EQ(report.fits_not_converged, 5 * cs * classes);  // as the sample's records say
  EXPECT_NEAR(report.best_c, 1e3, 1e-9);
  EXPECT_DOUBLE_EQ(report.best_error, 1.0 / 60);
  EXPECT_DOUBLE_EQ(report.best_spread, std::sqrt(2.0) / 60);
  EXPECT_FALSE(report.has_test);
}

TEST(Report, takes_the_utilisation_that_the_run_measured_else_that_of_its_units) {
  storage::Container content = sample_result(2);
  content.attributes["utilisation"] = 0.97;
  EXPECT_EQ(make_report(content, "r.h5").utilisation, 0.97);
  EXPECT_NE(text_of(content, "r.h5").find("10 s on 2 ranks, 97 % of the last run computing\n"), std::string::npos)
      << text_of(content, "r.h5");
  content.attributes["utilisation"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_DOUBLE_EQ(make_report(content, "r.h5").utilisation, 15.0 / 20);
  content.attributes.erase("utilisation");
  EXPECT_DOUBLE_EQ(make_report(content, "r.h5").utilisation, 15.0 / 20);
}

TEST(Report, names_the_model_by_its_path_if_there_is_one) {
  storage::Container content = sample_result(2);
  EXPECT_EQ(make_report(content, "there/r.h5").model, "");
  EXPECT_EQ(text_of(content, "there/r.h5").find("model "), std::string::npos);
  content.attributes["model"] = std::string("svm.h5");
  const SvmReport report = make_report(content, "there/r.h5");
  EXPECT_EQ(report.model, "there/r.models/svm.h5");
  EXPECT_NE(text_of(content, "there/r.h5").find("there/r.models/svm.h5\n"), std::string::npos);
}

TEST(Report, of_a_run_that_has_not_ended_says_that_it_may_have_been_killed) {
  storage::Container content = sample_result(2);
  content.attributes["status"] = std::string("running");
  std::string shown = text_of(content, "r.h5");
  EXPECT_NE(
      shown.find("running, or killed (what a journal holds beyond this is kept and not computed again): 5 of 6 units"),
      std::string::npos)
      << shown;
  EXPECT_NE(shown.find("C = "), std::string::npos) << shown;
  std::erase_if(content.arrays, [](const storage::Array& array) { return array.path.starts_with("/best/"); });
  shown = text_of(content, "r.h5");
  EXPECT_NE(shown.find("none yet: no cell"), std::string::npos) << shown;
}

TEST(Report, says_how_many_units_failed_and_why) {
  Record failed;
  failed.key = {svm_unit_fold, {2, 1, 0}};
  failed.status = Status::failed;
  failed.reason = "out of memory";
  const SvmReport report = make_report(sample_result(2, failed), "r.h5");
  EXPECT_EQ(report.units.done, 5);
  EXPECT_EQ(report.units.failed, 1);
  EXPECT_EQ(warnings_with(report, "1 of 6 units failed, the first with: out of memory"), 1);
  EXPECT_NE(text_of(sample_result(2, failed)).find("warning: 1 of 6 units failed"), std::string::npos);
}

TEST(Report, has_the_scores_of_probabilities_or_says_why_there_are_none) {
  storage::Container content = sample_result(2);
  EXPECT_FALSE(make_report(content, "r.h5").has_probability);
  content.attributes["probability_failed"] = std::string("fold 3: out of memory");
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), "no probabilities: their calibration failed in fold 3: out of"),
            1);
  content.attributes.erase("probability_failed");
  const storage::FieldWriter writer(content);
  writer.put_one(field.log_loss, 0.25);
  writer.put_one(field.brier, 0.125);
  const SvmReport report = make_report(content, "r.h5");
  EXPECT_EQ(report.log_loss, 0.25);
  EXPECT_EQ(report.brier, 0.125);
  EXPECT_NE(text_of(content).find("log loss 0.25, Brier score 0.125\n"), std::string::npos) << text_of(content);
  content.arrays.pop_back();
  test::message_of(ExitCode::usage, [&] { make_report(content, "r.h5"); });
}

/// Round 1 of refinement: best at (gamma 6, C 2), one fold of gamma 0 failed.
storage::Container refined_result(std::array<int, folds> wrong_at_best) {
  Record last = fold_record(2, 1, 30, std::vector<int>(cs, 9), classes);
  std::vector<Record> refined;
  for (int g = 0; g < 7; ++g) {
    for (int f = 0; f < folds; ++f) {
      std::vector<int> wrong(7, 8);
      if (g == 6) wrong[2] = wrong_at_best[f];
      refined.push_back(fold_record(0, 0, 30, wrong, classes));
      refined.back().key = {svm_unit_refine, {1, g, f}};
    }
  }
  refined[1].status = Status::failed;
  refined[1].reason = "out of memory";
  return sample_result(2, last, refined);
}

TEST(Report, of_a_refined_search_has_the_best_cell_of_all_rounds) {
  // The grid's best has 0 and 1 wrong of 30; C is 1e3 and gamma the middle one.
  const SvmReport report = make_report(refined_result({2, 3}), "r.h5");
  EXPECT_EQ(report.best_round, 0);
  EXPECT_NEAR(report.best_c, 1e3, 1e-9);
  ASSERT_EQ(report.rounds.size(), 1U);
  EXPECT_DOUBLE_EQ(report.rounds[0].error, 5.0 / 60);
  EXPECT_NEAR(report.rounds[0].c, 1e3 * std::pow(10, -3.0 / 4), 1e-9);
  EXPECT_NE(text_of(refined_result({2, 3})).find("C = 177.8"), std::string::npos);
  EXPECT_EQ(warnings_with(report, "1 of 14 units, the first with: out of memory"), 1);
  EXPECT_EQ(warnings_with(report, text(13 * 7 * classes, " fits of the refinement did not converge")), 1);
  // Equal errors do not replace the grid's.
  EXPECT_EQ(make_report(refined_result({1, 0}), "r.h5").best_round, 0);
}

TEST(Report, of_a_refined_best_cell_takes_values_and_spread_from_its_round) {
  storage::Container content = refined_result({0, 0});
  const SvmReport report = make_report(content, "r.h5");
  EXPECT_EQ(report.best_round, 1);
  EXPECT_DOUBLE_EQ(report.best_c, report.rounds[0].c);
  EXPECT_DOUBLE_EQ(report.best_gamma, report.rounds[0].gamma);
  EXPECT_EQ(report.best_error, 0);
  EXPECT_EQ(report.best_spread, 0);
  const double highest = content.values<double>("/gamma").back();
  EXPECT_LT(report.best_gamma, highest);
  EXPECT_EQ(warnings_with(report, "edge"), 0);
  const_cast<storage::Array&>(content.at("/best/gamma_value")).values = std::vector<double>{2 * highest};
  EXPECT_EQ(warnings_with(make_report(content, "r.h5"), "at the edge of the grid or beyond it, in gamma"), 1);
}

TEST(Report, refuses_rounds_that_do_not_fit_together) {
  using storage::Container;
  const std::vector<std::pair<std::string, std::function<void(Container&)>>> damages = {
      {"a best round that is not there",
       [](Container& c) { const_cast<storage::Array&>(c.at("/best/round")).values = std::vector<std::int32_t>{2}; }},
      {"a best C outside the round",
       [](Container& c) { const_cast<storage::Array&>(c.at("/best/C_index")).values = std::vector<std::int32_t>{7}; }},
      {"no values of C",
       [](Container& c) {
         std::erase_if(c.arrays, [](const storage::Array& array) { return array.path == "/refine/1/C"; });
       }},
      {"a flat table", [](Container& c) { const_cast<storage::Array&>(c.at("/refine/1/fold_error")).shape = {98}; }},
      {"another number of folds",
       [](Container& c) {
         auto& array = const_cast<storage::Array&>(c.at("/refine/1/not_converged"));
         array.shape = {7, 7, 1};
         array.values = std::vector<std::int32_t>(49);
       }},
  };
  for (const auto& [what, damage] : damages) {
    SCOPED_TRACE(what);
    Container content = refined_result({0, 0});
    damage(content);
    test::message_of(ExitCode::usage, [&] { make_report(content, "there.h5"); });
  }
}

TEST(Report, refuses_a_result_whose_datasets_do_not_fit_together) {
  using storage::Container;
  const auto at = [](Container& content, const storage::FieldInfo& name) -> storage::Array& {
    return const_cast<storage::Array&>(content.at(name.path));
  };
  std::vector<std::pair<std::string, std::function<void(Container&)>>> damages = {
      {"a flat table", [&](Container& c) { at(c, field.fold_error).shape = {gammas * cs * folds}; }},
      {"a fold too many",
       [&](Container& c) {
         at(c, field.unit.status).shape = {gammas, folds + 1};
         at(c, field.unit.status).values = std::vector<std::int32_t>(gammas * (folds + 1), 1);
       }},
      {"a class too few",
       [&](Container& c) {
         at(c, field.converged).shape = {gammas, cs, folds, classes - 1};
         at(c, field.converged).values = std::vector<std::int32_t>(gammas * cs * folds * (classes - 1), 1);
       }},
      {"a best gamma outside the grid",
       [&](Container& c) { at(c, field.best_gamma_index).values = std::vector<std::int32_t>{gammas}; }},
      {"a negative best C", [&](Container& c) { at(c, field.best_c_index).values = std::vector<std::int32_t>{-1}; }},
      {"no values of C", [&](Container& c) { at(c, field.c).shape = {}; }},
  };
  for (const char* path : {"/gamma", "/C", "/fold_error", "/unit/status", "/unit/reason", "/fit/converged",
                           "/class_name", "/best/C_index"}) {
    damages.emplace_back(std::string("no ") + path, [path](Container& c) {
      std::erase_if(c.arrays, [path](const storage::Array& array) { return array.path == path; });
    });
  }
  const Container whole = sample_result(2);
  make_report(whole, "there.h5");
  for (const auto& [what, damage] : damages) {
    SCOPED_TRACE(what);
    Container content = whole;
    damage(content);
    const std::string message = test::message_of(ExitCode::usage, [&] { make_report(content, "there.h5"); });
    EXPECT_NE(message.find("there.h5"), std::string::npos) << message;
  }
}

/// The lines of the CSV form without its header.
std::string csv_lines(const storage::Container& content, const std::string& name) {
  const std::string all = report::to_csv({svm_document({name, content})});
  return all.substr(all.find('\n') + 1);
}

TEST(ReportCsv, has_a_line_for_every_cell_and_fold_with_nan_where_nothing_was_computed) {
  const std::string lines = csv_lines(sample_result(2), "r.h5");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), gammas * cs * folds);
  std::size_t missing = 0;
  for (std::size_t at = 0; (at = lines.find(",nan,nan,missing\n", at)) != std::string::npos; ++at) ++missing;
  EXPECT_EQ(missing, static_cast<std::size_t>(cs));
}

TEST(ReportCsv, starts_every_line_with_the_file_quoted_where_it_must_be) {
  const storage::Container content = sample_result(2);
  std::istringstream plain(csv_lines(content, "r.h5")), quoted(csv_lines(content, "a,b.h5"));
  int count = 0;
  for (std::string left, right; std::getline(plain, left) && std::getline(quoted, right); ++count) {
    EXPECT_TRUE(left.starts_with("r.h5,")) << left;
    EXPECT_EQ(right, "\"a,b.h5\"" + left.substr(4));
  }
  EXPECT_EQ(count, gammas * cs * folds);
}

}  // namespace
}  // namespace krossfold::studies
