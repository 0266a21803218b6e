// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <random>

#include "krossfold/core/view.hpp"

namespace krossfold::test {

/// Values in [low, high], about the given share of them 0.
inline Vector<float> random_vector(std::int64_t size, unsigned seed, double low, double high, double zeros = 0) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(low, high), part(0, 1);
  const Vector<float> vector("krossfold::test::random", size);
  for (std::int64_t i = 0; i < size; ++i) {
    const double value = uniform(engine);
    vector(i) = part(engine) < zeros ? 0.0f : static_cast<float>(value);
  }
  return vector;
}

/// A copy in device memory that a kernel may write.
template <class T>
Vector<T, Device> to_device(const Vector<T>& host) {
  const Vector<T, Device> copy("krossfold::test::copy", host.extent(0));
  Kokkos::deep_copy(copy, host);
  return copy;
}

}  // namespace krossfold::test
