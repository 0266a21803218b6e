// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/bag/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "krossfold/core/error.hpp"
#include "krossfold/input/spec.hpp"

namespace krossfold {
namespace {

using studies::TrialResult;

class BagStudy : public ::testing::Test {
protected:
  const data::Task task = input::load_task({});
  studies::BagLayout search;

  BagStudy() {
    studies::BagParams params;
    params.bootstraps = 3;
    params.trials = 4;
    params.folds = 2;
    lay_out(params);
  }
  /// With a unit for each fold, on devices, too.
  void lay_out(const studies::BagParams& params) {
    search = studies::lay_out_bag(params, task);
    search.folds_together = false;
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
  studies::BagStudy study(search);
  const auto units = study.initial();
  std::set<UnitKey> keys;
  for (const Unit& unit : units) {
    keys.insert(unit.key);
    EXPECT_EQ(unit.key.kind, studies::bag_unit_trial);
    EXPECT_GT(unit.cost, 0);
  }
  EXPECT_EQ(keys.size(), 24u);
}

TEST_F(BagStudy, folds_together_are_one_unit_that_is_done_when_its_last_record_is_kept) {
  studies::BagStudy apart(search);
  const double cost = apart.initial()[0].cost;
  search.folds_together = true;
  studies::BagStudy study(search);
  const auto units = study.initial();
  ASSERT_EQ(units.size(), 12u);
  for (const Unit& unit : units) {
    EXPECT_EQ(unit.key.index[2], 1);
    EXPECT_EQ(studies::folds_of(unit), (std::vector<int>{0, 1}));
  }
  EXPECT_GT(units[0].cost, 1.9 * cost);
  for (const Unit& unit : units) {
    Unit first = unit;
    first.key.index[2] = 0;
    EXPECT_THAT(study.on_record(record_of(first, 10)), testing::IsEmpty());
    const bool last_trial = unit.key.index[1] == 3;
    EXPECT_EQ(study.on_record(record_of(unit, 10)).size(), last_trial ? 1u : 0u);
  }
}

TEST_F(BagStudy, folds_that_an_earlier_run_left_out_are_computed_alone) {
  search.folds_together = true;
  studies::BagStudy study(search);
  const Unit unit = study.initial()[5];
  const auto ready = study.on_record(record_of(unit, 10));
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0].key, (UnitKey{studies::bag_unit_trial, {unit.key.index[0], unit.key.index[1], 0}}));
  EXPECT_EQ(studies::folds_of(ready[0]), std::vector<int>{0});
}

TEST_F(BagStudy, outlook_is_what_may_become_ready) {
  studies::BagStudy plain(search);
  EXPECT_EQ(plain.outlook().size(), 3u);  // the final fits
  search.params.prune = true;
  studies::BagStudy study(search);
  auto ready = study.initial();
  EXPECT_EQ(ready.size(), 12u);
  EXPECT_EQ(study.outlook().size(), 12u + 3u);
  int seen = 0;
  while (!ready.empty()) {
    const Unit unit = ready.back();
    ready.pop_back();
    const auto before = study.outlook().size();
    std::vector<Unit> next;
    if (unit.key.kind == studies::bag_unit_trial) next = study.on_record(record_of(unit, 20 - ++seen % 7));
    ready.insert(ready.end(), next.begin(), next.end());
    EXPECT_LE(study.outlook().size() + next.size(), before);
  }
  EXPECT_TRUE(study.outlook().empty());
}

TEST_F(BagStudy, final_fit_of_a_bootstrap_is_ready_with_its_last_trial_whatever_the_order) {
  std::mt19937 engine(1);
  for (int repeat = 0; repeat < 5; ++repeat) {
    studies::BagStudy study(search);
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
      EXPECT_EQ(ready[0].key, (UnitKey{studies::bag_unit_final, {b, 2 - b % 2, 0}}));
      EXPECT_EQ(study.chosen(b), 2 - b % 2);
      EXPECT_GT(ready[0].priority, unit.priority) << "it waits for no trial";
    }
  }
}

TEST_F(BagStudy, bootstraps_with_longer_final_fits_go_first) {
  studies::BagStudy study(search);
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
  studies::BagStudy study(search);
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

/// What a study with pruning found of errors drawn at random, its units answered in a random order.
struct PrunedRun {
  std::vector<double> error;
  std::vector<bool> pruned;
  std::vector<std::optional<int>> chosen;
  int computed = 0;
};

PrunedRun run_pruned(const studies::BagLayout& search, const std::vector<int>& wrong, bool with_failure,
                     std::mt19937& engine, Record (*record_of)(const Unit&, int, bool)) {
  studies::BagStudy study(search);
  std::vector<Unit> ready = study.initial();
  std::set<UnitKey> seen;
  std::map<UnitKey, Record> records;
  PrunedRun run;
  std::vector<UnitKey> finals;
  while (!ready.empty()) {
    std::swap(ready[engine() % ready.size()], ready.back());
    const Unit unit = ready.back();
    ready.pop_back();
    EXPECT_TRUE(seen.insert(unit.key).second) << "a unit was handed out twice";
    if (unit.key.kind == studies::bag_unit_final) {
      finals.push_back(unit.key);
      continue;
    }
    const auto [b, t, f] = unit.key.index;
    ++run.computed;
    Record record = record_of(unit, wrong[(b * 4 + t) * search.folds.folds() + f], false);
    if (with_failure && b == 1 && t == 1 && f == 0) {
      record.status = Status::failed;
      record.payload.clear();
    }
    records[unit.key] = record;
    for (const Unit& next : study.on_record(record)) ready.push_back(next);
  }
  // A resumed run sees the records in the order of their keys, and may know of a final fit's trial before all of them.
  studies::BagStudy again(search);
  std::set<UnitKey> handed;
  for (const Unit& unit : again.initial()) handed.insert(unit.key);
  int again_finals = 0;
  for (const auto& [key, record] : records) {
    for (const Unit& next : again.on_record(record)) {
      again_finals += next.key.kind == studies::bag_unit_final ? 1 : 0;
      handed.insert(next.key);
    }
  }
  EXPECT_EQ(again_finals, static_cast<int>(finals.size()));
  for (const UnitKey& key : handed) EXPECT_TRUE(seen.contains(key)) << "a resumed run has something left to do";
  EXPECT_EQ(again.pruned(), study.pruned());
  run.error = study.fold_error();
  run.pruned = study.pruned();
  for (int b = 0; b < 3; ++b) {
    run.chosen.push_back(study.chosen(b));
    EXPECT_EQ(std::count_if(finals.begin(), finals.end(), [b](const UnitKey& key) { return key.index[0] == b; }), 1);
  }
  return run;
}

TEST_F(BagStudy, pruning_chooses_the_same_trials_and_says_the_same_in_any_order) {
  studies::BagParams params;
  params.bootstraps = 3;
  params.trials = 4;
  lay_out(params);
  std::mt19937 engine(3);
  std::uniform_int_distribution<int> wrong(0, 30);
  int left_out = 0;
  for (int repeat = 0; repeat < 30; ++repeat) {
    std::vector<int> counts(60);
    for (int& count : counts) count = wrong(engine);
    const bool with_failure = repeat % 3 == 0;
    search.params.prune = false;
    studies::BagStudy whole(search);
    for (const Unit& unit : whole.initial()) {
      const auto [b, t, f] = unit.key.index;
      Record record = record_of(unit, counts[(b * 4 + t) * 5 + f]);
      if (with_failure && b == 1 && t == 1) record = {.key = unit.key, .status = Status::failed};
      whole.on_record(record);
    }
    search.params.prune = true;
    const auto make = [](const Unit& unit, int w, bool d) { return record_of(unit, w, d); };
    const PrunedRun first = run_pruned(search, counts, with_failure, engine, make);
    for (int b = 0; b < 3; ++b) EXPECT_EQ(first.chosen[b], whole.chosen(b));
    for (std::size_t i = 0; i < 60; ++i) {
      const bool failed = with_failure && i == 25;
      EXPECT_EQ(first.pruned[i] || failed, std::isnan(first.error[i])) << "neither an error nor pruned";
      left_out += first.pruned[i] ? 1 : 0;
    }
    for (int again = 0; again < 5; ++again) {
      const PrunedRun other = run_pruned(search, counts, with_failure, engine, make);
      EXPECT_EQ(other.pruned, first.pruned);
      for (std::size_t i = 0; i < 60; ++i) {
        EXPECT_TRUE(other.error[i] == first.error[i] || (std::isnan(other.error[i]) && std::isnan(first.error[i])));
      }
    }
    EXPECT_LE(first.computed, 60);
  }
  EXPECT_GT(left_out, 30) << "hardly anything was pruned";
}

TEST_F(BagStudy, record_of_another_study_is_refused) {
  studies::BagStudy study(search);
  Unit unit;
  unit.key = {studies::bag_unit_trial, {0, 4, 0}};
  EXPECT_THROW(study.on_record(record_of(unit, 1)), Error);
}

TEST(BestTrial, is_the_lowest_mean_and_the_first_of_equal_ones) {
  const std::vector<bool> none(6, false);
  EXPECT_EQ(studies::best_trial({.25, .5, .375, .375, .125, .625}, none, 3, 2), 0);
  EXPECT_EQ(studies::best_trial({.2, .4, .3, .2, .1, NAN}, none, 3, 2), 1);
  EXPECT_EQ(studies::best_trial({NAN, .1}, none, 1, 2), std::nullopt);
}

TEST(BestTrial, may_be_wrong_about_all_samples_but_may_not_have_diverged_in_every_fold) {
  EXPECT_EQ(studies::best_trial({1, 1}, {true, true}, 1, 2), std::nullopt);
  EXPECT_EQ(studies::best_trial({1, 1, 1, 1, 1, 1}, {true, true, true, false, false, false}, 3, 2), 1);
  EXPECT_EQ(studies::best_trial({1, 1, .5, 1}, {false, false, false, true}, 2, 2), 1);
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

  studies::FinalResult final_fit;
  final_fit.out_of_bag = 5;
  final_fit.probability = {0.5f, 0.25f};
  final_fit.model_name = "bag-03.h5";
  final_fit.model_checksum = 77;
  const auto bytes = final_fit.to_bytes();
  const auto again = studies::FinalResult::from_bytes(bytes);
  EXPECT_EQ(again.out_of_bag, 5);
  EXPECT_EQ(again.probability, final_fit.probability);
  EXPECT_EQ(again.model_name, "bag-03.h5");
  EXPECT_EQ(again.model_checksum, 77u);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(studies::FinalResult::from_bytes(std::span(bytes).first(size)), Error) << size;
  }
}

}  // namespace
}  // namespace krossfold
