// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/adam.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

TEST(Adam, follows_its_definition_over_many_steps) {
  for (const int n : {1, 5, 4097}) {
    const auto first = test::random_vector(n, 3, -1, 1);
    const auto weight = test::to_device(first);
    const Vector<float, Device> mean("krossfold::test::mean", n), square("krossfold::test::square", n);
    std::vector<double> w, m(n), v(n);
    for (int k = 0; k < n; ++k) w.push_back(static_cast<double>(first(k)));
    for (int step = 1; step <= 30; ++step) {
      const auto gradient = test::random_vector(n, 100 + static_cast<unsigned>(step), -2, 2, 0.1);
      const kernels::AdamParams params{0.01, 0.9, 0.999, 1e-8};
      kernels::adam<Device>(Device(), weight, mean, square, test::to_device(gradient), step, params);
      for (int k = 0; k < n; ++k) {
        const double g = static_cast<double>(gradient(k));
        m[k] = 0.9 * m[k] + 0.1 * g;
        v[k] = 0.999 * v[k] + 0.001 * g * g;
        w[k] -= 0.01 / (1 - std::pow(0.9, step)) * m[k] / (std::sqrt(v[k] / (1 - std::pow(0.999, step))) + 1e-8);
      }
    }
    const auto found = on_host(weight);
    for (int k = 0; k < n; ++k) EXPECT_NEAR(found(k), w[k], 2e-6) << k;
  }
}

TEST(Adam, with_factors_in_memory_gives_the_same_bits) {
  const int n = 4097;
  const auto first = test::random_vector(n, 3, -1, 1);
  const Vector<float, Device> factors("krossfold::test::factors", 2);
  struct State {
    Vector<float, Device> weight, mean{"krossfold::test::mean", n}, square{"krossfold::test::square", n};
  } plain{test::to_device(first)}, stored{test::to_device(first)};
  for (int step = 1; step <= 5; ++step) {
    const auto gradient = test::to_device(test::random_vector(n, 100 + static_cast<unsigned>(step), -2, 2, 0.1));
    const kernels::AdamParams params{0.01, 0.9, 0.999, 1e-8};
    kernels::adam<Device>(Device(), plain.weight, plain.mean, plain.square, gradient, step, params);
    kernels::adam_factors<Device>(Device(), factors, step, params);
    kernels::adam<Device>(Device(), stored.weight, stored.mean, stored.square, gradient, factors, params);
  }
  EXPECT_EQ(list_of(on_host(plain.weight)), list_of(on_host(stored.weight)));
}

TEST(Adam, first_step_is_the_rate_whatever_the_size_of_the_gradient) {
  const auto gradient = test::random_vector(100, 1, -1e-3, 1e-3);
  const Vector<float, Device> weight("krossfold::test::weight", 100), mean("krossfold::test::mean", 100),
      square("krossfold::test::square", 100);
  kernels::adam<Device>(Device(), weight, mean, square, test::to_device(gradient), 1, {});
  for (int k = 0; k < 100; ++k) {
    EXPECT_NEAR(on_host(weight)(k), std::copysign(1e-3, -static_cast<double>(gradient(k))), 1e-5);
  }
}

}  // namespace
}  // namespace krossfold
