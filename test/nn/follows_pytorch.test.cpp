// SPDX-License-Identifier: BSD-3-Clause
// With equal weights and batches a network reproduces PyTorch's losses (test/nn/recorded).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "krossfold/nn/network.hpp"
#include "test/nn/curve_files.hpp"
#include "test/nn/plain_network.hpp"
#include "test/source_folder.hpp"

namespace krossfold::test {
namespace {

class FollowsPyTorch : public testing::TestWithParam<std::string> {
protected:
  RecordedCurve curve =
      read_recorded_curve(source_path(KROSSFOLD_RECORDED_CURVES, "test/nn/recorded") + "/" + GetParam());

  nn::Network<Device> make_network() const {
    const auto activation = curve.activation == "tanh"      ? kernels::Activation::tanh
                            : curve.activation == "sigmoid" ? kernels::Activation::sigmoid
                                                            : kernels::Activation::relu;
    nn::Network<Device> network(
        Device(), {{digit_side, digit_side, 1}, curve.channels, curve.kernel, curve.hidden, digit_classes, activation},
        curve.batch);
    auto parameters = network.parameters();
    const auto values = initial_weights(curve);
    EXPECT_EQ(parameters.size(), values.size());
    for (std::size_t t = 0; t < values.size(); ++t) parameters[t].value = values[t];
    network.set_parameters(parameters);
    return network;
  }

  nn::Samples<Device> make_samples() const {
    const PlainImages images(curve.samples);
    const Matrix<float> value("krossfold::test::value", curve.samples, digit_side * digit_side);
    const Vector<int> label("krossfold::test::label", curve.samples);
    for (int i = 0; i < curve.samples; ++i) {
      for (int j = 0; j < digit_side * digit_side; ++j) value(i, j) = images.pixels[i][j];
      label(i) = images.label[i];
    }
    return nn::samples_on<Device>(value, label);
  }
};

// Allows relative differences of 1e-5 in each of the first 50 steps, 1e-5 in the means of epochs with smooth activations, and with
// ReLU 2 % in the mean of the first epoch and 10 % later: a ReLU that flips by rounding makes the curves diverge, at another place on
// another processor. Our loss becomes non-finite in the same step as PyTorch's float loss.
TEST_P(FollowsPyTorch, step_by_step_and_at_the_end_of_each_epoch) {
  nn::Network<Device> network = make_network();
  const nn::Samples<Device> samples = make_samples();
  const Vector<double, Device> loss("krossfold::test::loss", curve.batch);
  const std::size_t epochs = std::max<std::size_t>(curve.epoch.size(), 1);
  std::size_t steps = 0;
  for (std::size_t e = 0; e < epochs; ++e) {
    const auto row = list_on<Device>("krossfold::test::row", epoch_order(static_cast<int>(e), curve.samples));
    double total = 0;
    for (int first = 0; first < curve.samples; first += curve.batch) {
      const int count = std::min(curve.batch, curve.samples - first);
      network.step(samples, row, first, count, static_cast<float>(curve.rate), static_cast<float>(curve.momentum),
                   loss);
      const auto terms = on_host(loss);
      double sum = 0;
      for (int s = 0; s < count; ++s) sum += terms(s);
      total += sum * count;
      if (steps < curve.step.size()) {
        const auto [expected, in_float] = curve.step[steps];
        if (!std::isfinite(in_float)) {
          ASSERT_FALSE(std::isfinite(sum)) << "step " << steps;
          return;
        }
        ASSERT_NEAR(sum, expected, 1e-5 * expected) << "step " << steps;
      }
      ++steps;
    }
    if (e < curve.epoch.size()) {
      const double bound = curve.activation != "relu" ? 1e-5 : e == 0 ? 0.02 : 0.1;
      EXPECT_NEAR(total / curve.samples, curve.epoch[e].float64, bound * curve.epoch[e].float64) << "epoch " << e;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, FollowsPyTorch, testing::ValuesIn(curve_files()), curve_test_name);

}  // namespace
}  // namespace krossfold::test
