// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/executor.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "krossfold/core/checksum.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/model/svm_file.hpp"
#include "krossfold/studies/svm/cell_measures.hpp"
#include "krossfold/svm/train.hpp"
#include "test/run/memory_sink.hpp"
#include "test/storage/temporary_folder.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

using test::DyingSink;
using test::MemorySink;
using test::refit_unit;

SvmLayout small_search(const data::Task& task, const std::string& multiclass = "ovr") {
  SvmParams params;
  params.grid_c = params.grid_gamma = 4;
  params.multiclass = multiclass;
  return lay_out_svm(params, task);
}

Unit fold_unit(int gamma, int fold) { return {{svm_unit_fold, {gamma, fold, 0}}}; }

Unit out_of_fold_unit(const SvmLayout& search, int gamma, int c, int fold) {
  Unit unit = refit_unit(search, gamma, c);
  unit.key = {svm_unit_out_of_fold, {0, gamma * static_cast<int>(search.c.size()) + c, fold}};
  return unit;
}

TEST(SvmExecutor, gives_the_same_bytes_whatever_it_computed_before) {
  const data::Task task = input::load_task({.train = "digits", .limit = 150});
  const SvmLayout search = small_search(task);
  MemorySink sink;
  UnitContext context{{}, sink};
  SvmExecutor one(search, task);
  for (const auto& [gamma, fold] : {std::pair{0, 0}, {3, 1}, {0, 1}, {1, 4}}) {
    SvmExecutor fresh(search, task);
    const auto warm = one.run(fold_unit(gamma, fold), context), cold = fresh.run(fold_unit(gamma, fold), context);
    ASSERT_EQ(warm.size(), 1U);
    ASSERT_EQ(cold.size(), 1U);
    EXPECT_EQ(warm[0].payload, cold[0].payload) << "gamma " << gamma << ", fold " << fold;
  }
}

TEST(SvmExecutor, a_fold_never_sees_the_labels_it_is_tested_on) {
  // With the labels of the held-out fold permuted, its fits stay what they are, bit for bit.
  const data::Task task = input::load_task({.train = "digits", .limit = 150});
  const SvmLayout search = small_search(task);
  data::Task other = task;
  const Vector<int> label("krossfold::test::label", 150);
  Kokkos::deep_copy(label, task.train.label);
  for (const int i : search.folds.held[2]) label(i) = (label(i) + 1) % 10;
  other.train.label = label;
  MemorySink sink;
  UnitContext context{{}, sink};
  const auto read = [&](const data::Task& data) {
    return FoldResult::from_bytes(SvmExecutor(search, data).run(fold_unit(2, 2), context).at(0).payload);
  };
  const FoldResult right = read(task), permuted = read(other);
  ASSERT_EQ(right.fit.size(), permuted.fit.size());
  for (std::size_t k = 0; k < right.fit.size(); ++k) {
    EXPECT_EQ(right.fit[k].dual_objective, permuted.fit[k].dual_objective) << "fit " << k;
  }
  EXPECT_NE(right.wrong, permuted.wrong);
}

TEST(SvmExecutor, stores_the_very_machine_whose_test_error_it_reports) {
  const data::Task task = input::load_task({.train = "digits", .limit = 300});
  const SvmLayout search = small_search(task);
  MemorySink sink;
  UnitContext context{{}, sink};
  const auto records = SvmExecutor(search, task).run(refit_unit(search, 2, 3), context);
  ASSERT_EQ(records.size(), 1U);
  const RefitResult result = RefitResult::from_bytes(records[0].payload);
  const std::vector<std::byte>& stored = sink.stored.at(result.model_name);
  EXPECT_EQ(result.model_size, stored.size());
  EXPECT_EQ(result.model_checksum, crc64(stored));
  const svm::Machine machine = model::machine_from_container(storage::container_from_bytes(stored, "model"), "model");
  EXPECT_EQ(machine.kernel.gamma, search.gamma[2]);
  EXPECT_EQ(machine.c, search.c[3]);
  const auto decision = svm::decision_values(Device(), machine, task.test);
  EXPECT_EQ(std::vector<double>(decision.data(), decision.data() + decision.size()), result.decision);
  const auto predicted = svm::predicted_classes(machine, decision);
  EXPECT_EQ(predicted, result.prediction);
  int wrong = 0;
  for (int i = 0; i < task.test.size(); ++i) wrong += predicted[i] != task.test.label(i) ? 1 : 0;
  EXPECT_EQ(wrong, result.wrong);
  EXPECT_LT(wrong, task.test.size() / 5);
}

TEST(SvmExecutor, refits_the_machine_that_one_call_of_train_gives) {
  for (const std::string multiclass : {"ovr", "ovo"}) {
    const data::Task task = input::load_task({.train = "digits", .limit = 200});
    const SvmLayout search = small_search(task, multiclass);
    MemorySink sink;
    UnitContext context{{}, sink};
    SvmExecutor(search, task).run(refit_unit(search, 2, 3), context);
    const svm::Machine machine = svm::train(Device(), task.train,
                                            {.c = search.c,
                                             .gamma = search.gamma[2],
                                             .multiclass = search.multiclass,
                                             .scale = search.scale,
                                             .class_weights = search.class_weights});
    EXPECT_EQ(storage::to_bytes(model::to_container(machine)), sink.stored.at("svm.h5")) << multiclass;
  }
}

TEST(SvmExecutor, out_of_fold_decisions_are_those_that_the_search_counted_errors_of_found_again_or_kept) {
  for (const std::string multiclass : {"ovr", "ovo"}) {
    SCOPED_TRACE(multiclass);
    const data::Task task = input::load_task({.train = "digits", .limit = 200});
    const SvmLayout search = small_search(task, multiclass);
    MemorySink sink;
    UnitContext context{{}, sink};
    SvmExecutor executor(search, task);
    const int gamma = 2, fold = 1, problems = search.problems;
    const FoldResult counted = FoldResult::from_bytes(executor.run(fold_unit(gamma, fold), context).at(0).payload);
    const std::vector<int>& held = search.folds.held[fold];
    for (const int c : {0, 3}) {
      const auto result =
          OutOfFoldResult::from_bytes(executor.run(out_of_fold_unit(search, gamma, c, fold), context).at(0).payload);
      ASSERT_EQ(result.decision.size(), held.size() * static_cast<std::size_t>(problems));
      // An executor that has not computed the unit of the search solves the path again.
      const auto again = SvmExecutor(search, task).run(out_of_fold_unit(search, gamma, c, fold), context);
      EXPECT_EQ(OutOfFoldResult::from_bytes(again.at(0).payload).decision, result.decision);
      svm::Machine machine;
      machine.multiclass = search.multiclass;
      machine.class_name = task.train.class_name;
      machine.bias.assign(problems, 0.0);
      const Matrix<double> decision("krossfold::test::decision", held.size(), problems);
      for (std::size_t k = 0; k < held.size(); ++k) {
        for (int p = 0; p < problems; ++p) decision(k, p) = result.decision[p * held.size() + k];
      }
      const std::vector<int> predicted = svm::predicted_classes(machine, decision);
      int wrong = 0;
      for (std::size_t k = 0; k < held.size(); ++k) wrong += predicted[k] != task.train.label(held[k]) ? 1 : 0;
      EXPECT_EQ(wrong, counted.wrong[c]) << "C number " << c;
    }
  }
}

/// Kernel values of about 1e39 overflow in single precision.
TEST(SvmExecutor, of_features_whose_distances_overflow_refuses_every_unit) {
  const data::Task small = test::sample_task();
  for (const float factor : {1e18F, 1e19F, 1e30F}) {
    const Matrix<float> raw("krossfold::test::raw", small.train.size(), small.train.features());
    for (int i = 0; i < small.train.size(); ++i) {
      for (int j = 0; j < small.train.features(); ++j) raw(i, j) = factor * small.train.raw(i, j);
    }
    const data::Task task{data::make_dataset("large", raw, small.train.label, small.train.class_name), {}};
    SvmParams params;
    params.kernel_function = "linear";
    params.scale = "none";
    params.c_values = {1e-30, 1e-29};
    const SvmLayout search = lay_out_svm(params, task);
    MemorySink sink;
    UnitContext context{{}, sink};
    SvmExecutor executor(search, task);
    for (const Unit& unit : {fold_unit(0, 0), out_of_fold_unit(search, 0, 1, 0), refit_unit(search, 0, 0)}) {
      EXPECT_THAT(test::message_of(ExitCode::usage, [&] { executor.run(unit, context); }),
                  testing::HasSubstr("Scale the features"));
    }
  }
}

TEST(SvmExecutor, a_round_on_the_values_of_the_grid_counts_the_same_errors) {
  const data::Task task = input::load_task({.train = "digits", .limit = 150});
  const SvmLayout search = small_search(task);
  MemorySink sink;
  UnitContext context{{}, sink};
  Unit refine{{svm_unit_refine, {1, 0, 3}}};
  refine.input = PathInput{search.gamma[2], search.c, {}}.to_bytes();
  const auto grid = SvmExecutor(search, task).run(fold_unit(2, 3), context);
  const auto round = SvmExecutor(search, task).run(refine, context);
  ASSERT_EQ(round.size(), 1U);
  EXPECT_EQ(round[0].payload, grid.at(0).payload);
  EXPECT_EQ(round[0].key, refine.key);
}

TEST(SvmExecutor, puts_the_sigmoids_it_is_given_into_the_model) {
  const data::Task task = input::load_task({.train = "digits", .limit = 150});
  const SvmLayout search = small_search(task);
  std::vector<svm::Sigmoid> sigmoid;
  for (int p = 0; p < search.problems; ++p) sigmoid.push_back({-1.0 - p, 0.1 * p});
  MemorySink with, without;
  UnitContext context{{}, with}, plain{{}, without};
  SvmExecutor executor(search, task);
  executor.run(refit_unit(search, 2, 1, sigmoid), context);
  executor.run(refit_unit(search, 2, 1), plain);
  const auto model = [](const MemorySink& sink) {
    return model::machine_from_container(storage::container_from_bytes(sink.stored.at("svm.h5"), "model"), "model");
  };
  EXPECT_TRUE(model(without).sigmoid.empty());
  ASSERT_EQ(model(with).sigmoid.size(), sigmoid.size());
  for (std::size_t p = 0; p < sigmoid.size(); ++p) {
    EXPECT_EQ(model(with).sigmoid[p].a, sigmoid[p].a);
    EXPECT_EQ(model(with).sigmoid[p].b, sigmoid[p].b);
  }
}

TEST(SvmExecutor, gives_no_record_for_a_unit_that_was_stopped) {
  const data::Task task = input::load_task({.train = "digits", .limit = 150});
  const SvmLayout search = small_search(task);
  MemorySink sink;
  std::stop_source stop;
  UnitContext context{stop.get_token(), sink};
  SvmExecutor executor(search, task);
  stop.request_stop();
  EXPECT_TRUE(executor.run(fold_unit(0, 0), context).empty());
  EXPECT_TRUE(executor.run(out_of_fold_unit(search, 2, 3, 0), context).empty());
  EXPECT_TRUE(executor.run(refit_unit(search, 2, 3), context).empty());
  EXPECT_TRUE(sink.stored.empty());
}

TEST(SvmExecutor, gives_the_same_bytes_of_every_kernel_in_every_memory_mode) {
  const data::Task digits = input::load_task({.train = "digits", .limit = 300});
  data::Task matrix = digits;
  const Matrix<float> values("krossfold::test::kernel", digits.train.size(), 1797);
  const std::vector<int> row = digits.train.file_rows();
  for (int i = 0; i < digits.train.size(); ++i) {
    for (int j = 0; j < digits.train.size(); ++j) {
      double sum = 0;
      for (int f = 0; f < 64; ++f) sum += std::abs(digits.train.raw(i, f) - digits.train.raw(j, f));
      values(i, row[j]) = static_cast<float>(std::exp(-sum / 500));
    }
  }
  matrix.train.raw = values;
  matrix.test = {};
  for (const char* kernel : {"linear", "polynomial", "precomputed"}) {
    for (const char* scale : {"", "standard"}) {
      SCOPED_TRACE(kernel);
      const bool precomputed = std::string(kernel) == "precomputed";
      const data::Task& task = precomputed ? matrix : digits;
      SvmParams params;
      params.kernel_function = kernel;
      params.grid_c = 4;
      params.grid_gamma = 2;
      if (!precomputed) params.scale = scale;
      const SvmLayout search = lay_out_svm(params, task);
      const int gamma = static_cast<int>(search.gamma.size()) - 1;
      std::vector<std::byte> expected[2];
      for (const KernelMode mode : {KernelMode::whole, KernelMode::distances_rows, KernelMode::points_rows}) {
        MemoryPlan plan;
        plan.mode = mode;
        plan.cached_rows = 40;
        MemorySink sink;
        UnitContext context{{}, sink};
        SvmExecutor executor(search, task, plan);
        const auto fold = executor.run(fold_unit(gamma, 2), context);
        const auto refit = executor.run(refit_unit(search, gamma, 3), context);
        ASSERT_EQ(fold.size() + refit.size(), 2U);
        if (mode == KernelMode::whole) {
          expected[0] = fold[0].payload;
          expected[1] = sink.stored.at("svm.h5");
          const FoldResult result = FoldResult::from_bytes(fold[0].payload);
          EXPECT_LT(result.wrong[3], result.held / 4);
        }
        EXPECT_EQ(fold[0].payload, expected[0]);
        EXPECT_EQ(sink.stored.at("svm.h5"), expected[1]);
      }
    }
  }
}

TEST(SvmExecutor, unit_that_was_stopped_at_any_time_is_computed_again_with_the_same_bytes) {
  const data::Task task = input::load_task({.train = "digits", .limit = 400});
  const SvmLayout search = small_search(task);
  for (const KernelMode mode : {KernelMode::whole, KernelMode::distances_rows, KernelMode::points_rows}) {
    MemoryPlan plan;
    plan.mode = mode;
    plan.cached_rows = 40;
    MemorySink sink;
    UnitContext context{{}, sink};
    const auto expected = SvmExecutor(search, task, plan).run(fold_unit(1, 2), context);
    ASSERT_EQ(expected.size(), 1U);
    SvmExecutor executor(search, task, plan);
    int stopped = 0;
    for (int k = 0; k < 40; ++k) {
      std::stop_source source;
      if (k == 0) source.request_stop();  // later ones may come after the unit's end
      std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(250 * k));
        source.request_stop();
      });
      UnitContext hurried{source.get_token(), sink};
      const auto records = executor.run(fold_unit(k % 4, k % 5), hurried);
      other.join();
      stopped += records.empty() ? 1 : 0;
      const auto again = executor.run(fold_unit(1, 2), context);
      ASSERT_EQ(again.size(), 1U);
      ASSERT_EQ(again[0].payload, expected[0].payload) << "after a stop " << 250 * k << " us into a unit";
    }
    EXPECT_GE(stopped, 1);
  }
}

TEST(SvmExecutor, unit_that_was_killed_goes_on_after_what_it_had_stored_and_ends_with_the_same_bytes) {
  const data::Task task = input::load_task({.train = "digits", .limit = 200});
  const SvmLayout search = small_search(task);
  run::CheckpointParams parts;
  parts.identity = 5;
  parts.every = 0;  // after every problem
  for (const Unit& unit : {fold_unit(1, 2), out_of_fold_unit(search, 2, 3, 0), refit_unit(search, 2, 3)}) {
    MemorySink undisturbed;
    UnitContext calm{{}, undisturbed};
    const auto expected = SvmExecutor(search, task).run(unit, calm);
    ASSERT_EQ(expected.size(), 1U);
    DyingSink sink;
    UnitContext context{{}, sink};
    int deaths = 0;
    std::vector<Record> records;
    while (records.empty()) {
      sink.stores = 0;
      sink.dies_at = 1;  // each life stores one more part
      SvmExecutor executor(search, task, {}, {}, parts);
      try {
        records = executor.run(unit, context);
      } catch (const std::runtime_error&) {
        ASSERT_LE(++deaths, 2 * search.problems);
      }
    }
    // A CPU does one problem after the other: with a part stored in each life the next one goes on after it.
    if (Device().concurrency() == 1) {
      EXPECT_EQ(deaths, search.problems - 2 + (unit.key.kind == svm_unit_refit ? 1 : 0));  // its model is stored too
    }
    EXPECT_EQ(records.at(0).payload, expected[0].payload);
  }
}

TEST(SvmExecutor, part_of_another_study_is_not_continued_and_goes_when_the_unit_is_done) {
  const data::Task task = input::load_task({.train = "digits", .limit = 200});
  const SvmLayout search = small_search(task);
  const auto run = [&](std::uint64_t identity, MemorySink& sink, int dies_at) {
    DyingSink dying;
    dying.stored = sink.stored;
    dying.dies_at = dies_at;
    UnitContext context{{}, dying};
    run::CheckpointParams parts;
    parts.identity = identity;
    parts.every = parts.synced_after = 0;
    SvmExecutor executor(search, task, {}, {}, parts);
    try {
      executor.run(fold_unit(1, 2), context);
      executor.run(fold_unit(1, 3), context);  // the part of a unit goes when the next one begins
    } catch (const std::runtime_error&) {
    }
    sink.stored = dying.stored;
    return dying.stores;
  };
  MemorySink sink;
  run(1, sink, 4);
  const bool one_by_one =
      svm::solver_size<Device>(search.problems, search.samples, MemoryPlan().solver_room).slots == 1;
  EXPECT_EQ(sink.stored.count("unit-1-1-2-0.part"), one_by_one ? 1U : 0U);
  MemorySink same = sink;
  const int from_the_part = run(1, same, -1), from_the_start = run(2, sink, -1);
  if (one_by_one) {
    EXPECT_EQ(from_the_start - from_the_part, 4);
  }
  EXPECT_EQ(sink.stored.count("unit-1-1-2-0.part"), 0U);
  EXPECT_EQ(same.stored.count("unit-1-1-2-0.part"), 0U);
}

}  // namespace
}  // namespace krossfold::studies
