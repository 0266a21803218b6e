// SPDX-License-Identifier: BSD-3-Clause
// What trainings leave out, and folds whose problems are solved together.
#include "krossfold/studies/svm/left_out.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "krossfold/core/error.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "krossfold/studies/svm/parts_executor.hpp"
#include "krossfold/svm/decomposition.hpp"
#include "test/run/memory_sink.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

SvmLayout search_of(const data::Task& task, const std::string& multiclass, const std::string& weights = "none") {
  SvmParams params;
  params.grid_c = 4;
  params.grid_gamma = 3;
  params.multiclass = multiclass;
  params.class_weight = weights;
  return lay_out_svm(params, task);
}

Unit fold_unit(int gamma, int fold) { return {{svm_unit_fold, {gamma, fold, 0}}}; }

/// As many folds of a unit side by side in the solver.
MemoryPlan at_a_time(int folds) {
  MemoryPlan plan;
  plan.folds_at_once = folds;
  plan.solver_room = 1ULL << 30;
  return plan;
}

TEST(LeftOut, signs_and_lists_of_several_trainings_are_those_of_each) {
  const data::Task task = input::load_task({.train = "digits", .limit = 53});
  for (const char* multiclass : {"ovr", "ovo"}) {
    const SvmLayout search = search_of(task, multiclass);
    const auto label = on_device<Device>(task.train.label);
    const std::vector<LeftOut> trainings{{search.folds.held[0]}, {search.folds.held[4], {1, 2}}, {}};
    ASSERT_NE(search.folds.held[0].size(), search.folds.held[4].size());
    const auto all = on_host(signs_of(Device(), search, label, trainings));
    const svm::Outside<Device> outside = outside_of(trainings);
    ASSERT_EQ(outside.lists, 3);
    ASSERT_EQ(outside.width(), 11);
    const auto list = on_host(outside.sample);
    for (int t = 0; t < 3; ++t) {
      const auto one = on_host(signs_of(Device(), search, label, {trainings[t]}));
      ASSERT_EQ(one.extent(0), search.problems);
      const std::vector<int> out = is_left_out(trainings[t], search.samples);
      for (int p = 0; p < search.problems; ++p) {
        for (int i = 0; i < search.samples; ++i) {
          ASSERT_EQ(all(t * search.problems + p, i), one(p, i));
          if (out[i] != 0) {
            ASSERT_EQ(one(p, i), 0);
          }
        }
      }
      const auto& held = trainings[t].held;
      for (int k = 0; k < 11; ++k) {
        EXPECT_EQ(list(t * 11 + k), k < static_cast<int>(held.size()) ? held[k] : -1);
      }
    }
  }
}

TEST(LeftOut, folds_with_weights_of_their_own_are_not_solved_together) {
  const data::Task task = input::load_task({.train = "digits", .limit = 150});
  EXPECT_TRUE(may_join_folds(search_of(task, "ovr")));
  EXPECT_TRUE(may_join_folds(search_of(task, "ovr", "3:2.5")));
  EXPECT_FALSE(may_join_folds(search_of(task, "ovr", "balanced")));
  // Those of a part are the factors of a fold in the whole, as numbers: nothing in these tells that they are balanced.
  SvmParams params;
  params.partition = "random:50";
  EXPECT_TRUE(may_join_folds(layout_of_part(lay_out_parts(params, task), 0)));
  params.class_weight = "balanced";
  EXPECT_FALSE(may_join_folds(layout_of_part(lay_out_parts(params, task), 0)));
}

/// A unit of several folds.
Unit joined_unit(const SvmLayout& search, int gamma, const std::vector<int>& folds) {
  Unit unit = fold_unit(gamma, folds.back());
  unit.input = PathInput{search.gamma[gamma], search.c, {}, folds}.to_bytes();
  return unit;
}

TEST(LeftOut, folds_that_are_solved_together_have_the_bytes_of_each_alone) {
  const data::Task task = input::load_task({.train = "digits", .limit = 153});
  for (const char* multiclass : {"ovr", "ovo"}) {
    for (const char* weights : {"none", "3:2.5"}) {
      const SvmLayout search = search_of(task, multiclass, weights);
      test::MemorySink sink;
      UnitContext context{{}, sink};
      Unit refined{{svm_unit_refine, {1, 0, 3}}};
      const PathInput finer{search.gamma[1] / 3, {0.5, 5, 50}, {}, {1, 2, 3}};
      refined.input = finer.to_bytes();
      const std::vector<Unit> units{joined_unit(search, 2, {0, 1, 2, 3, 4}), joined_unit(search, 0, {1, 3}),
                                    joined_unit(search, 0, {0, 4}),          fold_unit(0, 2),
                                    joined_unit(search, 1, {0, 1}),          refined,
                                    test::refit_unit(search, 1, 2)};
      SvmExecutor alone(search, task);
      std::map<UnitKey, std::vector<std::byte>> expected;
      for (Unit unit : units) {
        std::vector<int> folds{0};
        if (unit.key.kind == svm_unit_fold) folds = {0, 1, 2, 3, 4};
        if (unit.key.kind == svm_unit_refine) folds = finer.folds;
        for (const int fold : folds) {
          if (unit.key.kind == svm_unit_fold) unit.input.clear();
          if (unit.key.kind == svm_unit_refine) unit.input = PathInput{finer.gamma, finer.c, {}}.to_bytes();
          if (unit.key.kind != svm_unit_refit) unit.key.index[fold_index(unit.key)] = fold;
          for (const Record& record : alone.run(unit, context)) expected[record.key] = record.payload;
        }
      }
      for (const int at_once : {1, 2, 3, 5}) {
        SvmExecutor executor(search, task, at_a_time(at_once));
        std::size_t found = 0;
        for (const Unit& unit : units) {
          for (const Record& record : executor.run(unit, context)) {
            EXPECT_EQ(record.payload, expected.at(record.key)) << multiclass << ", " << at_once << " at a time";
            ++found;
          }
          executor.release();  // as before a unit that ran out of memory is tried again
        }
        EXPECT_EQ(found, 5U + 2 + 2 + 1 + 2 + 3 + 1);
      }
    }
  }
}

TEST(LeftOut, folds_with_weights_of_their_own_are_refused_together) {
  const data::Task task = input::load_task({.train = "digits", .limit = 150});
  test::MemorySink sink;
  UnitContext context{{}, sink};
  const SvmLayout search = search_of(task, "ovr", "balanced");
  SvmExecutor executor(search, task);
  EXPECT_THROW(executor.run(joined_unit(search, 1, {0, 1}), context), Error);
  SvmParams params = search.params;
  params.partition = "random:50";
  const PartsLayout parts = lay_out_parts(params, task);
  PartsExecutor of_parts(parts, task);
  Unit unit{{svm_unit_part_fold, {0, 1, 1}}};
  unit.input = PathInput{search.gamma[1], search.c, {}, {0, 1}}.to_bytes();
  EXPECT_THROW(of_parts.run(unit, context), Error);
}

TEST(LeftOut, folds_that_are_solved_together_go_on_after_what_was_stored_when_they_were_killed) {
  const data::Task task = input::load_task({.train = "digits", .limit = 153});
  const SvmLayout search = search_of(task, "ovr");
  run::CheckpointParams parts;
  parts.identity = 5;
  parts.every = 0;  // after every wave of problems
  test::MemorySink undisturbed;
  UnitContext calm{{}, undisturbed};
  SvmExecutor alone(search, task);
  std::vector<std::vector<std::byte>> expected;
  for (const int fold : {1, 2, 3}) expected.push_back(alone.run(fold_unit(1, fold), calm).at(0).payload);
  test::DyingSink sink;
  UnitContext context{{}, sink};
  int deaths = 0;
  for (;;) {
    sink.stores = 0;
    sink.dies_at = 1;                                                          // each life stores one more part
    SvmExecutor executor(search, task, at_a_time(1 + deaths % 3), {}, parts);  // each has other memory
    if (deaths % 2 == 1) executor.release();
    try {
      const auto records = executor.run(joined_unit(search, 1, {1, 2, 3}), context);
      ASSERT_EQ(records.size(), 3U);
      for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(records[k].key, (UnitKey{svm_unit_fold, {1, 1 + k, 0}}));
        EXPECT_EQ(records[k].payload, expected[k]) << "after " << deaths << " deaths";
      }
      break;
    } catch (const std::runtime_error&) {
      ASSERT_LE(++deaths, 30);
    }
  }
  EXPECT_GE(deaths, Device().concurrency() > 1 ? 0 : 14);
}

TEST(LeftOut, as_many_folds_are_solved_together_as_there_are_threads_and_memory_for) {
  constexpr std::uint64_t plenty = 1ULL << 40;
  const data::Task task = test::sample_task(400, 6, 3);
  const SvmLayout search = search_of(task, "ovr");
  const MemoryPlan plan = plan_memory(search, {plenty, plenty, 1, ""});
  if (std::is_same_v<Device, Host> && Host::concurrency() < 6) {
    EXPECT_EQ(plan.folds_together, 1);
  } else {
    EXPECT_GT(plan.folds_together, 1);
    EXPECT_EQ(plan.folds_at_once, plan.folds_together);
    EXPECT_NE(describe(plan).find(" folds at a time"), std::string::npos);
    // With less memory the solver holds fewer of the problems of a unit, before there are more units.
    const MemoryPlan fewer = plan_memory(search, {plan.total() - 1, plenty, 1, ""});
    EXPECT_EQ(fewer.mode, KernelMode::whole);
    EXPECT_EQ(fewer.folds_together, plan.folds_together);
    EXPECT_LE(fewer.folds_at_once, plan.folds_at_once);
    EXPECT_LT(fewer.total(), plan.total());
  }
  EXPECT_EQ(plan_memory(search_of(task, "ovr", "balanced"), {plenty, plenty, 1, ""}).folds_together, 1);
}

}  // namespace
}  // namespace krossfold::studies
