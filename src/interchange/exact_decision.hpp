// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "krossfold/svm/machine.hpp"

namespace krossfold::interchange {

/// |a - b|^2 and a b of two support vectors, scaled and in double precision.
struct Products {
  double distance = 0, product = 0;

  void add(double a, double b) {
    distance += (a - b) * (a - b);
    product += a * b;
  }
};

/// Those of the support vectors of two numbers.
using ProductsOf = std::function<Products(std::size_t, std::size_t)>;

/// Of rows of sparse vectors, whose columns ascend: row r has the entries begin[r] ... begin[r + 1] - 1.
template <class Index>
Products sparse_products(const std::vector<std::int64_t>& begin, const std::vector<Index>& column,
                         const std::vector<double>& value, std::size_t a, std::size_t b) {
  Products sum;
  auto i = static_cast<std::size_t>(begin[a]), j = static_cast<std::size_t>(begin[b]);
  const auto last_i = static_cast<std::size_t>(begin[a + 1]), last_j = static_cast<std::size_t>(begin[b + 1]);
  while (i < last_i || j < last_j) {
    const bool of_a = i < last_i && (j == last_j || column[i] <= column[j]);
    const bool of_b = j < last_j && (i == last_i || column[j] <= column[i]);
    sum.add(of_a ? value[i] : 0, of_b ? value[j] : 0);
    i += of_a ? 1 : 0;
    j += of_b ? 1 : 0;
  }
  return sum;
}

/// How far decision values of the machine, which has its support vectors in single precision, are from
/// constant(p) + sum_i coefficient(p, i) K(x_i, x) in double: the largest difference for at most 50 of the support vectors, fewer of large
/// machines; `numbers` are those of all support vectors. Infinite if one is none. 0 for a precomputed kernel.
double difference_from_exact(const svm::Machine& machine, const std::vector<double>& constant, std::size_t numbers,
                             const ProductsOf& products);

}  // namespace krossfold::interchange
