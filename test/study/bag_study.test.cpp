// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/bag_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "krossfold/core/error.hpp"
#include "krossfold/data/spec.hpp"

namespace krossfold {
namespace {

using study::TrialResult;

class BagStudy : public ::testing::Test {
protected:
  const data::Task task = data::load_task({});
  study::BagSearch search;

  BagStudy() {
    study::BagParams params;
    params.bootstraps = 3;
    params.trials = 4;
    params.folds = 2;
    search = study::plan_bag(params, task);
  }
  static Record record_of(const Unit& unit, int wrong, bool diverged = false) {
    TrialResult result;
    result.held = 100;
    result.wrong = wrong;
    result.training.diverged = diverged;
    Record record;
    record.key = unit.key;
    record.status = Status::done;
    record.payload = result.to_bytes();
    return record;
  }
};

TEST_F(BagStudy, has_a_unit_for_every_bootstrap_trial_and_fold) {
  study::BagStudy study(search);
  const auto units = study.initial();
  std::set<UnitKey> keys;
  for (const Unit& unit : units) {
    keys.insert(unit.key);
    EXPECT_EQ(unit.key.kind, study::bag_unit_trial);
    EXPECT_GT(unit.cost, 0);
    EXPECT_GT(unit.memory, 0u);
  }
  EXPECT_EQ(keys.size(), 24u);
}

TEST_F(BagStudy, final_fit_of_a_bootstrap_is_ready_with_its_last_trial_whatever_the_order) {
  std::mt19937 engine(1);
  for (int repeat = 0; repeat < 5; ++repeat) {
    study::BagStudy study(search);
    auto units = study.initial();
    std::shuffle(units.begin(), units.end(), engine);
    int left[3] = {8, 8, 8};
    std::vector<UnitKey> finals;
    for (const Unit& unit : units) {
      const auto [b, t, f] = unit.key.index;
      EXPECT_FALSE(study.chosen(b));
      const auto ready = study.on_record(record_of(unit, 10 + (t == 2 - b % 2 ? 0 : 5)));
      if (--left[b] > 0) {
        EXPECT_THAT(ready, testing::IsEmpty());
        continue;
      }
      ASSERT_EQ(ready.size(), 1u);
      EXPECT_EQ(ready[0].key, (UnitKey{study::bag_unit_final, {b, 2 - b % 2, 0}}));
      EXPECT_EQ(study.chosen(b), 2 - b % 2);
      EXPECT_GT(ready[0].priority, unit.priority) << "it waits for no trial";
    }
  }
}

TEST_F(BagStudy, bootstraps_with_longer_final_fits_go_first) {
  study::BagStudy study(search);
  const auto units = study.initial();
  double longest[3] = {};
  int priority[3] = {};
  for (const Unit& unit : units) {
    longest[unit.key.index[0]] = std::max(longest[unit.key.index[0]], unit.cost);
    priority[unit.key.index[0]] = unit.priority;
  }
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      if (longest[a] > longest[b]) {
        EXPECT_GT(priority[a], priority[b]);
      }
    }
  }
}

TEST_F(BagStudy, trials_that_failed_or_diverged_are_not_chosen) {
  study::BagStudy study(search);
  std::vector<Unit> last;
  for (const Unit& unit : study.initial()) {
    const auto [b, t, f] = unit.key.index;
    Record record = record_of(unit, t == 3 ? 80 : 5, b == 0 && t != 3 && f == 1);
    if (b == 1 && t == 0) {
      record.status = Status::failed;
      record.payload.clear();
    }
    if (b == 2) record = record_of(unit, 0, true);
    const auto ready = study.on_record(record);
    last.insert(last.end(), ready.begin(), ready.end());
  }
  EXPECT_EQ(study.chosen(0), 0) << "(5 + 100) / 2 is less than 80 % wrong";
  EXPECT_EQ(study.chosen(1), 1);
  EXPECT_FALSE(study.chosen(2)) << "all diverged";
  EXPECT_EQ(last.size(), 2u);
  EXPECT_EQ(study.fold_error()[1], 1);
  EXPECT_TRUE(std::isnan(study.fold_error()[8]));
}

TEST_F(BagStudy, record_of_another_study_is_refused) {
  study::BagStudy study(search);
  Unit unit;
  unit.key = {study::bag_unit_trial, {0, 4, 0}};
  EXPECT_THROW(study.on_record(record_of(unit, 1)), Error);
}

TEST(BestTrial, is_the_lowest_mean_and_the_first_of_equal_ones) {
  EXPECT_EQ(study::best_trial({.25, .5, .375, .375, .125, .625}, 3, 2), 0);
  EXPECT_EQ(study::best_trial({.2, .4, .3, .2, .1, NAN}, 3, 2), 1);
  EXPECT_EQ(study::best_trial({1, 1}, 1, 2), std::nullopt);
  EXPECT_EQ(study::best_trial({NAN, .1}, 1, 2), std::nullopt);
}

TEST(BagRecords, come_back_from_bytes) {
  TrialResult trial;
  trial.held = 17;
  trial.wrong = 3;
  trial.training = {{1.5, 0.25}, true, "loss nan in step 3 of epoch 3"};
  const auto copy = TrialResult::from_bytes(trial.to_bytes());
  EXPECT_EQ(copy.held, 17);
  EXPECT_EQ(copy.wrong, 3);
  EXPECT_EQ(copy.training.epoch_loss, trial.training.epoch_loss);
  EXPECT_TRUE(copy.training.diverged);
  EXPECT_EQ(copy.training.reason, trial.training.reason);

  study::FinalResult final_fit;
  final_fit.out_of_bag = 5;
  final_fit.probability = {0.5f, 0.25f};
  final_fit.model_name = "bag-03.h5";
  final_fit.model_checksum = 77;
  const auto bytes = final_fit.to_bytes();
  const auto again = study::FinalResult::from_bytes(bytes);
  EXPECT_EQ(again.out_of_bag, 5);
  EXPECT_EQ(again.probability, final_fit.probability);
  EXPECT_EQ(again.model_name, "bag-03.h5");
  EXPECT_EQ(again.model_checksum, 77u);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(study::FinalResult::from_bytes(std::span(bytes).first(size)), Error) << size;
  }
}

}  // namespace
}  // namespace krossfold
