// SPDX-License-Identifier: BSD-3-Clause
// Gradients of networks whose shapes are drawn at random: odd sizes, images that are no squares, one sample, many layers.
// KROSSFOLD_SEED=N draws others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "krossfold/core/text.hpp"
#include "krossfold/nn/lstm_network.hpp"
#include "test/nn/gradient_check.hpp"
#include "test/nn/reference_lstm.hpp"

namespace krossfold {
namespace {

constexpr int image_networks = 20, character_models = 10;

unsigned long seed_of_shapes() {
  const char* const word = std::getenv("KROSSFOLD_SEED");
  return word == nullptr ? 1 : std::strtoul(word, nullptr, 10);
}

/// Draws whole numbers.
class Draws {
public:
  Draws(int kind, int number) {
    std::seed_seq seed{seed_of_shapes(), static_cast<unsigned long>(kind), static_cast<unsigned long>(number)};
    engine_.seed(seed);
  }
  /// From `least` to `most`.
  int between(int least, int most) { return std::uniform_int_distribution<int>(least, most)(engine_); }
  unsigned seed() { return engine_(); }

private:
  std::mt19937 engine_;
};

/// Half of them with a convolution.
test::StepCase random_step(int number) {
  Draws draws(0, number);
  nn::Architecture one;
  one.image = {draws.between(2, 13), draws.between(2, 13), draws.between(1, 3)};
  if (number % 2 == 0) {
    one.channels = draws.between(1, 10);
    one.kernel = draws.between(1, std::min({one.image.width, one.image.height, 8}));
  }
  for (int layers = draws.between(0, 3); layers > 0; --layers) one.hidden.push_back(draws.between(1, 40));
  one.classes = draws.between(2, 11);
  constexpr kernels::Activation activations[] = {kernels::Activation::relu, kernels::Activation::tanh,
                                                 kernels::Activation::sigmoid};
  one.activation = activations[draws.between(0, 2)];
  const int batch = number % 5 == 0 ? 1 : draws.between(2, 32);
  // So small a rate leaves the weights small, too, of which the second step takes the gradient; its rounding is 2^-25 / 2^-3.
  return {.architecture = one, .batch = batch, .seed = draws.seed(), .rate = 0.125f};
}

class RandomNetwork : public testing::TestWithParam<int> {};

TEST_P(RandomNetwork, descends_along_the_gradient_of_the_loss) {
  const test::StepCase one = random_step(GetParam());
  SCOPED_TRACE(text("KROSSFOLD_SEED=", seed_of_shapes(), ": ", testing::PrintToString(one)));
  test::expect_descends_along_the_gradient(one);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomNetwork, testing::Range(0, image_networks));

class RandomCharacterModel : public testing::TestWithParam<int> {};

TEST_P(RandomCharacterModel, has_the_gradient_of_finite_differences) {
  Draws draws(1, GetParam());
  const nn::LstmArchitecture one{.symbols = draws.between(2, 9),
                                 .steps = draws.between(1, 7),
                                 .layers = draws.between(1, 4),
                                 .hidden = draws.between(1, 19),
                                 .dropout = 0};
  const int windows = draws.between(1, 9), part = draws.between(1, windows);
  SCOPED_TRACE(text("KROSSFOLD_SEED=", seed_of_shapes(), ": ", nn::describe(one), ", ", windows, " of them, ", part,
                    " at a time"));
  nn::LstmNetwork<Device> network(Device(), one, part);
  network.initialize({.seed = draws.seed(), .purpose = random_purpose_initial_weights});
  std::vector<int> symbol, next, rows;
  for (int w = 0; w < windows; ++w) {
    rows.push_back(w);
    for (int t = 0; t < one.steps; ++t) {
      symbol.push_back(draws.between(0, one.symbols - 1));
      next.push_back(draws.between(0, one.symbols - 1));
    }
  }
  const Vector<float, Device> gradient("krossfold::test::gradient", network.weight().extent(0));
  const Vector<double, Device> loss("krossfold::test::loss", windows);
  network.backward(
      {list_on<Device>("krossfold::test::symbol", symbol), list_on<Device>("krossfold::test::next", next), one.steps},
      test::row_list(rows), 0, windows, windows, {}, gradient, loss);
  const auto found = on_host(gradient);

  test::ReferenceLstm reference(one, network.parameters());
  const auto mean_loss = [&] {
    double sum = 0;
    for (const int w : rows) sum += reference.loss(w, &symbol[w * one.steps], &next[w * one.steps]);
    return sum / windows;
  };
  double sum = 0;
  for (int w = 0; w < windows; ++w) sum += on_host(loss)(w);
  EXPECT_NEAR(sum, mean_loss(), 1e-6);
  std::size_t begin = 0;
  for (std::size_t t = 0; t < reference.parameter.size(); ++t) {
    for (int draw = 0; draw < 12; ++draw) {
      const int size = static_cast<int>(reference.parameter[t].size()), i = draws.between(0, size - 1);
      double& weight = reference.parameter[t][static_cast<std::size_t>(i)];
      const double before = weight, step = 1e-5;
      weight = before + step;
      const double up = mean_loss();
      weight = before - step;
      const double down = mean_loss();
      weight = before;
      // Sums of at most 63 terms, in float.
      const auto value = static_cast<double>(found(begin + static_cast<std::size_t>(i)));
      EXPECT_NEAR(value, (up - down) / (2 * step), 1e-6 + 1e-5 * std::abs(value)) << "tensor " << t << " entry " << i;
    }
    begin += reference.parameter[t].size();
  }
  EXPECT_EQ(begin, found.extent(0));
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomCharacterModel, testing::Range(0, character_models));

}  // namespace
}  // namespace krossfold
