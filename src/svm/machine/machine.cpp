// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/svm/machine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"
#include "krossfold/data/sparse_samples.hpp"
#include "krossfold/kernels/gemm.hpp"
#include "krossfold/kernels/rbf.hpp"
#include "krossfold/svm/class_probability.hpp"
#include "krossfold/svm/decision.hpp"
#include "krossfold/svm/kernel_form.hpp"
#include "krossfold/svm/points.hpp"
#include "krossfold/svm/precise_kernel.hpp"

namespace krossfold::svm {

Machine make_machine(const data::Dataset& train, const Matrix<const double>& beta, const std::vector<double>& bias,
                     const KernelFunction& kernel) {
  const bool precomputed = kernel.kind == KernelKind::precomputed;
  const int problems = static_cast<int>(beta.extent(0)), features = precomputed ? 0 : train.features();
  std::vector<int> kept;
  for (int i = 0; i < train.size(); ++i) {
    bool used = false;
    for (int p = 0; p < problems; ++p) used = used || beta(p, i) != 0;
    if (used) kept.push_back(i);
  }
  const int n = static_cast<int>(kept.size());
  const int dense = train.is_sparse() ? 0 : n;
  const Matrix<float> raw(uninitialized("krossfold::svm::support"), dense, features);
  const Vector<int> label(uninitialized("krossfold::svm::support_label"), n);
  Machine machine;
  machine.kernel = kernel;
  machine.coefficient = Matrix<double>(uninitialized("krossfold::svm::machine_coefficient"), problems, n);
  for (int s = 0; s < dense; ++s) {
    for (int j = 0; j < features; ++j) raw(s, j) = train.raw(kept[s], j);
  }
  for (int s = 0; s < n; ++s) {
    for (int p = 0; p < problems; ++p) machine.coefficient(p, s) = beta(p, kept[s]);
    label(s) = train.label(kept[s]);
  }
  // Keep the whole set's metadata: a subset may consist of integers by chance.
  machine.support = train;
  if (train.is_sparse()) {
    machine.support.sparse = data::pick_rows(train.sparse, kept);
  } else {
    machine.support.raw = raw;
  }
  machine.support.label = label;
  machine.support.group = {};
  machine.support.weight = {};
  machine.support.row = {};
  if (precomputed) {
    const std::vector<int> row = train.file_rows();
    for (const int i : kept) machine.column.push_back(row[i]);
    machine.kernel_columns = train.features();
  }
  machine.bias = bias;
  machine.class_name = train.class_name;
  machine.image = train.image;
  return machine;
}

void require_finite(const Machine& machine) {
  const auto finite = [](double x) { return std::isfinite(x); };
  bool all = std::all_of(machine.bias.begin(), machine.bias.end(), finite);
  for (std::size_t p = 0; p < machine.coefficient.extent(0); ++p) {
    for (std::size_t s = 0; s < machine.coefficient.extent(1); ++s) all = all && finite(machine.coefficient(p, s));
  }
  if (!all) {
    throw_run_error("the machine cannot predict",
                    "a bias or coefficient is not finite, because kernel values are too large",
                    "Scale the features (--scale standard), or the kernel matrix.");
  }
}

namespace {

/// Whether the kernel's rounding to float could change a decision value by a noticeable part of the usual tolerance: the rounding
/// errors of the entries add up like independent ones.
bool needs_precision(const Matrix<double>& coefficient) {
  constexpr double rounding = 0x1p-25, noticeable = 1e-4;
  double most = 0;
  for (std::size_t p = 0; p < coefficient.extent(0); ++p) {
    double squares = 0;
    for (std::size_t i = 0; i < coefficient.extent(1); ++i) squares += coefficient(p, i) * coefficient(p, i);
    most = std::max(most, squares);
  }
  return rounding * std::sqrt(most) > noticeable;
}

/// The decision values of some points with the kernel in double.
template <class Exec>
Matrix<double, Exec> precise_decisions(const Exec& exec, const Points<Exec>& points, const Points<Exec>& support,
                                       double gamma, const Matrix<const double, Exec>& coefficient,
                                       const Vector<const double, Exec>& bias, const Poll& poll) {
  const int count = points.size(), problems = static_cast<int>(bias.extent(0));
  const Matrix<double, Exec> kernel(uninitialized("krossfold::svm::machine_kernel"), count, support.size());
  precise_minus_one<Exec>(exec, kernel, points, support, gamma, poll);
  const Matrix<double, Exec> value(uninitialized("krossfold::svm::machine_decision"), count, problems);
  kernels::gemm<Exec, double>(exec, value, kernel, kernels::Transpose::no, coefficient, kernels::Transpose::yes);
  Kokkos::parallel_for(
      "krossfold::svm::add_bias", Kokkos::RangePolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(int i) {
        for (int p = 0; p < problems; ++p) value(i, p) += bias(p);
      });
  fence(exec, "krossfold::svm::precise_decisions");
  return value;
}

/// (count, n): features of samples first ... in double, scaled; or, precomputed, the kernel values with the support vectors.
Matrix<double> inputs_of(const Machine& machine, const data::Dataset& samples, int first, int count) {
  const bool precomputed = machine.kernel.kind == KernelKind::precomputed;
  const int n = precomputed ? static_cast<int>(machine.column.size()) : samples.features();
  const Matrix<double> inputs(uninitialized("krossfold::svm::machine_inputs"), count, n);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < n; ++j) {
      const double raw = samples.raw(first + i, precomputed ? machine.column[j] : j);
      inputs(i, j) = precomputed ? raw : (raw - machine.scale.offset_of(j)) / machine.scale.divisor_of(j);
    }
  }
  return inputs;
}

/// The decision values of any kernel but rbf, in double. A linear machine is a vector for each problem.
template <class Exec>
void product_decisions(const Exec& exec, const Matrix<double>& decision, const Machine& machine,
                       const data::Dataset& samples, const Poll& poll) {
  using kernels::Transpose;
  const int n = samples.size(), problems = machine.problems(), vectors = machine.support.size();
  const int block = decision_block(std::max(vectors, samples.features()));
  const KernelFunction function = machine.kernel;
  const bool linear = function.kind == KernelKind::linear, polynomial = function.kind == KernelKind::polynomial;
  const Matrix<const double, Exec> coefficient = on_device<Exec>(machine.coefficient);
  Matrix<const double, Exec> support, side = coefficient;
  if (linear || polynomial) support = on_device<Exec>(inputs_of(machine, machine.support, 0, vectors));
  if (linear) {
    const Matrix<double, Exec> normal(uninitialized("krossfold::svm::normal"), problems, support.extent(1));
    kernels::gemm<Exec, double>(exec, normal, coefficient, Transpose::no, support, Transpose::no);
    side = normal;
  }
  for (int first = 0; first < n; first += block) {
    call(poll);
    const int count = std::min(block, n - first);
    Matrix<const double, Exec> inputs = on_device<Exec>(inputs_of(machine, samples, first, count));
    if (polynomial) {
      const Matrix<double, Exec> value(uninitialized("krossfold::svm::machine_kernel"), count, vectors);
      kernels::gemm<Exec, double>(exec, value, inputs, Transpose::no, support, Transpose::yes);
      Kokkos::parallel_for(
          "krossfold::svm::machine_powers", Kokkos::RangePolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(int i) {
            for (int j = 0; j < vectors; ++j) {
              value(i, j) = KernelEntry::power(function.gamma * value(i, j) + function.coef0, function.degree);
            }
          });
      inputs = value;
    }
    const Matrix<double, Exec> out(uninitialized("krossfold::svm::machine_decision"), count, problems);
    kernels::gemm<Exec, double>(exec, out, inputs, Transpose::no, side, Transpose::yes);
    fence(exec, "krossfold::svm::product_decisions");
    const auto found = on_host(out);
    for (int i = 0; i < count; ++i) {
      for (int p = 0; p < problems; ++p) decision(first + i, p) = found(i, p) + machine.bias[p];
    }
  }
}

}  // namespace

template <class Exec>
Matrix<double> decision_values(const Exec& exec, const Machine& machine, const data::Dataset& samples,
                               const Poll& poll) {
  const int n = samples.size(), problems = machine.problems(), vectors = machine.support.size();
  const int block = decision_block(vectors);
  const Matrix<double> decision(uninitialized("krossfold::svm::decision_host"), n, problems);
  if (samples.features() != machine.features()) {
    const bool precomputed = machine.kernel.kind == KernelKind::precomputed;
    throw_input_error(text(samples.name, ": samples of ", samples.features(), " features"),
                      text("the model was trained on ", machine.features()),
                      precomputed ? "Give the kernel values with each sample of the training file."
                                  : "Use data prepared like the training data.");
  }
  if (vectors == 0) {
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < problems; ++p) decision(i, p) = machine.bias[p];
    }
    return decision;
  }
  require_dense(samples, machine.kernel.kind);
  require_dense(machine.support, machine.kernel.kind);
  if (machine.kernel.kind != KernelKind::rbf) {
    product_decisions<Exec>(exec, decision, machine, samples, poll);
    return decision;
  }
  const double gamma = machine.kernel.gamma;
  const PointForm form = common_form(best_form(machine.support, machine.scale), best_form(samples, machine.scale));
  const Points<Exec> support = make_points<Exec>(machine.support, machine.scale, form);
  const auto coefficient = on_device<Exec>(machine.coefficient);
  const Vector<double> bias_host("krossfold::svm::machine_bias", problems);
  std::copy(machine.bias.begin(), machine.bias.end(), bias_host.data());
  const auto bias = on_device<Exec>(bias_host);

  const Vector<int> order_host(uninitialized("krossfold::svm::order"), std::max(block, vectors));
  std::iota(order_host.data(), order_host.data() + order_host.extent(0), 0);
  const auto order = on_device<Exec>(order_host);
  const Vector<const int, Exec> columns = Kokkos::subview(order, Kokkos::make_pair(0, vectors));

  const bool precise = needs_precision(machine.coefficient);
  for (int first = 0; first < n; first += block) {
    const int count = std::min(block, n - first);
    const Points<Exec> points = make_points<Exec>(data::rows(samples, first, count), machine.scale, form);
    const auto part = Kokkos::subview(decision, Kokkos::make_pair(first, first + count), Kokkos::ALL);
    if (precise) {
      Kokkos::deep_copy(part,
                        precise_decisions<Exec>(exec, points, support, gamma * points.unit, coefficient, bias, poll));
      continue;
    }
    const Matrix<float, Exec> kernel(uninitialized("krossfold::svm::machine_kernel"), count, vectors);
    squared_distance<Exec>(exec, kernel, points, 0, support, poll);
    kernels::rbf_minus_one<Exec>(exec, kernel, kernel, gamma * points.unit, poll);
    call(poll);
    const Vector<const int, Exec> row = Kokkos::subview(order, Kokkos::make_pair(0, count));
    const Matrix<double, Exec> value(uninitialized("krossfold::svm::machine_decision"), count, problems);
    decision_values<Exec>(exec, value, kernel, row, columns, coefficient, bias);
    Kokkos::deep_copy(part, value);
  }
  return decision;
}

std::vector<int> predicted_classes(const Machine& machine, const Matrix<double>& decision) {
  return predicted_classes(machine.multiclass, machine.classes(), decision);
}

std::vector<int> predicted_classes(Multiclass kind, int classes, const Matrix<double>& decision) {
  const int n = static_cast<int>(decision.extent(0)), problems = static_cast<int>(decision.extent(1));
  const Matrix<double> value(uninitialized("krossfold::svm::decision_by_problem"), problems, n);
  for (int i = 0; i < n; ++i) {
    for (int p = 0; p < problems; ++p) value(p, i) = decision(i, p);
  }
  const Matrix<int> choice(uninitialized("krossfold::svm::predicted"), 1, n);
  choose_classes<Host>(Host(), choice, value, kind, classes);
  fence(Host(), "krossfold::svm::predicted_classes");
  return {choice.data(), choice.data() + n};
}

Matrix<double> class_probabilities(const Machine& machine, const Matrix<double>& decision) {
  const int n = static_cast<int>(decision.extent(0));
  const Matrix<double> probability(uninitialized("krossfold::svm::probability"), n, machine.classes());
  for (int i = 0; i < n; ++i) {
    const auto p = class_probabilities(machine.multiclass, machine.classes(), machine.sigmoid, &decision(i, 0));
    std::copy(p.begin(), p.end(), &probability(i, 0));
  }
  return probability;
}

std::vector<std::string> problem_names(Multiclass kind, const std::vector<std::string>& class_name) {
  if (kind == Multiclass::one_vs_rest) return class_name;
  std::vector<std::string> names;
  for (const auto& [a, b] : class_pairs(static_cast<int>(class_name.size()))) {
    names.push_back(class_name[a] + "/" + class_name[b]);
  }
  return names;
}

#define KROSSFOLD_INSTANTIATE(Exec) \
  template Matrix<double> decision_values<Exec>(const Exec&, const Machine&, const data::Dataset&, const Poll&);
KROSSFOLD_FOR_EACH_SPACE(KROSSFOLD_INSTANTIATE)

}  // namespace krossfold::svm
