// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// A short training of a small network on the built-in digits, with any exchange.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "krossfold/nn/rows.hpp"
#include "krossfold/nn/sharded_network.hpp"
#include "krossfold/nn/training.hpp"
#include "krossfold/tables/readers.hpp"

namespace krossfold::test {

struct ImageCase {
  std::string name;
  nn::Architecture architecture;
  int batch = 10;
};

/// Both kinds of network with small and large batches: some layers exchange factors, others gradients.
inline std::vector<ImageCase> image_cases() {
  using kernels::Activation;
  return {{"cnn_batch_10", {{8, 8, 1}, 5, 3, {40}, 10, Activation::relu, 0.25}, 10},
          {"cnn_batch_48", {{8, 8, 1}, 9, 3, {56}, 10, Activation::relu, 0.1}, 48},
          {"mlp_batch_10", {{8, 8, 1}, 0, 0, {40, 24}, 10, Activation::tanh, 0.25}, 10},
          {"mlp_batch_48", {{8, 8, 1}, 0, 0, {40, 24}, 10, Activation::sigmoid, 0.1}, 48}};
}

inline void PrintTo(const ImageCase& c, std::ostream* out) { *out << c.name; }

struct ImageCurve {
  std::vector<double> step, held_out_loss, held_out_error;  ///< loss of each step; held-out values after each epoch
  std::vector<nn::Parameter> weights;                       ///< this worker's final weights
};

inline nn::Samples<Device> digit_samples(int first, int count) {
  const data::Dataset digits = tables::embedded_digits();
  const Matrix<float> value("krossfold::test::value", count, digits.features());
  const Vector<int> label("krossfold::test::label", count);
  for (int s = 0; s < count; ++s) {
    label(s) = digits.label(first + s);
    for (int i = 0; i < digits.features(); ++i) value(s, i) = (digits.raw(first + s, i) - 8) / 4.619f;
  }
  return nn::samples_on<Device>(value, label);
}

/// Epochs of 503 samples, at least 50 steps; the last batch of each is smaller.
inline ImageCurve train_images(const ImageCase& c, nn::Exchange<Device>& exchange,
                               nn::Sharing sharing = nn::Sharing::batch, bool factors = true) {
  const auto train = digit_samples(0, 503), held_out = digit_samples(503, 101);
  nn::TrainingParams params;
  params.epochs = c.batch < 20 ? 2 : 5;
  params.stop_ratio = std::numeric_limits<double>::infinity();
  params.batch = c.batch;
  params.rate = 0.02;
  params.momentum = 0.8;
  params.stream = {.seed = 5, .purpose = random_purpose_sample_order};
  nn::ShardedNetwork<Device> model(Device(), c.architecture, c.batch, exchange, sharing, factors);
  model.network().initialize({.seed = 5, .purpose = random_purpose_initial_weights});
  ImageCurve curve;
  nn::train(model, train, nn::all_rows(train.size()), params, {}, [&](int, const std::vector<double>& losses) {
    curve.step.insert(curve.step.end(), losses.begin(), losses.end());
    const nn::Evaluation evaluation = model.evaluate(held_out);
    curve.held_out_loss.push_back(evaluation.loss);
    curve.held_out_error.push_back(evaluation.error);
  });
  curve.weights = model.network().parameters();
  return curve;
}

/// Equal up to rounding: 1e-5 for each of the first 50 losses, 1e-4 for later and held-out ones.
inline void expect_follows(const ImageCurve& found, const ImageCurve& expected) {
  ASSERT_GE(expected.step.size(), 50u);
  ASSERT_EQ(found.step.size(), expected.step.size());
  for (std::size_t k = 0; k < expected.step.size(); ++k) {
    EXPECT_NEAR(found.step[k], expected.step[k], (k < 50 ? 1e-5 : 1e-4) * expected.step[k]) << "step " << k;
  }
  ASSERT_EQ(found.held_out_loss.size(), expected.held_out_loss.size());
  for (std::size_t e = 0; e < expected.held_out_loss.size(); ++e) {
    EXPECT_NEAR(found.held_out_loss[e], expected.held_out_loss[e], 1e-4 * expected.held_out_loss[e]);
    EXPECT_NEAR(found.held_out_error[e], expected.held_out_error[e], 1.01 / 101);
  }
}

}  // namespace krossfold::test
