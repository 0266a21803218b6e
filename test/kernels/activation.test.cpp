// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

using kernels::Activation;
using kernels::DenseShape;

double f(Activation activation, double y) {
  switch (activation) {
    case Activation::relu:
      return y > 0 ? y : 0;
    case Activation::tanh:
      return std::tanh(y);
    case Activation::sigmoid:
      return 1 / (1 + std::exp(-y));
    default:
      return y;
  }
}

constexpr Activation all_activations[] = {Activation::none, Activation::relu, Activation::tanh, Activation::sigmoid};

std::int64_t tile_index(const DenseShape& shape, int h, int s) {
  return (h / kernels::unit_tile * std::int64_t{shape.batch} + s) * kernels::unit_tile + h % kernels::unit_tile;
}

TEST(Activate, adds_the_partial_sums_and_the_bias) {
  for (const auto& [activation, partials] : {std::pair(Activation::none, 1), std::pair(Activation::relu, 3),
                                             std::pair(Activation::tanh, 17), std::pair(Activation::sigmoid, 40)}) {
    const DenseShape shape{1, 37, 6};
    const auto partial = test::random_vector(partials * shape.tile_size(), 1, -1, 1);
    const auto bias = test::random_vector(shape.stride(), 2, -1, 1);
    const Vector<float, Device> x("krossfold::test::x", shape.tile_size());
    kernels::activate<Device>(Device(), x, test::to_device(partial), partials, test::to_device(bias), shape,
                              activation);
    const auto found = on_host(x);
    for (int h = 0; h < shape.stride(); ++h) {
      for (int s = 0; s < shape.batch; ++s) {
        double y = static_cast<double>(bias(h));
        for (int p = 0; p < partials; ++p) {
          y += static_cast<double>(partial(p * shape.tile_size() + tile_index(shape, h, s)));
        }
        ASSERT_NEAR(found(h * shape.batch + s), f(activation, y), 2e-6) << "unit " << h << " sample " << s;
      }
    }
  }
}

TEST(Activate, keeps_nan) {
  for (const Activation activation : all_activations) {
    const DenseShape shape{1, 16, 1};
    const Vector<float> partial("krossfold::test::partial", 16);
    partial(3) = NAN;
    const Vector<float, Device> x("krossfold::test::x", 16), bias("krossfold::test::bias", 16);
    kernels::activate<Device>(Device(), x, test::to_device(partial), 1, bias, shape, activation);
    EXPECT_TRUE(std::isnan(on_host(x)(3)));
    EXPECT_FALSE(std::isnan(on_host(x)(2)));
  }
}

TEST(ActivationBackward, is_the_derivative_and_a_step_of_the_bias) {
  for (const Activation activation : all_activations) {
    const DenseShape shape{1, 21, 5};
    const auto y = test::random_vector(shape.tile_size(), 3, -2, 2),
               dx = test::random_vector(shape.tile_size(), 4, -1, 1);
    const Vector<float> x("krossfold::test::x", shape.tile_size());
    for (int k = 0; k < shape.tile_size(); ++k) x(k) = static_cast<float>(f(activation, static_cast<double>(y(k))));
    const auto bias = test::random_vector(shape.stride(), 5, -1, 1),
               velocity = test::random_vector(shape.stride(), 6, -1, 1);
    const Vector<float, Device> dy("krossfold::test::dy", shape.tile_size());
    const auto new_bias = test::to_device(bias), new_velocity = test::to_device(velocity);
    kernels::activation_backward<Device>(Device(), dy, {new_bias, new_velocity, 0.5f, 0.25f}, test::to_device(dx),
                                         test::to_device(x), shape, activation);
    const auto found = on_host(dy), b = on_host(new_bias), v = on_host(new_velocity);
    for (int h = 0; h < shape.stride(); ++h) {
      double sum = 0;
      for (int s = 0; s < shape.batch; ++s) {
        const int k = h * shape.batch + s;
        const double at = static_cast<double>(y(k)), step = 1e-6;
        const double slope = (f(activation, at + step) - f(activation, at - step)) / (2 * step);
        const double expected = h < shape.units ? static_cast<double>(dx(k)) * slope : 0;
        ASSERT_NEAR(found(tile_index(shape, h, s)), expected, 1e-6) << "unit " << h << " sample " << s;
        sum += expected;
      }
      const double before = static_cast<double>(velocity(h));
      const double after = h < shape.units ? 0.25 * before + sum : before;
      ASSERT_NEAR(v(h), after, 1e-5);
      ASSERT_NEAR(b(h), static_cast<double>(bias(h)) - (h < shape.units ? 0.5 * after : 0), 1e-5);
    }
  }
}

}  // namespace
}  // namespace krossfold
