// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>

#include "krossfold/core/random.hpp"
#include "krossfold/core/view.hpp"

// Data whose classes overlap, for benchmarks.

namespace krossfold::bench {

/// A nearly normal number, different for each k.
inline double normal(std::uint64_t k) {
  double sum = 0;
  for (std::uint64_t u = 0; u < 4; ++u) sum += random_uniform(StreamId{3}, 4 * k + u) - 0.5;
  return 1.7 * sum;
}

struct Samples {
  Matrix<double> x;
  Matrix<std::int8_t> y;  ///< (1, n)
};

/// Two crescents in a plane, with so much noise that a fifth of each lies in the other.
inline Samples crescents(int n) {
  const Samples samples{Matrix<double>("krossfold::bench::points", n, 2),
                        Matrix<std::int8_t>("krossfold::bench::sign", 1, n)};
  for (int i = 0; i < n; ++i) {
    const double turn = 3.14159265358979 * random_uniform(StreamId{4}, i);
    samples.y(0, i) = i % 2 == 0 ? 1 : -1;
    samples.x(i, 0) = (i % 2 == 0 ? std::cos(turn) : 1 - std::cos(turn)) + 0.45 * normal(2 * i);
    samples.x(i, 1) = (i % 2 == 0 ? std::sin(turn) : 0.5 - std::sin(turn)) + 0.45 * normal(2 * i + 1);
  }
  return samples;
}

/// Normal features, of which a product and a sum decide the class; a fifth of the classes is turned round.
inline Samples noisy(int n, int features) {
  const Samples samples{Matrix<double>("krossfold::bench::points", n, features),
                        Matrix<std::int8_t>("krossfold::bench::sign", 1, n)};
  for (int i = 0; i < n; ++i) {
    for (int f = 0; f < features; ++f) samples.x(i, f) = normal(static_cast<std::uint64_t>(i) * features + f);
    const double score = samples.x(i, 0) * samples.x(i, 1) + samples.x(i, 2);
    const bool turned = random_uniform(StreamId{5}, i) < 0.2;
    samples.y(0, i) = (score > 0) != turned ? 1 : -1;
  }
  return samples;
}

/// Two overlapping clouds in a plane.
inline Samples clouds(int n) {
  const Samples samples{Matrix<double>("krossfold::bench::points", n, 2),
                        Matrix<std::int8_t>("krossfold::bench::sign", 1, n)};
  for (int i = 0; i < n; ++i) {
    samples.y(0, i) = i % 2 == 0 ? 1 : -1;
    samples.x(i, 0) = 0.7 * samples.y(0, i) + normal(2 * static_cast<std::uint64_t>(i));
    samples.x(i, 1) = normal(2 * static_cast<std::uint64_t>(i) + 1);
  }
  return samples;
}

}  // namespace krossfold::bench
