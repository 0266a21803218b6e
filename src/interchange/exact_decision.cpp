// SPDX-License-Identifier: BSD-3-Clause
#include "exact_decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "krossfold/core/kokkos_compat.hpp"

namespace krossfold::interchange {

namespace {

using svm::KernelKind;

double kernel_value(const svm::KernelFunction& kernel, const Products& of) {
  if (kernel.kind == KernelKind::rbf) return std::exp(-kernel.gamma * of.distance);
  if (kernel.kind == KernelKind::polynomial) return std::pow(kernel.gamma * of.product + kernel.coef0, kernel.degree);
  return of.product;
}

}  // namespace

double difference_from_exact(const svm::Machine& machine, const std::vector<double>& constant, std::size_t numbers,
                             const ProductsOf& products) {
  if (machine.kernel.kind == KernelKind::precomputed) return 0;
  constexpr std::size_t most = 50, most_numbers = 200'000'000;  // that are read: a second
  const auto n = static_cast<std::size_t>(machine.support.size());
  const std::size_t count =
      std::clamp<std::size_t>(most_numbers / (numbers + n * constant.size() + 1), 1, std::min(most, n));
  std::vector<int> samples;
  for (std::size_t k = 0; k < count; ++k) samples.push_back(static_cast<int>(k * n / count));
  const Matrix<double> decision = svm::decision_values(Device(), machine, data::select(machine.support, samples));
  double largest = 0;
  std::vector<double> kernel(n);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      kernel[i] = kernel_value(machine.kernel, products(i, static_cast<std::size_t>(samples[k])));
    }
    for (std::size_t p = 0; p < constant.size(); ++p) {
      double value = constant[p];
      for (std::size_t i = 0; i < n; ++i) value += machine.coefficient(p, i) * kernel[i];
      const double difference = std::abs(value - decision(k, p));
      largest = std::max(largest, std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference);
    }
  }
  return largest;
}

}  // namespace krossfold::interchange
