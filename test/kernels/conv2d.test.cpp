// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/kernels/conv2d.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "test/kernels/random_vector.hpp"

namespace krossfold {
namespace {

using kernels::ConvForm;
using kernels::ConvShape;

struct Case {
  ConvForm form;
  ConvShape shape;
  unsigned seed;
};
void PrintTo(const Case& c, std::ostream* out) {
  const ConvShape& s = c.shape;
  *out << "form=" << static_cast<int>(c.form) << " image " << s.width << "x" << s.height << "x" << s.input_channels
       << " channels=" << s.channels << " kernel=" << s.kernel << " batch=" << s.batch << " seed=" << c.seed;
}

class Conv2d : public ::testing::TestWithParam<Case> {
protected:
  const ConvShape& shape = GetParam().shape;
  const unsigned seed = GetParam().seed;
  const Vector<float> image = with_slack(shape.pixels() * shape.batch, seed);
  const Vector<float> weight = test::random_vector(shape.taps() * shape.channels, seed + 1, -1, 1);
  const Vector<float> bias = test::random_vector(shape.channels, seed + 2, -1, 1);
  const double rounding = std::numeric_limits<float>::epsilon();

  static Vector<float> with_slack(std::int64_t size, unsigned seed, double zeros = 0) {
    return test::random_vector(size + kernels::image_slack, seed, -1, 1, zeros);
  }
  double pixel(int tap, int row, int column, int s) const {
    const int k = shape.kernel, channel = tap / (k * k), a = tap / k % k, b = tap % k;
    return static_cast<double>(
        image(((channel * shape.height + row + a) * shape.width + column + b) * shape.batch + s));
  }
  std::int64_t output(int c, int row, int column, int s) const {
    return ((std::int64_t{c} * shape.out_height() + row) * shape.out_width() + column) * shape.batch + s;
  }
  template <class Body>
  void for_each_position(const Body& body) const {
    for (int row = 0; row < shape.out_height(); ++row) {
      for (int column = 0; column < shape.out_width(); ++column) {
        for (int s = 0; s < shape.batch; ++s) body(row, column, s);
      }
    }
  }
};

TEST_P(Conv2d, forward_agrees_with_its_definition) {
  const auto y = test::to_device(with_slack(shape.outputs() * shape.batch, seed + 3));
  const float after = on_host(y)(shape.outputs() * shape.batch);
  kernels::conv2d_relu<Device>(Device(), GetParam().form, y, test::to_device(image), test::to_device(weight),
                               test::to_device(bias), shape);
  const auto found = on_host(y);
  for (int c = 0; c < shape.channels; ++c) {
    for_each_position([&](int row, int column, int s) {
      double sum = static_cast<double>(bias(c));
      for (int tap = 0; tap < shape.taps(); ++tap) {
        sum += static_cast<double>(weight(tap * shape.channels + c)) * pixel(tap, row, column, s);
      }
      ASSERT_NEAR(found(output(c, row, column, s)), std::max(0.0, sum), rounding * 4 * std::sqrt(shape.taps() + 1.0))
          << "channel " << c << " row " << row << " column " << column << " sample " << s;
    });
  }
  EXPECT_EQ(found(shape.outputs() * shape.batch), after) << "wrote behind the last output";
}

TEST_P(Conv2d, gradient_agrees_with_its_definition) {
  const auto dy = with_slack(shape.outputs() * shape.batch, seed + 4, 0.5);
  const Vector<float, Device> dweight("krossfold::test::dweight", weight.extent(0)),
      dbias("krossfold::test::dbias", bias.extent(0));
  kernels::conv2d_gradient<Device>(Device(), GetParam().form, dweight, dbias, test::to_device(dy),
                                   test::to_device(image), shape);
  const auto found = on_host(dweight), found_bias = on_host(dbias);
  // A running sum of n terms has magnitude about sqrt(n), and its n rounding errors add up as a random walk.
  const double tolerance = rounding * shape.out_width() * shape.out_height() * shape.batch + rounding;
  for (int c = 0; c < shape.channels; ++c) {
    double expected_bias = 0;
    std::vector<double> expected(shape.taps());
    for_each_position([&](int row, int column, int s) {
      const double d = static_cast<double>(dy(output(c, row, column, s)));
      expected_bias += d;
      for (int tap = 0; tap < shape.taps(); ++tap) expected[tap] += d * pixel(tap, row, column, s);
    });
    ASSERT_NEAR(found_bias(c), expected_bias, tolerance) << "channel " << c;
    for (int tap = 0; tap < shape.taps(); ++tap) {
      ASSERT_NEAR(found(tap * shape.channels + c), expected[tap], tolerance) << "channel " << c << " tap " << tap;
    }
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  unsigned seed = 300;
  for (const ConvForm form : {ConvForm::packs, ConvForm::threads}) {
    if (form == ConvForm::packs && !std::is_same_v<Device, Host>) continue;
    for (const ConvShape& shape :
         {ConvShape{1, 1, 1, 1, 1, 1}, ConvShape{8, 8, 1, 4, 3, 10}, ConvShape{8, 8, 1, 13, 8, 3},
          ConvShape{9, 7, 1, 14, 2, 1}, ConvShape{28, 28, 1, 29, 5, 10}, ConvShape{12, 10, 3, 7, 4, 5},
          ConvShape{28, 28, 1, 5, 10, 2}, ConvShape{16, 16, 1, 27, 6, 16}, ConvShape{8, 8, 2, 6, 1, 33},
          ConvShape{20, 14, 1, 3, 13, 4}}) {
      all.push_back({form, shape, seed += 10});
    }
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(RandomShapes, Conv2d, ::testing::ValuesIn(cases()));

TEST(Conv2dNaN, in_a_weight_is_not_rectified_away) {
  for (const ConvForm form : {kernels::best_conv_form<Device>(), ConvForm::threads}) {
    const ConvShape shape{6, 6, 1, 3, 2, 4};
    const Vector<float, Device> y("krossfold::test::y", shape.outputs() * shape.batch + kernels::image_slack);
    const auto weight = test::random_vector(12, 5, -1, 1);
    weight(1) = NAN;
    kernels::conv2d_relu<Device>(Device(), form, y,
                                 test::to_device(test::random_vector(36 * 4 + kernels::image_slack, 6, -1, 1)),
                                 test::to_device(weight), test::to_device(test::random_vector(3, 7, -1, 1)), shape);
    const auto found = on_host(y);
    EXPECT_TRUE(std::isnan(found(1 * 25 * 4)));
    EXPECT_FALSE(std::isnan(found(0)));
    EXPECT_FALSE(std::isnan(found(2 * 25 * 4)));
  }
}

}  // namespace
}  // namespace krossfold
