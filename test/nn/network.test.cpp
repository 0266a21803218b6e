// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "krossfold/core/error.hpp"
#include "krossfold/core/kokkos_compat.hpp"
#include "test/nn/gradient_check.hpp"
#include "test/nn/random_samples.hpp"

namespace krossfold {
namespace {

using kernels::Activation;
using nn::Architecture;
using nn::Network;
using Case = test::StepCase;

Architecture cnn(int side, int channels, int kernel, std::vector<int> hidden, int classes, int input_channels = 1) {
  return {{side, side, input_channels}, channels, kernel, std::move(hidden), classes};
}
Architecture mlp(int features, std::vector<int> hidden, int classes, Activation activation) {
  return {{features, 1, 1}, 0, 0, std::move(hidden), classes, activation};
}

class NetworkStep : public ::testing::TestWithParam<test::StepCase> {};

TEST_P(NetworkStep, descends_along_the_gradient_of_the_loss) { test::expect_descends_along_the_gradient(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Architectures, NetworkStep,
                         ::testing::Values(Case{cnn(8, 4, 3, {16}, 10), 10, 1}, Case{cnn(8, 13, 8, {33}, 10), 5, 2},
                                           Case{cnn(12, 7, 5, {20, 11}, 3), 16, 3}, Case{cnn(9, 6, 2, {9}, 4, 3), 1, 4},
                                           Case{cnn(8, 5, 3, {}, 10), 7, 5}, Case{cnn(8, 6, 4, {19}, 10), 24, 6},
                                           Case{mlp(30, {17, 8}, 5, Activation::relu), 10, 7},
                                           Case{mlp(30, {17, 8}, 5, Activation::tanh), 10, 8},
                                           Case{mlp(64, {40}, 10, Activation::sigmoid), 32, 9},
                                           Case{mlp(600, {}, 2, Activation::relu), 3, 10}));

TEST(NetworkBatch, a_weight_counts_as_so_many_samples_in_the_step) {
  for (const Architecture& architecture : {cnn(8, 4, 3, {16}, 10), mlp(64, {20}, 10, Activation::relu)}) {
    Network<Device> weighted(Device(), architecture, 4), copied(Device(), architecture, 4);
    weighted.initialize({.seed = 3});
    copied.initialize({.seed = 3});
    test::RandomSamples data(4, 64, 10, 4);
    const Vector<double, Device> loss("krossfold::test::loss", 4);
    copied.step(data.samples, test::row_list({0, 0, 2, 3}), 0, 4, 0.5f, 0, loss);
    const Vector<double> weight("krossfold::test::weight", 4);
    weight(0) = 2;
    weight(2) = weight(3) = 1;
    data.samples.weight = on_device<Device>(weight);
    weighted.step(data.samples, test::row_list({0, 1, 2, 3}), 0, 4, 0.5f, 0, loss);
    EXPECT_EQ(on_host(loss)(1), 0);
    const auto found = weighted.parameters(), expected = copied.parameters();
    for (std::size_t t = 0; t < found.size(); ++t) {
      EXPECT_THAT(found[t].value, testing::Pointwise(testing::FloatNear(1e-6F), expected[t].value)) << found[t].name;
    }
  }
}

TEST(NetworkBatch, parts_of_a_batch_give_the_same_logits_as_the_whole) {
  const Architecture architecture = cnn(8, 4, 3, {16}, 10);
  Network<Device> network(Device(), architecture, 10);
  network.initialize({.seed = 3});
  const test::RandomSamples data(10, 64, 10, 4);
  const auto rows = test::row_list({9, 3, 3, 0, 1, 2, 8, 4, 5, 6});
  const Matrix<float, Device> whole("krossfold::test::whole", 10, 10), part("krossfold::test::part", 10, 10);
  predict<Device>(network, data.samples, rows, 0, 10, whole);
  predict<Device>(network, data.samples, rows, 1, 3, part);
  const auto all = on_host(whole), some = on_host(part);
  for (int s = 0; s < 3; ++s) {
    for (int c = 0; c < 10; ++c) EXPECT_NEAR(all(1 + s, c), some(s, c), 1e-6);
  }
}

TEST(NetworkBatch, large_layers_are_polled_within_a_step_and_change_no_bit) {
  const Architecture architecture = cnn(28, 40, 3, {512}, 10);  // 13.8 million weights in the dense layer
  const test::RandomSamples data(4, 784, 10, 4);
  const auto rows = test::row_list({0, 1, 2, 3});
  const Vector<double, Device> loss("krossfold::test::loss", 4);
  int polls = 0;
  const Poll poll = [&polls] { ++polls; };
  Network<Device> polled(Device(), architecture, 4, nullptr, poll), plain(Device(), architecture, 4);
  EXPECT_GE(polls, 6) << "of the allocation";
  polls = 0;
  polled.initialize({.seed = 3}, poll);
  EXPECT_GE(polls, 6) << "of the initial weights";
  plain.initialize({.seed = 3});
  for (const bool in_step : {true, false}) {
    polls = 0;
    polled.step(data.samples, rows, 0, 4, {.rate = 0.1, .momentum = 0.5, .poll = in_step ? &poll : nullptr}, loss);
    plain.step(data.samples, rows, 0, 4, nn::StepParams{.rate = 0.1, .momentum = 0.5}, loss);
    if (cpu_backend()) {
      EXPECT_EQ(polls >= 6, in_step) << polls;
    }
  }
  const auto a = polled.parameters(), b = plain.parameters();
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].value, b[k].value) << a[k].name;
}

TEST(NetworkWeights, begin_uniform_in_bounds_of_the_fan_in_and_depend_on_the_stream_alone) {
  const Architecture architecture = cnn(12, 30, 5, {100}, 10);
  Network<Device> network(Device(), architecture, 10), same(Device(), architecture, 3),
      other(Device(), architecture, 10);
  network.initialize({.seed = 5, .trial = 1});
  same.initialize({.seed = 5, .trial = 1});
  other.initialize({.seed = 5, .trial = 2});
  const auto found = network.parameters(), again = same.parameters(), different = other.parameters();
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].name, "conv.weight");
  EXPECT_THAT(found[0].shape, testing::ElementsAre(30, 1, 5, 5));
  EXPECT_EQ(found[2].name, "dense.0.weight");
  EXPECT_THAT(found[2].shape, testing::ElementsAre(100, 30 * 64));
  EXPECT_EQ(found[5].name, "dense.1.bias");
  const double inputs[] = {25, 25, 1920, 1920, 100, 100};
  std::int64_t count = 0;
  for (std::size_t t = 0; t < found.size(); ++t) {
    const double bound = 1 / std::sqrt(inputs[t]);
    double sum = 0, squares = 0;
    for (const float value : found[t].value) {
      const double u = static_cast<double>(value) / bound;
      EXPECT_LE(std::abs(u), 1.0000001);
      sum += u;
      squares += u * u;
    }
    const double n = static_cast<double>(found[t].value.size());
    EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(3 * n)) << found[t].name;
    EXPECT_NEAR(squares / n, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / n)) << found[t].name;
    EXPECT_EQ(found[t].value, again[t].value);
    EXPECT_NE(found[t].value, different[t].value);
    count += static_cast<std::int64_t>(found[t].value.size());
  }
  EXPECT_EQ(count, architecture.parameters());
  // Known values: changing these numbers would change the results of every seed.
  EXPECT_FLOAT_EQ(found[0].value[0],
                  0.2f * static_cast<float>(random_block({.seed = 5, .trial = 1}, 0)[0] * 0x1p-31 - 1));
  EXPECT_FLOAT_EQ(found[5].value[7],
                  0.1f * static_cast<float>(random_block({.seed = 5, .trial = 1}, (5ull << 40) + 1)[3] * 0x1p-31 - 1));
}

TEST(NetworkWeights, come_back_as_they_were_set_and_others_are_refused) {
  const Architecture architecture = cnn(8, 3, 2, {20}, 4);
  Network<Device> network(Device(), architecture, 4), copy(Device(), architecture, 9),
      other(Device(), cnn(8, 3, 2, {21}, 4), 4);
  network.initialize({.seed = 1});
  copy.set_parameters(network.parameters());
  const auto a = network.parameters(), b = copy.parameters();
  for (std::size_t t = 0; t < a.size(); ++t) EXPECT_EQ(a[t].value, b[t].value);
  EXPECT_THROW(other.set_parameters(a), Error);
  EXPECT_THROW(other.set_parameters({}), Error);
}

TEST(NetworkShape, that_is_none_is_refused) {
  const auto message = [](const Architecture& architecture) -> std::string {
    try {
      Network<Device>(Device(), architecture, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message(cnn(8, 3, 9, {5}, 4)), testing::HasSubstr("9x9 does not fit into images of 8x8"));
  EXPECT_THAT(message(cnn(8, 3, 0, {5}, 4)), testing::HasSubstr("0x0"));
  EXPECT_THAT(message(cnn(8, 3, 2, {0}, 4)), testing::HasSubstr("0 units"));
  EXPECT_THAT(message(cnn(8, 3, 2, {5}, 0)), testing::HasSubstr("no classes"));
  EXPECT_THAT(message(cnn(0, 3, 2, {5}, 2)), testing::HasSubstr("no features"));
}

TEST(NetworkMemory, of_the_largest_network_of_the_search_needs_64_bits) {
  // 999 channels of 27 x 27 positions and 1,999 units: 1.5e9 weights, twice.
  const Architecture architecture = cnn(28, 999, 2, {1999}, 10);
  EXPECT_EQ(architecture.parameters(), 999 * 5 + std::int64_t{999 * 729 + 1} * 1999 + 2000 * 10);
  const double weights = 2 * 999 * 729 * 2000.0 * 4;
  EXPECT_GT(static_cast<double>(nn::network_bytes(architecture, 10)), weights);
  EXPECT_LT(static_cast<double>(nn::network_bytes(architecture, 10)), 1.05 * weights);
}

}  // namespace
}  // namespace krossfold
