// SPDX-License-Identifier: BSD-3-Clause
// Networks that take turns, each in its own instance of the execution space, have the bits that each has alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "krossfold/core/poll.hpp"
#include "krossfold/nn/training.hpp"
#include "test/nn/random_samples.hpp"

namespace krossfold {
namespace {

using nn::Architecture;
using nn::Network;
using test::weights;

/// A training with all that it works on.
struct Trained {
  Network<Device> network;
  nn::Training<Network<Device>> training;

  Trained(const Device& exec, const Architecture& architecture, const nn::Samples<Device>& samples, int rows,
          int number, nn::TrainingParams params)
      : network(exec, architecture, params.batch), training(network, samples, rows_of(rows, number), params) {
    network.initialize({.seed = static_cast<std::uint64_t>(number), .purpose = random_purpose_initial_weights});
  }
  static std::vector<int> rows_of(int count, int number) {
    std::vector<int> rows(count);
    for (int k = 0; k < count; ++k) rows[k] = (k + 3 * number) % 57;
    return rows;
  }
};

class TrainTogether : public testing::Test {
protected:
  test::RandomSamples data{57, 64, 10, 3};
  nn::TrainingParams params;

  TrainTogether() {
    params.epochs = 3;
    params.stop_ratio = std::numeric_limits<double>::infinity();
    params.batch = 2;
  }
  nn::TrainingParams params_of(int number) const {
    nn::TrainingParams own = params;
    own.stream = {.seed = static_cast<std::uint64_t>(10 + number), .purpose = random_purpose_sample_order};
    own.rate = 0.01 * (1 + number);
    return own;
  }
  std::vector<std::unique_ptr<Trained>> trained(const Architecture& architecture, const std::vector<int>& sizes) const {
    const auto instance = instances<Device>(static_cast<int>(sizes.size()));
    std::vector<std::unique_ptr<Trained>> all;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const int number = static_cast<int>(k);
      all.push_back(
          std::make_unique<Trained>(instance[k], architecture, data.samples, sizes[k], number, params_of(number)));
    }
    return all;
  }
  /// Trains all to the end.
  static void train(const std::vector<std::unique_ptr<Trained>>& all, const Poll& poll = {}) {
    std::vector<nn::Training<Network<Device>>*> trainings;
    for (const auto& one : all) trainings.push_back(&one->training);
    nn::train_together<Network<Device>>(trainings, poll);
  }
  /// Each of `all` against a training of its own.
  void expect_as_alone(const std::vector<std::unique_ptr<Trained>>& all, const Architecture& architecture,
                       const std::vector<int>& sizes) const {
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const int number = static_cast<int>(k);
      Network<Device> alone(Device(), architecture, params.batch);
      alone.initialize({.seed = static_cast<std::uint64_t>(number), .purpose = random_purpose_initial_weights});
      const auto result = nn::train(alone, data.samples, Trained::rows_of(sizes[k], number), params_of(number));
      EXPECT_EQ(all[k]->training.result().epoch_loss, result.epoch_loss) << k;
      EXPECT_EQ(weights(all[k]->network), weights(alone)) << k;
    }
  }
};

const Architecture plain{{8, 8, 1}, 0, 0, {24}, 10};
const Architecture conv{{8, 8, 1}, 6, 3, {24}, 10};
Architecture deep() {
  Architecture architecture{{8, 8, 1}, 5, 4, {40, 12}, 10};
  architecture.dropout = 0.25;
  architecture.activation = kernels::Activation::tanh;
  return architecture;
}

TEST_F(TrainTogether, gives_each_network_the_bits_it_has_alone) {
  // As many samples, one more, far fewer, and too few for a whole batch.
  for (const Architecture& architecture : {plain, conv, deep()}) {
    for (const auto& sizes : {std::vector<int>{40, 40, 40}, {56, 57}, {57, 20, 1, 48}}) {
      const auto all = trained(architecture, sizes);
      train(all);
      expect_as_alone(all, architecture, sizes);
    }
  }
}

TEST_F(TrainTogether, gives_the_same_bits_with_batches_and_layers_that_take_other_forms_of_the_kernels) {
  params.epochs = 4;
  const Architecture wide{{8, 8, 1}, 64, 2, {70}, 10};  // as many outputs as take the form of many of a convolution
  for (const auto& [batch, architecture] : {std::pair(10, conv), {16, deep()}, {16, wide}}) {
    params.batch = batch;
    const std::vector<int> sizes = {97, 97, 97};
    const auto all = trained(architecture, sizes);
    train(all);
    expect_as_alone(all, architecture, sizes);
  }
}

TEST_F(TrainTogether, of_weighted_samples_gives_the_bits_of_each_alone) {
  const Vector<double> weight("krossfold::test::weight", 57);
  for (int s = 0; s < 57; ++s) weight(s) = 0.25 * (1 + s % 7);
  data.samples.weight = Kokkos::create_mirror_view_and_copy(Device(), weight);
  const std::vector<int> sizes = {57, 41};
  for (const Architecture& architecture : {conv, deep()}) {
    const auto all = trained(architecture, sizes);
    train(all);
    expect_as_alone(all, architecture, sizes);
  }
}

TEST_F(TrainTogether, of_different_networks_gives_the_bits_of_each_alone) {
  const std::vector<int> sizes = {40, 40};
  const auto instance = instances<Device>(2);
  std::vector<std::unique_ptr<Trained>> mixed;
  mixed.push_back(std::make_unique<Trained>(instance[0], conv, data.samples, 40, 0, params_of(0)));
  mixed.push_back(std::make_unique<Trained>(instance[1], deep(), data.samples, 40, 1, params_of(1)));
  train(mixed);
  const auto of_conv = trained(conv, sizes), of_deep = trained(deep(), sizes);
  train(of_conv);
  train(of_deep);
  expect_as_alone(of_conv, conv, sizes);
  expect_as_alone(of_deep, deep(), sizes);
  EXPECT_EQ(weights(mixed[0]->network), weights(of_conv[0]->network));
  EXPECT_EQ(weights(mixed[1]->network), weights(of_deep[1]->network));
}

TEST_F(TrainTogether, goes_on_without_networks_that_diverge_or_gain_too_little) {
  params.epochs = 6;
  const auto instance = instances<Device>(4);
  std::vector<std::unique_ptr<Trained>> all;
  for (int k = 0; k < 4; ++k) {
    nn::TrainingParams own = params_of(k);
    if (k == 1) own.rate = 1e30;
    if (k == 2) own.stop_ratio = 1e-9;
    all.push_back(std::make_unique<Trained>(instance[k], conv, data.samples, 40, k, own));
  }
  train(all);
  EXPECT_TRUE(all[1]->training.result().diverged);
  EXPECT_THAT(all[1]->training.result().reason, testing::StartsWith("loss "));
  EXPECT_THAT(all[2]->training.result().epoch_loss, testing::SizeIs(2));
  for (const int k : {0, 1, 2, 3}) {
    Trained alone(Device(), conv, data.samples, 40, k, params_of(k));
    nn::TrainingParams own = params_of(k);
    if (k == 1) own.rate = 1e30;
    if (k == 2) own.stop_ratio = 1e-9;
    const auto result = nn::train(alone.network, data.samples, Trained::rows_of(40, k), own);
    EXPECT_EQ(all[k]->training.result().epoch_loss, result.epoch_loss) << k;
    EXPECT_EQ(all[k]->training.result().reason, result.reason) << k;
    if (k != 1) {
      EXPECT_EQ(weights(all[k]->network), weights(alone.network)) << k;
    }
  }
}

TEST_F(TrainTogether, is_stopped_at_any_step_and_goes_on_from_the_states_with_the_same_bits) {
  const std::vector<int> sizes = {57, 56, 30};
  for (const int last : {0, 1, 2, 5, 30, 31, 50, 70, 100, 200}) {
    const auto before = trained(deep(), sizes), after = trained(deep(), sizes);
    int polls = 0;
    EXPECT_THROW(train(before,
                       [&] {
                         if (polls++ == last) throw Stopped();
                       }),
                 Stopped);
    ByteWriter writer;
    for (const auto& one : before) one->training.write_state(writer);
    const std::vector<std::byte> state = writer.take();
    ByteReader reader(state, "states");
    for (const auto& one : after) one->training.read_state(reader);
    train(after);
    expect_as_alone(after, deep(), sizes);
  }
}

}  // namespace
}  // namespace krossfold
