// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/names_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "test/studies/train/sample_trainings.hpp"

namespace krossfold::studies {
namespace {

using testing::HasSubstr;

/// Runs by (workers, batch): (1, 10), (1, 20), (2, 20), (2, 40), (4, 40), (4, 60); the last is to do.
run::ResultFile sample_file() {
  const std::vector<std::vector<double>> held_out = {{3, 2, 1}, {3, 2, 1.2}, {3, 2, 1.2}, {3, 2, 1.5}, {3, 2, 1.5}};
  std::vector<Record> records;
  for (int run = 0; run < 5; ++run) {
    const int ranks = run < 2 ? 1 : 2;
    records.push_back(test::record_of(run, test::done_training(held_out[run], 12.0 / ranks, ranks)));
  }
  return {"n.h5", test::names_result(records)};
}

TEST(NamesReport, compares_runs_of_equal_batch_and_rate) {
  const NamesSummary summary = summarize_names(TrainReport(sample_file()));
  EXPECT_EQ(summary.workers, (std::vector<int>{1, 2, 4}));
  EXPECT_EQ(summary.fair, (std::vector<std::vector<int>>{{1, 2}, {3, 4}}));
}

TEST(NamesReport, takes_times_as_measured_where_each_worker_had_a_rank_and_models_the_others) {
  const NamesSummary summary = summarize_names(TrainReport(sample_file()));
  EXPECT_FALSE(summary.run[0].modelled);
  EXPECT_EQ(summary.run[0].seconds, 36);
  EXPECT_FALSE(summary.run[2].modelled);
  EXPECT_EQ(summary.run[2].seconds, 18);
  EXPECT_TRUE(summary.run[4].modelled);  // 4 workers on 2 ranks
  EXPECT_LT(summary.run[4].seconds, 18);
  EXPECT_TRUE(std::isnan(summary.run[5].seconds));
  EXPECT_TRUE(summary.measured_link);
}

TEST(NamesReport, targets_are_the_loss_that_all_numbers_of_workers_reach_and_near_the_lowest) {
  const NamesSummary summary = summarize_names(TrainReport(sample_file()));
  ASSERT_EQ(summary.target.size(), 2U);
  EXPECT_DOUBLE_EQ(summary.target[0].loss, 1.001 * 1.5);  // of 4 workers
  EXPECT_DOUBLE_EQ(summary.target[1].loss, 1.05 * 1);
  EXPECT_EQ(summary.target[0].seconds[0], 36);  // in the third epoch
  EXPECT_EQ(summary.target[0].soonest[1], 2);
  EXPECT_EQ(summary.target[1].soonest, (std::vector<int>{0, -1, -1}));
  EXPECT_FALSE(summary.target[1].seconds[1].has_value());
}

// The run with the lowest loss changed its ranks in every epoch, and the next best diverged.
TEST(NamesReport, a_time_that_is_not_known_is_not_the_shortest_and_what_diverged_sets_no_target) {
  std::vector<Record> records;
  for (int run = 0; run < 5; ++run) {
    TrainRecord training = test::done_training({3, 2, run == 0 ? 1.0 : run == 2 ? 0.5 : 1.02}, 12, 1);
    if (run == 0) training.epoch_ranks = {2, 0, 2};
    if (run == 2) training.diverged = true;
    if (run == 2) training.reason = "loss nan in step 3 of epoch 4";
    records.push_back(test::record_of(run, training));
  }
  const run::ResultFile file{"n.h5", test::names_result(records)};
  const NamesSummary summary = summarize_names(TrainReport(file));
  EXPECT_TRUE(std::isnan(summary.run[0].seconds));
  ASSERT_EQ(summary.target.size(), 2U);
  EXPECT_DOUBLE_EQ(summary.target[1].loss, 1.05 * 1);
  EXPECT_EQ(summary.target[1].soonest, (std::vector<int>{1, 3, 4}));
  EXPECT_FALSE(summary.target[1].seconds[2].has_value());
  EXPECT_THAT(to_text(train_document(file)), HasSubstr("reach"));
}

TEST(NamesReport, reads_as_a_table_of_runs_with_what_pays) {
  const std::string shown = to_text(train_document(sample_file()));
  EXPECT_THAT(shown, HasSubstr("fair comparisons: equal batch and rate"));
  EXPECT_THAT(shown, HasSubstr("batch 20, rate 0.01: 1 worker 36 s, 2 workers 18 s\n"));
  EXPECT_THAT(shown,
              HasSubstr("to a held-out loss of 1.05, 1.05 times the lowest: 1 worker reaches it soonest, in 36 s"));
  EXPECT_THAT(shown, HasSubstr("; 2 workers never do; 4 workers never do\n"));
  EXPECT_THAT(shown, HasSubstr("to do"));
}

TEST(NamesReport, in_json_has_seconds_to_each_target_or_null) {
  std::string json;
  for (const char c : report::to_json({train_document(sample_file())})) {
    if (std::isspace(c) == 0) json += c;
  }
  EXPECT_THAT(json, HasSubstr(R"("seconds_of_all_workers":36.0,"modelled":false,"seconds_to_target":[36.0,36.0])"));
  EXPECT_THAT(json, HasSubstr(R"("seconds_to_target":[18.0,null])"));
  EXPECT_THAT(json, HasSubstr(R"("why":"1.05timesthelowest")"));
}

TEST(NamesReport, of_a_study_without_losses_has_no_targets) {
  const run::ResultFile file{"n.h5", test::names_result({})};
  EXPECT_TRUE(summarize_names(TrainReport(file)).target.empty());
  EXPECT_THAT(report::to_json({train_document(file)}), HasSubstr(R"("targets": [])"));
}

}  // namespace
}  // namespace krossfold::studies
