// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "krossfold/core/error.hpp"
#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

using kernels::DenseForm;
using kernels::DenseShape;

struct Case {
  DenseForm form;
  std::int64_t inputs;
  int units, batch;
  bool rectified, input_gradient;
  unsigned seed;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << "form=" << static_cast<int>(c.form) << " inputs=" << c.inputs << " units=" << c.units << " batch=" << c.batch
       << " rectified=" << c.rectified << " input_gradient=" << c.input_gradient << " seed=" << c.seed;
}

class Dense : public ::testing::TestWithParam<Case> {
protected:
  const Case& c = GetParam();
  const DenseShape shape{c.inputs, c.units, c.batch};
  const Vector<float> weight = rows_of_weights(c.seed), velocity = rows_of_weights(c.seed + 1);
  const Vector<float> x = test::random_vector(c.inputs * c.batch, c.seed + 2, c.rectified ? 0 : -1, 1, 0.5);
  const Vector<float> dy = tiles(c.seed + 3);
  const Vector<float, Device> work{"krossfold::test::work", static_cast<std::size_t>(shape.tile_size())};

  static std::int64_t tile_index(const DenseShape& shape, int h, int s) {
    return (h / kernels::unit_tile * std::int64_t{shape.batch} + s) * kernels::unit_tile + h % kernels::unit_tile;
  }
  Vector<float> rows_of_weights(unsigned seed) const {
    const auto all = test::random_vector(shape.weights(), seed, -1, 1);
    for (std::int64_t i = 0; i < c.inputs; ++i) {
      for (int h = c.units; h < shape.stride(); ++h) all(i * shape.stride() + h) = 0;
    }
    return all;
  }
  Vector<float> tiles(unsigned seed) const {
    const auto all = test::random_vector(shape.tile_size(), seed, -1, 1);
    for (int s = 0; s < c.batch; ++s) {
      for (int h = c.units; h < shape.stride(); ++h) all(tile_index(shape, h, s)) = 0;
    }
    return all;
  }
};

TEST_P(Dense, forward_is_the_product_with_the_inputs) {
  const int partials = kernels::dense_partials(c.form, c.inputs);
  const Vector<float, Device> partial("krossfold::test::partial", partials * shape.tile_size());
  kernels::dense_forward<Device>(Device(), c.form, {partial, test::to_device(weight), test::to_device(x), work}, shape);
  const auto found = on_host(partial);
  for (int s = 0; s < c.batch; ++s) {
    for (int h = 0; h < shape.stride(); ++h) {
      double sum = 0, expected = 0;
      for (int p = 0; p < partials; ++p) {
        sum += static_cast<double>(found(std::int64_t{p} * shape.tile_size() + tile_index(shape, h, s)));
      }
      for (std::int64_t i = 0; i < c.inputs; ++i) {
        expected += static_cast<double>(weight(i * shape.stride() + h)) * static_cast<double>(x(i * c.batch + s));
      }
      const double rounding = std::numeric_limits<float>::epsilon();
      ASSERT_NEAR(sum, expected, rounding * std::sqrt(static_cast<double>(c.inputs)) * 8)
          << "unit " << h << " sample " << s;
    }
  }
}

TEST_P(Dense, backward_is_the_gradient_and_a_step_of_descent) {
  kernels::DenseUpdate update;
  update.rate = 0.25f;
  update.momentum = 0.75f;
  update.input_is_rectified = c.rectified;
  update.input_gradient = c.input_gradient;
  const auto w = test::to_device(weight), v = test::to_device(velocity);
  const auto dx = test::to_device(test::random_vector(c.inputs * c.batch, c.seed + 4, 5, 6));
  kernels::dense_backward<Device>(Device(), c.form, {w, v, dx, test::to_device(x), test::to_device(dy), work}, shape,
                                  update);
  const auto new_weight = on_host(w), new_velocity = on_host(v), gradient = on_host(dx);
  const double rounding = std::numeric_limits<float>::epsilon();
  for (std::int64_t i = 0; i < c.inputs; ++i) {
    for (int h = 0; h < shape.stride(); ++h) {
      const std::int64_t k = i * shape.stride() + h;
      double step = 0.75 * static_cast<double>(velocity(k));
      for (int s = 0; s < c.batch; ++s) {
        step += static_cast<double>(x(i * c.batch + s)) * static_cast<double>(dy(tile_index(shape, h, s)));
      }
      const double tolerance = rounding * (4 + c.batch);
      ASSERT_NEAR(new_velocity(k), step, tolerance) << "input " << i << " unit " << h;
      ASSERT_NEAR(new_weight(k), static_cast<double>(weight(k)) - 0.25 * step, tolerance)
          << "input " << i << " unit " << h;
    }
    for (int s = 0; s < c.batch; ++s) {
      if (!c.input_gradient) {
        ASSERT_GE(gradient(i * c.batch + s), 5) << "left alone";
        continue;
      }
      double expected = 0;
      if (!c.rectified || x(i * c.batch + s) != 0) {
        for (int h = 0; h < c.units; ++h) {
          expected +=
              static_cast<double>(weight(i * shape.stride() + h)) * static_cast<double>(dy(tile_index(shape, h, s)));
        }
      }
      ASSERT_NEAR(gradient(i * c.batch + s), expected, rounding * std::sqrt(static_cast<double>(c.units)) * 8)
          << "input " << i << " sample " << s;
    }
  }
}

TEST_P(Dense, backward_can_give_the_input_gradient_alone_or_the_weight_gradient_without_a_step) {
  kernels::DenseUpdate alone, gradient_only;
  alone.weights = false;
  alone.input_is_rectified = gradient_only.input_is_rectified = c.rectified;
  const auto w = test::to_device(weight), v = test::to_device(velocity), none = Vector<float, Device>();
  const auto dx = test::to_device(x), same = test::to_device(x);
  const auto backward = [&](const auto& to_velocity, const auto& to_dx, const kernels::DenseUpdate& update) {
    kernels::dense_backward<Device>(
        Device(), c.form, {w, to_velocity, to_dx, test::to_device(x), test::to_device(dy), work}, shape, update);
  };
  backward(none, dx, alone);
  backward(v, same, gradient_only);
  const auto after = on_host(w), gradient = on_host(v), a = on_host(dx), b = on_host(same);
  for (std::int64_t k = 0; k < c.inputs * c.batch; ++k) ASSERT_EQ(a(k), b(k)) << k;
  for (std::int64_t i = 0; i < c.inputs; ++i) {
    for (int h = 0; h < shape.stride(); ++h) {
      const std::int64_t k = i * shape.stride() + h;
      double expected = 0;
      for (int s = 0; s < c.batch; ++s) {
        expected += static_cast<double>(x(i * c.batch + s)) * static_cast<double>(dy(tile_index(shape, h, s)));
      }
      ASSERT_EQ(after(k), weight(k));
      ASSERT_NEAR(gradient(k), expected, std::numeric_limits<float>::epsilon() * (4 + c.batch)) << i << " " << h;
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  unsigned seed = 100;
  for (const DenseForm form : {DenseForm::rows, DenseForm::teams, DenseForm::gemm}) {
    if (form == DenseForm::rows && !std::is_same_v<Device, Host>) continue;
    for (const auto& [inputs, units, batch] : std::vector<std::tuple<std::int64_t, int, int>>{{1, 1, 1},
                                                                                              {7, 16, 10},
                                                                                              {65, 17, 3},
                                                                                              {513, 33, 10},
                                                                                              {1100, 48, 16},
                                                                                              {300, 227, 5},
                                                                                              {130, 10, 12},
                                                                                              {33'001, 18, 7}}) {
      all.push_back({form, inputs, units, batch, true, true, seed += 10});
      all.push_back({form, inputs, units, batch, false, true, seed += 10});
      all.push_back({form, inputs, units, batch, false, false, seed += 10});
    }
  }
  for (const int batch : {17, 64, 100}) all.push_back({DenseForm::gemm, 5000, 37, batch, true, true, seed += 10});
  return all;
}
INSTANTIATE_TEST_SUITE_P(RandomShapes, Dense, ::testing::ValuesIn(cases()));

TEST(DenseNaN, in_a_weight_reaches_the_sum_and_the_gradient) {
  for (const DenseForm form : {kernels::best_dense_form<Device>(4), DenseForm::teams, DenseForm::gemm}) {
    const DenseShape shape{20, 16, 4};
    const auto weight = test::random_vector(shape.weights(), 1, -1, 1);
    weight(3 * 16 + 5) = NAN;
    const auto x = test::random_vector(20 * 4, 2, 0.5, 1);
    const Vector<float, Device> partial("krossfold::test::partial",
                                        kernels::dense_partials(form, 20) * shape.tile_size()),
        work("work", shape.tile_size());
    kernels::dense_forward<Device>(Device(), form, {partial, test::to_device(weight), test::to_device(x), work}, shape);
    EXPECT_TRUE(std::isnan(on_host(partial)(5)));
    const auto bad = test::random_vector(20 * 4, 2, 0.5, 1);
    bad(7) = NAN;  // NaN is not zero, so the sample must not be skipped
    const Vector<float, Device> dx("krossfold::test::dx", 20 * 4), v("krossfold::test::v", shape.weights());
    const auto w = test::to_device(test::random_vector(shape.weights(), 1, -1, 1));
    kernels::DenseUpdate update;
    update.rate = 1;
    kernels::dense_backward<Device>(
        Device(), form,
        {w, v, dx, test::to_device(bad), test::to_device(test::random_vector(shape.tile_size(), 3, -1, 1)), work},
        shape, update);
    EXPECT_TRUE(std::isnan(on_host(w)(1 * 16)));
  }
}

TEST(DenseTeamBlock, is_smaller_for_fewer_inputs_and_leaves_none_out) {
  for (const auto& [inputs, block, blocks] : std::vector<std::tuple<std::int64_t, int, int>>{{1, 16, 1},
                                                                                             {227, 16, 15},
                                                                                             {5733, 16, 359},
                                                                                             {57'600, 64, 900},
                                                                                             {158'125, 256, 618},
                                                                                             {4'000'000, 512, 7813}}) {
    EXPECT_EQ(kernels::dense_team_block(inputs), block) << inputs;
    EXPECT_EQ(kernels::dense_partials(DenseForm::teams, inputs), blocks) << inputs;
  }
}

TEST(DenseTeams, refuse_arrays_that_begin_within_a_vector) {
  const DenseShape shape{3, 5, 2};
  const Vector<float, Device> all("krossfold::test::all", 64), x("krossfold::test::x", 6);
  const auto at = [&](int first) { return Vector<float, Device>(all.data() + first, shape.weights()); };
  const auto step = [&](int weight, int velocity) {
    kernels::dense_backward<Device>(Device(), DenseForm::teams, {at(weight), at(velocity), x, x, at(0)}, shape, {});
  };
  EXPECT_NO_THROW(step(4, 8));
  EXPECT_THROW(step(2, 8), Error);
  EXPECT_THROW(step(4, 6), Error);
}

TEST(DenseBatch, larger_than_the_row_forms_take_is_refused_by_them) {
  EXPECT_THROW(kernels::dense_forward<Device>(Device(), DenseForm::teams, {}, DenseShape{1, 1, 17}), Error);
  EXPECT_EQ(kernels::best_dense_form<Device>(17), DenseForm::gemm);
}

}  // namespace
}  // namespace krossfold
