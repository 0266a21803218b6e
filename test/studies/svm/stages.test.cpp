// SPDX-License-Identifier: BSD-3-Clause
// The stages of an SvmStudy between the grid and the refit: rounds of refinement, and the out-of-fold decisions of the best cell.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "krossfold/studies/svm/units.hpp"
#include "test/studies/svm/sample_records.hpp"

namespace krossfold::studies {
namespace {

using namespace test;

SvmLayout refining_search(int rounds, int grid_gamma = gammas) {
  SvmParams params = sample_params();
  params.grid_gamma = grid_gamma;
  params.refine = rounds;
  params.probability = true;
  return lay_out_svm(params, sample_task(60, 6, classes));
}

SvmLayout calibrating_search() { return refining_search(0); }

/// Every record up to the refit, and the refit itself.
struct WholeStudy {
  std::vector<Record> records;
  Unit refit;
};

WholeStudy compute(const SvmLayout& search, std::uint32_t seed) {
  std::mt19937 random(seed);
  WholeStudy whole{random_records(random), {}};
  SvmStudy study(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : whole.records) ready = study.on_record(record);
  for (const Unit& unit : std::vector<Unit>(ready)) {
    whole.records.push_back(decided(search, unit.key, random));
    ready = study.on_record(whole.records.back());
  }
  whole.refit = ready.at(0);
  return whole;
}

TEST(SvmStudy, decides_at_the_best_cell_in_every_fold_and_calibrates_before_the_refit) {
  const SvmLayout search = calibrating_search();
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
    EXPECT_EQ(ready[f].key, (UnitKey{svm_unit_out_of_fold, {0, best->gamma * cs + best->c, f}}));
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
    last = study.on_record(decided(search, unit.key, random));
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
  const SvmLayout search = calibrating_search();
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

TEST(SvmStudy, after_a_failed_out_of_fold_unit_there_is_a_refit_without_probabilities) {
  const SvmLayout search = calibrating_search();
  WholeStudy whole = compute(search, 5);
  Record& broken = whole.records.at(gammas * folds + 3);
  ASSERT_EQ(broken.key.kind, svm_unit_out_of_fold);
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
  EXPECT_EQ(study.out_of_fold_failed(), "fold 3: on purpose");
}

/// The record of a unit of a round of refinement.
Record refined_record(const UnitKey& key, const std::vector<int>& wrong) {
  Record record = fold_record(0, 0, 12, wrong, classes);
  record.key = key;
  return record;
}

/// Runs a study to its end with wrong(round, gamma number, C number, fold) errors of 12 samples; all units by their keys.
template <class Wrong>
std::map<UnitKey, Unit> run_whole(SvmStudy& study, const SvmLayout& search, const Wrong& wrong,
                                  std::vector<Record>* records = nullptr) {
  std::mt19937 random(1);
  std::map<UnitKey, Unit> made;
  std::vector<Unit> queue = study.initial();
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const Unit unit = queue[k];
    EXPECT_TRUE(made.emplace(unit.key, unit).second);
    Record record;
    record.key = unit.key;
    record.status = Status::done;
    const auto [i, j, l] = unit.key.index;
    if (unit.key.kind == svm_unit_fold || unit.key.kind == svm_unit_refine) {
      const bool grid = unit.key.kind == svm_unit_fold;
      const int round = grid ? 0 : i, g = grid ? i : j, f = grid ? j : l;
      std::vector<int> counts;
      for (int c = 0; c < (grid ? cs : 7); ++c) counts.push_back(wrong(round, g, c, f));
      record = grid ? fold_record(g, f, 12, counts, classes) : refined_record(unit.key, counts);
    } else if (unit.key.kind == svm_unit_out_of_fold) {
      record = decided(search, unit.key, random);
    }
    if (records != nullptr) records->push_back(record);
    for (const Unit& next : study.on_record(record)) queue.push_back(next);
  }
  return made;
}

TEST(SvmStudy, each_round_refines_round_the_best_cell_so_far) {
  const SvmLayout search = refining_search(2);
  SvmStudy study(search, labels());
  // The grid is best at (2, 1), round 1 at (5, 0), and round 2 is nowhere better.
  const auto made = run_whole(study, search, [](int round, int g, int c, int) {
    if (round == 0) return g == 2 && c == 1 ? 4 : 9;
    if (round == 1) return g == 5 && c == 0 ? 3 : 8;
    return 3;
  });
  const double c_spacing = 9.0 / (cs - 1), gamma_spacing = 4.0 / (gammas - 1);
  for (int round = 1; round <= 2; ++round) {
    const double centre_c = round == 1 ? search.c[1] : search.c[1] * std::pow(10, -3 * c_spacing / 4);
    const double centre_gamma = round == 1 ? search.gamma[2] : search.gamma[2] * std::pow(10, 2 * gamma_spacing / 4);
    for (int g = 0; g < 7; ++g) {
      for (int f = 0; f < folds; ++f) {
        const PathInput input = PathInput::from_bytes(made.at({svm_unit_refine, {round, g, f}}).input);
        ASSERT_EQ(input.c.size(), 7U);
        EXPECT_TRUE(std::is_sorted(input.c.begin(), input.c.end()));
        const double shrink = std::pow(4, round);
        EXPECT_NEAR(std::log10(input.gamma / centre_gamma), (g - 3) * gamma_spacing / shrink, 1e-12);
        for (int c = 0; c < 7; ++c) {
          EXPECT_NEAR(std::log10(input.c[c] / centre_c), (c - 3) * c_spacing / shrink, 1e-12);
        }
      }
    }
  }
  EXPECT_EQ(PathInput::from_bytes(made.at({svm_unit_refine, {1, 3, 0}}).input).gamma, search.gamma[2]);
  EXPECT_EQ(PathInput::from_bytes(made.at({svm_unit_refine, {1, 3, 0}}).input).c[3], search.c[1]);
  // Units of one gamma, in whatever round, find its kernel matrix on the same rank.
  EXPECT_EQ(made.at({svm_unit_refine, {1, 3, 0}}).affinity, made.at({svm_unit_fold, {2, 0, 0}}).affinity);
  EXPECT_NE(made.at({svm_unit_refine, {1, 2, 0}}).affinity, made.at({svm_unit_refine, {1, 1, 0}}).affinity);
  // The equal errors of round 2 come too late.
  const auto best = study.best();
  ASSERT_TRUE(best);
  EXPECT_EQ(best->round, 1);
  EXPECT_EQ(best->gamma, 5);
  EXPECT_EQ(best->c, 0);
  const PathInput refit = PathInput::from_bytes(made.at({svm_unit_refit, {5, 0, 1}}).input);
  const SearchRound& round = study.rounds()[1];
  EXPECT_EQ(refit.gamma, round.gamma[5]);
  EXPECT_EQ(refit.c, std::vector<double>{round.c[0]});
  for (int f = 0; f < folds; ++f) EXPECT_TRUE(made.contains({svm_unit_out_of_fold, {1, 5 * 7 + 0, f}}));
  EXPECT_EQ(made.size(), static_cast<std::size_t>(gammas * folds + 2 * 7 * folds + folds + 1));
}

TEST(SvmStudy, a_cell_of_the_grid_wins_against_equal_ones_of_a_round) {
  const SvmLayout search = refining_search(1);
  SvmStudy study(search, labels());
  const auto made = run_whole(study, search, [](int, int, int, int) { return 5; });
  EXPECT_EQ(study.best()->round, 0);
  EXPECT_TRUE(made.contains({svm_unit_refit, {0, 0, 0}}));
}

/// The C, gamma and round of the simplest cell of the first `count` rounds within one standard error of the best, by a plain search.
std::array<double, 3> simplest_within(const std::vector<SearchRound>& rounds, std::size_t count) {
  std::map<std::array<double, 3>, std::pair<double, double>> mean;  // with its standard error
  for (std::size_t r = 0; r < count; ++r) {
    const SearchRound& round = rounds[r];
    for (std::size_t k = 0; k < round.gamma.size() * round.c.size(); ++k) {
      double sum = 0, squares = 0;
      for (std::size_t f = 0; f < folds; ++f) sum += round.fold_error[k * folds + f];
      for (std::size_t f = 0; f < folds; ++f) squares += std::pow(round.fold_error[k * folds + f] - sum / folds, 2);
      mean[{round.c[k % round.c.size()], round.gamma[k / round.c.size()], static_cast<double>(r)}] = {
          sum / folds, std::sqrt(squares / (folds - 1) / folds)};
    }
  }
  const auto best = std::min_element(mean.begin(), mean.end(), [](const auto& one, const auto& other) {
    return one.second.first < other.second.first;
  });
  const double band = best->second.first + best->second.second + 1e-9;
  return std::find_if(mean.begin(), mean.end(), [&](const auto& one) { return one.second.first <= band; })->first;
}

TEST(SvmStudy, by_one_standard_error_chooses_and_refines_around_the_simplest_cell_of_all_rounds) {
  SvmParams params = sample_params();
  params.refine = 2;
  params.select_by = "error,1se";
  const SvmLayout search = lay_out_svm(params, sample_task(60, 6, classes));
  std::set<int> chosen_rounds;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SvmStudy study(search, labels());
    run_whole(study, search, [seed](int round, int g, int c, int f) {
      std::mt19937 random(seed + 1000U * static_cast<unsigned>(((round * 7 + g) * 7 + c) * folds + f));
      random.discard(8);
      return static_cast<int>(random() % 13U);
    });
    const std::vector<SearchRound>& rounds = study.rounds();
    ASSERT_EQ(rounds.size(), 3U);
    const auto centre = simplest_within(rounds, 2), simplest = simplest_within(rounds, 3);
    EXPECT_EQ(rounds[2].c[3], centre[0]);
    EXPECT_EQ(rounds[2].gamma[3], centre[1]);
    const auto best = study.best();
    ASSERT_TRUE(best);
    const SearchRound& of = rounds[static_cast<std::size_t>(best->round)];
    EXPECT_EQ(of.c[static_cast<std::size_t>(best->c)], simplest[0]);
    EXPECT_EQ(of.gamma[static_cast<std::size_t>(best->gamma)], simplest[1]);
    EXPECT_EQ(best->round, simplest[2]);
    EXPECT_GE(best->within, best->tied);
    chosen_rounds.insert(best->round);
  }
  EXPECT_EQ(chosen_rounds, (std::set<int>{0, 1, 2}));
}

TEST(SvmStudy, an_axis_of_one_value_is_not_refined) {
  const SvmLayout search = refining_search(1, 1);
  SvmStudy study(search, labels());
  run_whole(study, search, [](int, int, int c, int) { return 8 - c; });
  ASSERT_EQ(study.rounds().size(), 2U);
  EXPECT_EQ(study.rounds()[1].gamma, search.gamma);
  EXPECT_EQ(study.rounds()[1].c.size(), 7U);
}

TEST(SvmStudy, rounds_out_of_fold_units_and_refit_are_the_same_whatever_the_order_of_all_records) {
  const SvmLayout search = refining_search(2);
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::vector<Record> records;
    SvmStudy first(search, labels());
    const auto expected = run_whole(
        first, search,
        [seed](int round, int g, int c, int f) {
          return static_cast<int>((seed + 1) * (31 * round + 17 * g + 7 * c + 3 * f) % 13);
        },
        &records);
    std::mt19937 random(seed);
    std::shuffle(records.begin(), records.end(), random);
    SvmStudy study(search, labels());
    std::map<UnitKey, Unit> made;
    for (const Unit& unit : study.initial()) made.emplace(unit.key, unit);
    for (const Record& record : records) {
      for (const Unit& unit : study.on_record(record)) EXPECT_TRUE(made.emplace(unit.key, unit).second);
    }
    ASSERT_EQ(made.size(), expected.size());
    for (const auto& [key, unit] : expected) {
      ASSERT_TRUE(made.contains(key));
      EXPECT_EQ(made.at(key).input, unit.input);
      EXPECT_EQ(made.at(key).affinity, unit.affinity);
    }
    for (std::size_t r = 0; r < first.rounds().size(); ++r) {
      EXPECT_EQ(study.rounds()[r].fold_error, first.rounds()[r].fold_error);
    }
  }
}

TEST(SvmStudy, a_round_whose_units_all_failed_leaves_the_best_cell_as_it_is) {
  const SvmLayout search = refining_search(1);
  std::mt19937 random(4);
  SvmStudy study(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : random_records(random)) ready = study.on_record(record);
  const auto before = study.best();
  ASSERT_EQ(ready.size(), static_cast<std::size_t>(7 * folds));
  std::vector<Unit> next;
  for (const Unit& unit : ready) next = study.on_record(failed(refined_record(unit.key, {})));
  ASSERT_EQ(next.size(), static_cast<std::size_t>(folds));
  EXPECT_EQ(next[0].key.kind, svm_unit_out_of_fold);
  EXPECT_EQ(study.best()->round, 0);
  EXPECT_EQ(study.best()->c, before->c);
}

TEST(SvmStudy, refuses_records_of_rounds_that_are_not_its_own) {
  const SvmLayout search = refining_search(2);
  SvmStudy study(search, labels());
  const std::vector<int> seven(7);
  for (const auto& index : std::vector<std::array<std::int32_t, 3>>{
           {0, 0, 0}, {3, 0, 0}, {1, 7, 0}, {1, -1, 0}, {1, 0, folds}, {1, 0, -1}}) {
    message_of(ExitCode::failed, [&] { study.on_record(refined_record({svm_unit_refine, index}, seven)); });
  }
  message_of(ExitCode::failed, [&] {
    study.on_record(refined_record({svm_unit_refine, {1, 0, 0}}, std::vector<int>(6)));
  });
}

TEST(SvmStudy, refuses_out_of_fold_decisions_that_are_not_its_own) {
  const SvmLayout search = calibrating_search();
  std::mt19937 random(6);
  SvmStudy study(search, labels());
  Record record = decided(search, {svm_unit_out_of_fold, {0, 0, 1}}, random);
  record.key.index[2] = folds;
  message_of(ExitCode::failed, [&] { study.on_record(record); });
  record.key.index[2] = 1;
  record.payload = OutOfFoldResult{std::vector<double>(7)}.to_bytes();
  message_of(ExitCode::failed, [&] { study.on_record(record); });
}

TEST(SvmStage, is_that_of_the_study_whatever_the_numbers_of_the_kinds) {
  const int fold = svm_stage({svm_unit_fold, {3, 4, 0}}), first = svm_stage({svm_unit_refine, {1, 2, 3}}),
            second = svm_stage({svm_unit_refine, {2, 0, 0}}),
            out_of_fold = svm_stage({svm_unit_out_of_fold, {0, 7, 1}}), refit = svm_stage({svm_unit_refit, {1, 2, 0}});
  EXPECT_LT(fold, first);
  EXPECT_LT(first, second);
  EXPECT_LT(second, out_of_fold);
  EXPECT_LT(out_of_fold, refit);
}

TEST(SvmStage, stages_are_those_that_are_asked_for) {
  const auto names = [](int rounds, bool refit) {
    std::string all;
    for (const SvmStage& stage : svm_stages(rounds, refit)) all += stage.name + ";";
    return all;
  };
  EXPECT_EQ(names(0, true), "search;out-of-fold;refit;");
  EXPECT_EQ(names(2, true), "search;round 1;round 2;out-of-fold;refit;");
  EXPECT_EQ(names(1, false), "search;round 1;out-of-fold;");
}

TEST(SvmStudy, gathers_the_out_of_fold_decisions_sample_by_sample) {
  SvmParams params = sample_params();
  params.refit = false;
  const SvmLayout search = lay_out_svm(params, sample_task(60, 6, classes));
  std::mt19937 random(3);
  SvmStudy study(search, labels());
  std::vector<Unit> ready;
  for (const Record& record : random_records(random)) ready = study.on_record(record);
  std::vector<double> expected(60 * classes);
  ASSERT_EQ(ready.size(), static_cast<std::size_t>(folds));
  for (const Unit& unit : ready) {
    EXPECT_TRUE(study.out_of_fold().empty());
    const Record record = decided(search, unit.key, random);
    const std::vector<double> decision = OutOfFoldResult::from_bytes(record.payload).decision;
    const std::vector<int>& held = search.folds.held[unit.key.index[2]];
    for (int p = 0; p < classes; ++p) {
      for (std::size_t k = 0; k < held.size(); ++k) expected[held[k] * classes + p] = decision[p * held.size() + k];
    }
    EXPECT_TRUE(study.on_record(record).empty());
  }
  EXPECT_EQ(study.out_of_fold(), expected);
  EXPECT_FALSE(study.calibration());
}

}  // namespace
}  // namespace krossfold::studies
