// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/nn/sharded_lstm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "krossfold/input/names.hpp"
#include "krossfold/nn/rows.hpp"
#include "krossfold/nn/training.hpp"
#include "test/nn/name_training.hpp"
#include "test/nn/watching_exchange.hpp"

namespace krossfold::test {
namespace {

TEST(Share, of_a_batch_is_equal_but_for_one_sample_and_all_are_taken) {
  for (const int batch : {0, 1, 3, 10, 17}) {
    for (const int shards : {1, 2, 3, 4, 7}) {
      int next = 0;
      for (int s = 0; s < shards; ++s) {
        const nn::Share share = nn::share_of(batch, s, shards);
        EXPECT_EQ(share.first, next);
        EXPECT_GE(share.count, batch / shards);
        EXPECT_LE(share.count, (batch + shards - 1) / shards);
        next += share.count;
      }
      EXPECT_EQ(next, batch);
    }
  }
}

class ShardedLstm : public testing::TestWithParam<int> {};

TEST_P(ShardedLstm, follows_the_single_shard_with_dropout_and_uneven_last_batches) {
  nn::Exchange<Device> alone, sharing(GetParam());
  const NameCurve single = train_names(alone), shared = train_names(sharing);
  ASSERT_GE(single.step.size(), 50u);
  ASSERT_EQ(shared.step.size(), single.step.size());
  for (std::size_t k = 0; k < 50; ++k) EXPECT_NEAR(shared.step[k], single.step[k], 1e-5 * single.step[k]) << k;
  ASSERT_EQ(shared.held_out.size(), single.held_out.size());
  for (std::size_t e = 0; e < single.held_out.size(); ++e) {
    EXPECT_NEAR(shared.held_out[e], single.held_out[e], 1e-5 * single.held_out[e]);
  }
  EXPECT_LT(single.held_out.back(), single.held_out.front());
}

INSTANTIATE_TEST_SUITE_P(Shards, ShardedLstm, testing::Values(1, 2, 3, 16));

TEST(ShardedLstmTraining, calls_a_layer_found_when_its_gradient_does_not_change_any_more) {
  nn::Exchange<Device> plain(3);
  WatchingExchange watching(3);
  const NameCurve expected = train_names(plain), found = train_names(watching);
  EXPECT_EQ(found.step, expected.step);
  EXPECT_EQ(found.weight, expected.weight);
  EXPECT_EQ(watching.layers(), 3u);  // two LSTM layers and the dense layer
  EXPECT_EQ(watching.sent, 3 * watching.steps);
  EXPECT_EQ(watching.steps, static_cast<int>(found.step.size()));
}

TEST(ShardedLstmTraining, that_repeats_recorded_steps_gives_the_bits_of_single_steps) {
  nn::Exchange<Device> exchange;
  const NameCurve trained = train_names(exchange);
  const auto windows = windows_of(input::split_names(input::load_names("names"), 443).train.name);
  const nn::TrainingParams params = name_params();
  nn::ShardedLstm<Device> model(Device(), small_name_network, 7, exchange);
  model.network().initialize({.seed = 5, .purpose = random_purpose_initial_weights});
  const std::vector<int> rows = nn::all_rows(windows.size());
  std::size_t step = 0;
  for (int epoch = 0; epoch < params.epochs; ++epoch) {
    const auto order = list_on<Device>("krossfold::test::order", nn::epoch_order(params.stream, epoch, rows));
    for (int first = 0; first < windows.size(); first += params.batch, ++step) {
      const int count = std::min(params.batch, windows.size() - first);
      const Vector<double, Device> loss("krossfold::test::loss", count);
      model.step(windows, order, first, count, {.rate = params.rate, .stream = params.stream, .epoch = epoch}, loss);
      const auto found = on_host(loss);
      EXPECT_EQ(std::accumulate(found.data(), found.data() + count, 0.0), trained.step.at(step)) << step;
    }
  }
  const auto weight = on_host(model.network().weight());
  EXPECT_EQ(std::vector<float>(weight.data(), weight.data() + weight.extent(0)), trained.weight);
}

TEST(ShardedLstmTraining, goes_on_from_its_state_with_the_same_bits) {
  nn::Exchange<Device> exchange(3);
  const NameCurve whole = train_names(exchange), halves = train_names(exchange, 31);
  EXPECT_EQ(whole.step, halves.step);
  EXPECT_EQ(whole.held_out, halves.held_out);
  EXPECT_EQ(whole.weight, halves.weight);
}

}  // namespace
}  // namespace krossfold::test
