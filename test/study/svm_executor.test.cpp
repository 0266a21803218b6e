// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_executor.hpp"

#include "krossfold/core/checksum.hpp"
#include "krossfold/data/spec.hpp"
#include "krossfold/study/svm_model.hpp"
#include "test/study/sample_study.hpp"

namespace krossfold::study {
namespace {

using test::MemorySink;

SvmSearch small_search(const data::Task& task) {
  SvmParams params;
  params.grid_c = params.grid_gamma = 4;
  return plan_svm(params, task);
}

Unit fold_unit(int gamma, int fold) { return {{svm_unit_fold, {gamma, fold, 0}}}; }

TEST(SvmExecutor, gives_the_same_bytes_whatever_it_computed_before) {
  const data::Task task = data::load_task({.train = "digits", .limit = 150});
  const SvmSearch search = small_search(task);
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

TEST(SvmExecutor, a_fold_never_sees_the_labels_it_is_judged_by) {
  // With the labels of the held-out fold permuted, its fits stay what they are, bit for bit.
  const data::Task task = data::load_task({.train = "digits", .limit = 150});
  const SvmSearch search = small_search(task);
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
  const data::Task task = data::load_task({.train = "digits", .limit = 300});
  const SvmSearch search = small_search(task);
  MemorySink sink;
  UnitContext context{{}, sink};
  const auto records = SvmExecutor(search, task).run({{svm_unit_refit, {2, 3, 0}}}, context);
  ASSERT_EQ(records.size(), 1U);
  const RefitResult result = RefitResult::from_bytes(records[0].payload);
  const std::vector<std::byte>& stored = sink.stored.at(result.model_name);
  EXPECT_EQ(result.model_size, stored.size());
  EXPECT_EQ(result.model_checksum, crc64(stored));
  const svm::Machine machine = machine_from_container(storage::container_from_bytes(stored, "model"), "model");
  EXPECT_EQ(machine.gamma, search.gamma[2]);
  EXPECT_EQ(machine.c, search.c[3]);
  const auto predicted = svm::predicted_classes(machine, svm::decision_values(Device(), machine, task.test));
  EXPECT_EQ(predicted, result.prediction);
  int wrong = 0;
  for (int i = 0; i < task.test.size(); ++i) wrong += predicted[i] != task.test.label(i) ? 1 : 0;
  EXPECT_EQ(wrong, result.wrong);
  EXPECT_LT(wrong, task.test.size() / 5);
}

TEST(SvmExecutor, gives_no_record_for_a_unit_that_was_stopped) {
  const data::Task task = data::load_task({.train = "digits", .limit = 150});
  const SvmSearch search = small_search(task);
  MemorySink sink;
  std::stop_source stop;
  UnitContext context{stop.get_token(), sink};
  SvmExecutor executor(search, task);
  stop.request_stop();
  EXPECT_TRUE(executor.run(fold_unit(0, 0), context).empty());
  EXPECT_TRUE(executor.run({{svm_unit_refit, {2, 3, 0}}}, context).empty());
  EXPECT_TRUE(sink.stored.empty());
}

}  // namespace
}  // namespace krossfold::study
