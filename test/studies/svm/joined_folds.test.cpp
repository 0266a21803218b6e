// SPDX-License-Identifier: BSD-3-Clause
// Units of several folds: what they name, and that a study with them asks for each fold once, whatever fails or was done before.
#include "krossfold/studies/svm/joined_folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "krossfold/studies/svm/parts_units.hpp"
#include "krossfold/studies/svm/units.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

SvmLayout search_of(const data::Task& task, int refine = 0, int outer = 0) {
  SvmParams params;
  params.grid_c = 3;
  params.grid_gamma = 4;
  params.refine = refine;
  params.outer = outer;
  return lay_out_svm(params, task);
}

std::vector<int> folds_of(const Unit& unit) {
  const bool joined = !unit.input.empty() && !PathInput::from_bytes(unit.input).folds.empty();
  return joined ? PathInput::from_bytes(unit.input).folds : std::vector<int>{unit.key.index[fold_index(unit.key)]};
}

bool is_search(const Unit& unit) { return unit.key.kind == svm_unit_fold || unit.key.kind == svm_unit_refine; }

UnitKey with_fold(UnitKey key, int fold) {
  key.index[fold_index(key)] = fold;
  return key;
}

/// A record of a search, whose counts depend on the key alone.
Record record_of(const SvmLayout& search, const UnitKey& key) {
  const int cs = key.kind == svm_unit_fold ? 3 : refined_count(3);
  std::vector<int> wrong;
  for (int c = 0; c < cs; ++c) {
    wrong.push_back((7 * key.index[0] + 5 * key.index[1] + 3 * key.index[2] + 11 * c) % 8);
  }
  Record record = test::fold_record(0, 0, 12, wrong, search.classes);
  record.key = key;
  return record;
}

/// Runs the searches of a study as a farm does, from the records of an earlier run; `fails` says which unit does. Returns how often each
/// (gamma, fold) was computed. Stops before the out-of-fold units.
std::map<UnitKey, int> computed(
    SvmStudy& study, const SvmLayout& search, const std::vector<Record>& earlier,
    const std::function<bool(const Unit&)>& fails = [](const Unit&) { return false; }) {
  std::set<UnitKey> known, recorded;
  std::vector<Unit> queue;
  const auto add = [&](const std::vector<Unit>& units) {
    for (const Unit& unit : units) {
      if (is_search(unit) && known.insert(unit.key).second) queue.push_back(unit);
    }
  };
  for (const Record& record : earlier) known.insert(record.key);
  add(study.initial());
  for (const Record& record : earlier) add(study.on_record(record));
  std::map<UnitKey, int> times;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const Unit unit = queue[next];
    if (fails(unit)) {
      Record record = record_of(search, unit.key);
      record.status = Status::failed;
      add(study.on_record(record));
      continue;
    }
    for (const int fold : folds_of(unit)) {
      const UnitKey key = with_fold(unit.key, fold);
      ++times[key];
      known.insert(key);
      add(study.on_record(record_of(search, key)));
    }
  }
  return times;
}

TEST(JoinedFolds, name_folds_gamma_and_c_and_have_the_key_of_the_last) {
  const data::Task task = test::sample_task();
  const SvmLayout search = search_of(task);
  const auto apart = SvmStudy(search, task.train.label).initial();
  const auto units = SvmStudy(search, task.train.label, 2).initial();
  ASSERT_EQ(apart.size(), 20U);
  ASSERT_EQ(units.size(), 12U);
  for (int g = 0; g < 4; ++g) {
    const std::vector<std::vector<int>> expected{{0, 1}, {2, 3}, {4}};
    for (int k = 0; k < 3; ++k) {
      const Unit& unit = units[g * 3 + k];
      EXPECT_EQ(unit.key, (UnitKey{svm_unit_fold, {g, expected[k].back(), 0}}));
      EXPECT_EQ(folds_of(unit), expected[k]);
      EXPECT_EQ(unit.affinity, apart[g * 5].affinity);
      EXPECT_DOUBLE_EQ(unit.cost, apart[g * 5].cost * static_cast<double>(expected[k].size()));
      if (k == 2) {
        EXPECT_TRUE(unit.input.empty());
        continue;
      }
      const PathInput path = PathInput::from_bytes(unit.input);
      EXPECT_EQ(path.gamma, search.gamma[g]);
      EXPECT_EQ(path.c, search.c);
    }
  }
}

TEST(JoinedFolds, searches_within_outer_folds_have_none) {
  const data::Task task = test::sample_task();
  const SvmLayout search = search_of(task, 0, 3);
  for (const Unit& unit : SvmStudy(search, task.train.label, 5).initial()) {
    if (unit.key.kind == svm_unit_nested) {
      EXPECT_TRUE(unit.input.empty());
    } else {
      EXPECT_EQ(folds_of(unit).size(), 5U);
    }
  }
}

TEST(JoinedFolds, a_study_computes_each_fold_once_and_finds_the_same) {
  const data::Task task = test::sample_task();
  const SvmLayout search = search_of(task, 2);
  SvmStudy apart(search, task.train.label);
  const auto expected = computed(apart, search, {});
  ASSERT_EQ(expected.size(), 4U * 5 + 2 * 7 * 5);
  for (const int together : {2, 3, 5, 12}) {
    SvmStudy study(search, task.train.label, together);
    EXPECT_EQ(computed(study, search, {}), expected) << together << " together";
    EXPECT_EQ(study.best()->gamma, apart.best()->gamma);
    EXPECT_EQ(study.best()->c, apart.best()->c);
    EXPECT_EQ(study.best()->round, apart.best()->round);
  }
}

TEST(JoinedFolds, where_their_unit_fails_the_others_are_computed_alone) {
  const data::Task task = test::sample_task();
  const SvmLayout search = search_of(task, 1);
  SvmStudy study(search, task.train.label, 5);
  const auto times = computed(study, search, {}, [](const Unit& unit) {
    return folds_of(unit).size() > 1 && unit.key.index[gamma_index(unit.key)] % 2 == 1;
  });
  ASSERT_EQ(study.rounds().size(), 2U);
  for (const UnitKey& key : {UnitKey{svm_unit_fold, {1, 0, 0}}, UnitKey{svm_unit_refine, {1, 3, 2}}}) {
    EXPECT_EQ(times.at(key), 1);
    EXPECT_FALSE(times.contains(with_fold(key, 4))) << "it has the record of the failure";
  }
  EXPECT_EQ(times.at({svm_unit_fold, {0, 4, 0}}), 1);
}

/// A study is resumed with units of other folds than before.
TEST(JoinedFolds, no_fold_is_lost_where_an_earlier_run_joined_others_and_none_repeated_whose_unit_is_known_to_be_done) {
  const data::Task task = test::sample_task();
  const SvmLayout search = search_of(task, 1);
  SvmStudy apart(search, task.train.label);
  const auto all = computed(apart, search, {});
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::set<UnitKey> before;
    std::vector<Record> earlier;
    for (const auto& [key, times] : all) {
      if (random() % 3 == 0) continue;
      before.insert(key);
      earlier.push_back(record_of(search, key));
    }
    const int together = 1 + static_cast<int>(random() % 5);
    SvmStudy study(search, task.train.label, together);
    auto times = computed(study, search, earlier);
    EXPECT_EQ(study.best()->error, apart.best()->error);
    for (const auto& [key, once] : all) {
      const int last = std::min(key.index[fold_index(key)] / together * together + together - 1, 4);
      const int repeated = before.contains(key) && !before.contains(with_fold(key, last)) ? 1 : 0;
      EXPECT_EQ(times[key], before.contains(key) ? repeated : 1);
    }
  }
}

TEST(JoinedFolds, of_a_part_are_those_that_hold_out_samples_of_it) {
  const data::Task task = test::sample_task(300);
  SvmParams params;
  params.grid_c = params.grid_gamma = 2;
  params.partition = "voronoi:60";
  PartsLayout search = lay_out_parts(params, task);
  search.folds[1].held[4].clear();
  search.folds[2].held[0].clear();
  search.folds[2].held[1].clear();
  std::map<UnitKey, int> times;
  for (const Unit& unit : PartsStudy(search, 3).initial()) {
    for (const int fold : folds_of(unit)) ++times[with_fold(unit.key, fold)];
    EXPECT_EQ(folds_of(unit).back(), unit.key.index[2]);
  }
  std::map<UnitKey, int> expected;
  for (const Unit& unit : PartsStudy(search).initial()) ++expected[unit.key];
  EXPECT_EQ(times, expected);
  EXPECT_FALSE(times.contains({svm_unit_part_fold, {1, 0, 4}}));
}

TEST(JoinedFolds, are_as_many_as_all_ranks_plan_for_but_leave_none_without_a_unit) {
  EXPECT_EQ(common_folds({5}, 24, 5), 5);
  EXPECT_EQ(common_folds({5, 5, 5, 5}, 24, 5), 5);
  EXPECT_EQ(common_folds({5, 1, 5, 5}, 24, 5), 1);
  EXPECT_EQ(common_folds({5, 3, 5}, 24, 5), 3);
  EXPECT_EQ(common_folds(std::vector<std::int64_t>(24, 5), 24, 5), 5);
  EXPECT_EQ(common_folds(std::vector<std::int64_t>(25, 5), 24, 5), 4);
  EXPECT_EQ(common_folds(std::vector<std::int64_t>(49, 5), 24, 5), 2);
  EXPECT_EQ(common_folds(std::vector<std::int64_t>(1000, 5), 24, 5), 1);
}

}  // namespace
}  // namespace krossfold::studies
