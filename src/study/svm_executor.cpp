// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/study/svm_executor.hpp"

#include <algorithm>

#include "krossfold/core/checksum.hpp"
#include "krossfold/core/error.hpp"
#include "krossfold/kernels/gather.hpp"
#include "krossfold/kernels/largest.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/study/svm_model.hpp"
#include "krossfold/study/svm_records.hpp"
#include "krossfold/svm/decision.hpp"
#include "krossfold/svm/machine.hpp"
#include "krossfold/svm/path.hpp"

namespace krossfold::study {

namespace {

Vector<const int, Device> indices_on_device(const std::vector<int>& values) {
  const Kokkos::View<const int*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(),
                                                                                                       values.size());
  const Vector<int, Device> device(uninitialized("krossfold::study::indices"), values.size());
  Kokkos::deep_copy(device, host);
  return device;
}

Vector<const int, Device> labels_of(const Vector<const int>& label, const std::vector<int>& rows) {
  std::vector<int> picked(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) picked[r] = label(rows[r]);
  return indices_on_device(picked);
}

svm::PathParams path_params(const SvmSearch& search, std::stop_token stop) {
  svm::PathParams params;
  params.c = search.c;
  params.tolerance = search.params.tolerance;
  params.max_iterations = search.params.max_iterations;
  params.stop = std::move(stop);
  return params;
}

Record done(const Unit& unit, std::vector<std::byte> payload) {
  Record record;
  record.key = unit.key;
  record.status = Status::done;
  record.payload = std::move(payload);
  return record;
}

}  // namespace

SvmExecutor::SvmExecutor(const SvmSearch& search, const data::Task& task)
    : search_(search), task_(task), label_(on_device<Device>(task.train.label)) {}

std::vector<Record> SvmExecutor::run(const Unit& unit, UnitContext& context) {
  if (context.stop.stop_requested()) return {};
  return unit.key.kind == svm_unit_fold ? run_fold(unit, context) : run_refit(unit, context);
}

void SvmExecutor::make_kernel(int gamma) {
  const int n = search_.samples;
  if (distance_.extent(0) == 0) {
    const svm::Points<Device> points =
        svm::make_points<Device>(task_.train, search_.scale, svm::best_form(task_.train, search_.scale));
    distance_ = padded_matrix<float, Device>("krossfold::study::distance", n, n);
    svm::squared_distance(exec_, distance_, points);
    distance_unit_ = points.unit;
    kernel_ = padded_matrix<float, Device>("krossfold::study::kernel", n, n);
  }
  if (kernel_gamma_ == gamma) return;
  kernel_gamma_ = -1;
  kernels::rbf_minus_one<Device>(exec_, kernel_, distance_, search_.gamma[gamma] * distance_unit_);
  kernel_gamma_ = gamma;
}

Matrix<const float, Device> SvmExecutor::training_kernel(const Vector<const int, Device>& rows) {
  const int n = static_cast<int>(rows.extent(0));
  if (training_.extent_int(0) < n) training_ = padded_matrix<float, Device>("krossfold::study::training_kernel", n, n);
  const Matrix<float, Device> part = Kokkos::subview(training_, Kokkos::make_pair(0, n), Kokkos::make_pair(0, n));
  kernels::gather<Device, float>(exec_, part, kernel_, rows, rows);
  return part;
}

std::vector<Record> SvmExecutor::run_fold(const Unit& unit, UnitContext& context) {
  const int gamma = unit.key.index[0], fold = unit.key.index[1];
  const int cs = static_cast<int>(search_.c.size()), classes = search_.classes;
  make_kernel(gamma);
  const std::vector<int> train = search_.folds.training(fold, search_.samples);
  const std::vector<int>& held = search_.folds.held[fold];
  const auto train_rows = indices_on_device(train), held_rows = indices_on_device(held);

  const svm::PathSolution<Device> solution =
      svm::solve_path<Device>(exec_, training_kernel(train_rows), labels_of(task_.train.label, train), classes,
                              path_params(search_, context.stop));
  if (!solution.complete) return {};

  const int n_held = static_cast<int>(held.size());
  const Matrix<double, Device> value(uninitialized("krossfold::study::decision"), n_held, cs * classes);
  svm::decision_values<Device>(exec_, value, kernel_, held_rows, train_rows, solution.coefficient, solution.bias);
  const Matrix<int, Device> choice(uninitialized("krossfold::study::choice"), n_held, cs);
  kernels::largest_class<Device>(exec_, choice, value, classes);
  const Vector<int, Device> wrong(uninitialized("krossfold::study::wrong"), cs);
  kernels::count_wrong<Device>(exec_, wrong, choice, labels_of(task_.train.label, held));

  FoldResult result;
  result.held = n_held;
  const auto counts = on_host(wrong);
  result.wrong.assign(counts.data(), counts.data() + cs);
  result.fit = solution.fit;
  return {done(unit, result.to_bytes())};
}

std::vector<Record> SvmExecutor::run_refit(const Unit& unit, UnitContext& context) {
  const int gamma = unit.key.index[0], c = unit.key.index[1], classes = search_.classes;
  make_kernel(gamma);
  svm::PathParams params = path_params(search_, context.stop);
  params.c.resize(static_cast<std::size_t>(c) + 1);
  params.keep_last_only = true;
  const svm::PathSolution<Device> solution = svm::solve_path<Device>(exec_, kernel_, label_, classes, params);
  if (!solution.complete) return {};

  const auto beta = on_host(solution.coefficient);
  const auto bias = on_host(solution.bias);
  svm::Machine machine = svm::make_machine(task_.train, beta, std::vector<double>(bias.data(), bias.data() + classes));
  machine.gamma = search_.gamma[gamma];
  machine.c = search_.c[c];
  machine.scale = search_.scale;

  RefitResult result;
  result.fit.assign(solution.fit.end() - classes, solution.fit.end());
  result.support = machine.support.size();
  if (task_.test.size() > 0) {
    result.prediction = svm::predicted_classes(svm::decision_values(exec_, machine, task_.test));
    for (int i = 0; i < task_.test.size(); ++i) result.wrong += result.prediction[i] != task_.test.label(i) ? 1 : 0;
  }
  const auto model = storage::to_bytes(to_container(machine));
  result.model_name = "svm.h5";
  result.model_size = model.size();
  result.model_checksum = crc64(model);
  context.checkpoint.store(result.model_name, model);
  return {done(unit, result.to_bytes())};
}

}  // namespace krossfold::study
