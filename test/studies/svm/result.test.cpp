// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/studies/svm/schema.hpp"
#include "test/studies/svm/sample_records.hpp"

namespace krossfold::studies {
namespace {

using namespace test;
using testing::Each;
using testing::ElementsAre;
using testing::IsNan;

const SvmSchema& field = svm_schema();

class SvmResult : public ::testing::Test {
protected:
  const data::Task task = test::sample_task(60, 6, classes);
  SvmLayout search;
  run::RunFacts facts;
  std::mt19937 random{7};

  SvmResult() {
    search = lay_out_svm(sample_params(), task);
    facts.status = "finished";
  }
  storage::Container result(const std::vector<Record>& records) const {
    return test::svm_result(search, task, records, facts);
  }
  /// All units of the grid, in which the cell (gamma 2, C 1) is the best.
  std::vector<Record> records() {
    std::vector<Record> all;
    for (int g = 0; g < gammas; ++g) {
      for (int f = 0; f < folds; ++f) {
        std::vector<int> wrong(cs, 6);
        if (g == 2) wrong[1] = 3;
        all.push_back(test::fold_record(g, f, 12, wrong, classes));
      }
    }
    return all;
  }
  /// A refit whose predictions are right but for the first two samples, for which it says class 2.
  Record refit(int gamma, int c) const {
    RefitResult refit;
    refit.fit.resize(classes);
    for (int k = 0; k < classes; ++k) {
      refit.fit[static_cast<std::size_t>(k)].converged = k == 1 ? 0 : 1;
      refit.fit[static_cast<std::size_t>(k)].support = 10 + k;
    }
    for (int i = 0; i < task.test.size(); ++i) refit.prediction.push_back(i < 2 ? 2 : task.test.label(i));
    refit.wrong = 2;
    refit.model_name = "svm.h5";
    refit.model_size = 1234;
    refit.model_checksum = 0xABC;
    Record record;
    record.key = {svm_unit_refit, {gamma, c, 0}};
    record.status = Status::done;
    record.seconds = 1.5;
    record.payload = refit.to_bytes();
    return record;
  }
};

TEST_F(SvmResult, has_each_fit_in_the_cell_of_its_gamma_c_fold_and_class) {
  FoldResult fold;
  fold.held = 12;
  for (int c = 0; c < cs; ++c) {
    fold.wrong.push_back(c);
    for (int k = 0; k < classes; ++k) {
      svm::FitSummary& fit = fold.fit.emplace_back();
      fit.iterations = 100 * c + k;
      fit.support = 10 * c + k;
      fit.converged = k == 0 ? 1 : 0;
      fit.dual_objective = c + k / 4.;
      fit.violation = c + k / 8.;
    }
  }
  Record record = test::fold_record(3, 1, 12, {}, classes);
  record.payload = fold.to_bytes();
  record.seconds = 2.5;
  const storage::Container content = result({record});
  for (int g = 0; g < gammas; ++g) {
    for (int c = 0; c < cs; ++c) {
      for (int f = 0; f < folds; ++f) {
        const bool there = g == 3 && f == 1;
        const std::size_t cell = (static_cast<std::size_t>(g) * cs + c) * folds + f;
        const double error = content.values<double>(field.fold_error.path)[cell];
        EXPECT_TRUE(there ? error == c / 12. : std::isnan(error));
        for (int k = 0; k < classes; ++k) {
          const std::size_t at = cell * classes + static_cast<std::size_t>(k);
          EXPECT_EQ(content.values<std::int64_t>(field.iterations.path)[at], there ? 100 * c + k : 0);
          EXPECT_EQ(content.values<std::int32_t>(field.n_support.path)[at], there ? 10 * c + k : 0);
          EXPECT_EQ(content.values<std::int32_t>(field.converged.path)[at], there && k == 0 ? 1 : 0);
          const double objective = content.values<double>(field.dual_objective.path)[at];
          const double violation = content.values<double>(field.kkt_violation.path)[at];
          EXPECT_TRUE(there ? objective == c + k / 4. : std::isnan(objective));
          EXPECT_TRUE(there ? violation == c + k / 8. : std::isnan(violation));
        }
      }
    }
  }
  EXPECT_EQ(content.values<double>(field.unit.seconds.path)[3 * folds + 1], 2.5);
}

TEST_F(SvmResult, before_a_cell_has_all_its_folds_has_no_best_cell) {
  std::vector<Record> some = records();
  EXPECT_FALSE(result({}).has(field.best_c.path));
  std::erase_if(some, [](const Record& r) { return r.key.index[1] == 4; });
  EXPECT_FALSE(result(some).has(field.best_c.path));
  EXPECT_THAT(result({}).values<std::int32_t>(field.unit.status.path), Each(0));
  EXPECT_THAT(result({}).values<double>(field.fold_error.path), Each(IsNan()));
}

TEST_F(SvmResult, has_the_best_cell_with_its_values) {
  const storage::Container content = result(records());
  EXPECT_THAT(content.values<std::int32_t>(field.best_gamma_index.path), ElementsAre(2));
  EXPECT_THAT(content.values<std::int32_t>(field.best_c_index.path), ElementsAre(1));
  EXPECT_THAT(content.values<std::int32_t>(field.best_round.path), ElementsAre(0));
  EXPECT_THAT(content.values<double>(field.best_gamma.path), ElementsAre(search.gamma[2]));
  EXPECT_THAT(content.values<double>(field.best_c.path), ElementsAre(search.c[1]));
  EXPECT_THAT(content.values<double>(field.best_error.path), ElementsAre(0.25));
}

TEST_F(SvmResult, is_the_same_for_records_in_any_order) {
  std::vector<Record> all = test::random_records(random);
  all[3] = test::failed(all[3]);
  const auto bytes = storage::to_bytes(result(all));
  for (int k = 0; k < 5; ++k) {
    std::shuffle(all.begin(), all.end(), random);
    EXPECT_EQ(storage::to_bytes(result(all)), bytes);
  }
}

TEST_F(SvmResult, of_a_failed_unit_has_its_reason_and_no_errors) {
  std::vector<Record> all = records();
  all[7] = test::failed(all[7]);  // gamma 1, fold 2
  const storage::Container content = result(all);
  EXPECT_EQ(content.values<std::int32_t>(field.unit.status.path)[7], 2);
  EXPECT_EQ(content.values<std::string>(field.unit.reason.path)[7], "on purpose");
  const auto& error = content.values<double>(field.fold_error.path);
  EXPECT_EQ(std::count_if(error.begin(), error.end(), [](double e) { return std::isnan(e); }), cs);
  EXPECT_TRUE(std::isnan(error[(1 * cs + 0) * folds + 2]));
}

TEST_F(SvmResult, has_the_test_of_the_refit_at_the_best_cell) {
  std::vector<Record> all = records();
  all.push_back(refit(2, 1));
  const storage::Container content = result(all);
  EXPECT_EQ(content.attribute("model"), "svm.h5");
  EXPECT_EQ(content.attribute("model_checksum"), "abc");
  EXPECT_EQ(content.attributes.at("model_size"), storage::Attribute(std::int64_t{1234}));
  EXPECT_EQ(content.attributes.at("refit_seconds"), storage::Attribute(1.5));
  EXPECT_THAT(content.values<std::int32_t>(field.refit_converged.path), ElementsAre(1, 0, 1));
  EXPECT_THAT(content.values<std::int32_t>(field.refit_n_support.path), ElementsAre(10, 11, 12));
  EXPECT_THAT(content.values<double>(field.test_error.path), ElementsAre(2. / 30));
  // 10 samples of each class in turn; the first, of class 0, and the second, of class 1, are taken for class 2.
  EXPECT_THAT(content.values<std::int32_t>(field.test_confusion.path), ElementsAre(9, 0, 1, 0, 9, 1, 0, 0, 10));
}

TEST_F(SvmResult, has_the_decision_values_of_the_test_part_and_its_measure_of_them) {
  RefitResult of_refit = RefitResult::from_bytes(refit(2, 1).payload);
  const auto n = static_cast<std::size_t>(task.test.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (int k = 0; k < classes; ++k) of_refit.decision.push_back(k == of_refit.prediction[i] ? 1 : -1);
  }
  const auto with = [&](const RefitResult& one) {
    std::vector<Record> all = records();
    all.push_back(refit(2, 1));
    all.back().payload = one.to_bytes();
    return result(all);
  };
  const storage::Container content = with(of_refit);
  EXPECT_EQ(content.values<double>(field.test_decision.path), of_refit.decision);
  // Against the rest, 9 of 10 samples of class 0 and of class 1 are above all others and one is among them; of class 2 all ten, with 2 of 20.
  EXPECT_NEAR(content.values<double>(field.test_roc_auc.path).at(0), (0.95 + 0.95 + 0.95) / 3, 1e-15);
  EXPECT_FALSE(content.has(field.test_probability.path));
  EXPECT_FALSE(result(records()).has(field.test_decision.path));

  of_refit.decision[4] = std::numeric_limits<double>::infinity();
  const storage::Container infinite = with(of_refit);
  EXPECT_FALSE(infinite.has(field.test_decision.path));
  EXPECT_EQ(infinite.attribute("test_decision_failed"),
            text("that of test sample ", task.test.file_rows()[1] + 1, " is not finite"));
  EXPECT_TRUE(infinite.has(field.test_error.path));

  for (const auto& damage : std::vector<void (*)(RefitResult&)>{
           [](RefitResult& one) { one.decision.resize(one.prediction.size()); },
           [](RefitResult& one) { one.prediction.assign(10, 0), one.decision.clear(); },
           [](RefitResult& one) { one.prediction[3] = classes; }, [](RefitResult& one) { one.prediction[3] = -1; }}) {
    RefitResult damaged = of_refit;
    damage(damaged);
    const std::string message = test::message_of(ExitCode::failed, [&] { with(damaged); });
    EXPECT_NE(message.find("its predictions are not those of the test part"), std::string::npos) << message;
  }
}

TEST_F(SvmResult, takes_no_refit_of_another_cell) {
  std::vector<Record> all = records();
  all.push_back(refit(2, 0));
  EXPECT_EQ(result(all).attribute("model"), "");
  EXPECT_FALSE(result(all).has(field.test_error.path));
}

TEST_F(SvmResult, says_why_the_refit_failed) {
  std::vector<Record> all = records();
  all.push_back(test::failed(refit(2, 1)));
  const storage::Container content = result(all);
  EXPECT_EQ(content.attribute("refit_failed"), "on purpose");
  EXPECT_EQ(content.attribute("model"), "");
}

TEST_F(SvmResult, says_why_there_are_no_probabilities_where_they_are_asked_for) {
  std::vector<Record> all = records();
  for (int f = 0; f < folds; ++f)
    all.push_back(test::decided(search, {svm_unit_out_of_fold, {0, 2 * cs + 1, f}}, random));
  all.back() = test::failed(all.back());
  EXPECT_EQ(result(all).attribute("out_of_fold_failed"), "fold 4: on purpose");
  EXPECT_EQ(result(all).attribute("probability_failed"), "");
  search.params.probability = true;
  EXPECT_EQ(result(all).attribute("probability_failed"), "fold 4: on purpose");
  all.pop_back();
  EXPECT_EQ(result(all).attribute("probability_failed"), "");
}

TEST_F(SvmResult, counts_ties_by_one_standard_error_over_all_rounds) {
  search.params.refine = 1;
  search.selection.one_standard_error = true;
  std::vector<Record> all = records();
  // Round 1 has two better cells; all folds of a cell are equal, so that none else is within the standard error.
  for (int g = 0; g < 7; ++g) {
    for (int f = 0; f < folds; ++f) {
      std::vector<int> wrong(7, 6);
      if (g == 5) wrong[4] = wrong[6] = 2;
      all.push_back(test::fold_record(0, 0, 12, wrong, classes));
      all.back().key = {svm_unit_refine, {1, g, f}};
    }
  }
  const storage::Container content = result(all);
  EXPECT_THAT(content.values<std::int32_t>(field.best_round.path), ElementsAre(1));
  EXPECT_THAT(content.values<std::int32_t>(field.best_c_index.path), ElementsAre(4));
  EXPECT_THAT(content.values<std::int32_t>(field.best_tied.path), ElementsAre(2));
  EXPECT_THAT(content.values<std::int32_t>(field.best_within.path), ElementsAre(2));
}

TEST(RefineGroup, is_a_group_of_its_own_for_each_round) {
  EXPECT_EQ(refine_group(1), "/refine/1");
  EXPECT_EQ(refine_group(12), "/refine/12");
}

}  // namespace
}  // namespace krossfold::studies
