// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/data/kernel_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "krossfold/core/error.hpp"
#include "krossfold/core/text.hpp"

namespace krossfold::data {

namespace {

constexpr double rounding = 1e-5;
constexpr int tile = 64;  // two of them fit in the cache

/// Calls body(i, j) for all i > j, by tiles.
template <class Body>
void for_pairs(int n, const Body& body) {
  for (int first = 0; first < n; first += tile) {
    for (int other = 0; other <= first; other += tile) {
      for (int i = first; i < std::min(first + tile, n); ++i) {
        for (int j = other; j < std::min({other + tile, i, n}); ++j) body(i, j);
      }
    }
  }
}

[[noreturn]] void throw_asymmetric(const Dataset& samples, const std::vector<int>& row, int i, int j) {
  throw_input_error(text(samples.name, ": the kernel matrix is not symmetric"),
                    text("row ", row[i] + 1, ", column ", row[j] + 1, " is ", samples.raw(i, row[j]), ", row ",
                         row[j] + 1, ", column ", row[i] + 1, " is ", samples.raw(j, row[i])),
                    "--kernel-function precomputed takes the kernel values of all pairs of training samples");
}

}  // namespace

Dataset symmetric_kernel_matrix(const Dataset& samples, std::vector<std::string>* warning) {
  const int n = samples.size();
  const std::vector<int> row = samples.file_rows();
  const int last = *std::max_element(row.begin(), row.end());
  require(last < samples.features(), text(samples.name, ": no kernel value with sample ", last + 1),
          text("there are ", samples.features(), " columns"), "Give a column for each sample of the training file.");
  const auto& raw = samples.raw;
  std::vector<double> diagonal(static_cast<std::size_t>(n));
  int negative = n;
  for (int i = 0; i < n; ++i) {
    diagonal[i] = raw(i, row[i]);
    if (diagonal[i] < 0) negative = std::min(negative, i);
  }
  bool differs = false;
  std::optional<std::pair<int, int>> wrong, large;
  const auto keep_first = [](std::optional<std::pair<int, int>>& at, int i, int j) {
    if (!at || std::pair(i, j) < *at) at = {i, j};
  };
  for_pairs(n, [&](int i, int j) {
    const double a = raw(i, row[j]), b = raw(j, row[i]), bound = std::sqrt(std::abs(diagonal[i] * diagonal[j]));
    if (a != b) {
      differs = true;
      if (std::abs(a - b) > rounding * std::max({std::abs(a), std::abs(b), bound})) keep_first(wrong, i, j);
    }
    if (std::abs(a) > (1 + rounding) * bound) keep_first(large, i, j);
  });
  if (wrong) throw_asymmetric(samples, row, wrong->first, wrong->second);
  if (warning != nullptr && (negative < n || large)) {
    const std::string why =
        negative < n ? text("row ", row[negative] + 1, " has the negative diagonal element ", diagonal[negative])
                     : text("row ", row[large->first] + 1, ", column ", row[large->second] + 1, " is ",
                            raw(large->first, row[large->second]), ", beside the diagonal elements ",
                            diagonal[large->first], " and ", diagonal[large->second]);
    warning->push_back(text(samples.name, ": the kernel matrix is not positive semidefinite (", why,
                            "): what is found is a stationary point and perhaps not the best machine"));
  }
  if (!differs) return samples;
  Dataset symmetric = samples;
  const Matrix<float> values(uninitialized("krossfold::data::kernel_matrix"), n, samples.features());
  for (int i = 0; i < n; ++i) std::copy_n(&raw(i, 0), samples.features(), &values(i, 0));
  for_pairs(n, [&](int i, int j) {
    const double a = raw(i, row[j]), b = raw(j, row[i]);
    values(i, row[j]) = values(j, row[i]) = static_cast<float>(0.5 * (a + b));
  });
  symmetric.raw = values;
  return symmetric;
}

Dataset whole_kernel_matrix(const Dataset& samples, std::vector<std::string>* warning) {
  require(samples.size() == samples.features(),
          text(samples.name, ": a kernel matrix of ", samples.size(), " rows and ", samples.features(), " columns"),
          "--kernel-function precomputed takes the kernel values of all pairs of training samples",
          "Give a row and a column for each sample, besides the labels.");
  return symmetric_kernel_matrix(samples, warning);
}

}  // namespace krossfold::data
