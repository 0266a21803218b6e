// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/units.hpp"

#include "krossfold/studies/svm/cell_measures.hpp"

#include <set>

#include "test/studies/svm/sample_records.hpp"

namespace krossfold::studies {
namespace {

using namespace test;

SvmLayout sample_search(bool refit = true) {
  SvmParams params = sample_params();
  params.refit = refit;
  return lay_out_svm(params, sample_task(60, 6, classes));
}

/// The units that are ready once all of `ready`, the out-of-fold units, have records.
std::vector<Unit> after_out_of_fold(SvmStudy& study, const SvmLayout& search, const std::vector<Unit>& ready) {
  EXPECT_EQ(ready.size(), static_cast<std::size_t>(folds));
  std::mt19937 random(1);
  std::vector<Unit> next;
  for (const Unit& unit : ready) {
    EXPECT_EQ(unit.key.kind, svm_unit_out_of_fold);
    EXPECT_TRUE(next.empty());
    next = study.on_record(decided(search, unit.key, random));
  }
  return next;
}

TEST(SvmStudy, begins_with_one_unit_for_every_gamma_and_fold) {
  const SvmLayout search = sample_search();
  std::set<UnitKey> keys;
  for (const Unit& unit : SvmStudy(search, labels()).initial()) {
    EXPECT_EQ(unit.key.kind, svm_unit_fold);
    EXPECT_EQ(unit.affinity, unit.key.index[0]);  // units of one gamma share its kernel matrix
    EXPECT_GT(unit.cost, 0);
    EXPECT_TRUE(unit.key.index[0] >= 0 && unit.key.index[0] < gammas);
    EXPECT_TRUE(unit.key.index[1] >= 0 && unit.key.index[1] < folds);
    keys.insert(unit.key);
  }
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(gammas * folds));
}

TEST(SvmStudy, the_refit_becomes_ready_with_the_last_record_whatever_their_order) {
  const SvmLayout search = sample_search();
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    std::vector<Record> records = random_records(random);
    std::vector<double> error;
    for (int g = 0; g < gammas; ++g) {
      for (int c = 0; c < cs; ++c) {
        for (int f = 0; f < folds; ++f) {
          error.push_back(FoldResult::from_bytes(records[g * folds + f].payload).wrong[c] / 12.0);
        }
      }
    }
    const int best = choose_cell(error, error, gammas, cs, folds)->best;
    std::shuffle(records.begin(), records.end(), random);
    SvmStudy study(search, labels());
    study.initial();
    for (std::size_t k = 0; k + 1 < records.size(); ++k) ASSERT_TRUE(study.on_record(records[k]).empty()) << "at " << k;
    const std::vector<Unit> ready = after_out_of_fold(study, search, study.on_record(records.back()));
    ASSERT_EQ(ready.size(), 1U);
    EXPECT_EQ(ready[0].key, (UnitKey{svm_unit_refit, {best / cs, best % cs, 0}}));
    EXPECT_EQ(ready[0].affinity, best / cs);
    EXPECT_EQ(study.rounds()[0].fold_error, error);
  }
}

TEST(SvmStudy, a_record_that_comes_twice_counts_once) {
  const SvmLayout search = sample_search();
  std::mt19937 random(7);
  const std::vector<Record> records = random_records(random);
  SvmStudy study(search, labels());
  study.initial();
  for (std::size_t k = 0; k + 1 < records.size(); ++k) {
    study.on_record(records[k]);
    ASSERT_TRUE(study.on_record(records[k]).empty());
  }
  EXPECT_EQ(study.on_record(records.back()).size(), static_cast<std::size_t>(folds));
  EXPECT_TRUE(study.on_record(records.back()).empty());
}

TEST(SvmStudy, the_record_of_the_refit_makes_nothing_ready) {
  const SvmLayout search = sample_search();
  std::mt19937 random(8);
  SvmStudy study(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : random_records(random)) ready = study.on_record(record);
  ready = after_out_of_fold(study, search, ready);
  ASSERT_EQ(ready.size(), 1U);
  Record refit;
  refit.key = ready[0].key;
  refit.status = Status::done;
  EXPECT_TRUE(study.on_record(refit).empty());
}

TEST(SvmStudy, a_failed_unit_takes_its_gamma_out_of_the_choice_but_not_the_study) {
  const SvmLayout search = sample_search();
  std::vector<Record> records;
  for (int g = 0; g < gammas; ++g) {
    // Gamma 1 would be the best by far.
    for (int f = 0; f < folds; ++f)
      records.push_back(fold_record(g, f, 12, {9 - g, 9 - g, g == 1 ? 0 : 8 - g}, classes));
  }
  records[1 * folds + 3] = failed(records[1 * folds + 3]);
  std::vector<Unit> ready;
  SvmStudy study(search, labels());
  for (const Record& record : records) ready = study.on_record(record);
  ready = after_out_of_fold(study, search, ready);
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_EQ(ready[0].key.index, (std::array<std::int32_t, 3>{3, 2, 0}));
}

TEST(SvmStudy, there_is_no_refit_where_no_cell_has_all_its_folds_or_none_was_asked_for) {
  const SvmLayout search = sample_search(), search_only = sample_search(false);
  std::mt19937 random(9);
  const std::vector<Record> records = random_records(random);
  SvmStudy without(search_only, labels()), all_failed(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : records) {
    ready = without.on_record(record);
    EXPECT_TRUE(all_failed.on_record(failed(record)).empty());
  }
  EXPECT_TRUE(after_out_of_fold(without, search_only, ready).empty());
}

TEST(SvmStudy, refuses_records_that_are_not_its_own) {
  const SvmLayout search = sample_search();
  SvmStudy study(search, labels());
  for (const auto& [gamma, fold] : {std::pair{gammas, 0}, {-1, 0}, {0, folds}, {0, -1}}) {
    const std::string message = message_of(
        ExitCode::failed, [&] { study.on_record(fold_record(gamma, fold, 12, std::vector<int>(cs), classes)); });
    EXPECT_NE(message.find("no such unit"), std::string::npos) << message;
  }
  message_of(ExitCode::failed, [&] { study.on_record(fold_record(0, 0, 12, std::vector<int>(cs + 1), classes)); });
  message_of(ExitCode::failed, [&] { study.on_record(fold_record(0, 1, 0, std::vector<int>(cs), classes)); });
}

}  // namespace
}  // namespace krossfold::studies
