// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/sgd.hpp"

#include <gtest/gtest.h>

#include "krossfold/kernels/gather_batch.hpp"
#include "test/kernels/random_matrix.hpp"
#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

TEST(Sgd, first_step_is_the_gradient_and_later_ones_carry_momentum) {
  const Vector<float, Device> weight("krossfold::test::weight", 3), velocity("krossfold::test::velocity", 3);
  Vector<float> gradient("krossfold::test::gradient", 3);
  gradient(0) = 1;
  gradient(1) = -2;
  const auto g = test::to_device(gradient);
  kernels::sgd<Device>(Device(), weight, velocity, g, 0.5f, 0.75f);
  EXPECT_EQ(on_host(weight)(0), -0.5f);
  EXPECT_EQ(on_host(velocity)(1), -2);
  kernels::sgd<Device>(Device(), weight, velocity, g, 0.5f, 0.75f);
  EXPECT_EQ(on_host(velocity)(0), 1.75f);
  EXPECT_EQ(on_host(weight)(0), -0.5f - 0.875f);
  EXPECT_EQ(on_host(weight)(2), 0);
}

TEST(GatherBatch, puts_samples_side_by_side) {
  const auto sample = test::random_matrix<float>(9, 5, 1, -1, 1);
  const Vector<int> label("krossfold::test::label", 9), row("krossfold::test::row", 6);
  for (int i = 0; i < 9; ++i) label(i) = 10 + i;
  for (int i = 0; i < 6; ++i) row(i) = i * 7 % 9;
  const Vector<float, Device> x("krossfold::test::x", 5 * 4);
  const Vector<int, Device> label_out("krossfold::test::label_out", 4);
  const Matrix<const float, Device> sample_device = on_device<Device>(sample);
  kernels::gather_batch<Device>(Device(), x, label_out, sample_device, test::to_device(label), test::to_device(row), 2,
                                4);
  const auto found = on_host(x);
  for (int s = 0; s < 4; ++s) {
    EXPECT_EQ(on_host(label_out)(s), 10 + row(2 + s));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(found(i * 4 + s), sample(row(2 + s), i));
  }
}

}  // namespace
}  // namespace krossfold
