// SPDX-License-Identifier: BSD-3-Clause
// What a profiler shows of a run must tell its place in the code: a whole small study is run under Kokkos Tools callbacks
// that collect the label of every kernel, allocation and fence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "krossfold/core/view.hpp"
#include "krossfold/input/spec.hpp"
#include "krossfold/model/network_file.hpp"
#include "krossfold/model/predictor.hpp"
#include "krossfold/model/svm_file.hpp"
#include "krossfold/storage/container.hpp"
#include "krossfold/studies/bag/executor.hpp"
#include "krossfold/studies/bag/units.hpp"
#include "krossfold/studies/svm/executor.hpp"
#include "krossfold/studies/svm/layout.hpp"
#include "krossfold/studies/svm/units.hpp"
#include "krossfold/svm/active_set.hpp"
#include "krossfold/svm/augmented_lagrangian.hpp"
#include "krossfold/svm/interior_point.hpp"
#include "krossfold/svm/machine.hpp"
#include "test/nn/image_training.hpp"
#include "test/nn/name_training.hpp"
#include "test/run/memory_sink.hpp"
#include "test/svm/overlapping.hpp"
#include "test/svm/small_problem.hpp"

namespace krossfold {
namespace {

namespace tools = Kokkos::Tools::Experimental;

struct Labels {
  std::set<std::string> kernel, allocation, fence;
};

Labels seen;  // the callbacks take no context

void see_kernel(const char* label, std::uint32_t, std::uint64_t*) { seen.kernel.insert(label); }
void see_fence(const char* label, std::uint32_t, std::uint64_t*) { seen.fence.insert(label); }
void see_allocation(Kokkos_Profiling_SpaceHandle, const char* label, const void*, std::uint64_t) {
  seen.allocation.insert(label);
}

/// The labels of everything that `work` does.
template <class Work>
Labels labels_of(const Work& work) {
  const tools::EventSet before = tools::get_callbacks();
  seen = {};
  tools::set_begin_parallel_for_callback(see_kernel);
  tools::set_begin_parallel_reduce_callback(see_kernel);
  tools::set_begin_parallel_scan_callback(see_kernel);
  tools::set_allocate_data_callback(see_allocation);
  tools::set_begin_fence_callback(see_fence);
  work();
  tools::set_callbacks(before);
  return seen;
}

/// Those that are neither ours nor what Kokkos and KokkosBlas call their own. Kokkos names a kernel without a label after
/// its functor: in Kokkos 4 that begins with krossfold:: too, but is no name of a layer and a kernel.
std::vector<std::string> unlabelled(const std::set<std::string>& labels) {
  static const std::regex ours("krossfold::[a-z]+::[a-z0-9_]+");
  std::vector<std::string> found;
  for (const std::string& label : labels) {
    if (!std::regex_match(label, ours) && !label.starts_with("Kokkos")) found.push_back(label);
  }
  return found;
}

/// Kokkos labels each of its own fences, and calls one that has no label an "Unnamed Instance Fence".
std::vector<std::string> unnamed(const std::set<std::string>& fences) {
  std::vector<std::string> found;
  for (const std::string& label : fences) {
    if (label.empty() || label.find("Unnamed") != std::string::npos) found.push_back(label);
  }
  return found;
}

/// Computes all units of a study; their number.
int compute(Study& study, Executor& executor, CheckpointSink& sink) {
  UnitContext context{std::stop_token(), sink};
  const std::vector<Unit> initial = study.initial();
  std::deque<Unit> queue(initial.begin(), initial.end());
  int units = 0;
  for (; !queue.empty(); queue.pop_front(), ++units) {
    for (const Record& record : executor.run(queue.front(), context)) {
      for (const Unit& next : study.on_record(record)) queue.push_back(next);
    }
  }
  return units;
}

void expect_all_labelled(const Labels& labels) {
  EXPECT_THAT(unlabelled(labels.kernel), testing::IsEmpty());
  EXPECT_THAT(unlabelled(labels.allocation), testing::IsEmpty());
  EXPECT_THAT(unnamed(labels.fence), testing::IsEmpty());
}

/// `krossfold svm --data digits --limit 200 --grid 2x2 --folds 3 --probability`, then `krossfold predict` of its test part.
void run_svm(const std::string& scale) {
  const data::Task task = input::load_task({.train = "digits", .limit = 200});
  studies::SvmParams params;
  params.task.limit = 200;
  params.grid_c = params.grid_gamma = 2;
  params.folds = 3;
  params.scale = scale;
  params.probability = true;
  const studies::SvmLayout search = studies::lay_out_svm(params, task);
  studies::SvmStudy study(search, task.train.label);
  studies::SvmExecutor executor(search, task);
  test::MemorySink models;
  ASSERT_EQ(compute(study, executor, models), 2 * 3 + 3 + 1);

  const svm::Machine machine =
      model::machine_from_container(storage::container_from_bytes(models.stored.at("svm.h5"), "svm.h5"), "svm.h5");
  const std::vector<int> predicted =
      svm::predicted_classes(machine, svm::decision_values(Device(), machine, task.test));
  int right = 0;
  for (int i = 0; i < task.test.size(); ++i) right += predicted[i] == task.test.label(i) ? 1 : 0;
  ASSERT_GT(right, task.test.size() / 2);
}

/// `krossfold bag --data digits --limit 200 --bootstraps 2 --trials 2 --folds 3 --batch BATCH`, and its result file.
void run_bag(int batch) {
  const data::Task task = input::load_task({.train = "digits", .limit = 200});
  studies::BagParams params;
  params.task.limit = 200;
  params.bootstraps = params.trials = 2;
  params.folds = 3;
  params.epochs = 2;
  params.batch = batch;
  params.channels = {3, 6};
  params.hidden = {10, 20};
  params.log10_rate = {-2, -1.5};
  const studies::BagLayout search = studies::lay_out_bag(params, task);
  const studies::OodImages ood = studies::gather_ood(task, 0, {});
  studies::BagStudy study(search);
  studies::BagExecutor executor(search, task, ood, {}, {1, 0});
  test::MemorySink sink;
  ASSERT_EQ(compute(study, executor, sink), 2 * 2 * 3 + 2);
  const auto model = storage::container_from_bytes(sink.stored.at("bootstrap_00.h5"), "0.h5");
  const auto predictor = model::make_predictor({model::network_from_container(model, "0.h5")}, {"0.h5"});
  ASSERT_EQ(predictor->predict(task.test).predicted.size(), static_cast<std::size_t>(task.test.size()));
}

// Not in the test's body: nvcc takes no device lambda in a private member function.
void work_without_labels() {
  const Kokkos::View<int*, Host> forgotten("", 1);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Host>(0, 1), KOKKOS_LAMBDA(int i) { forgotten(i) = 1; });
  int sum = 0;
  Kokkos::parallel_reduce(
      "sum", Kokkos::RangePolicy<Host>(0, 1), KOKKOS_LAMBDA(int i, int& part) { part += forgotten(i); }, sum);
  Kokkos::parallel_scan(
      "scan", Kokkos::RangePolicy<Host>(0, 1), KOKKOS_LAMBDA(int, int& part, bool) { part += 1; });
  Host().fence();
}

TEST(KernelLabels, every_kernel_allocation_and_fence_of_a_study_is_labelled) {
  for (const std::string scale : {"", "standard"}) {
    SCOPED_TRACE("--scale \"" + scale + "\"");
    const Labels labels = labels_of([&] { run_svm(scale); });
    ASSERT_FALSE(HasFatalFailure());
    expect_all_labelled(labels);

    // Without these the study did its work elsewhere, and the expectations above prove nothing.
    EXPECT_THAT(
        labels.kernel,
        testing::IsSupersetOf(
            {"krossfold::kernels::squared_norm", "krossfold::kernels::squared_distance",
             "krossfold::kernels::squared_distance_mirror", "krossfold::svm::precise_minus_one",
             "krossfold::svm::fill_kernel", "krossfold::kernels::largest_class", "krossfold::kernels::count_wrong",
             "krossfold::svm::start", "krossfold::svm::unit_weights", "krossfold::svm::scale_to",
             "krossfold::svm::choose_working_sets", "krossfold::svm::smo", "krossfold::svm::fill_rows",
             "krossfold::svm::block_summary", "krossfold::svm::summarise", "krossfold::svm::add_bias"}));
    EXPECT_THAT(labels.allocation,
                testing::IsSupersetOf({"krossfold::data::raw", "krossfold::data::label", "krossfold::studies::distance",
                                       "krossfold::studies::kernel", "krossfold::svm::sub_kernel",
                                       "krossfold::svm::beta", "krossfold::svm::gradient",
                                       "krossfold::svm::machine_kernel", "krossfold::model::model_raw"}));
    // Kokkos 3.4 reports no fences at all.
    if (!labels.fence.empty()) {
      EXPECT_THAT(labels.fence, testing::IsSupersetOf({"krossfold::svm::smo", "krossfold::kernels::gemm"}));
    }
  }
}

/// A path over C that needs interior points, with a factor of K and with K whole.
void run_interior_points() {
  const test::Overlapping set(200, 2, 5);
  for (const double gamma : {0.05, 20.0}) {
    auto kernel = set.kernel(gamma);
    const int rank = kernel.rank_for(1e-8, 100);
    ASSERT_EQ(rank > 0, gamma < 1);
    const auto duals = svm::make_problems<Device>(Device(), test::signs_of({set.y}));
    ASSERT_TRUE(svm::solve_interior<Device>(Device(), duals, 0, kernel, {.c = 10, .rank = rank}).converged);
    ASSERT_TRUE(svm::follow_active_set<Device>(Device(), duals, 0, kernel, {.c = 10}).complete);
    if (rank > 0) {
      ASSERT_TRUE(svm::solve_lagrangian<Device>(Device(), duals, 0, kernel, {.c = 10, .rank = rank}).converged);
    }
  }
}

TEST(KernelLabels, every_kernel_allocation_and_fence_of_interior_points_is_labelled) {
  const Labels labels = labels_of(run_interior_points);
  ASSERT_FALSE(HasFatalFailure());
  expect_all_labelled(labels);
  EXPECT_THAT(labels.kernel,
              testing::IsSupersetOf({"krossfold::svm::factor_row", "krossfold::svm::precise_kernel",
                                     "krossfold::svm::interior_rows", "krossfold::svm::interior_side",
                                     "krossfold::svm::lagrangian_rows", "krossfold::kernels::listed_rows",
                                     "krossfold::kernels::dot_rows", "krossfold::kernels::add_rows",
                                     "krossfold::svm::active_set", "krossfold::svm::path_end"}));
}

TEST(KernelLabels, every_kernel_allocation_and_fence_of_a_bagging_study_is_labelled) {
  for (const int batch : {10, 32}) {
    SCOPED_TRACE(batch);
    const Labels labels = labels_of([&] { run_bag(batch); });
    ASSERT_FALSE(HasFatalFailure());
    expect_all_labelled(labels);
    EXPECT_THAT(labels.kernel,
                testing::IsSupersetOf({"krossfold::kernels::gather_batch", "krossfold::kernels::conv2d_relu",
                                       "krossfold::kernels::activate", "krossfold::kernels::softmax_cross_entropy",
                                       "krossfold::kernels::activation_backward", "krossfold::kernels::conv2d_gradient",
                                       "krossfold::kernels::sgd", "krossfold::kernels::softmax"}));
    EXPECT_THAT(labels.allocation, testing::IsSupersetOf({"krossfold::nn::weight", "krossfold::nn::conv_weight",
                                                          "krossfold::nn::loss", "krossfold::nn::order"}));
    if (batch == 10) {
      EXPECT_THAT(labels.kernel,
                  testing::IsSupersetOf({"krossfold::kernels::dense_forward", "krossfold::kernels::dense_backward"}));
    } else {
      EXPECT_THAT(labels.kernel, testing::Contains("krossfold::kernels::dense_step"));
    }
  }
}

TEST(KernelLabels, every_kernel_allocation_and_fence_of_a_character_model_is_labelled) {
  const Labels labels = labels_of([] {
    nn::Exchange<Device> exchange(2);
    test::train_names(exchange);
  });
  expect_all_labelled(labels);
  EXPECT_THAT(labels.kernel, testing::IsSupersetOf({"krossfold::kernels::adam", "krossfold::kernels::column_sums",
                                                    "krossfold::kernels::symbol_sums", "krossfold::nn::fill_tables",
                                                    "krossfold::nn::gather_rows", "krossfold::nn::gather_steps",
                                                    "krossfold::nn::sum_rows"}));
  EXPECT_THAT(labels.allocation, testing::IsSupersetOf({"krossfold::nn::lstm_gates", "krossfold::nn::adam_mean",
                                                        "krossfold::nn::gradient_sum"}));
  if (std::is_same_v<Device, Host>) {
    EXPECT_THAT(labels.kernel,
                testing::IsSupersetOf({"krossfold::kernels::lstm_cell", "krossfold::kernels::lstm_cell_backward",
                                       "krossfold::kernels::dropout", "krossfold::kernels::pack_panels"}));
    EXPECT_THAT(labels.allocation, testing::Contains("krossfold::nn::lstm_panels"));
  } else {
    EXPECT_THAT(labels.kernel,
                testing::IsSupersetOf({"krossfold::kernels::lstm_steps", "krossfold::kernels::lstm_steps_backward"}));
    EXPECT_THAT(labels.allocation, testing::Contains("krossfold::nn::lstm_turned"));
  }
}

TEST(KernelLabels, every_kernel_allocation_and_fence_of_a_network_on_several_shards_is_labelled) {
  const Labels labels = labels_of([] {
    nn::Exchange<Device> exchange(3);
    for (const test::ImageCase& one : test::image_cases()) test::train_images(one, exchange);
  });
  expect_all_labelled(labels);
  EXPECT_THAT(labels.kernel, testing::IsSupersetOf({"krossfold::kernels::join_samples", "krossfold::kernels::sgd",
                                                    "krossfold::kernels::dropout_units", "krossfold::nn::choose",
                                                    "krossfold::nn::sum_rows"}));
  EXPECT_THAT(labels.allocation,
              testing::IsSupersetOf({"krossfold::nn::factors", "krossfold::nn::gradient", "krossfold::nn::dropped"}));
}

TEST(KernelLabels, an_unlabelled_kernel_allocation_or_fence_is_caught) {
  const Labels labels = labels_of(work_without_labels);
  EXPECT_THAT(unlabelled(labels.kernel), testing::SizeIs(3));
  EXPECT_THAT(unlabelled(labels.allocation), testing::ElementsAre(""));
  if (!labels.fence.empty()) {
    EXPECT_THAT(unnamed(labels.fence), testing::SizeIs(1));
  }
}

}  // namespace
}  // namespace krossfold
