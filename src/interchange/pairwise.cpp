// SPDX-License-Identifier: BSD-3-Clause
#include "pairwise.hpp"

#include <algorithm>
#include <numeric>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::interchange {

namespace {

/// What K - 1 in place of K takes from the decision values of each problem.
std::vector<double> shift_of(const svm::Machine& machine) {
  std::vector<double> shift(machine.bias.size(), 0.0);
  if (machine.kernel.kind != svm::KernelKind::rbf) return shift;
  for (std::size_t p = 0; p < shift.size(); ++p) {
    for (int i = 0; i < machine.support.size(); ++i) shift[p] += machine.coefficient(p, i);
  }
  return shift;
}

}  // namespace

std::vector<double> constants_of(const svm::Machine& machine) {
  std::vector<double> constant = machine.bias;
  const std::vector<double> shift = shift_of(machine);
  for (std::size_t p = 0; p < shift.size(); ++p) constant[p] -= shift[p];
  return constant;
}

void set_constants(svm::Machine& machine, const std::vector<double>& constant) {
  machine.bias = constant;
  const std::vector<double> shift = shift_of(machine);
  for (std::size_t p = 0; p < shift.size(); ++p) machine.bias[p] += shift[p];
}

std::vector<int> by_class(const svm::Machine& machine) {
  std::vector<int> order(static_cast<std::size_t>(machine.support.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return machine.support.label(i) < machine.support.label(j); });
  return order;
}

std::vector<int> count_by_class(const svm::Machine& machine) {
  std::vector<int> count(static_cast<std::size_t>(machine.classes()), 0);
  for (int i = 0; i < machine.support.size(); ++i) ++count[static_cast<std::size_t>(machine.support.label(i))];
  return count;
}

Pairwise pairwise_of(const svm::Machine& machine, const std::string& name) {
  const int n = machine.support.size(), classes = machine.classes();
  Pairwise pairwise;
  pairwise.constant = constants_of(machine);
  pairwise.coefficient = machine.coefficient;
  pairwise.sigmoid = machine.sigmoid;
  pairwise.order = by_class(machine);
  pairwise.count = count_by_class(machine);
  if (machine.multiclass == svm::Multiclass::one_vs_rest) {
    require(classes == 2, text(name, " is one-vs-rest with ", classes, " classes"),
            "LIBSVM predicts by votes of pairs of classes",
            "Search again with --multiclass ovo, or export FILE.onnx or FILE.npz.");
    const Matrix<double> half(uninitialized("krossfold::interchange::pair"), 1, n);
    for (int i = 0; i < n; ++i) half(0, i) = (machine.coefficient(0, i) - machine.coefficient(1, i)) / 2;
    pairwise.coefficient = half;
    pairwise.constant = {(pairwise.constant[0] - pairwise.constant[1]) / 2};
    if (!pairwise.sigmoid.empty()) pairwise.sigmoid.resize(1);  // of f, which the mirror image leaves as it is
    return pairwise;
  }
  const auto pairs = svm::class_pairs(classes);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    for (int i = 0; i < n; ++i) {
      const int own = machine.support.label(i);
      const bool part = own == pairs[p].first || own == pairs[p].second || machine.coefficient(p, i) == 0;
      require(part, text(name, ": support vector ", i, " has a coefficient in the problem of two other classes"),
              "it was not trained one against one", "Export FILE.onnx or FILE.npz.");
    }
  }
  return pairwise;
}

}  // namespace krossfold::interchange
