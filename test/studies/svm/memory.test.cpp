// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/svm/memory.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "krossfold/studies/svm/payload.hpp"
#include "krossfold/svm/dual_solver.hpp"
#include "test/data/sparse_pair.hpp"
#include "test/memory_in_use.hpp"
#include "test/run/memory_sink.hpp"
#include "test/studies/svm/sample_study.hpp"

namespace krossfold::studies {
namespace {

constexpr std::uint64_t mebibyte = 1024 * 1024, plenty = 1024 * mebibyte;

SvmLayout search_of(int samples) { return lay_out_svm({}, test::sample_task(samples)); }

TEST(PlanMemory, keeps_all_that_fits) {
  if (!std::is_same_v<Device, Host>) GTEST_SKIP() << "the solver of a device gives way first";
  const SvmLayout search = search_of(3000);
  const std::uint64_t matrix = 4ULL * 3000 * 3000;
  const MemoryPlan whole = plan_memory(search, {plenty, plenty, 1, ""});
  EXPECT_EQ(whole.mode, KernelMode::whole);
  EXPECT_GE(whole.distances, matrix);
  EXPECT_GE(whole.kernel, matrix);
  const MemoryPlan rows = plan_memory(search, {whole.total() - 1, plenty, 1, ""});
  EXPECT_EQ(rows.mode, KernelMode::distances_rows);
  EXPECT_GT(rows.cached_rows, 2900);
  EXPECT_EQ(rows.rows_at_first, 3000) << "there is room for all rows until K in double takes it";
  EXPECT_LE(rows.total(), whole.total() - 1);
  const MemoryPlan few = plan_memory(search, {whole.rest + matrix, plenty, 1, ""});
  EXPECT_EQ(few.mode, KernelMode::points_rows);
  EXPECT_LE(few.total(), whole.rest + matrix);
  EXPECT_GE(few.cached_rows, 256);
  EXPECT_EQ(few.rows_at_first, 3000);
  EXPECT_LE(few.usual, few.total());
  EXPECT_EQ(plan_memory(search, {few.for_distances, plenty, 1, ""}).mode, KernelMode::distances_rows);
  EXPECT_EQ(plan_memory(search, {few.for_distances - 1, plenty, 1, ""}).mode, KernelMode::points_rows);
  EXPECT_NE(describe(few).find("the squared distances would be kept"), std::string::npos);
}

/// The solver of a device takes up to a quarter of its memory, but less of it before the kernel matrix is given up.
TEST(PlanMemory, gives_the_solver_less_before_the_kernel_matrix_is_no_longer_whole) {
  const SvmLayout search = search_of(3000);
  std::uint64_t bytes = plan_memory(search, {plenty * 1024, plenty, 1, ""}).total();
  MemoryPlan last;
  for (;; bytes -= bytes / 256) {
    const MemoryPlan plan = plan_memory(search, {bytes, plenty, 1, ""});
    EXPECT_LE(plan.total(), bytes);
    if (plan.mode != KernelMode::whole) break;
    last = plan;
  }
  if (std::is_same_v<Device, Host>) return;  // its solver has a slot for each thread
  EXPECT_LT(last.solver_room, last.total() / 5);
  EXPECT_EQ(svm::solver_size<Device>(search.problems * last.folds_at_once, 3000, last.solver_room).slots, 1);
}

/// K in double is that of all samples, but systems of interior points are those of a problem.
TEST(PlanMemory, reserves_less_for_problems_of_two_of_many_classes) {
  SvmParams pairs;
  pairs.multiclass = "ovo";
  const data::Task task = test::sample_task(3000);
  const SvmLayout rest = lay_out_svm({}, task), pair = lay_out_svm(pairs, task);
  EXPECT_EQ(rest.largest_problem, 3000);
  ASSERT_EQ(pair.largest_problem, 2000) << "of three classes";
  const MemoryPlan most = plan_memory(rest, {plenty, plenty, 1, ""}), less = plan_memory(pair, {plenty, plenty, 1, ""});
  EXPECT_LT(less.rest + 8ULL * 3000 * 3000, most.rest);
  EXPECT_LT(most.usual + 20ULL * 3000 * 3000, most.total());
}

TEST(PlanMemory, shares_the_distances_of_a_node_only_where_it_has_room_for_them) {
  const SvmLayout search = search_of(3000);
  const std::uint64_t matrix = 4ULL * 3008 * 3000;
  const MemoryPlan own = plan_memory(search, {plenty, matrix, 4, ""});
  const MemoryPlan shared = plan_memory(search, {plenty, 2 * matrix, 4, ""});
  EXPECT_FALSE(own.shared_distances);
  EXPECT_EQ(own.distances, matrix);
  EXPECT_TRUE(shared.shared_distances);
  EXPECT_EQ(shared.distances, matrix / 4);
  EXPECT_FALSE(plan_memory(search, {plenty, plenty, 1, ""}).shared_distances) << "one rank has nobody to share with";
}

TEST(PlanMemory, says_what_ranks_that_share_a_device_lose) {
  const SvmLayout search = search_of(3000);
  const MemoryPlan most = plan_memory(search, {1024 * plenty, 0, 1, ""});
  const auto loss = [&](std::uint64_t bytes, int ranks) {
    const MemoryRoom room{bytes, 0, ranks, ""};
    return loss_by_sharing(search, room, ranks, plan_memory(search, room));
  };
  EXPECT_EQ(loss(most.total(), 2), "");
  // On a CPU a byte less is a loss. The solver of a device takes at most a quarter of the room, so that it becomes smaller first, which is
  // none as long as all folds and the whole matrix are there.
  std::uint64_t bytes = most.total() - 1;
  for (;; bytes -= bytes / 64) {
    const MemoryPlan plan = plan_memory(search, {bytes, 0, 2, ""});
    if (plan.mode != KernelMode::whole || plan.folds_at_once < most.folds_at_once) break;
    EXPECT_EQ(loss(bytes, 2), "") << bytes;
  }
  if (std::is_same_v<Device, Host>) {
    EXPECT_EQ(bytes, most.total() - 1);
  }
  EXPECT_EQ(loss(bytes, 1), "") << "there is nobody to give way";
  const std::string found = loss(bytes, 2);
  EXPECT_NE(found.find("2 ranks share a GPU, and each has"), std::string::npos) << found;
  EXPECT_NE(found.find("one rank with all of its memory"), std::string::npos) << found;
}

TEST(PlanMemory, says_how_much_is_needed_and_who_forbids_it) {
  try {
    plan_memory(search_of(3000), {mebibyte, plenty, 1, "the landlord allows 1 MiB"});
    FAIL() << "it was planned";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the landlord allows 1 MiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("needs at least"), std::string::npos) << error.what();
  }
}

/// The payloads of some units and the stored model under a plan.
std::vector<std::vector<std::byte>> results_under(const MemoryPlan& plan, const std::string& scale,
                                                  const std::string& multiclass, const data::Task& task) {
  SvmParams params;
  params.grid_c = 3;
  params.grid_gamma = 3;
  params.scale = scale;
  params.multiclass = multiclass;
  const SvmLayout search = lay_out_svm(params, task);
  test::MemorySink sink;
  UnitContext context{{}, sink};
  SvmExecutor executor(search, task, plan);
  std::vector<std::vector<std::byte>> results;
  for (const Unit& unit : {Unit{{svm_unit_fold, {0, 1, 0}}}, Unit{{svm_unit_fold, {2, 4, 0}}},
                           Unit{{svm_unit_fold, {2, 0, 0}}}, test::refit_unit(search, 1, 1)}) {
    for (const Record& record : executor.run(unit, context)) results.push_back(record.payload);
  }
  for (const auto& [name, bytes] : sink.stored) results.push_back(bytes);
  return results;
}

void expect_same_bits_in_every_mode(const data::Task& task, const std::vector<std::string>& scales) {
  int shrunk = 0;
  for (const std::string& scale : scales) {
    for (const std::string multiclass : {"ovr", "ovo"}) {
      SCOPED_TRACE(text(scale, " ", multiclass));
      const auto whole = results_under({}, scale, multiclass, task);
      ASSERT_EQ(whole.size(), 5U);
      MemoryPlan rows;
      rows.mode = KernelMode::distances_rows;
      for (const int cached : {700, 40, 4}) {
        rows.cached_rows = cached;
        EXPECT_EQ(results_under(rows, scale, multiclass, task), whole) << cached << " rows";
      }
      rows.cached_rows = 4;
      rows.rows_at_first = 700;  // until K in double takes their place
      const test::KokkosAllocations caches("krossfold::svm::cached_rows");
      EXPECT_EQ(results_under(rows, scale, multiclass, task), whole) << "fewer rows after a while";
      shrunk += static_cast<int>(caches.so_far().made) - 1;
      rows.mode = KernelMode::points_rows;
      rows.cached_rows = 600;
      EXPECT_EQ(results_under(rows, scale, multiclass, task), whole) << "from the samples";
    }
  }
  EXPECT_GT(shrunk, 0) << "no fit asked for K in double, so that rows stayed";
}

TEST(SvmExecutor, gives_the_same_bits_in_every_memory_mode) {
  // Whole numbers, and others.
  expect_same_bits_in_every_mode(input::load_task({.train = "digits", .limit = 700}), {"", "standard"});
}

TEST(SvmExecutor, gives_the_same_bits_of_sparse_samples_in_every_memory_mode) {
  // So few features that fits ask for K in double on a device, too, where a factorisation of a Newton step counts as less. With 100, K in
  // double of rounded distances would give other bits.
  for (const auto& [features, whole] : {std::pair(200, true), std::pair(200, false), std::pair(100, false)}) {
    data::Task task;
    task.train = test::sparse_pair(700, features, 0.03, 21, whole).sparse;
    task.test = test::sparse_pair(90, features, 0.03, 22, whole).sparse;
    expect_same_bits_in_every_mode(task, {whole ? "none" : "standard"});
  }
}

TEST(PlanMemory, counts_the_entries_of_sparse_samples_and_not_their_zeros) {
  const auto pair = test::sparse_pair(300, 20'000, 0.001, 23, true);
  const SvmLayout dense = lay_out_svm({}, {.train = pair.dense, .test = {}});
  const SvmLayout sparse = lay_out_svm({}, {.train = pair.sparse, .test = {}});
  const std::uint64_t all = 300 * 20'000 * 20;  // float, and double twice
  EXPECT_GE(plan_memory(dense, {plenty, plenty, 1, ""}).rest, all);
  EXPECT_LT(plan_memory(sparse, {plenty, plenty, 1, ""}).rest,
            plan_memory(dense, {plenty, plenty, 1, ""}).rest - all * 9 / 10);
}

TEST(ResultsMemory, is_that_of_the_records_of_all_units_and_of_the_fields_of_the_file) {
  SvmParams params;
  params.grid_c = 3;
  params.grid_gamma = 2;
  params.multiclass = "ovo";
  const data::Task task = input::load_task({.train = "digits", .limit = 150});
  const SvmLayout search = lay_out_svm(params, task);
  test::MemorySink sink;
  UnitContext context{{}, sink};
  SvmExecutor executor(search, task);
  std::vector<Record> records;
  std::uint64_t payloads = 0, fields = 0;
  for (int g = 0; g < 2; ++g) {
    for (int f = 0; f < search.folds.folds(); ++f) {
      records.push_back(executor.run({{svm_unit_fold, {g, f, 0}}}, context).at(0));
      payloads += records.back().payload.size();
    }
  }
  for (const storage::Array& array : test::svm_result(search, task, records, {}).arrays) {
    fields += std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, array.values);
  }
  const ResultsMemory memory = results_memory(search);
  EXPECT_LE(payloads, memory.records);
  EXPECT_GE(static_cast<double>(payloads), 0.8 * static_cast<double>(memory.records));
  const double three_times = 3 * static_cast<double>(fields);
  EXPECT_NEAR(static_cast<double>(memory.file), three_times, 0.1 * three_times);
  EXPECT_EQ(memory.decisions, 8ULL * 8 * (150 + static_cast<std::uint64_t>(task.test.size())) * 45);

  params.refine = 2;
  const SvmLayout refined = lay_out_svm(params, task);
  EXPECT_EQ(results_memory(refined).records, memory.records / (3 * 2) * (3 * 2 + 2 * 7 * 7));
  EXPECT_EQ(results_memory(refined).file, memory.file);
  params.refine = 0;
  params.outer = 3;
  EXPECT_EQ(results_memory(lay_out_svm(params, task)).records, memory.records * (1 + 3));
}

TEST(PlanMemory, counts_the_results_on_the_rank_that_keeps_them) {
  SvmParams params;
  params.multiclass = "ovo";
  const SvmLayout search = lay_out_svm(params, test::sample_task(300, 6, 20));
  MemoryRoom room{plenty, plenty, 1, ""};
  const MemoryPlan without = plan_memory(search, room);
  room.keeps_results = true;
  const MemoryPlan with = plan_memory(search, room);
  const ResultsMemory results = results_memory(search);
  EXPECT_GT(results.file, 24ULL * 24 * 5 * 190 * sizeof(svm::FitSummary));
  EXPECT_EQ(with.total(), without.total() + 2 * results.records + results.file + results.decisions);
  EXPECT_EQ(with.usual, without.usual + results.records + results.file + results.decisions);
}

TEST(PlanMemory, says_the_rank_that_a_factor_can_have) {
  SvmParams params;
  params.factor = 1024;
  EXPECT_EQ(plan_memory(lay_out_svm(params, test::sample_task(200)), {plenty, plenty, 1, ""}).factor_rank, 100);
  EXPECT_EQ(plan_memory(lay_out_svm(params, test::sample_task(3000)), {plenty, plenty, 1, ""}).factor_rank, 1024);
}

}  // namespace
}  // namespace krossfold::studies
