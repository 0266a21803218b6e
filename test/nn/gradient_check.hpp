// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Steps of a network against differences of the loss of the network's definition.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <random>
#include <vector>

#include "krossfold/nn/network.hpp"
#include "test/nn/random_samples.hpp"
#include "test/nn/reference_network.hpp"

namespace krossfold::test {

struct StepCase {
  nn::Architecture architecture;
  int batch;
  unsigned seed;
  float rate = 1;
};

inline void PrintTo(const StepCase& c, std::ostream* out) {
  const data::ImageShape& image = c.architecture.image;
  *out << image.width << "x" << image.height << "x" << image.channels << ", " << nn::describe(c.architecture)
       << " activation=" << static_cast<int>(c.architecture.activation) << " batch=" << c.batch << " seed=" << c.seed;
}

using Tensors = std::vector<nn::Parameter>;

/// What a step has taken off number i of tensor t, over the rate.
inline double descent(const StepCase& c, const Tensors& before, const Tensors& after, std::size_t t, std::size_t i) {
  const double taken = static_cast<double>(before[t].value[i]) - static_cast<double>(after[t].value[i]);
  return taken / static_cast<double>(c.rate);
}

/// 1, or the steepest descent of tensor t if that is more: rounding in single precision grows with it.
inline double scale_of(const StepCase& c, const Tensors& before, const Tensors& after, std::size_t t) {
  double most = 1;
  for (std::size_t i = 0; i < before[t].value.size(); ++i)
    most = std::max(most, std::abs(descent(c, before, after, t, i)));
  return most;
}

/// Takes two steps and expects that they descend along the gradient, at twelve random numbers of each tensor, and that the second adds half
/// of the first by momentum.
inline void expect_descends_along_the_gradient(const StepCase& c) {
  nn::Network<Device> network(Device(), c.architecture, c.batch);
  network.initialize({.seed = c.seed});
  const Tensors before = network.parameters();
  const RandomSamples data(c.batch, c.architecture.features(), c.architecture.classes, c.seed);
  std::vector<int> rows(static_cast<std::size_t>(c.batch));
  std::iota(rows.begin(), rows.end(), 0);
  const Vector<double, Device> loss("krossfold::test::loss", c.batch);
  network.step(data.samples, row_list(rows), 0, c.batch, c.rate, 0.5f, loss);
  ReferenceNetwork reference(c.architecture, before);
  double sum = 0;
  for (int s = 0; s < c.batch; ++s) sum += on_host(loss)(s);
  EXPECT_NEAR(sum, reference.loss(data.features, data.label), 1e-6);

  const Tensors after = network.parameters();
  ASSERT_EQ(after.size(), before.size());
  std::mt19937 engine(c.seed);
  for (std::size_t t = 0; t < before.size(); ++t) {
    const double rounding = 2e-6 * scale_of(c, before, after, t);
    for (int draw = 0; draw < 12; ++draw) {
      const std::size_t i = engine() % before[t].value.size();
      const double gradient = descent(c, before, after, t, i);
      EXPECT_NEAR(gradient, reference.slopes(t, i, data.features, data.label).nearest(gradient), rounding)
          << before[t].name << " entry " << i;
    }
  }
  network.step(data.samples, row_list(rows), 0, c.batch, c.rate, 0.5f, loss);
  const Tensors last = network.parameters();
  ReferenceNetwork then(c.architecture, after);
  for (std::size_t t = 0; t < before.size(); ++t) {
    const std::size_t i = engine() % before[t].value.size();
    const double gradient = descent(c, after, last, t, i) - 0.5 * descent(c, before, after, t, i);
    const double rounding = 4e-6 * std::max(scale_of(c, before, after, t), scale_of(c, after, last, t));
    EXPECT_NEAR(gradient, then.slopes(t, i, data.features, data.label).nearest(gradient), rounding)
        << before[t].name << " entry " << i;
  }
}

}  // namespace krossfold::test
