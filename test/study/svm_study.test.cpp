// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_study.hpp"

#include <cmath>
#include <map>
#include <set>

#include "test/study/sample_study.hpp"

namespace krossfold::study {
namespace {

using test::fold_record;
using test::message_of;
using test::sample_task;

constexpr int gammas = 4, cs = 3, folds = 5, classes = 3;

Vector<const int> labels() { return sample_task(60, 6, classes).train.label; }

SvmSearch sample_search(bool refit = true, bool probability = false) {
  SvmParams params;
  params.grid_c = cs;
  params.grid_gamma = gammas;
  params.folds = folds;
  params.refit = refit;
  params.probability = probability;
  return plan_svm(params, sample_task(60, 6, classes));
}

/// One record for every unit, with random counts of errors.
std::vector<Record> random_records(std::mt19937& random) {
  std::vector<Record> records;
  std::uniform_int_distribution<int> wrong(0, 12);
  for (int g = 0; g < gammas; ++g) {
    for (int f = 0; f < folds; ++f) {
      std::vector<int> counts(cs);
      for (int& count : counts) count = wrong(random);
      records.push_back(fold_record(g, f, 12, counts, classes));
    }
  }
  return records;
}

Record failed(Record record) {
  record.status = Status::failed;
  record.reason = "on purpose";
  record.payload.clear();
  return record;
}

TEST(SvmStudy, begins_with_one_unit_for_every_gamma_and_fold) {
  const SvmSearch search = sample_search();
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
  const SvmSearch search = sample_search();
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
    const auto best = best_cell(error, gammas, cs, folds);
    std::shuffle(records.begin(), records.end(), random);
    SvmStudy study(search, labels());
    study.initial();
    for (std::size_t k = 0; k + 1 < records.size(); ++k) ASSERT_TRUE(study.on_record(records[k]).empty()) << "at " << k;
    const std::vector<Unit> ready = study.on_record(records.back());
    ASSERT_EQ(ready.size(), 1U);
    EXPECT_EQ(ready[0].key, (UnitKey{svm_unit_refit, {best->gamma, best->c, 0}}));
    EXPECT_EQ(ready[0].affinity, best->gamma);
    EXPECT_EQ(study.fold_error(), error);
  }
}

TEST(SvmStudy, a_record_that_comes_twice_counts_once) {
  const SvmSearch search = sample_search();
  std::mt19937 random(7);
  const std::vector<Record> records = random_records(random);
  SvmStudy study(search, labels());
  study.initial();
  for (std::size_t k = 0; k + 1 < records.size(); ++k) {
    study.on_record(records[k]);
    ASSERT_TRUE(study.on_record(records[k]).empty());
  }
  EXPECT_EQ(study.on_record(records.back()).size(), 1U);
  EXPECT_TRUE(study.on_record(records.back()).empty());
}

TEST(SvmStudy, the_record_of_the_refit_makes_nothing_ready) {
  const SvmSearch search = sample_search();
  std::mt19937 random(8);
  SvmStudy study(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : random_records(random)) ready = study.on_record(record);
  ASSERT_EQ(ready.size(), 1U);
  Record refit;
  refit.key = ready[0].key;
  refit.status = Status::done;
  EXPECT_TRUE(study.on_record(refit).empty());
}

TEST(SvmStudy, a_failed_unit_takes_its_gamma_out_of_the_choice_but_not_the_study) {
  const SvmSearch search = sample_search();
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
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_EQ(ready[0].key.index, (std::array<std::int32_t, 3>{3, 2, 0}));
}

TEST(SvmStudy, there_is_no_refit_where_no_cell_has_all_its_folds_or_none_was_asked_for) {
  const SvmSearch search = sample_search(), search_only = sample_search(false);
  std::mt19937 random(9);
  const std::vector<Record> records = random_records(random);
  SvmStudy without(search_only, labels()), all_failed(search, labels());
  for (const Record& record : records) {
    EXPECT_TRUE(without.on_record(record).empty());
    EXPECT_TRUE(all_failed.on_record(failed(record)).empty());
  }
}

/// The record of a calibration unit, with decision values that tell the classes apart but for some noise.
Record calibrated(const SvmSearch& search, const UnitKey& key, std::mt19937& random) {
  std::normal_distribution<double> noise(0, 1);
  CalibrationResult result;
  for (int p = 0; p < search.problems; ++p) {
    for (const int i : search.folds.held[key.index[2]]) {
      result.decision.push_back((labels()(i) == p ? 1 : -1) + noise(random));
    }
  }
  Record record;
  record.key = key;
  record.status = Status::done;
  record.payload = result.to_bytes();
  return record;
}

/// Every record up to the refit, and the refit itself.
struct WholeStudy {
  std::vector<Record> records;
  Unit refit;
};

WholeStudy compute(const SvmSearch& search, std::uint32_t seed) {
  std::mt19937 random(seed);
  WholeStudy whole{random_records(random), {}};
  SvmStudy study(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : whole.records) ready = study.on_record(record);
  for (const Unit& unit : std::vector<Unit>(ready)) {
    whole.records.push_back(calibrated(search, unit.key, random));
    ready = study.on_record(whole.records.back());
  }
  whole.refit = ready.at(0);
  return whole;
}

TEST(SvmStudy, calibrates_the_best_cell_in_every_fold_before_the_refit) {
  const SvmSearch search = sample_search(true, true);
  std::mt19937 random(12);
  SvmStudy study(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : random_records(random)) {
    ASSERT_TRUE(ready.empty());
    ready = study.on_record(record);
  }
  const auto best = study.best();
  ASSERT_EQ(ready.size(), static_cast<std::size_t>(folds));
  for (int f = 0; f < folds; ++f) {
    EXPECT_EQ(ready[f].key, (UnitKey{svm_unit_calibrate, {0, best->gamma * cs + best->c, f}}));
    EXPECT_EQ(ready[f].affinity, best->gamma);
    const PathInput input = PathInput::from_bytes(ready[f].input);
    EXPECT_EQ(input.gamma, search.gamma[best->gamma]);
    EXPECT_EQ(input.c, std::vector<double>(search.c.begin(), search.c.begin() + best->c + 1));
    EXPECT_TRUE(input.sigmoid.empty());
  }
  std::vector<Unit> last;
  for (const Unit& unit : ready) {
    ASSERT_TRUE(last.empty());
    EXPECT_FALSE(study.calibration());
    last = study.on_record(calibrated(search, unit.key, random));
  }
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].key, (UnitKey{svm_unit_refit, {best->gamma, best->c, 0}}));
  const PathInput input = PathInput::from_bytes(last[0].input);
  EXPECT_EQ(input.gamma, search.gamma[best->gamma]);
  EXPECT_EQ(input.c.back(), search.c[best->c]);
  ASSERT_EQ(input.sigmoid.size(), static_cast<std::size_t>(classes));
  ASSERT_TRUE(study.calibration());
  for (int p = 0; p < classes; ++p) {
    EXPECT_EQ(input.sigmoid[p].a, study.calibration()->sigmoid[p].a);
    // log(p / (1 - p)) of two normal distributions around 1 and -1, a third of the samples in the first.
    EXPECT_NEAR(input.sigmoid[p].a, -2, 1);
    EXPECT_NEAR(input.sigmoid[p].b, std::log(2.0), 1);
  }
}

TEST(SvmStudy, the_sigmoids_are_the_same_bits_whatever_the_order_of_all_records) {
  const SvmSearch search = sample_search(true, true);
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    WholeStudy whole = compute(search, seed);
    // A journal is replayed by key: the refit, of a lower kind, before the calibration.
    Record refit;
    refit.key = whole.refit.key;
    refit.status = Status::done;
    if (seed % 2 == 0) whole.records.push_back(refit);
    std::mt19937 random(seed + 1000);
    std::shuffle(whole.records.begin(), whole.records.end(), random);
    SvmStudy study(search, labels());
    std::map<UnitKey, Unit> made;
    for (const Record& record : whole.records) {
      for (const Unit& unit : study.on_record(record)) EXPECT_TRUE(made.emplace(unit.key, unit).second);
    }
    ASSERT_EQ(made.size(), static_cast<std::size_t>(folds) + 1);
    EXPECT_EQ(made.at(whole.refit.key).input, whole.refit.input);
  }
}

TEST(SvmStudy, after_a_failed_calibration_there_is_a_refit_without_probabilities) {
  const SvmSearch search = sample_search(true, true);
  WholeStudy whole = compute(search, 5);
  Record& broken = whole.records.at(gammas * folds + 3);
  ASSERT_EQ(broken.key.kind, svm_unit_calibrate);
  broken = failed(broken);
  SvmStudy study(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : whole.records) ready = study.on_record(record);
  ASSERT_EQ(ready.size(), 1U);
  EXPECT_EQ(ready[0].key, whole.refit.key);
  const PathInput input = PathInput::from_bytes(ready[0].input);
  EXPECT_TRUE(input.sigmoid.empty());
  EXPECT_EQ(input.c, PathInput::from_bytes(whole.refit.input).c);
  EXPECT_FALSE(study.calibration());
  EXPECT_EQ(study.calibration_failed(), "fold 3: on purpose");
}

TEST(SvmStudy, refuses_calibrations_that_are_not_its_own) {
  const SvmSearch search = sample_search(true, true);
  std::mt19937 random(6);
  SvmStudy study(search, labels());
  Record record = calibrated(search, {svm_unit_calibrate, {0, 0, 1}}, random);
  record.key.index[2] = folds;
  message_of(ExitCode::failed, [&] { study.on_record(record); });
  record.key.index[2] = 1;
  record.payload = CalibrationResult{std::vector<double>(7)}.to_bytes();
  message_of(ExitCode::failed, [&] { study.on_record(record); });
}

TEST(SvmStudy, refuses_records_that_are_not_its_own) {
  const SvmSearch search = sample_search();
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
}  // namespace krossfold::study
