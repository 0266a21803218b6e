// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/lstm_network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "krossfold/core/error.hpp"
#include "test/nn/reference_lstm.hpp"

namespace krossfold {
namespace {

using nn::LstmArchitecture;
using nn::LstmNetwork;

constexpr LstmArchitecture small{.symbols = 5, .steps = 3, .layers = 3, .hidden = 6, .dropout = 0.3};

class LstmNetworkTest : public testing::Test {
protected:
  static constexpr int windows = 11;
  std::vector<int> symbol, next, row;
  const nn::DropoutStream dropout{true, {.seed = 3}, 4};

  LstmNetworkTest() {
    std::mt19937 engine(2);
    std::uniform_int_distribution<int> any(0, small.symbols - 1);
    for (int k = 0; k < windows * small.steps; ++k) {
      symbol.push_back(any(engine));
      next.push_back(any(engine));
    }
    row = {4, 0, 7, 7, 10, 2, 1};
  }
  nn::Windows<Device> on_windows() const {
    return {list_on<Device>("krossfold::test::symbol", symbol), list_on<Device>("krossfold::test::next", next),
            small.steps};
  }
  auto rows() const { return list_on<Device>("krossfold::test::row", row); }

  static LstmNetwork<Device> network(int batch) {
    LstmNetwork<Device> made(Device(), small, batch);
    made.initialize({.seed = 1, .purpose = random_purpose_initial_weights});
    return made;
  }
  /// Contribution of windows row[first] ... to the gradient of a batch of `whole`; their losses go to `loss`.
  std::vector<float> gradient(LstmNetwork<Device>& of, int first, int count, int whole, const nn::DropoutStream& stream,
                              std::vector<double>* losses = nullptr) const {
    const Vector<float, Device> found("krossfold::test::gradient", of.weight().extent(0));
    Kokkos::deep_copy(found, -7.0f);  // must be overwritten
    const Vector<double, Device> loss("krossfold::test::loss", count);
    of.backward(on_windows(), rows(), first, count, whole, stream, found, loss);
    const auto host = on_host(found);
    const auto host_loss = on_host(loss);
    if (losses != nullptr) losses->assign(host_loss.data(), host_loss.data() + count);
    return {host.data(), host.data() + host.extent(0)};
  }
  test::ReferenceLstm reference(const LstmNetwork<Device>& of, bool with_dropout) const {
    test::ReferenceLstm made(small, of.parameters());
    if (!with_dropout) return made;
    made.factor = [](int window, int layer, int t, int h) {
      const StreamId stream{
          .seed = 3, .purpose = random_purpose_dropout, .fold = static_cast<std::uint16_t>(layer), .trial = 4};
      const auto block = random_block(stream, static_cast<std::uint64_t>(window) * small.steps + t);  // one: 6 units
      const auto bits = block[h / 2] >> (16 * (h % 2)) & 0xffff;
      const double p = std::lround(0.3 * 65536) / 65536.0;
      return bits >= p * 65536 ? 1 / (1 - p) : 0.0;
    };
    return made;
  }
  /// Mean loss of windows row[first] ... row[last - 1].
  double mean_loss(const test::ReferenceLstm& of, int first, int last) const {
    double sum = 0;
    for (int k = first; k < last; ++k) {
      sum += of.loss(row[k], &symbol[row[k] * small.steps], &next[row[k] * small.steps]);
    }
    return sum / (last - first);
  }
};

TEST(LstmArchitectureTest, of_the_pet_names_has_482719_parameters) {
  EXPECT_EQ(LstmArchitecture{}.parameters(), 482719);
  EXPECT_EQ(LstmNetwork<Device>(Device(), {}, 2).weight().extent(0), 482719u);
  EXPECT_NEAR(LstmArchitecture{}.training_flops() * 1024, 21.1e9, 0.5e9);
}

TEST_F(LstmNetworkTest, gradient_of_reduced_precision_is_near_that_of_single_precision) {
  const auto length = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += std::pow(a[k] - b[k], 2);
    return std::sqrt(sum);
  };
  auto one = network(16);
  const auto exact = gradient(one, 0, 7, 7, dropout);
  const double size = length(exact, std::vector<float>(exact.size(), 0.0f));
  for (const auto& [precision, unit] :
       {std::pair{kernels::Precision::tf32, 0x1p-11}, {kernels::Precision::bf16, 0x1p-8}}) {
    one.set_precision(precision);
    const double error = length(gradient(one, 0, 7, 7, dropout), exact) / size;
    EXPECT_LT(error, 4 * unit);
    EXPECT_GT(error, unit / 64) << "nothing was rounded";
  }
  one.set_precision(kernels::Precision::single);
  EXPECT_EQ(gradient(one, 0, 7, 7, dropout), exact);
}

TEST_F(LstmNetworkTest, gradient_agrees_with_finite_differences_in_double) {
  for (const bool with_dropout : {false, true}) {
    auto one = network(16);
    nn::DropoutStream stream = dropout;
    stream.on = with_dropout;
    std::vector<double> loss;
    const auto found = gradient(one, 1, 5, 5, stream, &loss);
    test::ReferenceLstm expected = reference(one, with_dropout);
    EXPECT_NEAR(std::accumulate(loss.begin(), loss.end(), 0.0), mean_loss(expected, 1, 6), 1e-6);
    std::size_t at = 0;
    for (auto& tensor : expected.parameter) {
      for (double& weight : tensor) {
        const double before = weight;
        weight = before + 1e-5;
        const double up = mean_loss(expected, 1, 6);
        weight = before - 1e-5;
        const double down = mean_loss(expected, 1, 6);
        weight = before;
        ASSERT_NEAR(found[at], (up - down) / 2e-5, 2e-7 + 1e-5 * std::abs(found[at])) << "number " << at;
        ++at;
      }
    }
    EXPECT_EQ(at, found.size());
  }
}

TEST_F(LstmNetworkTest, gradient_of_a_batch_is_the_sum_of_those_of_its_parts) {
  auto whole = network(16), in_parts = network(2);
  const auto a = gradient(whole, 0, 7, 7, dropout), b = gradient(in_parts, 0, 7, 7, dropout);
  const auto first = gradient(whole, 0, 3, 7, dropout), rest = gradient(whole, 3, 4, 7, dropout);
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a[k], b[k], 1e-7);
    EXPECT_NEAR(a[k], first[k] + rest[k], 1e-7);
  }
}

TEST_F(LstmNetworkTest, gradient_of_no_window_is_nothing) {
  auto one = network(16);
  EXPECT_THAT(gradient(one, 0, 0, 7, dropout), testing::Each(0.0f));
}

TEST_F(LstmNetworkTest, losses_and_logits_are_without_dropout) {
  auto one = network(4);
  const Vector<double, Device> loss("krossfold::test::loss", 7);
  one.losses(on_windows(), rows(), 0, 7, loss);
  const auto expected = reference(one, false);
  const auto found = on_host(loss);
  for (int k = 0; k < 7; ++k) EXPECT_NEAR(found(k), mean_loss(expected, k, k + 1), 1e-6);
  const auto logits = one.logits(on_windows(), rows(), 2, 3);
  const auto z = on_host(logits);
  for (int w = 0; w < 3; ++w) {
    const auto wanted = expected.logits(row[2 + w], &symbol[row[2 + w] * small.steps]);
    for (int t = 0; t < small.steps; ++t) {
      for (int c = 0; c < small.symbols; ++c) EXPECT_NEAR(z((c * small.steps + t) * 3 + w), wanted[t][c], 1e-6);
    }
  }
}

TEST_F(LstmNetworkTest, parameters_have_pytorchs_names_and_come_back) {
  auto one = network(4);
  LstmNetwork<Device> two(Device(), small, 4);
  two.set_parameters(one.parameters());
  const auto a = one.parameters(), b = two.parameters();
  ASSERT_EQ(a.size(), 14u);
  EXPECT_EQ(a[0].name, "weight_ih_l0");
  EXPECT_EQ(a[0].shape, (std::vector<std::int64_t>{24, 5}));
  EXPECT_EQ(a[5].name, "weight_hh_l1");
  EXPECT_EQ(a[12].name, "dense.weight");
  for (std::size_t t = 0; t < a.size(); ++t) EXPECT_EQ(a[t].value, b[t].value);
  for (const float w : a[1].value) EXPECT_LE(std::abs(w), 1 / std::sqrt(6.0f));
  auto other = one.parameters();
  other.pop_back();
  EXPECT_THROW(two.set_parameters(other), Error);
}

TEST_F(LstmNetworkTest, of_a_shape_that_is_none_is_refused) {
  for (const auto& bad : {LstmArchitecture{.symbols = 1}, LstmArchitecture{.steps = 0}, LstmArchitecture{.layers = 0},
                          LstmArchitecture{.hidden = 0}, LstmArchitecture{.dropout = 1}}) {
    EXPECT_THROW(nn::check_architecture(bad, "it"), Error);
  }
}

}  // namespace
}  // namespace krossfold
