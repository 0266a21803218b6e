// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/stage_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "krossfold/studies/svm/result.hpp"
#include "krossfold/studies/svm/units.hpp"
#include "test/studies/svm/sample_records.hpp"

namespace krossfold::studies {
namespace {

using namespace test;

/// Gamma 2 is the best, at C 1; unit (g, f) takes 2^g * (1 + f / 100) seconds, its claim a quarter.
std::vector<Record> grid_records() {
  std::vector<Record> records;
  double now = 0;
  for (int g = 0; g < gammas; ++g) {
    for (int f = 0; f < folds; ++f) {
      std::vector<int> wrong(cs, 6);
      if (g == 2) wrong[1] = 0;
      Record record = fold_record(g, f, 12, wrong, classes);
      record.seconds = std::exp2(g) * (1 + f / 100.0);
      record.started = now;
      now += record.seconds + 1.0 / 64;
      records.push_back(record);
    }
  }
  return records;
}

struct Sample {
  data::Task task = test::sample_task(60, 6, classes);
  SvmLayout search;
  explicit Sample(const SvmParams& params = sample_params()) : search(lay_out_svm(params, task)) {}

  storage::Container file(const std::vector<Record>& records, const std::string& status = "stopped") const {
    run::RunFacts facts;
    facts.status = status;
    facts.formation = "2x3xCUDA";
    facts.schedule = "shuffled";
    facts.setup_seconds = 1.5;
    facts.seconds = 99;
    return test::svm_result(search, task, records, facts);
  }
  planning::PlannedWork work(const std::vector<Record>& records) const {
    return svm_plan_work({"r.h5", file(records)});
  }
};

const planning::PlanUnit& unit_at(const planning::PlannedWork& work, int g, int f) {
  const int unit = g * folds + f;
  return work.stages.at(0).units.at(static_cast<std::size_t>(unit));
}

/// The record of an out-of-fold unit at the cell that is the best of grid_records().
Record out_of_fold_record(int fold, double seconds) {
  Record record = fold_record(0, 0, 12, {}, classes);
  record.key = {svm_unit_out_of_fold, {0, 2 * cs + 1, fold}};
  record.seconds = seconds;
  record.payload = OutOfFoldResult{std::vector<double>(12 * classes)}.to_bytes();
  return record;
}

std::vector<std::string> names_of(const planning::PlannedWork& work) {
  std::vector<std::string> names;
  for (const planning::PlanStage& stage : work.stages) names.push_back(stage.name);
  return names;
}

/// The units that the study itself hands out for these records, in order.
std::vector<Unit> units_of_study(const Sample& sample, const std::vector<Record>& records) {
  SvmStudy study(sample.search, sample.task.train.label);
  std::vector<Unit> units = study.initial();
  for (const Record& record : records) {
    for (Unit& unit : study.on_record(record)) units.push_back(std::move(unit));
  }
  return units;
}

TEST(SvmPlan, units_cost_what_they_cost_the_study) {
  SvmParams params = sample_params();
  for (const int rounds : {0, 1}) {
    SCOPED_TRACE(testing::Message() << rounds << " rounds");
    params.refine = rounds;
    const Sample sample(params);
    const auto records = grid_records();
    const auto units = units_of_study(sample, records);
    const planning::PlannedWork work = sample.work(records);
    ASSERT_EQ(static_cast<int>(units.size()), work.units() - (rounds == 0 ? 1 : folds + 1));  // the refit comes later
    std::vector<Unit> planned;
    for (const planning::PlanStage& stage : work.stages) {
      for (const planning::PlanUnit& unit : stage.units) planned.push_back(unit.unit);
    }
    for (std::size_t k = 0; k < units.size(); ++k) {
      EXPECT_EQ(planned[k].key.kind, units[k].key.kind);
      EXPECT_EQ(planned[k].cost, units[k].cost);
      EXPECT_EQ(planned[k].affinity, units[k].affinity);
      if (units[k].key.kind != svm_unit_refit) {
        EXPECT_EQ(planned[k].key, units[k].key);
      }
    }
  }
}

TEST(SvmPlan, takes_measured_times_and_what_the_file_says_of_the_run) {
  auto records = grid_records();
  Record refit = fold_record(0, 0, 12, {}, classes);
  refit.key = {svm_unit_refit, {2, 1, 0}};
  refit.seconds = 7;
  refit.payload = RefitResult{{}, std::vector<int>(30), 0, 0, "svm.h5", 0, 0, {}}.to_bytes();
  const Sample sample;
  auto with_refit = records;
  with_refit.push_back(refit);
  for (int f = 0; f < folds; ++f) with_refit.push_back(out_of_fold_record(f, 0.5));
  storage::Container file;
  ASSERT_NO_THROW(file = sample.file(with_refit));
  const planning::PlannedWork work = svm_plan_work({"r.h5", file});
  EXPECT_EQ(work.estimated(), 0);
  EXPECT_DOUBLE_EQ(unit_at(work, 3, 2).seconds, 8 * 1.02);
  EXPECT_THAT(names_of(work), testing::ElementsAre("search", "out-of-fold", "refit"));
  EXPECT_EQ(work.stages[1].units[3].seconds, 0.5);
  EXPECT_EQ(work.stages[2].units[0].seconds, 7);
  EXPECT_THAT(work.stages[2].after, testing::ElementsAre(1));
  EXPECT_EQ(work.formation, "2x3xCUDA");
  EXPECT_TRUE(work.on_devices);
  EXPECT_EQ(work.setup_seconds, 1.5);
  EXPECT_EQ(work.farm_seconds, 99);
  EXPECT_TRUE(work.warnings.empty());
}

TEST(SvmPlan, estimates_missing_folds_by_those_of_their_gamma_and_missing_gammas_between_their_neighbours) {
  auto records = grid_records();
  std::erase_if(records, [](const Record& r) {
    return r.key.index[0] == 1 || r.key == UnitKey{svm_unit_fold, {2, 4, 0}};
  });
  const planning::PlannedWork work = Sample().work(records);
  EXPECT_EQ(work.estimated(), folds + 1 + folds + 1);  // with the out-of-fold units and the refit
  EXPECT_TRUE(unit_at(work, 2, 4).estimated);
  EXPECT_NEAR(unit_at(work, 2, 4).seconds, 4 * 1.015, 1e-12);
  // Gammas are equally spaced in log gamma: the geometric mean of those beside it, over the relative cost of each.
  EXPECT_NEAR(unit_at(work, 1, 0).seconds,
              relative_cost(1.0 / 3) * std::sqrt(1.02 / relative_cost(0) * 4 * 1.015 / relative_cost(2.0 / 3)), 1e-9);
  EXPECT_TRUE(work.warnings.empty());
}

TEST(SvmPlan, beyond_the_measured_gammas_it_scales_the_nearest_as_the_queue_does_and_warns_where_few_are_measured) {
  auto records = grid_records();
  std::erase_if(records, [](const Record& r) { return r.key.index[0] < 2; });
  planning::PlannedWork work = Sample().work(records);
  EXPECT_NEAR(unit_at(work, 0, 0).seconds, 4 * 1.02 * relative_cost(0) / relative_cost(2.0 / 3), 1e-9);
  EXPECT_TRUE(work.warnings.empty());
  std::erase_if(records, [](const Record& r) { return r.key.index[0] < 3; });
  work = Sample().work(records);
  ASSERT_EQ(work.warnings.size(), 1u);
  EXPECT_NE(work.warnings[0].find("only 1 of 4 gammas"), std::string::npos) << work.warnings[0];
}

TEST(SvmPlan, the_refit_is_estimated_as_a_path_up_to_the_best_c_on_all_samples) {
  const planning::PlannedWork work = Sample().work(grid_records());
  const planning::PlanUnit& refit = work.stages.back().units.at(0);
  EXPECT_TRUE(refit.estimated);
  EXPECT_NEAR(refit.seconds, 4 * 1.02 * (2.0 / cs) * (25.0 / 16), 1e-9);  // C 0 and 1 of 3; 5 folds against 4
}

TEST(SvmPlan, later_stages_follow_what_the_study_was_asked_for) {
  SvmParams params = sample_params();
  params.refine = 2;
  params.probability = true;
  EXPECT_THAT(names_of(Sample(params).work(grid_records())),
              testing::ElementsAre("search", "round 1", "round 2", "out-of-fold", "refit"));
  params = sample_params();
  params.refit = false;
  EXPECT_THAT(names_of(Sample(params).work(grid_records())), testing::ElementsAre("search", "out-of-fold"));
}

TEST(SvmPlan, times_of_refinement_and_out_of_fold_units_come_from_the_file_and_correct_the_estimates) {
  SvmParams params = sample_params();
  params.refine = 1;
  params.probability = true;
  const Sample sample(params);
  auto records = grid_records();
  for (int f = 0; f < folds; ++f) {  // gamma 3 of round 1 is the best of the grid
    Record record = fold_record(0, 0, 12, std::vector<int>(7, 6), classes);
    record.key = {svm_unit_refine, {1, 3, f}};
    record.seconds = 10;
    records.push_back(record);
  }
  planning::PlannedWork work = sample.work(records);
  ASSERT_EQ(work.stages[1].units.size(), 7u * folds);
  EXPECT_EQ(work.stages[1].units[3 * folds].seconds, 10);
  EXPECT_FALSE(work.stages[1].units[3 * folds].estimated);
  // The others by the model, of which the measured were this much off.
  const double ratio = 10 / (4 * 1.02 * 7.0 / cs);
  const planning::PlanUnit& other = work.stages[1].units[5 * folds];
  EXPECT_TRUE(other.estimated);
  // Two steps of a quarter of the grid's from gamma 2 towards 3, in log2 of the seconds over the relative cost.
  const double at_2 = 4 * 1.02 / relative_cost(2.0 / 3), at_3 = 8 * 1.02 / relative_cost(1);
  EXPECT_NEAR(other.seconds, ratio * std::sqrt(at_2 * at_3) * relative_cost(2.5 / 3) * 7.0 / cs, 1e-6);

  for (int g = 0; g < 7; ++g) {
    for (int f = 0; f < folds && g != 3; ++f) {
      Record record = fold_record(0, 0, 12, std::vector<int>(7, 6), classes);
      record.key = {svm_unit_refine, {1, g, f}};
      record.seconds = 10;
      records.push_back(record);
    }
  }
  for (int f = 0; f < 2; ++f) records.push_back(out_of_fold_record(f, 3));
  work = sample.work(records);
  EXPECT_EQ(work.estimated(), 3 + 1);
  EXPECT_NEAR(work.stages[2].units[4].seconds, 3, 1e-12);  // estimated, corrected by the two that are measured
}

TEST(SvmPlan, refuses_a_file_whose_best_cell_lies_in_a_round_that_its_options_do_not_have) {
  SvmParams params = sample_params();
  params.refine = 1;
  auto records = grid_records();
  records[2 * folds].payload = fold_record(2, 0, 12, {6, 1, 6}, classes).payload;  // no longer without any error
  for (int f = 0; f < folds; ++f) {
    Record record = fold_record(0, 0, 12, std::vector<int>(7, 0), classes);
    record.key = {svm_unit_refine, {1, 3, f}};
    records.push_back(record);
  }
  storage::Container file = Sample(params).file(records);
  EXPECT_EQ(names_of(svm_plan_work({"r.h5", file})).size(), 4u);
  file.attributes["config"] = run::to_json(options_of(sample_params()));
  EXPECT_THAT(message_of(ExitCode::usage,
                         [&] {
                           svm_plan_work({"r.h5", file});
                         }),
              testing::HasSubstr("a round of refinement that it does not have"));
}

TEST(SvmPlan, claims_are_the_pauses_between_units_but_not_those_between_runs) {
  auto records = grid_records();
  EXPECT_NEAR(Sample().work(records).root_claim_seconds, 1.0 / 64, 1e-12);
  EXPECT_EQ(Sample().work(records).claim_seconds, planning::usual_claim_seconds);
  for (std::size_t k = 10; k < records.size(); ++k) records[k].started += 1000;
  EXPECT_NEAR(Sample().work(records).root_claim_seconds, 1.0 / 64, 1e-12);
  for (Record& record : records) record.rank = 1;
  EXPECT_NEAR(Sample().work(records).claim_seconds, 1.0 / 64, 1e-12);
}

TEST(SvmPlan, claims_are_no_pauses_that_other_units_may_have_filled) {
  auto records = grid_records();
  for (Record& record : records) record.started /= 1024, record.seconds /= 1024;
  const double pause = Sample().work(records).root_claim_seconds;
  EXPECT_NEAR(pause, 1.0 / 64 / 1024, 1e-12);
  for (std::size_t k = 8; k < records.size(); ++k) records[k].started += 0.05;
  EXPECT_NEAR(Sample().work(records).root_claim_seconds, pause, 1e-9);
}

TEST(SvmPlan, a_failed_unit_took_its_time_and_a_study_without_a_best_cell_ends) {
  auto records = grid_records();
  for (Record& record : records) record = test::failed(record);
  const Sample sample;
  const planning::PlannedWork work = svm_plan_work({"r.h5", sample.file(records, "finished")});
  EXPECT_EQ(work.estimated(), 0);
  EXPECT_THAT(names_of(work), testing::ElementsAre("search"));
}

TEST(SvmPlan, refuses_a_file_without_any_time) {
  const std::string message = test::message_of(ExitCode::usage, [] { Sample().work({}); });
  EXPECT_NE(message.find("r.h5 has no times to plan from"), std::string::npos) << message;
  EXPECT_NE(message.find("max-time"), std::string::npos) << message;
}

TEST(SvmPlan, a_file_from_before_there_were_ranks_and_starts_of_units_still_gives_a_plan) {
  storage::Container file = Sample().file(grid_records());
  std::erase_if(file.arrays, [](const auto& a) { return a.path == "/unit/rank" || a.path == "/unit/started"; });
  file.attributes.erase("setup_seconds");
  const planning::PlannedWork work = svm_plan_work({"r.h5", file});
  EXPECT_EQ(work.root_claim_seconds, 0);
  EXPECT_EQ(work.setup_seconds, -1);
}

}  // namespace
}  // namespace krossfold::studies
