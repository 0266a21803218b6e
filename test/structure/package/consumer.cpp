// SPDX-License-Identifier: BSD-3-Clause
// Trains a machine on four points of the exclusive or, which no linear one separates, and asks it for their classes.
#include <cstdio>
#include <string>
#include <vector>

#include "krossfold/data/dataset.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/svm/machine.hpp"
#include "krossfold/svm/path.hpp"
#include "krossfold/svm/points.hpp"

using namespace krossfold;

int main() {
  const KokkosRuntime kokkos;
  const int n = 4;
  const Matrix<float> raw("consumer::raw", n, 2);
  const Vector<int> label("consumer::label", n);
  for (int i = 0; i < n; ++i) {
    raw(i, 0) = static_cast<float>(i / 2);
    raw(i, 1) = static_cast<float>(i % 2);
    label(i) = i / 2 == i % 2 ? 0 : 1;
  }
  const data::Dataset train = data::make_dataset("xor", raw, label, {"equal", "different"});
  const data::Scale scale;

  const Device exec;
  const auto points = svm::make_points<Device>(train, scale, svm::best_form(train, scale));
  const auto kernel = padded_matrix<float, Device>("consumer::kernel", n, n);
  svm::squared_distance<Device>(exec, kernel, points);
  kernels::rbf_minus_one<Device>(exec, kernel, kernel, points.unit);
  svm::PathParams params;
  params.c = {10};
  const Vector<int, Device> none_held("consumer::held", n);
  const auto sign =
      svm::make_signs<Device>(exec, svm::Multiclass::one_vs_rest, 2, on_device<Device>(train.label), none_held);
  svm::WholeKernel<Device> rows(exec, kernel);
  svm::DualSolver<Device> solver(exec, svm::solver_size<Device>(2, n), n);
  const auto solution = svm::solve_path<Device>(exec, solver, rows, sign, Vector<int, Device>(), params);

  const svm::Machine machine =
      svm::make_machine(train, on_host(solution.coefficient), {solution.fit[0].bias, solution.fit[1].bias});
  const std::vector<int> predicted = svm::predicted_classes(machine, svm::decision_values(exec, machine, train));
  for (int i = 0; i < n; ++i) {
    if (predicted[i] != train.label(i)) {
      std::printf("point %d: class %d\n", i, predicted[i]);
      return 1;
    }
  }
}
